/* Frame, control flow and exchanges of random kernels; their accesses: generate_memory.c. */
#include "generate_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint32_t x = (uint32_t)((*state >> 18 ^ *state) >> 27), turn = (uint32_t)(*state >> 59);
    return x >> turn | x << (-turn & 31);
}

uint32_t below(struct generator *g, uint32_t limit)
{
    return random_next(&g->random) % limit;
}

bool one_in(struct generator *g, uint32_t n)
{
    return below(g, n) == 0;
}

void emit(struct generator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("    ", g->out);
    vfprintf(g->out, format, arguments);
    fputs("\n", g->out);
    va_end(arguments);
}

static void label(struct generator *g, const char *kind, int number)
{
    fprintf(g->out, "%s%d:\n", kind, number);
}

const char *guard(struct generator *g)
{
    if (!one_in(g, 4))
        return "";
    snprintf(g->guard, sizeof g->guard, "@%s%%p%u ", one_in(g, 2) ? "!" : "", below(g, PREDICATES));
    return g->guard;
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

/* The letter says which registers: r 32 bits, d 64, h 16, p predicates, i a number below 48, w any number. */
static const struct {
    const char *opcode, *operands;
} arithmetic[] = {
    {"add.u32", "rrr"},       {"add.s32", "rrw"},     {"sub.s32", "rrr"},      {"mul.lo.u32", "rrr"},
    {"mul.hi.u32", "rrr"},    {"mul.hi.s32", "rrw"},  {"mad.lo.u32", "rrrr"},  {"min.s32", "rrr"},
    {"max.u32", "rrw"},       {"min.u32", "rrr"},     {"max.s32", "rrr"},      {"neg.s32", "rr"},
    {"and.b32", "rrw"},       {"or.b32", "rrr"},      {"xor.b32", "rrr"},      {"not.b32", "rr"},
    {"shl.b32", "rri"},       {"shr.u32", "rri"},     {"shr.s32", "rri"},      {"shl.b32", "rrr"},
    {"popc.b32", "rr"},       {"clz.b32", "rr"},      {"brev.b32", "rr"},      {"bfe.u32", "rrii"},
    {"bfe.s32", "rrri"},      {"bfi.b32", "rrrii"},   {"prmt.b32", "rrrr"},    {"selp.b32", "rrrp"},
    {"mov.u32", "rw"},        {"mov.b32", "rr"},      {"add.u64", "ddd"},      {"sub.u64", "ddd"},
    {"mul.lo.u64", "ddd"},    {"mul.hi.u64", "ddd"},  {"mul.wide.u32", "drr"}, {"mul.wide.s32", "drr"},
    {"mad.wide.s32", "drrd"}, {"and.b64", "ddd"},     {"xor.b64", "ddd"},      {"shl.b64", "ddi"},
    {"shr.u64", "ddi"},       {"shr.s64", "ddr"},     {"popc.b64", "rd"},      {"clz.b64", "rd"},
    {"selp.b64", "dddp"},     {"cvt.u64.u32", "dr"},  {"cvt.s64.s32", "dr"},   {"cvt.u32.u64", "rd"},
    {"cvt.s32.s8", "rr"},     {"cvt.u16.u32", "hr"},  {"cvt.u32.u16", "rh"},   {"cvt.s32.s16", "rh"},
    {"cvt.u8.u32", "rr"},     {"cvt.s64.s16", "dh"},  {"add.u16", "hhh"},      {"xor.b16", "hhh"},
    {"setp.lt.u32", "prr"},   {"setp.ge.s32", "prw"}, {"setp.ne.u32", "prr"},  {"setp.gt.u64", "pdd"},
    {"setp.le.s64", "pdd"},   {"setp.eq.u16", "phh"},
};

static void register_name(struct generator *g, char kind, char name[16])
{
    static const char kinds[] = "rdhp";
    static const uint32_t counts[] = {WORDS_32, WORDS_64, WORDS_16, PREDICATES};
    const char *at = strchr(kinds, kind);
    if (at)
        snprintf(name, 16, "%%%c%u", kind, below(g, counts[at - kinds]));
    else
        snprintf(name, 16, "%u", kind == 'i' ? below(g, 48) : random_next(&g->random) >> below(g, 32));
}

static void arithmetic_statement(struct generator *g)
{
    uint32_t choice = below(g, sizeof arithmetic / sizeof arithmetic[0]);
    char text[128] = "", name[16];
    for (const char *kind = arithmetic[choice].operands; *kind; kind++) {
        register_name(g, *kind, name);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? ", " : " ", name);
    }
    emit(g, "%s%s%s;", guard(g), arithmetic[choice].opcode, text);
}

