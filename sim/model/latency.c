/*
 * A basic block is scheduled as ptxas would: an instruction starts as soon as its operands are there, but
 * barriers keep their place and loads do not pass stores. What is still under way at the end of a block
 * is waited for where it is used, in the blocks that follow.
 *
 * Each block counts as often as the slowest warp runs it. Where only some warps of a thread block run it
 * (`if (threadIdx.x < s)`), the others wait at the next barrier: it is taken to be as often as thread blocks
 * run it at all, but not more often than the code before and behind it.
 */
#include "sim/model/counter.h"
#include "sim/model/instr.h"
#include "sim/model/latency.h"
#include "sim/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* Cycles until a result can be used; rounded from published microbenchmarks of Ampere and Hopper. */
enum {
    ARITHMETIC_CYCLES = 4,
    FP64_CYCLES = 8,      /* with as many lanes as a data-centre GPU has; else see result_cycles */
    SPECIAL_CYCLES = 18,  /* special functions, conversions */
    CONTROL_CYCLES = 8,   /* a branch, a vote */
    PARAMETER_CYCLES = 4, /* parameters are constants of the instructions that use them */
    CONSTANT_CYCLES = 8,
    SHARED_CYCLES = 28,
    SHUFFLE_CYCLES = 24,
    L1_CYCLES = 40,
    L2_CYCLES = 260,
    BARRIER_CYCLES = 30,
    CALL_CYCLES = 20,
};

/* One basic block while it is scheduled; times count from its beginning. */
struct schedule {
    const struct sim_profile *profile;
    const struct code *code;
    const struct counter_set *set;
    double *ready;        /* by register: when its value is there */
    double fence;         /* nothing starts before it: the last barrier */
    double last_start;    /* of any instruction so far */
    double last_store[2]; /* to global memory, to shared memory: loads do not pass stores of their kind */
    double issued;        /* machine instructions so far: one a cycle */
};

/* ---- operands ------------------------------------------------------------------------------------------ */

enum { MAX_LIST = 64 };

static void wait_for(const struct schedule *s, const struct ptx_operand *operand, double *start)
{
    bool is_register = operand->kind == PTX_REG || (operand->kind == PTX_ADDRESS && operand->reg >= 0);
    if (is_register && operand->reg >= 0 && s->ready[operand->reg] > *start)
        *start = s->ready[operand->reg];
    for (int i = 0; operand->list && i < operand->count && i < MAX_LIST; i++)
        wait_for(s, &operand->list[i], start);
}

static void set_ready(struct schedule *s, const struct ptx_operand *operand, double time)
{
    if (operand->kind == PTX_REG && operand->reg >= 0)
        s->ready[operand->reg] = time;
    for (int i = 0; operand->list && i < operand->count && i < MAX_LIST; i++)
        set_ready(s, &operand->list[i], time);
}

static bool is_shared(const struct ptx_instr *instr)
{
    return ptx_has_modifier(instr, "shared") || ptx_has_modifier(instr, "shared::cta");
}

static bool is_barrier(const struct ptx_instr *instr)
{
    return instr_is(instr, "bar") || instr_is(instr, "barrier");
}

/* Its first operand is read, not written, or there is none. */
static bool writes_nothing(const struct ptx_instr *instr)
{
    return instr_is(instr, "st") || instr_is(instr, "red") || instr_is(instr, "bra") ||
           instr_is(instr, "call") || instr_is(instr, "ret") || instr_is(instr, "exit") ||
           instr_is(instr, "membar") || instr_is(instr, "fence") ||
           (is_barrier(instr) && !ptx_has_modifier(instr, "red"));
}

/* ---- one instruction ----------------------------------------------------------------------------------- */

/* A load waits for DRAM as often as one of its sectors was touched for the first time. */
static double global_cycles(const struct schedule *s, int pc)
{
    double dram = s->profile->dram_latency_ns * s->profile->clock_ghz;
    const struct sim_counters *c = s->set ? counter_of(s->set, pc) : NULL;
    double fresh = 1;
    if (c && c->global_loads > 0)
        fresh = (double)c->global_load_fresh / (double)c->global_loads;
    return fresh * dram + (1 - fresh) * L1_CYCLES;
}

static double memory_cycles(const struct schedule *s, int pc, const struct ptx_instr *instr)
{
    if (instr_is(instr, "shfl"))
        return SHUFFLE_CYCLES;
    if (ptx_has_modifier(instr, "param"))
        return PARAMETER_CYCLES;
    if (ptx_has_modifier(instr, "const"))
        return CONSTANT_CYCLES;
    if (is_shared(instr))
        return SHARED_CYCLES;
    if (ptx_has_modifier(instr, "local"))
        return L1_CYCLES;
    return instr_is(instr, "atom") ? L2_CYCLES : global_cycles(s, pc);
}

static double result_cycles(const struct schedule *s, int pc)
{
    const struct micro *op = &s->code->ops[pc];
    double count = op->cost_count > 1 ? op->cost_count : 1;
    switch (op->cost) {
    case COST_NONE: return 0;
    case COST_SFU: return SPECIAL_CYCLES * count;
    case COST_FP64:
        return count * (s->profile->fp64_lanes >= 32 ? FP64_CYCLES : 32.0 * 32 / s->profile->fp64_lanes / 8);
    case COST_LSU: return memory_cycles(s, pc, s->code->instrs[pc]);
    case COST_CONTROL: return CONTROL_CYCLES;
    default: return ARITHMETIC_CYCLES * count;
    }
}

