/* Accesses of random kernels: all widths, all state spaces, generic addresses whose lanes lie in several of them. */
#include "generate_parts.h"

#include <string.h>

/* ---- addresses ----------------------------------------------------------------------------------------- */

/* Where a generic address may lie: `room` bytes from the register on belong to the thread, or are only read. */
struct place {
    const char *base;
    uint32_t room;
    bool read_only;
};

static const struct place places[] = {
    {"%ol", LOCAL_BYTES, false}, {"%os", SLICE, false},   {"%og", SLICE, false}, {"%spot", 16, false},
    {"%ol", LOCAL_BYTES, false}, {"%in", IN_BYTES, true}, {"%kc", 512, true},
};

/* An operand of ld, st or atom, and the name of its state space (".shared"), empty for generic addresses. */
struct target {
    const char *space;
    char address[32];
};

/* Sets %q0 for some of the lanes. */
static void choose_lanes(struct generator *g)
{
    switch (below(g, 4)) {
    case 0: emit(g, "setp.lt.u32 %%q0, %%lane, %u;", below(g, 33)); break;
    case 1: emit(g, "setp.eq.u32 %%q0, %%lane, %u;", below(g, 32)); break;
    case 2:
        emit(g, "and.b32 %%x0, %%lane, %u;", 1 + below(g, 31));
        emit(g, "setp.ne.u32 %%q0, %%x0, 0;");
        break;
    default:
        emit(g, "and.b32 %%x0, %%r%u, %u;", below(g, WORDS_32), 1u << below(g, 32));
        emit(g, "setp.ne.u32 %%q0, %%x0, 0;");
    }
}

/* %x1 becomes a multiple of `bytes` below `room`, a power of two; in one of the ways in which lanes may lie. */
static void offset(struct generator *g, uint32_t bytes, uint32_t room)
{
    const uint32_t mask = (room - 1) & ~(bytes - 1);
    switch (below(g, 4)) {
    case 0: emit(g, "mov.u32 %%x1, %u;", below(g, room) & mask); break;
    case 1: emit(g, "and.b32 %%x1, %%r%u, %u;", below(g, WORDS_32), mask); break;
    case 2:
        emit(g, "mul.lo.u32 %%x1, %%lane, %u;", bytes);
        emit(g, "and.b32 %%x1, %%x1, %u;", mask);
        break;
    default:
        emit(g, "shr.u32 %%x1, %%lane, %u;", below(g, 4));
        emit(g, "mul.lo.u32 %%x1, %%x1, %u;", bytes);
        emit(g, "and.b32 %%x1, %%x1, %u;", mask);
    }
}

/* %a0 becomes an address in one place for some lanes, in others for the rest. `kinds`: how many of places[]. */
static void mix_places(struct generator *g, uint32_t bytes, uint32_t kinds)
{
    uint32_t first = below(g, kinds), room = places[first].room;
    emit(g, "mov.u64 %%a0, %s;", places[first].base);
    for (uint32_t more = below(g, 4); more; more--) {
        const struct place *next = &places[below(g, kinds)];
        choose_lanes(g);
        emit(g, "selp.b64 %%a0, %s, %%a0, %%q0;", next->base);
        room = next->room < room ? next->room : room;
    }
    offset(g, bytes, room);
    emit(g, "cvt.u64.u32 %%a1, %%x1;");
    emit(g, "add.u64 %%a0, %%a0, %%a1;");
}

