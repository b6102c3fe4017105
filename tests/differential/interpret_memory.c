/*
 * Loads, stores, atomics and asynchronous copies of the scalar interpreter. Source: PTX ISA 8.5, 9.7.9 Data Movement
 * (ld, st, cvta, isspacep, cp.async) and 9.7.13 Parallel Synchronization (atom, red). Bytes are little-endian.
 */
#include "interpret.h"

#include <string.h>

/* ---- addresses ----------------------------------------------------------------------------------------- */

static enum space space_of(uint64_t generic, uint64_t *address)
{
    const uint64_t window = UINT64_C(1) << 32;
    const struct {
        uint64_t base;
        enum space space;
    } windows[] = {{SHARED_WINDOW, SHARED}, {LOCAL_WINDOW, LOCAL}, {PARAM_WINDOW, PARAM}};
    *address = generic;
    for (int i = 0; i < 3; i++)
        if (generic >= windows[i].base && generic < windows[i].base + window) {
            *address = generic - windows[i].base;
            return windows[i].space;
        }
    return GLOBAL; /* and constant memory */
}

static unsigned char *in_region(const struct region *region, uint64_t address, size_t size)
{
    bool inside = address >= region->start && address - region->start + size <= region->size;
    return inside ? region->bytes + (address - region->start) : NULL;
}

unsigned char *bytes_at(struct thread *t, enum space space, uint64_t address, size_t size)
{
    const struct launch *launch = t->block->launch;
    const struct program *p = t->block->program;
    unsigned char *found = NULL;
    if (space == GENERIC)
        space = space_of(address, &address);
    if (space == SHARED)
        found = in_region(&(struct region){SHARED_START, t->block->shared, p->size[SHARED]}, address, size);
    if (space == LOCAL)
        found = in_region(&(struct region){LOCAL_START, t->local, p->size[LOCAL]}, address, size);
    if (space == PARAM)
        found = in_region(&(struct region){PARAM_START, (unsigned char *)launch->param, p->size[PARAM]},
                          address, size);
    for (int i = 0; space == GLOBAL && !found && i < 3; i++)
        found = in_region(&launch->global[i], address, size);
    if (!found && (space == GLOBAL || space == CONST))
        found = in_region(&launch->constant, address, size);
    if (!found || address % size != 0)
        fail("interpreter: thread %d may not touch %zu bytes at 0x%llx of space %d, line %d", t->number, size,
             (unsigned long long)address, (int)space, p->instructions[t->pc - 1].line);
    return found;
}

static uint64_t address_of(const struct thread *t, const struct operand *o, enum space space)
{
    uint64_t base = o->reg < 0 ? 0 : t->registers[o->reg];
    bool narrow = o->reg >= 0 && t->block->program->registers[o->reg].bits == 32;
    (void)space;
    return narrow ? (uint32_t)(base + o->value) : base + o->value;
}

