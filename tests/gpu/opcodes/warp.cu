/*
 * Instructions that the table cannot hold: those of whole warps (shuffles, votes, matches, reductions),
 * barriers with reductions, and loads and stores of every width in every state space. A warp takes its 32
 * sets of operands from neighbors in the lists, so that lanes differ.
 */
#include <cstdint>

#include "tests/gpu/opcodes/opcodes.h"

#define KERNEL(name)                                                                                         \
    static __global__ void name(const uint64_t *operands, uint64_t *results, uint64_t *cells, int n)
#define SET        ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define LANE       ((int)(threadIdx.x % 32))
#define OPERAND(k) operands[(k)*n + SET]
#define RESULT(v)  results[(v)*n + SET]
#define FULL       0xffffffffu

/* ---- shuffles ------------------------------------------------------------------------------------------ */

/* Bounds and segments that the intrinsics make for widths 32, 16, 8 and 4, and two that they do not make. */
__constant__ static const uint32_t segments[] = {0x1f,   0x0,    0x101f, 0x1000, 0x181f,
                                                 0x1800, 0x1c1f, 0x1c03, 0x080f};

#define SHUFFLE(v, mode)                                                                                     \
    {                                                                                                        \
        uint32_t d, ok;                                                                                      \
        asm volatile("{ .reg .pred p; shfl.sync." mode ".b32 %0|p, %2, %3, %4, %5; selp.b32 %1, 1, 0, p; }"  \
                     : "=r"(d), "=r"(ok)                                                                     \
                     : "r"((uint32_t)OPERAND(0)), "r"(from), "r"(segment), "r"(mask));                       \
        RESULT(2 * (v)) = d;                                                                                 \
        RESULT(2 * (v) + 1) = ok;                                                                            \
    }

KERNEL(shuffles)
{
    const uint32_t from = (uint32_t)OPERAND(1), segment = segments[SET / 32 % 9], mask = FULL;
    SHUFFLE(0, "up")
    SHUFFLE(1, "down")
    SHUFFLE(2, "bfly")
    SHUFFLE(3, "idx")
}

/* Some lanes only, which read from one another: the mask is theirs. */
KERNEL(shuffles_of_some)
{
    const bool some = (OPERAND(0) & 1) != 0;
    const uint32_t mask = __ballot_sync(FULL, some), segment = 0x1f;
    const uint32_t from = __fns(mask, 0, 1 + (int)(OPERAND(1) % __popc(mask | 1)));
    if (some)
        SHUFFLE(0, "idx")
}

/* From a lane that is not there: an odd lane reads from the even one below it. The PTX ISA leaves it open. */
KERNEL(shuffles_from_absent)
{
    const uint32_t mask = 0xaaaaaaaa, segment = 0x1f, from = (uint32_t)LANE - 1;
    if (LANE % 2 == 1)
        SHUFFLE(0, "idx")
}

/* From a lane that has ended. */
KERNEL(shuffles_from_ended)
{
    const uint32_t mask = 0x0000ffff, segment = 0x1f, from = (uint32_t)LANE + 16;
    if (LANE >= 16)
        return;
    SHUFFLE(0, "idx")
}

/* ---- votes, matches, reductions ------------------------------------------------------------------------ */

#define VOTE(v, mode)                                                                                        \
    {                                                                                                        \
        uint32_t d;                                                                                          \
        asm volatile("{ .reg .pred p, q; setp.ne.b32 p, %1, 0; vote.sync." mode ".pred q, p, %2;"            \
                     " selp.b32 %0, 1, 0, q; }"                                                              \
                     : "=r"(d)                                                                               \
                     : "r"(value), "r"(mask));                                                               \
        RESULT(v) = d;                                                                                       \
    }

KERNEL(votes)
{
    /* Whole warps that agree, too. */
    const uint32_t value = SET / 32 % 3 == 0 ? 1 : SET / 32 % 3 == 1 ? 0 : (uint32_t)OPERAND(0) & 1;
    const bool some = SET / 32 % 2 == 0 || (OPERAND(1) & 1) != 0;
    const uint32_t mask = __ballot_sync(FULL, some);
    if (some) {
        VOTE(0, "all")
        VOTE(1, "any")
        VOTE(2, "uni")
        RESULT(3) = __ballot_sync(mask, value);
    }
    RESULT(4) = __ballot_sync(FULL, value);
}