/* ---- lanes together ------------------------------------------------------------------------------------ */

/* With the mask of the lanes that are here. Where only some are, each reads the first one, or itself. */
static void warp_statement(struct generator *g, const struct context *c)
{
    static const char *const shuffles[] = {"bfly", "down", "up", "idx"};
    uint32_t d = below(g, WORDS_32), a = below(g, WORDS_32), p = below(g, PREDICATES), how = below(g, 4);
    const int mask = c->mask;
    switch (below(g, 5)) {
    case 0: emit(g, "vote.sync.ballot.b32 %%r%u, %%p%u, %%m%d;", d, p, mask); break;
    case 1:
        emit(g, "vote.sync.%s.pred %%p%u, %%p%u, %%m%d;",
             how == 0   ? "all"
             : how == 1 ? "any"
                        : "uni",
             a % PREDICATES, p, mask);
        break;
    case 2: emit(g, "match.any.sync.b32 %%r%u, %%r%u, %%m%d;", d, a, mask); break;
    case 3: emit(g, "bar.warp.sync %%m%d;", mask); break;
    default:
        if (mask == 0 && g->shape.threads % 32 == 0) {
            uint32_t width = 32u >> below(g, 4), clamp = (32 - width) << 8 | (how == 2 ? 0 : 0x1f);
            emit(g, "shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, %u, %%m0;", shuffles[how], d, p, a,
                 below(g, 32), clamp);
        } else {
            emit(g, "brev.b32 %%x0, %%m%d;", mask);
            emit(g, "clz.b32 %%x0, %%x0;");
            emit(g, "shfl.sync.idx.b32 %%r%u|%%p%u, %%r%u, %%x0, 31, %%m%d;", d, p, a, mask);
        }
    }
}

/* A value of another thread of the block, through shared memory. */
static void exchange(struct generator *g)
{
    uint32_t from = below(g, WORDS_32), to = below(g, WORDS_32), distance = 1 + below(g, 70);
    emit(g, "mov.u32 %%x0, swap;");
    emit(g, "shl.b32 %%x1, %%t, 2;");
    emit(g, "add.u32 %%x1, %%x1, %%x0;");
    emit(g, "st.shared.u32 [%%x1], %%r%u;", from);
    emit(g, "bar.sync 0;");
    emit(g, "add.u32 %%x1, %%t, %u;", distance % (uint32_t)g->shape.threads);
    emit(g, "setp.ge.u32 %%q0, %%x1, %d;", g->shape.threads);
    emit(g, "@%%q0 sub.u32 %%x1, %%x1, %d;", g->shape.threads);
    emit(g, "shl.b32 %%x1, %%x1, 2;");
    emit(g, "add.u32 %%x1, %%x1, %%x0;");
    emit(g, "ld.shared.u32 %%r%u, [%%x1];", to);
    emit(g, "bar.sync 0;");
}

/* ---- control flow -------------------------------------------------------------------------------------- */

static void statements(struct generator *g, struct context c, int count);

static struct context inside(const struct context *c, bool masked, int exit)
{
    struct context part = *c;
    part.depth++;
    part.mask = masked ? part.depth : -1;
    part.barriers = false;
    if (masked)
        part.exit_count = 0; /* whoever leaves would be missed */
    else
        part.exits[part.exit_count++] = exit;
    return part;
}

/* What decides differs from lane to lane, or from warp to warp, or not at all. */
static void condition(struct generator *g, int depth)
{
    switch (below(g, 4)) {
    case 0: emit(g, "setp.lt.u32 %%c%d, %%lane, %u;", depth, below(g, 33)); break;
    case 1: emit(g, "setp.gt.u32 %%c%d, %%t, %u;", depth, below(g, 100)); break;
    case 2: emit(g, "setp.ne.u32 %%c%d, %%bid, %u;", depth, below(g, 3)); break;
    default:
        emit(g, "and.b32 %%x0, %%r%u, %u;", below(g, WORDS_32), 1u << below(g, 32));
        emit(g, "setp.ne.u32 %%c%d, %%x0, 0;", depth);
    }
}