static double earliest_start(const struct schedule *s, const struct ptx_instr *instr)
{
    double start = s->fence;
    for (int i = writes_nothing(instr) ? 0 : 1; i < instr->operand_count; i++)
        wait_for(s, &instr->operands[i], &start);
    if (instr->guard >= 0 && s->ready[instr->guard] > start)
        start = s->ready[instr->guard];
    if ((instr_is(instr, "ld") || instr_is(instr, "atom")) && s->last_store[is_shared(instr)] > start)
        start = s->last_store[is_shared(instr)];
    if ((is_barrier(instr) || instr_is(instr, "call")) && s->last_start > start)
        start = s->last_start;
    return start;
}

static void schedule_instruction(struct schedule *s, int pc)
{
    const struct ptx_instr *instr = s->code->instrs[pc];
    double start = earliest_start(s, instr);
    s->issued += s->code->ops[pc].cost_count;
    if (start > s->last_start)
        s->last_start = start;
    if (!writes_nothing(instr) && instr->operand_count > 0)
        set_ready(s, &instr->operands[0], start + result_cycles(s, pc));
    if (instr_is(instr, "st") || instr_is(instr, "red") || instr_is(instr, "atom"))
        s->last_store[is_shared(instr)] = start;
    if (is_barrier(instr))
        s->fence = start + BARRIER_CYCLES;
    if (instr_is(instr, "call"))
        s->fence = start + CALL_CYCLES;
    if (instr_is(instr, "bra") && start + CONTROL_CYCLES > s->last_start)
        s->last_start = start + CONTROL_CYCLES;
}

/* ---- basic blocks -------------------------------------------------------------------------------------- */

/* Operations first to last of the block that begins at `first`: run equally often, no jump in between. */
static int block_end(const struct code *code, const struct op_count *counts, const bool *is_target, int first)
{
    int last = first;
    while (last + 1 < code->count && !instr_ends_block(code->instrs[last]) && !is_target[last + 1] &&
           counts[last + 1].warps == counts[first].warps)
        last++;
    return last;
}

/* Moves time to the block's end. */
static double leave_block(struct schedule *s, int register_count)
{
    double length = s->issued > s->last_start ? s->issued : s->last_start;
    if (s->fence > length)
        length = s->fence;
    for (int r = 0; r < register_count; r++)
        s->ready[r] = s->ready[r] > length ? s->ready[r] - length : 0;
    s->fence = s->last_start = s->last_store[0] = s->last_store[1] = s->issued = 0;
    return length;
}

static double block_length(struct schedule *s, int first, int last, int register_count)
{
    bool loop =
        s->code->instrs[last] && instr_is(s->code->instrs[last], "bra") && s->code->ops[last].target == first;
    double length = 0;
    /* A loop of one block: its second round finds what the first has left under way. */
    for (int round = 0; round < (loop ? 2 : 1); round++) {
        for (int pc = first; pc <= last; pc++)
            if (s->code->instrs[pc])
                schedule_instruction(s, pc);
        length = leave_block(s, register_count);
    }
    return length;
}

/* ---- the whole kernel ---------------------------------------------------------------------------------- */

struct surroundings {
    const struct code *code;
    const struct op_count *counts;
    double blocks, warps;
};

static double mean_times(const struct surroundings *around, int pc)
{
    bool inside = pc >= 0 && pc < around->code->count;
    return inside ? (double)around->counts[pc].warps / around->warps : 0;
}

/* How often the slowest warp runs the block first to last: see the top of this file. */
static double times_run(const struct surroundings *around, int first, int last)
{
    double mean = mean_times(around, first),
           each_block = (double)around->counts[first].warps / around->blocks;
    double before = mean_times(around, first - 1), behind = mean_times(around, last + 1);
    double most = before < behind ? before : behind;
    if (most < mean)
        return mean;
    return each_block < most ? each_block : most;
}

static bool *find_targets(const struct code *code)
{
    bool *is_target = calloc((size_t)code->count + 1, sizeof *is_target);
    for (int pc = 0; is_target && pc < code->count; pc++) {
        const struct ptx_instr *instr = code->instrs[pc];
        int target = code->ops[pc].target;
        if (instr && instr_is(instr, "bra") && target >= 0 && target < code->count)
            is_target[target] = true;
    }
    for (int i = 0; is_target && i < code->function_count; i++)
        is_target[code->functions[i].entry] = true;
    return is_target;
}

static int most_registers(const struct code *code)
{
    int most = 1;
    for (int i = 0; i < code->function_count; i++)
        if (code->functions[i].func->reg_count > most)
            most = code->functions[i].func->reg_count;
    return most;
}

double latency_block_cycles(const struct sim_profile *profile, const struct code *code,
                            const struct op_count *counts, const struct counter_set *set, uint64_t blocks,
                            unsigned warps_per_block)
{
    int registers = most_registers(code), last;
    struct schedule s = {.profile = profile, .code = code, .set = set};
    struct surroundings around = {code, counts, (double)blocks, (double)blocks * warps_per_block};
    bool *is_target = find_targets(code);
    double cycles = 0;
    s.ready = calloc((size_t)registers, sizeof *s.ready);
    if (is_target && s.ready && blocks > 0) {
        for (int first = 0; first < code->count; first = last + 1) {
            last = block_end(code, counts, is_target, first);
            if (counts[first].warps > 0)
                cycles += times_run(&around, first, last) * block_length(&s, first, last, registers);
        }
    }
    free(s.ready);
    free(is_target);
    return cycles;
}