KERNEL(matches)
{
    const uint32_t value = (uint32_t)OPERAND(0) & 3;
    const uint64_t wide = (OPERAND(1) & 1) << 40 | 7, same = SET / 32 % 2 ? wide : 7;
    const bool some = (OPERAND(1) & 2) != 0;
    const uint32_t mask = __ballot_sync(FULL, some);
    int all;
    RESULT(0) = __match_any_sync(FULL, value);
    RESULT(1) = __match_any_sync(FULL, (unsigned long long)wide);
    RESULT(2) = __match_all_sync(FULL, (unsigned long long)same, &all);
    RESULT(3) = all;
    RESULT(4) = __match_all_sync(FULL, value, &all);
    RESULT(5) = all;
    if (some) {
        RESULT(6) = __match_any_sync(mask, value);
        RESULT(7) = __match_all_sync(mask, value / 4, &all);
        RESULT(8) = all;
    }
}

KERNEL(reductions)
{
    const uint32_t value = (uint32_t)OPERAND(0);
    const bool some = (OPERAND(1) & 1) != 0;
    const uint32_t mask = __ballot_sync(FULL, some);
    RESULT(0) = __reduce_add_sync(FULL, value);
    RESULT(1) = __reduce_min_sync(FULL, value);
    RESULT(2) = __reduce_max_sync(FULL, value);
    RESULT(3) = (uint32_t)__reduce_min_sync(FULL, (int)value);
    RESULT(4) = (uint32_t)__reduce_max_sync(FULL, (int)value);
    RESULT(5) = __reduce_and_sync(FULL, value);
    RESULT(6) = __reduce_or_sync(FULL, value);
    RESULT(7) = __reduce_xor_sync(FULL, value);
    if (some) {
        RESULT(8) = (uint32_t)__reduce_add_sync(mask, (int)value);
        RESULT(9) = (uint32_t)__reduce_min_sync(mask, (int)value);
        RESULT(10) = __reduce_xor_sync(mask, value);
    }
}

KERNEL(lanes)
{
    uint32_t d;
    RESULT(0) = LANE < SET / 32 % 32 ? __activemask() : 0;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(d));
    RESULT(1) = d;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(d));
    RESULT(2) = d;
    asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(d));
    RESULT(3) = d;
    asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(d));
    RESULT(4) = d;
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(d));
    RESULT(5) = d;
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(d));
    RESULT(6) = d;
    asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(d));
    RESULT(7) = d;
}

KERNEL(block_reductions)
{
    const uint32_t value = (uint32_t)OPERAND(0) & (SET / OPCODE_BLOCK % 3 == 0 ? 0 : 1);
    RESULT(0) = __syncthreads_count(value);
    RESULT(1) = __syncthreads_and(value) != 0;
    RESULT(2) = __syncthreads_or(value) != 0;
    RESULT(3) = __syncthreads_and(SET / OPCODE_BLOCK % 2 || LANE < 31) != 0;
}

/* ---- loads and stores ---------------------------------------------------------------------------------- */

/* Every thread has 32 bytes: the set's four operands, in each space at the same offset. */
#define LOAD(v, space, address, type, constraint, c_type)                                                    \
    {                                                                                                        \
        c_type d;                                                                                            \
        asm volatile("ld" space "." type " %0, [%1];" : "=" constraint(d) : "l"(address) : "memory");        \
        RESULT(v) = (uint64_t)d;                                                                             \
    }
#define LOAD_PAIR(v, space, address, type, constraint, c_type)                                               \
    {                                                                                                        \
        c_type d, e;                                                                                         \
        asm volatile("ld" space ".v2." type " {%0, %1}, [%2];"                                               \
                     : "=" constraint(d), "=" constraint(e)                                                  \
                     : "l"(address)                                                                          \
                     : "memory");                                                                            \
        RESULT(v) = (uint64_t)d * 31 + (uint64_t)e;                                                          \
    }
