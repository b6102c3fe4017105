#include "sim/model/arithmetic.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/code.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

#define FLOPS_LEAST 1000000 /* of a launch: of less nothing is worth saying */

static uint64_t flops_of(const struct counter_set *set, int op)
{
    const struct sim_counters *c = counter_of(set, op);
    return c ? c->flops32 + c->flops64 : 0;
}

static struct arithmetic_line line_at(const struct sim_kernel *kernel, const struct ptx_instr *instr)
{
    const bool same_file = instr->call.file == instr->site.file;
    return (struct arithmetic_line){.file = place_file(kernel, instr->site),
                                    .line = instr->site.line,
                                    .call_line = same_file ? instr->call.line : 0};
}

static bool same_line(const struct arithmetic_line *a, const struct arithmetic_line *b)
{
    return a->line == b->line && a->call_line == b->call_line && strcmp(a->file, b->file) == 0;
}

static int by_flops(const void *left, const void *right)
{
    const struct arithmetic_line *a = left, *b = right;
    if (a->flops != b->flops)
        return a->flops < b->flops ? 1 : -1;
    return a->line != b->line ? a->line - b->line : a->call_line - b->call_line;
}

static void find_lines(const struct sim_kernel *kernel, const struct code *code,
                       const struct counter_set *set, struct sim_arithmetic *out)
{
    struct arithmetic_line *lines = calloc((size_t)code->count + 1, sizeof *lines);
    int count = 0;
    for (int op = 0; lines && op < code->count; op++) {
        const struct ptx_instr *instr = code->instrs[op];
        const uint64_t flops = instr ? flops_of(set, op) : 0;
        if (!flops || instr->site.line <= 0)
            continue;
        const struct arithmetic_line at = line_at(kernel, instr);
        int i = 0;
        while (i < count && !same_line(&lines[i], &at))
            i++;
        if (i == count)
            lines[count++] = at;
        lines[i].flops += flops;
    }
    if (lines)
        qsort(lines, (size_t)count, sizeof *lines, by_flops);
    out->count = count < ARITHMETIC_LINES ? count : ARITHMETIC_LINES;
    if (lines)
        memcpy(out->line, lines, (size_t)out->count * sizeof *lines);
    free(lines);
}

void arithmetic_find(const struct sim_kernel *kernel, const struct code *code, const struct counter_set *set,
                     struct sim_arithmetic *out)
{
    *out = (struct sim_arithmetic){0};
    for (int op = 0; op < code->count; op++)
        out->flops += flops_of(set, op);
    if (out->flops < FLOPS_LEAST)
        return;
    find_lines(kernel, code, set, out);
}
