/*
 * Registers, control flow and integer arithmetic of the scalar interpreter. Source: PTX ISA 8.5, 9.7.1 Integer
 * Arithmetic, 9.7.5 to 9.7.8 Comparison, Logic and Shift, Data Movement, 9.7.12 Control Flow.
 */
#include "interpret.h"

#include <stdlib.h>
#include <string.h>

/* ---- values -------------------------------------------------------------------------------------------- */

uint64_t cut(uint64_t value, int bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

uint64_t extend(uint64_t value, struct type type)
{
    uint64_t low = cut(value, type.bits), sign = UINT64_C(1) << (type.bits - 1);
    return type.kind == 's' && (low & sign) ? low | ~cut(UINT64_MAX, type.bits) : low;
}

uint64_t read_operand(const struct thread *thread, const struct operand *o)
{
    switch (o->kind) {
    case REGISTER: return o->negated ? !thread->registers[o->reg] : thread->registers[o->reg];
    case IMMEDIATE: return o->value;
    case SPECIAL:
        switch (o->special) {
        case TID: return (uint64_t)thread->number;
        case NTID: return (uint64_t)thread->block->launch->threads;
        case CTAID: return (uint64_t)thread->block->number;
        case LANEID: return (uint64_t)thread->number % WARP;
        }
        break;
    default: break;
    }
    fail("interpreter: an operand without a value");
}

void write_register(struct thread *thread, int reg, uint64_t value)
{
    thread->registers[reg] = cut(value, thread->block->program->registers[reg].bits);
}

static uint64_t operand(const struct thread *thread, const struct instruction *in, int k)
{
    return read_operand(thread, &in->operands[k]);
}

/* The k-th operand as a number of the instruction's type. */
static uint64_t number(const struct thread *thread, const struct instruction *in, int k)
{
    return extend(operand(thread, in, k), in->type);
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

/* Whole numbers of 128 bits hold every product; those without a sign may wrap. */
typedef __int128 wide;
typedef unsigned __int128 wide_bits;

static wide wide_number(const struct thread *t, const struct instruction *in, int k)
{
    uint64_t value = number(t, in, k);
    return in->type.kind == 's' ? (wide)(int64_t)value : (wide)value;
}

static void do_mov(struct thread *t, const struct instruction *in)
{
    write_result(t, in, operand(t, in, 1));
}

static void do_add(struct thread *t, const struct instruction *in)
{
    write_result(t, in, cut(operand(t, in, 1) + operand(t, in, 2), in->type.bits));
}

static void do_sub(struct thread *t, const struct instruction *in)
{
    write_result(t, in, cut(operand(t, in, 1) - operand(t, in, 2), in->type.bits));
}

static uint64_t product(const struct thread *t, const struct instruction *in)
{
    wide_bits whole = (wide_bits)wide_number(t, in, 1) * (wide_bits)wide_number(t, in, 2);
    if (has_word(in, "hi"))
        return cut((uint64_t)(whole >> in->type.bits), in->type.bits);
    return has_word(in, "wide") ? cut((uint64_t)whole, 2 * in->type.bits)
                                : cut((uint64_t)whole, in->type.bits);
}

static void do_mul(struct thread *t, const struct instruction *in)
{
    write_result(t, in, product(t, in));
}

static void do_mad(struct thread *t, const struct instruction *in)
{
    int bits = has_word(in, "wide") ? 2 * in->type.bits : in->type.bits;
    write_result(t, in, cut(product(t, in) + operand(t, in, 3), bits));
}

static void do_min(struct thread *t, const struct instruction *in)
{
    wide a = wide_number(t, in, 1), b = wide_number(t, in, 2);
    write_result(t, in, (uint64_t)(a < b ? a : b));
}

static void do_max(struct thread *t, const struct instruction *in)
{
    wide a = wide_number(t, in, 1), b = wide_number(t, in, 2);
    write_result(t, in, (uint64_t)(a > b ? a : b));
}

static void do_neg(struct thread *t, const struct instruction *in)
{
    write_result(t, in, 0 - operand(t, in, 1));
}

static void do_and(struct thread *t, const struct instruction *in)
{
    write_result(t, in, operand(t, in, 1) & operand(t, in, 2));
}

static void do_or(struct thread *t, const struct instruction *in)
{
    write_result(t, in, operand(t, in, 1) | operand(t, in, 2));
}

static void do_xor(struct thread *t, const struct instruction *in)
{
    write_result(t, in, operand(t, in, 1) ^ operand(t, in, 2));
}

static void do_not(struct thread *t, const struct instruction *in)
{
    write_result(t, in, ~operand(t, in, 1));
}

/* Amounts beyond the width count as the width. */
static void do_shl(struct thread *t, const struct instruction *in)
{
    uint64_t amount = cut(operand(t, in, 2), 32);
    write_result(t, in, amount >= (uint64_t)in->type.bits ? 0 : operand(t, in, 1) << amount);
}

static void do_shr(struct thread *t, const struct instruction *in)
{
    uint64_t amount = cut(operand(t, in, 2), 32), value = number(t, in, 1);
    for (uint64_t i = 0; i < amount && i < (uint64_t)in->type.bits; i++)
        value = in->type.kind == 's' ? (value >> 1) | (value & UINT64_C(1) << 63) : value >> 1;
    write_result(t, in, value);
}

static bool bit(uint64_t value, uint64_t at)
{
    return at < 64 && value >> at & 1;
}

static void do_popc(struct thread *t, const struct instruction *in)
{
    uint64_t count = 0;
    for (int i = 0; i < in->type.bits; i++)
        count += bit(operand(t, in, 1), (uint64_t)i);
    write_result(t, in, count);
}

static void do_clz(struct thread *t, const struct instruction *in)
{
    uint64_t zeros = 0;
    for (int i = in->type.bits - 1; i >= 0 && !bit(operand(t, in, 1), (uint64_t)i); i--)
        zeros++;
    write_result(t, in, zeros);
}

static void do_brev(struct thread *t, const struct instruction *in)
{
    uint64_t result = 0;
    for (int i = 0; i < in->type.bits; i++)
        result |= (uint64_t)bit(operand(t, in, 1), (uint64_t)i) << (in->type.bits - 1 - i);
    write_result(t, in, result);
}

static void do_bfe(struct thread *t, const struct instruction *in)
{
    uint64_t a = operand(t, in, 1), pos = operand(t, in, 2) & 0xff, len = operand(t, in, 3) & 0xff,
             result = 0;
    uint64_t msb = (uint64_t)in->type.bits - 1, last = pos + len - 1 < msb ? pos + len - 1 : msb;
    bool sign = in->type.kind == 'u' || len == 0 ? false : bit(a, last);
    for (uint64_t i = 0; i <= msb; i++)
        result |= (uint64_t)(i < len && pos + i <= msb ? bit(a, pos + i) : sign) << i;
    write_result(t, in, result);
}

static void do_bfi(struct thread *t, const struct instruction *in)
{
    uint64_t a = operand(t, in, 1), result = operand(t, in, 2), msb = (uint64_t)in->type.bits - 1;
    uint64_t pos = operand(t, in, 3) & 0xff, len = operand(t, in, 4) & 0xff;
    for (uint64_t i = 0; i < len && pos + i <= msb; i++)
        result = (result & ~(UINT64_C(1) << (pos + i))) | (uint64_t)bit(a, i) << (pos + i);
    write_result(t, in, result);
}

static void do_prmt(struct thread *t, const struct instruction *in)
{
    uint64_t both = cut(operand(t, in, 1), 32) | operand(t, in, 2) << 32, result = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t choice = operand(t, in, 3) >> (4 * i) & 0xf, byte = both >> (8 * (choice & 7)) & 0xff;
        if (choice & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    write_result(t, in, result);
}

/* From one width to another, extended by the source's type first and by the result's type then. */
static void do_cvt(struct thread *t, const struct instruction *in)
{
    write_result(t, in, extend(extend(operand(t, in, 1), in->from), in->type));
}

static void do_selp(struct thread *t, const struct instruction *in)
{
    write_result(t, in, operand(t, in, operand(t, in, 3) ? 1 : 2));
}

static void do_setp(struct thread *t, const struct instruction *in)
{
    wide a = wide_number(t, in, 1), b = wide_number(t, in, 2);
    const char *how = in->words[1];
    bool holds = strcmp(how, "eq") == 0   ? a == b
                 : strcmp(how, "ne") == 0 ? a != b
                 : strcmp(how, "lt") == 0 ? a < b
                 : strcmp(how, "le") == 0 ? a <= b
                 : strcmp(how, "gt") == 0 ? a > b
                                          : a >= b;
    write_result(t, in, holds);
}

/* ---- control flow -------------------------------------------------------------------------------------- */

static void do_bra(struct thread *t, const struct instruction *in)
{
    t->pc = (int)in->operands[0].value;
}

static void do_ret(struct thread *t, const struct instruction *in)
{
    (void)in;
    t->state = ENDED;
}

static void do_bar(struct thread *t, const struct instruction *in)
{
    t->state = has_word(in, "warp") ? AT_WARP : AT_BARRIER;
}

static const struct {
    const char *word;
    operation run;
} operations[] = {
    {"mov", do_mov}, {"add", do_add},   {"sub", do_sub},   {"mul", do_mul}, {"mad", do_mad},
    {"min", do_min}, {"max", do_max},   {"neg", do_neg},   {"and", do_and}, {"or", do_or},
    {"xor", do_xor}, {"not", do_not},   {"shl", do_shl},   {"shr", do_shr}, {"popc", do_popc},
    {"clz", do_clz}, {"brev", do_brev}, {"bfe", do_bfe},   {"bfi", do_bfi}, {"prmt", do_prmt},
    {"cvt", do_cvt}, {"selp", do_selp}, {"setp", do_setp}, {"bra", do_bra}, {"ret", do_ret},
    {"bar", do_bar},
};

operation interpret_find(const struct instruction *in)
{
    operation run = memory_operation(in);
    if (!run)
        run = warp_operation(in);
    for (size_t i = 0; !run && i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i].word, in->words[0]) == 0)
            run = operations[i].run;
    if (!run)
        fail("interpreter: line %d: %s is not known", in->line, in->words[0]);
    return run;
}

/* ---- threads, one at a time ---------------------------------------------------------------------------- */

/* Until the thread ends or waits for others. */
static void run_thread(struct thread *t, struct launch *launch)
{
    const struct program *p = t->block->program;
    while (t->state == RUNNING) {
        if (t->pc >= p->count)
            fail("interpreter: the kernel has no end");
        const struct instruction *in = &p->instructions[t->pc++];
        bool on = in->guard < 0 || t->registers[in->guard] != (uint64_t)in->guard_negated;
        launch->executed++;
        if (on)
            in->run(t, in);
    }
}

/* Lanes that wait at one instruction with a mask that names exactly them go on together. */
static bool release_warp(struct block *block, int warp)
{
    for (int first = 0; first < WARP && warp * WARP + first < block->launch->threads; first++) {
        struct thread *lanes[WARP] = {NULL}, *leader = &block->threads[warp * WARP + first];
        if (leader->state != AT_WARP)
            continue;
        const struct instruction *in = &block->program->instructions[leader->pc - 1];
        uint32_t mask = (uint32_t)read_operand(leader, &in->operands[in->operand_count - 1]), here = 0;
        for (int i = 0; i < WARP && warp * WARP + i < block->launch->threads; i++) {
            struct thread *other = &block->threads[warp * WARP + i];
            if (!(mask >> i & 1) || other->state != AT_WARP || other->pc != leader->pc)
                continue;
            lanes[i] = other;
            here |= UINT32_C(1) << i;
        }
        if (here != mask)
            continue;
        interpret_together(lanes, mask);
        return true;
    }
    return false;
}

static bool release_block(struct block *block)
{
    bool waiting = false;
    for (int i = 0; i < block->launch->threads; i++) {
        if (block->threads[i].state == AT_WARP)
            return false;
        waiting |= block->threads[i].state == AT_BARRIER;
    }
    for (int i = 0; i < block->launch->threads; i++)
        if (block->threads[i].state == AT_BARRIER)
            block->threads[i].state = RUNNING;
    return waiting;
}

static void run_block(struct block *block, struct launch *launch)
{
    bool released = true;
    while (released) {
        released = false;
        for (int i = 0; i < launch->threads; i++)
            run_thread(&block->threads[i], launch);
        for (int warp = 0; warp * WARP < launch->threads; warp++)
            released |= release_warp(block, warp);
        released = released || release_block(block);
    }
    for (int i = 0; i < launch->threads; i++)
        if (block->threads[i].state != ENDED)
            fail("interpreter: thread %d waits forever at line %d", i,
                 block->program->instructions[block->threads[i].pc - 1].line);
}

void interpret(const struct program *program, struct launch *launch)
{
    struct block *block = malloc(sizeof *block);
    if (!block)
        fail("out of memory");
    for (int number = 0; number < launch->blocks; number++) {
        memset(block, 0, sizeof *block);
        block->program = program;
        block->launch = launch;
        block->number = number;
        for (int i = 0; i < launch->threads; i++)
            block->threads[i] = (struct thread){.block = block, .number = i};
        run_block(block, launch);
    }
    free(block);
}