#define LOAD_FOUR(v, space, address, type, constraint, c_type)                                               \
    {                                                                                                        \
        c_type d, e, f, g;                                                                                   \
        asm volatile("ld" space ".v4." type " {%0, %1, %2, %3}, [%4];"                                       \
                     : "=" constraint(d), "=" constraint(e), "=" constraint(f), "=" constraint(g)            \
                     : "l"(address)                                                                          \
                     : "memory");                                                                            \
        RESULT(v) = (((uint64_t)d * 31 + (uint64_t)e) * 31 + (uint64_t)f) * 31 + (uint64_t)g;                \
    }
#define STORES(space, address)                                                                               \
    asm volatile("st" space ".v2.b64 [%0], {%1, %2};" ::"l"(address), "l"(a), "l"(b) : "memory");            \
    asm volatile("st" space ".v4.b32 [%0+16], {%1, %2, %3, %4};" ::"l"(address), "r"((uint32_t)c),           \
                 "r"((uint32_t)(c >> 32)), "r"((uint32_t)e), "r"((uint32_t)(e >> 32))                        \
                 : "memory");                                                                                \
    asm volatile("st" space ".u8 [%0+3], %1;" ::"l"(address), "r"((uint32_t)c) : "memory");                  \
    asm volatile("st" space ".v2.u16 [%0+8], {%1, %2};" ::"l"(address), "h"((uint16_t)e), "h"((uint16_t)a)   \
                 : "memory");                                                                                \
    asm volatile("st" space ".v4.b8 [%0+20], {%1, %2, %3, %4};" ::"l"(address), "r"((uint32_t)a),            \
                 "r"((uint32_t)b), "r"((uint32_t)c), "r"((uint32_t)e)                                        \
                 : "memory");
#define LOADS(space, address)                                                                                \
    LOAD(0, space, address, "u8", "r", uint32_t)                                                             \
    LOAD(1, space, (address) + 3, "s8", "r", int32_t)                                                        \
    LOAD(2, space, (address) + 2, "u16", "h", uint16_t)                                                      \
    LOAD(3, space, (address) + 6, "s16", "r", int32_t)                                                       \
    LOAD(4, space, (address) + 4, "u32", "r", uint32_t)                                                      \
    LOAD(5, space, (address) + 12, "s32", "l", int64_t)                                                      \
    LOAD(6, space, (address) + 8, "b64", "l", uint64_t)                                                      \
    LOAD_PAIR(7, space, (address) + 2, "u8", "r", uint32_t)                                                  \
    LOAD_PAIR(8, space, (address) + 20, "s16", "r", int32_t)                                                 \
    LOAD_PAIR(9, space, (address) + 8, "b32", "r", uint32_t)                                                 \
    LOAD_PAIR(10, space, (address) + 16, "u64", "l", uint64_t)                                               \
    LOAD_FOUR(11, space, (address) + 4, "s8", "r", int32_t)                                                  \
    LOAD_FOUR(12, space, (address) + 16, "u16", "h", uint16_t)                                               \
    LOAD_FOUR(13, space, address, "b32", "r", uint32_t)                                                      \
    LOAD_FOUR(14, space, (address) + 16, "s32", "l", int64_t)

/* Operands of the thread, as 64 bits. */
#define FOUR const uint64_t a = OPERAND(0), b = OPERAND(1), c = OPERAND(2), e = a * 0x9e3779b97f4a7c15 + b

KERNEL(memory_global)
{
    FOUR;
    const uint64_t address = (uint64_t)__cvta_generic_to_global(cells) + (uint64_t)SET * 32;
    STORES(".global", address)
    LOADS(".global", address)
    LOAD(15, ".global.ca", address, "b64", "l", uint64_t)
    LOAD(16, ".global.cg", address + 8, "b64", "l", uint64_t)
    LOAD(17, ".global.cs", address + 16, "b64", "l", uint64_t)
    LOAD(18, ".global.cv", address + 24, "b64", "l", uint64_t)
    LOAD(19, ".volatile.global", address, "b32", "r", uint32_t)
    LOAD(20, ".relaxed.gpu.global", address + 4, "b32", "r", uint32_t)
    LOAD(21, ".acquire.sys.global", address + 8, "b64", "l", uint64_t)
}

