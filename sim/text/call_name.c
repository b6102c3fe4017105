#include "sim/text/call_name.h"

#include <stdio.h>
#include <string.h>

void call_name(const char *instruction, char *text, size_t size)
{
    static const char *const names[][2] = {
        {"shfl.sync.up", "__shfl_up_sync()"},
        {"shfl.sync.down", "__shfl_down_sync()"},
        {"shfl.sync.bfly", "__shfl_xor_sync()"},
        {"shfl.sync.idx", "__shfl_sync()"},
        {"vote.sync.all", "__all_sync()"},
        {"vote.sync.any", "__any_sync()"},
        {"vote.sync.ballot", "__ballot_sync()"},
        {"match.any.sync", "__match_any_sync()"},
        {"match.all.sync", "__match_all_sync()"},
        {"match.sync.any", "__match_any_sync()"},
        {"match.sync.all", "__match_all_sync()"},
        {"redux.sync.add", "__reduce_add_sync()"},
        {"redux.sync.min", "__reduce_min_sync()"},
        {"redux.sync.max", "__reduce_max_sync()"},
        {"redux.sync.and", "__reduce_and_sync()"},
        {"redux.sync.or", "__reduce_or_sync()"},
        {"redux.sync.xor", "__reduce_xor_sync()"},
        {"bar.warp.sync", "__syncwarp()"},
        {"wmma.load", "load_matrix_sync()"},
        {"wmma.store", "store_matrix_sync()"},
        {"wmma.mma", "mma_sync()"},
    };
    snprintf(text, size, "%s", instruction);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(instruction, names[i][0], strlen(names[i][0])) == 0)
            snprintf(text, size, "%s", names[i][1]);
}