static void if_statement(struct generator *g, const struct context *c)
{
    const int d = c->depth, number = g->labels++;
    const bool masked = c->mask >= 0 && one_in(g, 2), otherwise = one_in(g, 2);
    condition(g, d);
    if (masked)
        emit(g, "vote.sync.ballot.b32 %%m%d, %%c%d, %%m%d;", d + 1, d, c->mask);
    emit(g, "@!%%c%d bra %s%d;", d, otherwise ? "E" : "F", number);
    statements(g, inside(c, masked, number), 1 + (int)below(g, 5));
    if (otherwise) {
        emit(g, "bra F%d;", number);
        label(g, "E", number);
        if (masked) {
            emit(g, "not.b32 %%m%d, %%m%d;", d + 1, d + 1);
            emit(g, "and.b32 %%m%d, %%m%d, %%m%d;", d + 1, d + 1, c->mask);
        }
        statements(g, inside(c, masked, number), 1 + (int)below(g, 5));
    }
    label(g, "F", number);
}

static void loop_statement(struct generator *g, const struct context *c)
{
    const int d = c->depth, number = g->labels++;
    const bool masked = c->mask >= 0 && one_in(g, 2);
    if (one_in(g, 2))
        emit(g, "mov.u32 %%n%d, %u;", d, 1 + below(g, 4));
    else
        emit(g, "and.b32 %%n%d, %%r%u, 3;", d, below(g, WORDS_32));
    if (masked)
        emit(g, "mov.b32 %%m%d, %%m%d;", d + 1, c->mask);
    label(g, "L", number);
    emit(g, "setp.ne.u32 %%c%d, %%n%d, 0;", d, d);
    if (masked)
        emit(g, "vote.sync.ballot.b32 %%m%d, %%c%d, %%m%d;", d + 1, d, d + 1);
    emit(g, "@!%%c%d bra F%d;", d, number);
    emit(g, "sub.u32 %%n%d, %%n%d, 1;", d, d);
    statements(g, inside(c, masked, number), 1 + (int)below(g, 5));
    emit(g, "bra L%d;", number);
    label(g, "F", number);
}

/* Out of one of the constructs around, unless others would wait for this lane. */
static void leave_statement(struct generator *g, const struct context *c)
{
    if (c->exit_count)
        emit(g, "@%s%%p%u bra F%d;", one_in(g, 2) ? "!" : "", below(g, PREDICATES),
             c->exits[below(g, (uint32_t)c->exit_count)]);
}

static void statement(struct generator *g, const struct context *c)
{
    uint32_t choice = below(g, 100);
    if (choice < 25)
        arithmetic_statement(g);
    else if (choice < 45)
        load_statement(g);
    else if (choice < 65)
        store_statement(g);
    else if (choice < 71)
        atomic_statement(g);
    else if (choice < 76)
        counter_statement(g);
    else if (choice < 79)
        copy_statement(g);
    else if (choice < 84 && c->mask >= 0)
        warp_statement(g, c);
    else if (choice < 87 && c->barriers)
        exchange(g);
    else if (choice < 89)
        leave_statement(g, c);
    else if (choice < 95 && c->depth < DEPTH_MAX)
        if_statement(g, c);
    else if (c->depth < DEPTH_MAX)
        loop_statement(g, c);
}

static void statements(struct generator *g, struct context c, int count)
{
    for (int i = 0; i < count; i++)
        statement(g, &c);
}

/* ---- the frame ----------------------------------------------------------------------------------------- */