KERNEL(memory_shared)
{
    __shared__ __align__(16) uint64_t bytes[OPCODE_BLOCK * 4];
    FOUR;
    const uint64_t address = (uint64_t)__cvta_generic_to_shared(&bytes[threadIdx.x * 4]);
    STORES(".shared", address)
    LOADS(".shared", address)
    LOAD(15, ".volatile.shared", address + 4, "b32", "r", uint32_t)
}

KERNEL(memory_local)
{
    __align__(16) uint64_t bytes[4] = {};
    FOUR;
    const uint64_t address = (uint64_t)__cvta_generic_to_local(bytes);
    STORES(".local", address)
    LOADS(".local", address)
}

/* The same addresses without their space: half the warps in shared memory, half in global. */
KERNEL(memory_generic)
{
    __shared__ __align__(16) uint64_t bytes[OPCODE_BLOCK * 4];
    FOUR;
    const uint64_t address =
        SET / 32 % 2 ? (uint64_t)&bytes[threadIdx.x * 4] : (uint64_t)cells + (uint64_t)SET * 32;
    STORES("", address)
    LOADS("", address)
    RESULT(15) = __isGlobal((void *)address) * 2 + __isShared((void *)address);
}

/* Read-only data, by ld.global.nc. */
KERNEL(memory_read_only)
{
    const uint64_t address = (uint64_t)__cvta_generic_to_global(operands) + (uint64_t)(SET & ~3) * 8;
    LOADS(".global.nc", address)
}

/* ---- atomic operations of many threads on one word ----------------------------------------------------- */

#define MANY(v, name, type)                                                                                  \
    if (threadIdx.x == 0)                                                                                    \
        *shared = *global = v;                                                                               \
    __syncthreads();                                                                                         \
    name((type *)global, (type)OPERAND(0));                                                                  \
    name((type *)shared, (type)OPERAND(0));                                                                  \
    __syncthreads();                                                                                         \
    RESULT(2 * result) = (uint32_t) * (volatile uint64_t *)global;                                           \
    RESULT(2 * result + 1) = (uint32_t) * (volatile uint64_t *)shared;                                       \
    result++;                                                                                                \
    __syncthreads();

KERNEL(atomics_of_many)
{
    __shared__ uint64_t word;
    uint64_t *const shared = &word, *const global = &cells[blockIdx.x];
    int result = 0;
    MANY(0, atomicAdd, unsigned)
    MANY(1000, atomicMin, unsigned)
    MANY(1000, atomicMax, int)
    MANY(0xf0f0f0f0, atomicXor, unsigned)
    MANY(0xffffffff, atomicAnd, unsigned)
    MANY(0, atomicOr, unsigned)
    RESULT(12) = 0;
    if (threadIdx.x == 0)
        *shared = *global = 0;
    __syncthreads();
    atomicInc((unsigned *)global, 49);
    atomicDec((unsigned *)shared, 49);
    __syncthreads();
    RESULT(12) = (uint32_t) * (volatile uint64_t *)global;
    RESULT(13) = (uint32_t) * (volatile uint64_t *)shared;
}

/* ---- the list ------------------------------------------------------------------------------------------ */

#define PAIR(name) name, name ", predicate"
static const char *const shuffle_names[] = {PAIR("shfl.sync.up.b32"), PAIR("shfl.sync.down.b32"),
                                            PAIR("shfl.sync.bfly.b32"), PAIR("shfl.sync.idx.b32")};
static const char *const shuffle_some_names[] = {PAIR("shfl.sync.idx.b32 of some lanes")};
static const char *const shuffle_absent_names[] = {PAIR("shfl.sync.idx.b32 from a lane that is elsewhere")};
static const char *const shuffle_ended_names[] = {PAIR("shfl.sync.idx.b32 from a lane that has ended")};
static const char *const vote_names[] = {"vote.sync.all.pred", "vote.sync.any.pred", "vote.sync.uni.pred",
                                         "vote.sync.ballot.b32 of some lanes", "vote.sync.ballot.b32"};