/* The same for words of neighbors side by side, and a row of local memory or of the table. */
static void mix_rows(struct generator *g, uint32_t bytes, bool writes)
{
    const uint32_t row = below(g, ROWS) * 4, threads = (uint32_t)g->shape.threads;
    static const char *const names[] = {"%os_row", "%og_row", "%ol", "%in"};
    const uint32_t distances[] = {row * threads, row * threads * (uint32_t)g->shape.blocks, 0,
                                  below(g, 64) * 16};
    for (int part = 0; part < 3; part++) {
        uint32_t choice = bytes > 4 ? 2 + below(g, writes ? 1 : 2) : below(g, writes ? 3 : 4);
        emit(g, "add.u64 %%a1, %s, %u;", names[choice], distances[choice]);
        if (choice >= 2)
            emit(g, "mad.wide.u32 %%a1, %%lane, %u, %%a1;", bytes);
        if (part == 0) {
            emit(g, "mov.u64 %%a0, %%a1;");
            continue;
        }
        choose_lanes(g);
        emit(g, "selp.b64 %%a0, %%a1, %%a0, %%q0;");
    }
}

static struct target generic_target(struct generator *g, uint32_t bytes, bool writes)
{
    struct target target = {"", "%a0"};
    if (one_in(g, 3)) {
        mix_rows(g, bytes, writes);
        return target;
    }
    mix_places(g, bytes, writes ? 5 : sizeof places / sizeof places[0]);
    if (one_in(g, 3)) { /* a distance in the instruction */
        int distance = one_in(g, 2) ? 48 : -16;
        emit(g, "add.s64 %%a0, %%a0, %d;", -distance);
        snprintf(target.address, sizeof target.address, "%%a0%+d", distance);
    }
    return target;
}

static struct target shared_target(struct generator *g, uint32_t bytes)
{
    struct target target = {".shared", "%x1"};
    if (one_in(g, 2)) {
        snprintf(target.address, sizeof target.address, "%%ss+%u", below(g, SLICE) & ~(bytes - 1));
        return target;
    }
    offset(g, bytes, SLICE);
    emit(g, "add.u32 %%x1, %%x1, %%ss;");
    return target;
}

static struct target local_target(struct generator *g, uint32_t bytes)
{
    struct target target = {".local", "%a0"};
    if (one_in(g, 2)) {
        snprintf(target.address, sizeof target.address, "own_l+%u", below(g, LOCAL_BYTES) & ~(bytes - 1));
        return target;
    }
    offset(g, bytes, LOCAL_BYTES);
    emit(g, "cvta.to.local.u64 %%a0, %%ol;");
    emit(g, "cvt.u64.u32 %%a1, %%x1;");
    emit(g, "add.u64 %%a0, %%a0, %%a1;");
    return target;
}

static struct target global_target(struct generator *g, uint32_t bytes, bool writes)
{
    struct target target = {".global", "%a0"};
    const struct place *place = &places[writes ? 2 : 5];
    offset(g, bytes, place->room);
    emit(g, "cvt.u64.u32 %%a1, %%x1;");
    emit(g, "add.u64 %%a0, %s, %%a1;", place->base);
    return target;
}

static struct target constant_target(struct generator *g, uint32_t bytes)
{
    struct target target = {".const", "%a0"};
    if (one_in(g, 2)) {
        target.space = ".param";
        snprintf(target.address, sizeof target.address, "block+%u", below(g, BLOCK_BYTES) & ~(bytes - 1));
        return target;
    }
    offset(g, bytes, 512);
    emit(g, "mov.u64 %%a0, table;");
    emit(g, "cvt.u64.u32 %%a1, %%x1;");
    emit(g, "add.u64 %%a0, %%a0, %%a1;");
    return target;
}

static struct target choose_target(struct generator *g, uint32_t bytes, bool writes)
{
    switch (below(g, writes ? 6 : 7)) {
    case 0: return shared_target(g, bytes);
    case 1: return local_target(g, bytes);
    case 2: return global_target(g, bytes, writes);
    case 6: return constant_target(g, bytes);
    default: return generic_target(g, bytes, writes);
    }
}

/* ---- loads and stores ---------------------------------------------------------------------------------- */

/* What moves: `count` elements of `bits` bits, in registers of the kind %r, %d or %h. */
struct width {
    const char *type;
    uint32_t bits, count;
    char registers[64]; /* "%r1" or "{%r1, %r2}" */
    const char *vector; /* "", ".v2", ".v4" */
};

