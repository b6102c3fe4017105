#include "sim/model/arithmetic.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/code.h"
#include "sim/model/instr.h"
#include "sim/text/place.h"

#define FLOPS_LEAST  1000000 /* of a launch: of less nothing is worth saying */
#define SELECT_SHARE 4       /* a quarter of all flops, for each side of a selection */

static uint64_t flops_of(const struct counter_set *set, int op)
{
    const struct sim_counters *c = counter_of(set, op);
    return c ? c->flops32 + c->flops64 : 0;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

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

/* ---- selections ---------------------------------------------------------------------------------------- */

/* What a value is made of, by its registers, whichever way the threads went. */
struct slices {
    const struct code *code;
    int first, end;        /* operations of the function */
    unsigned char *in;     /* [operations] bits: in the slice of the first value, of the second */
    unsigned char *wanted; /* [registers] the same */
    int registers;
};

typedef void (*register_fn)(struct slices *s, int reg, unsigned bits, bool *changed);

static void each_register(struct slices *s, const struct ptx_operand *operand, register_fn fn, unsigned bits,
                          bool *changed)
{
    if ((operand->kind == PTX_REG || operand->kind == PTX_ADDRESS) && operand->reg >= 0 &&
        operand->reg < s->registers)
        fn(s, operand->reg, bits, changed);
    for (int i = 0; i < operand->count; i++)
        each_register(s, &operand->list[i], fn, bits, changed);
}

static void want(struct slices *s, int reg, unsigned bits, bool *changed)
{
    if ((s->wanted[reg] | bits) == s->wanted[reg])
        return;
    s->wanted[reg] |= (unsigned char)bits;
    *changed = true;
}

static unsigned wanted_of(const struct slices *s, const struct ptx_operand *operand)
{
    unsigned bits = operand->kind == PTX_REG && operand->reg >= 0 && operand->reg < s->registers
                        ? s->wanted[operand->reg]
                        : 0;
    for (int i = 0; i < operand->count; i++)
        bits |= wanted_of(s, &operand->list[i]);
    return bits;
}

/* Operations whose result is wanted want their operands. */
static void spread(struct slices *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int op = s->end - 1; op >= s->first; op--) {
            const struct ptx_instr *instr = s->code->instrs[op];
            if (!instr || instr->operand_count < 2 || instr_is(instr, "st"))
                continue;
            const unsigned bits = wanted_of(s, &instr->operands[0]);
            s->in[op] |= (unsigned char)bits;
            for (int i = 1; bits && i < instr->operand_count; i++)
                each_register(s, &instr->operands[i], want, bits, &changed);
        }
    }
}

/* Flops of operations that only the first value needs, and that only the second one does. */
static void sides(const struct slices *s, const struct counter_set *set, uint64_t side[2])
{
    side[0] = side[1] = 0;
    for (int op = s->first; op < s->end; op++)
        if (s->in[op] == 1 || s->in[op] == 2)
            side[s->in[op] - 1] += flops_of(set, op);
}

/* "selp d, a, b, p" of which both sides take much of the launch's arithmetic. */
static bool throws_away(struct slices *s, const struct counter_set *set, const struct ptx_instr *select,
                        uint64_t all)
{
    uint64_t side[2];
    bool changed;
    memset(s->in, 0, (size_t)s->code->count);
    memset(s->wanted, 0, (size_t)s->registers);
    each_register(s, &select->operands[1], want, 1, &changed);
    each_register(s, &select->operands[2], want, 2, &changed);
    spread(s);
    sides(s, set, side);
    return side[0] >= all / SELECT_SHARE && side[1] >= all / SELECT_SHARE;
}

static int most_register(const struct ptx_operand *operand)
{
    int most = operand->kind == PTX_REG || operand->kind == PTX_ADDRESS ? operand->reg : -1;
    for (int i = 0; i < operand->count; i++) {
        const int reg = most_register(&operand->list[i]);
        most = reg > most ? reg : most;
    }
    return most;
}

static int count_registers(const struct code *code, int end)
{
    int most = -1;
    for (int op = 0; op < end; op++)
        for (int i = 0; code->instrs[op] && i < code->instrs[op]->operand_count; i++) {
            const int reg = most_register(&code->instrs[op]->operands[i]);
            most = reg > most ? reg : most;
        }
    return most + 1;
}

/* Only in the kernel itself: registers of a function that it calls have numbers of their own. */
static int kernel_end(const struct code *code)
{
    int end = code->count;
    for (int i = 1; i < code->function_count; i++)
        if (code->functions[i].entry < end && code->functions[i].entry > code->functions[0].entry)
            end = code->functions[i].entry;
    return end;
}

static bool may_throw_away(const struct ptx_instr *instr)
{
    return instr && instr_is(instr, "selp") && instr->operand_count == 4 &&
           instr->operands[1].kind == PTX_REG && instr->operands[2].kind == PTX_REG &&
           instr->operands[1].reg != instr->operands[2].reg;
}

#define SELECTIONS_MOST 64 /* that are looked at: each takes a walk through the code */

static void find_selection(const struct sim_kernel *kernel, const struct code *code,
                           const struct counter_set *set, struct sim_arithmetic *out)
{
    const int end = kernel_end(code);
    struct slices s = {.code = code, .end = end, .registers = count_registers(code, end)};
    s.in = calloc((size_t)code->count + 1, 1);
    s.wanted = calloc((size_t)s.registers + 1, 1);
    for (int op = 0, seen = 0; s.in && s.wanted && op < end && seen < SELECTIONS_MOST && !out->selection.line;
         op++) {
        const struct sim_counters *c = counter_of(set, op);
        if (!may_throw_away(code->instrs[op]) || !c || !c->warp_instructions)
            continue;
        seen++;
        if (throws_away(&s, set, code->instrs[op], out->flops))
            out->selection = line_at(kernel, code->instrs[op]);
    }
    free(s.in);
    free(s.wanted);
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
    find_selection(kernel, code, set, out);
}
