#include "sim/model/narrow.h"

#include <string.h>

#include "sim/model/instr.h"
#include "sim/text/place.h"

#define WORD 4.0 /* bytes: what a lane of a request that is not narrow has at least */

/* Bytes of a lane's part of the access: "ld.global.v2.u8" has 2. */
static int lane_bytes(const struct ptx_instr *instr)
{
    int element = 0, count = 1;
    for (int i = 0; i < instr->mod_count; i++) {
        const enum ptx_type type = ptx_type_find(instr->mods[i]);
        if (type != PTX_NOTYPE)
            element = ptx_type_size(type);
        else if (instr->mods[i][0] == 'v' && (instr->mods[i][1] == '2' || instr->mods[i][1] == '4') &&
                 !instr->mods[i][2])
            count = instr->mods[i][1] - '0';
    }
    return element * count;
}

/* Requests of loads and stores, and not of atomics. */
static double requests_of(const struct timing_launch *launch, int op)
{
    const struct sim_counters *n = counter_of(launch->set, op);
    if (!n || (!instr_is(launch->code->instrs[op], "ld") && !instr_is(launch->code->instrs[op], "st")))
        return 0;
    return (double)n->global_load_requests + (double)n->global_store_requests;
}

void narrow_find(const struct timing_launch *launch, double seconds, struct sim_waste *out)
{
    double all = 0, narrow = 0, bytes = 0, spared = 0, most = 0;
    *out = (struct sim_waste){.file = ""};
    for (int op = 0; op < launch->code->count; op++) {
        const double requests = requests_of(launch, op);
        const struct ptx_instr *instr = launch->code->instrs[op];
        const int size = requests > 0 ? lane_bytes(instr) : 0;
        all += requests;
        if (size == 0 || size >= WORD)
            continue;
        narrow += requests;
        bytes += requests * size;
        spared += requests * (1 - size / WORD);
        if (requests <= most || instr->site.line <= 0)
            continue;
        most = requests;
        out->file = place_file(launch->kernel, instr->site);
        out->line = instr->site.line;
    }
    if (narrow == 0 || out->line == 0)
        return;
    out->kind = SIM_WASTE_NARROW;
    out->seconds = seconds * spared / all;
    out->figure[0] = bytes / narrow;
    out->figure[1] = WORD;
}