static void choose_registers(struct generator *g, struct width *w)
{
    char kind = w->bits == 64 ? 'd' : w->bits == 32 ? (one_in(g, 5) ? 'd' : 'r') : one_in(g, 2) ? 'h' : 'r';
    uint32_t limit = kind == 'd' ? WORDS_64 : kind == 'r' ? WORDS_32 : WORDS_16;
    uint32_t first = below(g, limit), step = limit == WORDS_32 ? 1 + 2 * below(g, 4) : 1;
    size_t length = 0;
    for (uint32_t i = 0; i < w->count; i++)
        length += (size_t)snprintf(w->registers + length, sizeof w->registers - length, "%s%%%c%u",
                                   i              ? ", "
                                   : w->count > 1 ? "{"
                                                  : "",
                                   kind, (first + i * step) % limit);
    if (w->count > 1)
        snprintf(w->registers + length, sizeof w->registers - length, "}");
}

static struct width choose_width(struct generator *g)
{
    static const char *const types[][3] = {
        {"u8", "s8", "b8"}, {"u16", "s16", "b16"}, {"u32", "s32", "b32"}, {"u64", "s64", "b64"}};
    static const char *const vectors[] = {"", ".v2", ".v4"};
    uint32_t size = below(g, 4), vector = below(g, 3);
    if (one_in(g, 3)) { /* the frequent ones */
        size = 2 + below(g, 2);
        vector = 0;
    }
    if (size == 3 && vector == 2)
        vector = 1;
    struct width w = {types[size][below(g, 3)], 8u << size, 1u << vector, "", vectors[vector]};
    choose_registers(g, &w);
    return w;
}

static uint32_t bytes_of(const struct width *w)
{
    return w->bits / 8 * w->count;
}

/* Now and then as seen by other threads too; nothing changes by that in bytes of the thread. */
static const char *strength(struct generator *g, const struct target *target)
{
    static const char *const strengths[] = {".volatile", ".relaxed.gpu", ".relaxed.cta", ".weak"};
    bool shared_by_others = strcmp(target->space, "") == 0 || strcmp(target->space, ".shared") == 0 ||
                            strcmp(target->space, ".global") == 0;
    return shared_by_others && one_in(g, 6) ? strengths[below(g, 4)] : "";
}

void load_statement(struct generator *g)
{
    struct width w = choose_width(g);
    struct target from = choose_target(g, bytes_of(&w), false);
    const char *how = strength(g, &from), *on = guard(g);
    emit(g, "%sld%s%s%s.%s %s, [%s];", on, how, from.space, w.vector, w.type, w.registers, from.address);
}

void store_statement(struct generator *g)
{
    struct width w = choose_width(g);
    struct target to = choose_target(g, bytes_of(&w), true);
    const char *how = strength(g, &to), *on = guard(g);
    emit(g, "%sst%s%s%s.%s [%s], %s;", on, how, to.space, w.vector, w.type, to.address, w.registers);
}

/* ---- atomics ------------------------------------------------------------------------------------------- */

static const struct {
    const char *operation;
    uint32_t bits;
} atomics[] = {{"add.u32", 32}, {"add.s32", 32}, {"min.s32", 32},  {"max.u32", 32}, {"inc.u32", 32},
               {"dec.u32", 32}, {"and.b32", 32}, {"or.b32", 32},   {"xor.b32", 32}, {"exch.b32", 32},
               {"cas.b32", 32}, {"add.u64", 64}, {"exch.b64", 64}, {"cas.b64", 64}, {"max.s64", 64},
               {"min.u64", 64}, {"and.b64", 64}};