static uint64_t read_bytes(const unsigned char *from, int bits)
{
    uint64_t value = 0;
    for (int i = 0; i < bits / 8; i++)
        value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static void write_bytes(unsigned char *to, uint64_t value, int bits)
{
    for (int i = 0; i < bits / 8; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

/* ---- loads and stores ---------------------------------------------------------------------------------- */

static unsigned char *bytes_of_vector(struct thread *t, const struct instruction *in, int operand)
{
    size_t size = (size_t)(in->type.bits / 8 * in->vector);
    return bytes_at(t, in->space, address_of(t, &in->operands[operand], in->space), size);
}

static void do_ld(struct thread *t, const struct instruction *in)
{
    const unsigned char *from = bytes_of_vector(t, in, 1);
    uint64_t value[ELEMENTS];
    for (int i = 0; i < in->vector; i++)
        value[i] = extend(read_bytes(from + i * in->type.bits / 8, in->type.bits), in->type);
    if (in->operands[0].kind != LIST)
        write_result(t, in, value[0]);
    for (int i = 0; i < in->operands[0].count; i++)
        write_register(t, in->operands[0].list[i], value[i]);
}

static void do_st(struct thread *t, const struct instruction *in)
{
    unsigned char *to = bytes_of_vector(t, in, 0);
    if (in->operands[1].kind != LIST)
        write_bytes(to, read_operand(t, &in->operands[1]), in->type.bits);
    for (int i = 0; i < in->operands[1].count; i++)
        write_bytes(to + i * in->type.bits / 8, t->registers[in->operands[1].list[i]], in->type.bits);
}

/* ---- addresses as values ------------------------------------------------------------------------------- */

static uint64_t window_of(enum space space)
{
    return space == SHARED  ? SHARED_WINDOW
           : space == LOCAL ? LOCAL_WINDOW
           : space == PARAM ? PARAM_WINDOW
                            : 0;
}

static void do_cvta(struct thread *t, const struct instruction *in)
{
    uint64_t value = read_operand(t, &in->operands[1]);
    write_result(t, in, has_word(in, "to") ? value - window_of(in->space) : value + window_of(in->space));
}

static void do_isspacep(struct thread *t, const struct instruction *in)
{
    uint64_t address;
    write_result(t, in, space_of(read_operand(t, &in->operands[1]), &address) == in->space);
}

/* ---- atomics ------------------------------------------------------------------------------------------- */

static uint64_t updated(const struct instruction *in, uint64_t old, uint64_t b, uint64_t c)
{
    bool is_signed = in->type.kind == 's';
    uint64_t x = extend(old, in->type), y = extend(b, in->type);
    bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
    if (has_word(in, "add"))
        return old + b;
    if (has_word(in, "min"))
        return less ? old : b;
    if (has_word(in, "max"))
        return less ? b : old;
    if (has_word(in, "inc"))
        return x >= y ? 0 : old + 1;
    if (has_word(in, "dec"))
        return x == 0 || x > y ? b : old - 1;
    if (has_word(in, "and"))
        return old & b;
    if (has_word(in, "or"))
        return old | b;
    if (has_word(in, "xor"))
        return old ^ b;
    if (has_word(in, "exch"))
        return b;
    if (has_word(in, "cas"))
        return x == y ? c : old;
    fail("interpreter: line %d: no such atomic", in->line);
}

static void change(struct thread *t, const struct instruction *in, int address, uint64_t *old)
{
    size_t size = (size_t)in->type.bits / 8;
    unsigned char *at = bytes_at(t, in->space, address_of(t, &in->operands[address], in->space), size);
    uint64_t b = read_operand(t, &in->operands[address + 1]);
    uint64_t c = address + 2 < in->operand_count ? read_operand(t, &in->operands[address + 2]) : 0;
    *old = read_bytes(at, in->type.bits);
    write_bytes(at, updated(in, *old, b, c), in->type.bits);
}

static void do_atom(struct thread *t, const struct instruction *in)
{
    uint64_t old;
    change(t, in, 1, &old);
    write_result(t, in, old);
}

static void do_red(struct thread *t, const struct instruction *in)
{
    uint64_t old;
    change(t, in, 0, &old);
}

/* ---- asynchronous copies ------------------------------------------------------------------------------- */

/* Done at once: programs of this test look at the bytes after the wait only. */
static void do_cp(struct thread *t, const struct instruction *in)
{
    if (has_word(in, "commit_group") || has_word(in, "wait_group") || has_word(in, "wait_all"))
        return;
    size_t size = (size_t)in->operands[2].value, read = size;
    if (in->operand_count > 3)
        read = (size_t)cut(read_operand(t, &in->operands[3]), 32);
    unsigned char *to = bytes_at(t, SHARED, address_of(t, &in->operands[0], SHARED), size);
    memset(to, 0, size);
    if (read)
        memcpy(to, bytes_at(t, GLOBAL, address_of(t, &in->operands[1], GLOBAL), size), read);
}

operation memory_operation(const struct instruction *in)
{
    static const struct {
        const char *word;
        operation run;
    } operations[] = {{"ld", do_ld},     {"st", do_st},   {"cvta", do_cvta}, {"isspacep", do_isspacep},
                      {"atom", do_atom}, {"red", do_red}, {"cp", do_cp}};
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i].word, in->words[0]) == 0)
            return operations[i].run;
    return NULL;
}
