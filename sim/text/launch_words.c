#include "sim/text/launch_words.h"

#include <inttypes.h>
#include <stdio.h>

/* "3 blocks", or "3 x 2 x 1 blocks" where there is more than one dimension. */
static void name_sizes(const uint32_t size[3], const char *what, char *text, size_t bytes)
{
    if (size[1] == 1 && size[2] == 1)
        snprintf(text, bytes, "%" PRIu32 " %s%s", size[0], what, size[0] == 1 ? "" : "s");
    else
        snprintf(text, bytes, "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " %ss", size[0], size[1], size[2], what);
}

/* A grid as large as blocks usually are, of blocks as large as only grids are. */
static bool may_be_swapped(const uint32_t grid[3], const uint32_t block[3])
{
    return grid[1] == 1 && grid[2] == 1 && block[1] == 1 && block[2] == 1 && grid[0] >= 32 &&
           grid[0] <= 1024 && grid[0] % 32 == 0;
}

bool launch_words(const uint32_t grid[3], const uint32_t block[3], int most, char *text, size_t size)
{
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    char blocks[64], in_block[64];
    name_sizes(grid, "block", blocks, sizeof blocks);
    name_sizes(block, "thread", in_block, sizeof in_block);
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
        snprintf(text, size, "a grid of %s: there must be at least one", blocks);
    else if (grid[0] > 2147483647u)
        snprintf(text, size, "a grid of %s: in x there may be at most 2147483647", blocks);
    else if (grid[1] > 65535 || grid[2] > 65535)
        snprintf(text, size, "a grid of %s: in %c there may be at most 65535 (in x 2147483647)", blocks,
                 grid[1] > 65535 ? 'y' : 'z');
    else if (threads == 0)
        snprintf(text, size, "a block of %s: there must be at least one", in_block);
    else if (block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > (uint64_t)most)
        snprintf(text, size,
                 "a block of %s, %" PRIu64 " in all: at most %d in all, and at most 1024 x 1024 x 64%s",
                 in_block, threads, most,
                 may_be_swapped(grid, block)
                     ? ". In <<<blocks, threads>>> the number of blocks comes first: are they swapped?"
                     : "");
    else
        return false;
    return true;
}