static const char *const match_names[] = {
    "match.any.sync.b32",
    "match.any.sync.b64",
    PAIR("match.all.sync.b64"),
    PAIR("match.all.sync.b32"),
    "match.any.sync.b32 of some lanes",
    PAIR("match.all.sync.b32 of some lanes"),
};
static const char *const reduction_names[] = {
    "redux.sync.add.u32",
    "redux.sync.min.u32",
    "redux.sync.max.u32",
    "redux.sync.min.s32",
    "redux.sync.max.s32",
    "redux.sync.and.b32",
    "redux.sync.or.b32",
    "redux.sync.xor.b32",
    "redux.sync.add.s32 of some lanes",
    "redux.sync.min.s32 of some lanes",
    "redux.sync.xor.b32 of some lanes",
};
static const char *const lane_names[] = {"activemask.b32", "%laneid",      "%lanemask_lt", "%lanemask_le",
                                         "%lanemask_gt",   "%lanemask_ge", "%lanemask_eq", "%nctaid.x"};
static const char *const block_names[] = {"barrier.red.popc.u32", "barrier.red.and.pred",
                                          "barrier.red.or.pred", "barrier.red.and.pred, all but some"};
#define SPACE_NAMES(space)                                                                                   \
    "ld" space ".u8", "ld" space ".s8", "ld" space ".u16", "ld" space ".s16", "ld" space ".u32",             \
        "ld" space ".s32", "ld" space ".b64", "ld" space ".v2.u8", "ld" space ".v2.s16",                     \
        "ld" space ".v2.b32", "ld" space ".v2.u64", "ld" space ".v4.s8", "ld" space ".v4.u16",               \
        "ld" space ".v4.b32", "ld" space ".v4.s32"
static const char *const global_names[] = {
    SPACE_NAMES(".global"),      "ld.global.ca.b64",          "ld.global.cg.b64",
    "ld.global.cs.b64",          "ld.global.cv.b64",          "ld.volatile.global.b32",
    "ld.relaxed.gpu.global.b32", "ld.acquire.sys.global.b64",
};
static const char *const shared_names[] = {SPACE_NAMES(".shared"), "ld.volatile.shared.b32"};
static const char *const local_names[] = {SPACE_NAMES(".local")};
static const char *const generic_names[] = {SPACE_NAMES(""), "isspacep"};
static const char *const read_only_names[] = {SPACE_NAMES(".global.nc")};
#define BOTH(name) name ", global", name ", shared"
static const char *const many_names[] = {
    BOTH("atom.add.u32 by many"),   BOTH("atom.min.u32 by many"),   BOTH("atom.max.s32 by many"),
    BOTH("atom.xor.b32 by many"),   BOTH("atom.and.b32 by many"),   BOTH("atom.or.b32 by many"),
    "atom.inc.u32 by many, global", "atom.dec.u32 by many, shared",
};

#define ROW(kernel, names, operands)                                                                         \
    {                                                                                                        \
        (const void *)kernel, names, sizeof names / sizeof names[0], operands, 0                             \
    }
const struct opcode_row opcode_warp_rows[] = {
    ROW(shuffles, shuffle_names, "in"),
    ROW(shuffles_of_some, shuffle_some_names, "in"),
    ROW(shuffles_from_absent, shuffle_absent_names, "in"),
    ROW(shuffles_from_ended, shuffle_ended_names, "in"),
    ROW(votes, vote_names, "ii"),
    ROW(matches, match_names, "ii"),
    ROW(reductions, reduction_names, "ii"),
    ROW(lanes, lane_names, "i"),
    ROW(block_reductions, block_names, "i"),
    ROW(memory_global, global_names, "lll"),
    ROW(memory_shared, shared_names, "lll"),
    ROW(memory_local, local_names, "lll"),
    ROW(memory_generic, generic_names, "lll"),
    ROW(memory_read_only, read_only_names, "lll"),
    ROW(atomics_of_many, many_names, "i"),
    {},
};