static void module_variables(struct generator *g)
{
    const int threads = g->shape.threads;
    fprintf(g->out, ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 16 .b8 table[512] = {");
    for (int i = 0; i < 512; i++)
        fprintf(g->out, "%s%u", i ? ", " : "", below(g, 256));
    fprintf(g->out, "};\n.global .align 16 .b8 spots[%d];\n", 16 * g->shape.blocks * threads);
    fprintf(g->out,
            ".visible .entry k(\n.param .u64 in,\n.param .u64 out,\n.param .align 16 .b8 block[%d]\n)\n{\n",
            BLOCK_BYTES);
    fprintf(g->out, ".shared .align 16 .b8 own_s[%d];\n.shared .align 16 .b8 rows_s[%d];\n", SLICE * threads,
            4 * ROWS * threads);
    fprintf(g->out, ".shared .align 16 .b8 swap[%d];\n.shared .align 16 .b8 count_s[%d];\n", 4 * threads,
            COUNTERS);
    fprintf(g->out, ".local .align 16 .b8 own_l[%d];\n", LOCAL_BYTES);
    emit(g, ".reg .b32 %%r<%d>;", WORDS_32);
    emit(g, ".reg .b64 %%d<%d>;", WORDS_64);
    emit(g, ".reg .b16 %%h<%d>;", WORDS_16);
    emit(g, ".reg .pred %%p<%d>;", PREDICATES);
    emit(g, ".reg .b32 %%m<%d>;", DEPTH_MAX + 2);
    emit(g, ".reg .b32 %%n<%d>;", DEPTH_MAX + 1);
    emit(g, ".reg .pred %%c<%d>;", DEPTH_MAX + 1);
    static const char *const names[] = {"b32 %x<4>", "b64 %a<4>", "pred %q<4>", "b32 %t",      "b32 %lane",
                                        "b32 %bid",  "b32 %gid",  "b32 %ss",    "b64 %in",     "b64 %out",
                                        "b64 %og",   "b64 %os",   "b64 %ol",    "b64 %os_row", "b64 %og_row",
                                        "b64 %spot", "b64 %kc",   "b64 %cs",    "b64 %cg"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        emit(g, ".reg .%s;", names[i]);
}

static void addresses(struct generator *g)
{
    const int threads = g->shape.threads, all = threads * g->shape.blocks;
    emit(g, "mov.u32 %%t, %%tid.x;");
    emit(g, "mov.u32 %%bid, %%ctaid.x;");
    emit(g, "and.b32 %%lane, %%t, 31;");
    emit(g, "mad.lo.u32 %%gid, %%bid, %d, %%t;", threads);
    emit(g, "setp.ge.u32 %%q0, %%t, %d;", threads / 32 * 32);
    emit(g, "selp.b32 %%m0, %u, -1, %%q0;", (1u << threads % 32) - 1);
    emit(g, "ld.param.u64 %%in, [in];");
    emit(g, "ld.param.u64 %%out, [out];");
    emit(g, "mad.wide.u32 %%og, %%gid, %d, %%out;", OUT_BYTES);
    emit(g, "mad.wide.u32 %%og_row, %%gid, 4, %%out;");
    emit(g, "add.u64 %%og_row, %%og_row, %d;", all * OUT_BYTES);
    emit(g, "add.u64 %%cg, %%out, %d;", all * (OUT_BYTES + 4 * ROWS));
    emit(g, "mov.u64 %%a0, own_s;");
    emit(g, "mad.wide.u32 %%a0, %%t, %d, %%a0;", SLICE);
    emit(g, "cvt.u32.u64 %%ss, %%a0;");
    emit(g, "cvta.shared.u64 %%os, %%a0;");
    emit(g, "mov.u64 %%a0, rows_s;");
    emit(g, "mad.wide.u32 %%a0, %%t, 4, %%a0;");
    emit(g, "cvta.shared.u64 %%os_row, %%a0;");
    emit(g, "mov.u64 %%a0, count_s;");
    emit(g, "cvta.shared.u64 %%cs, %%a0;");
    emit(g, "mov.u64 %%a0, own_l;");
    emit(g, "cvta.local.u64 %%ol, %%a0;");
    emit(g, "mov.u64 %%a0, spots;");
    emit(g, "mad.wide.u32 %%a0, %%gid, 16, %%a0;");
    emit(g, "cvta.global.u64 %%spot, %%a0;");
    emit(g, "mov.u64 %%a0, table;");
    emit(g, "cvta.const.u64 %%kc, %%a0;");
}

/* Every register and every byte that the kernel may read. */
static void first_values(struct generator *g)
{
    emit(g, "and.b32 %%x0, %%gid, 127;");
    emit(g, "mad.wide.u32 %%a0, %%x0, 16, %%in;");
    for (int i = 0; i < WORDS_32; i++)
        emit(g, "ld.global.u32 %%r%d, [%%a0+%d];", i, 4 * i);
    for (int i = 0; i < WORDS_64; i++)
        emit(g, "ld.global.u64 %%d%d, [%%a0+%d];", i, 256 + 8 * i);
    for (int i = 0; i < WORDS_16; i++)
        emit(g, "ld.global.u16 %%h%d, [%%a0+%d];", i, 512 + 2 * i);
    for (int i = 0; i < PREDICATES; i++) {
        emit(g, "and.b32 %%x1, %%r%d, %d;", i, 8 << i);
        emit(g, "setp.ne.u32 %%p%d, %%x1, 0;", i);
    }
    for (int i = 0; i < SLICE; i += 16)
        emit(g, "st.v4.u32 [%%os+%d], {%%r0, %%r1, %%r2, %%r%d};", i, 3 + i / 16);
    emit(g, "st.v2.u64 [%%spot], {%%d0, %%d1};");
    for (int i = 0; i < ROWS; i++)
        emit(g, "st.u32 [%%os_row+%d], %%r%d;", 4 * i * g->shape.threads, i);
    emit(g, "mov.u64 %%a0, own_l;");
    emit(g, "mov.u32 %%x0, %d;", LOCAL_BYTES / 16);
    label(g, "A", 0);
    emit(g, "mad.lo.u32 %%x1, %%x0, 40503, %%r5;");
    emit(g, "st.local.v4.u32 [%%a0], {%%x0, %%x1, %%r6, %%r7};");
    emit(g, "add.u64 %%a0, %%a0, 16;");
    emit(g, "sub.u32 %%x0, %%x0, 1;");
    emit(g, "setp.ne.u32 %%q0, %%x0, 0;");
    emit(g, "@%%q0 bra A0;");
    emit(g, "mov.u32 %%x2, 0;");
    emit(g, "setp.eq.u32 %%q0, %%t, 0;");
    for (int i = 0; i < COUNTERS; i += 16)
        emit(g, "@%%q0 st.v4.u32 [%%cs+%d], {%%x2, %%x2, %%x2, %%x2};", i);
    emit(g, "bar.sync 0;");
}

/* Registers, and 16 bytes at a time what is in memory of the thread, to its part of the output. */
static void dump(struct generator *g, const char *from, int bytes, int to)
{
    for (int i = 0; i < bytes; i += 16) {
        emit(g, "ld.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%s+%d];", from, i);
        emit(g, "st.global.v4.u32 [%%og+%d], {%%r0, %%r1, %%r2, %%r3};", to + i);
    }
}

static void last_values(struct generator *g)
{
    int at = SLICE;
    for (int i = 0; i < WORDS_64; i++, at += 8)
        emit(g, "st.global.u64 [%%og+%d], %%d%d;", at, i);
    for (int i = 0; i < WORDS_32; i++, at += 4)
        emit(g, "st.global.u32 [%%og+%d], %%r%d;", at, i);
    for (int i = 0; i < WORDS_16; i++, at += 2)
        emit(g, "st.global.u16 [%%og+%d], %%h%d;", at, i);
    for (int i = 0; i < PREDICATES; i++, at += 4) {
        emit(g, "selp.b32 %%x0, 1, 0, %%p%d;", i);
        emit(g, "st.global.u32 [%%og+%d], %%x0;", at);
    }
    dump(g, "%ol", LOCAL_BYTES, 512);
    dump(g, "%os", SLICE, 1024);
    dump(g, "%spot", 16, 1088);
    for (int i = 0; i < ROWS; i++) {
        emit(g, "ld.u32 %%r0, [%%os_row+%d];", 4 * i * g->shape.threads);
        emit(g, "st.global.u32 [%%og+%d], %%r0;", 1104 + 4 * i);
    }
    emit(g, "bar.sync 0;");
    dump(g, "%cs", COUNTERS, 1152);
    emit(g, "ret;");
    fprintf(g->out, "}\n");
}

size_t generated_out_size(struct kernel_shape shape)
{
    return (size_t)(shape.blocks * shape.threads) * (OUT_BYTES + 4 * ROWS) + COUNTERS;
}

char *generate(uint64_t seed, struct kernel_shape *shape)
{
    static const int threads[] = {32, 32, 32, 64, 96, 33, 48, 31, 1, 128};
    char *text;
    size_t size;
    struct generator g = {.random = seed * 2 + 1, .out = open_memstream(&text, &size)};
    if (!g.out)
        return NULL;
    for (int i = 0; i < 4; i++)
        random_next(&g.random);
    g.shape =
        (struct kernel_shape){1 + (int)below(&g, 2), threads[below(&g, sizeof threads / sizeof threads[0])]};
    module_variables(&g);
    addresses(&g);
    first_values(&g);
    statements(&g, (struct context){.barriers = true}, 20 + (int)below(&g, 80));
    last_values(&g);
    fclose(g.out);
    *shape = g.shape;
    return text;
}