/* %a0 becomes an address of the thread's bytes in shared memory for some lanes, in global memory for others. */
static const char *atomic_address(struct generator *g, uint32_t bytes)
{
    static const char *const bases[] = {"%os", "%og", "%spot"};
    uint32_t only = below(g, 4);
    if (only == 0) {
        offset(g, bytes, SLICE);
        emit(g, "add.u32 %%x1, %%x1, %%ss;");
        return ".shared";
    }
    emit(g, "mov.u64 %%a0, %s;", only == 1 ? "%og" : bases[below(g, 3)]);
    if (only > 1) {
        choose_lanes(g);
        emit(g, "selp.b64 %%a0, %s, %%a0, %%q0;", bases[below(g, 3)]);
    }
    offset(g, bytes, 16);
    emit(g, "cvt.u64.u32 %%a1, %%x1;");
    emit(g, "add.u64 %%a0, %%a0, %%a1;");
    return only == 1 ? ".global" : "";
}

void atomic_statement(struct generator *g)
{
    uint32_t choice = below(g, sizeof atomics / sizeof atomics[0]), bits = atomics[choice].bits;
    char kind = bits == 32 ? 'r' : 'd';
    uint32_t limit = bits == 32 ? WORDS_32 : WORDS_64;
    const char *space = atomic_address(g, bits / 8), *address = strcmp(space, ".shared") == 0 ? "%x1" : "%a0";
    char compared[16] = "";
    if (strncmp(atomics[choice].operation, "cas", 3) == 0)
        snprintf(compared, sizeof compared, ", %%%c%u", kind, below(g, limit));
    emit(g, "%satom%s.%s %%%c%u, [%s], %%%c%u%s;", guard(g), space, atomics[choice].operation, kind,
         below(g, limit), address, kind, below(g, limit), compared);
}

void counter_statement(struct generator *g)
{
    static const struct {
        const char *operation;
        int at;
        char kind;
    } counters[] = {{"add.u32", 0, 'r'},  {"min.u32", 4, 'r'},  {"max.s32", 8, 'r'},  {"and.b32", 12, 'r'},
                    {"or.b32", 16, 'r'},  {"xor.b32", 20, 'r'}, {"add.u64", 24, 'd'}, {"max.u64", 32, 'd'},
                    {"min.s64", 40, 'd'}, {"add.s32", 48, 'r'}};
    uint32_t choice = below(g, sizeof counters / sizeof counters[0]);
    char value[16];
    snprintf(value, sizeof value, "%%%c%u", counters[choice].kind,
             below(g, counters[choice].kind == 'r' ? WORDS_32 : WORDS_64));
    emit(g, "mov.u64 %%a0, %s;", one_in(g, 2) ? "%cs" : "%cg");
    if (one_in(g, 2)) {
        choose_lanes(g);
        emit(g, "selp.b64 %%a0, %s, %%a0, %%q0;", one_in(g, 2) ? "%cs" : "%cg");
    }
    emit(g, "%sred.%s [%%a0+%d], %s;", guard(g), counters[choice].operation, counters[choice].at, value);
}

/* ---- asynchronous copies ------------------------------------------------------------------------------- */

void copy_statement(struct generator *g)
{
    const uint32_t bytes = 4u << below(g, 3);
    offset(g, bytes, IN_BYTES);
    emit(g, "cvt.u64.u32 %%a1, %%x1;");
    emit(g, "add.u64 %%a0, %%in, %%a1;");
    emit(g, "and.b32 %%x0, %%r%u, %u;", below(g, WORDS_32), SLICE - bytes);
    emit(g, "add.u32 %%x0, %%x0, %%ss;");
    char size[16] = "";
    if (one_in(g, 2)) {
        emit(g, "and.b32 %%x2, %%r%u, %u;", below(g, WORDS_32), bytes);
        snprintf(size, sizeof size, ", %%x2");
    }
    const char *path = bytes == 16 && one_in(g, 2) ? "cg" : "ca", *on = guard(g);
    emit(g, "%scp.async.%s.shared.global [%%x0], [%%a0], %u%s;", on, path, bytes, size);
    if (one_in(g, 2)) {
        emit(g, "cp.async.commit_group;");
        emit(g, "cp.async.wait_group 0;");
    } else {
        emit(g, "cp.async.wait_all;");
    }
}
