/*
 * Atomics, lane after lane, lowest first. Source: PTX ISA, atom and red.
 *
 * When lanes of one warp, or host threads that run different blocks, meet at an address, each sees the
 * other's result: the word is exchanged by a compare-and-swap of the host.
 */
#include <math.h>

#include "sim/machine/exec_memory.h"
#include "sim/core/half.h"
#include "sim/core/nan.h"
#include "sim/text/place.h"

typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;
typedef uint16_t u16;

static f32 flush(f32 x)
{
    return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x;
}

/* Sums in global memory have no subnormal numbers, on either side; those in shared memory do. */
static f32 add_f32(f32 x, f32 y, bool in_global)
{
    f32 sum = in_global ? flush(flush(x) + flush(y)) : x + y;
    u32 nan = 0x7fffffff;
    if (sum != sum)
        memcpy(&sum, &nan, sizeof sum);
    return sum;
}

/* A NaN stays as it is in global memory, the operand's before the memory's; in shared memory it is made
 * quiet. */
static f64 add_f64(f64 x, f64 y, bool in_global)
{
    if (!in_global || (x == x && y == y))
        return x != x ? x + x : y != y ? y + y : double_or_nan(x + y);
    return y != y ? y : x;
}

/* Two numbers in a word, added each by itself. */
static u32 add_f16x2(u32 x, u32 y)
{
    return (u32)f16_add((u16)(x >> 16), (u16)(y >> 16)) << 16 | f16_add((u16)x, (u16)y);
}

static u32 add_bf16x2(u32 x, u32 y)
{
    return (u32)bf16_add((u16)(x >> 16), (u16)(y >> 16)) << 16 | bf16_add((u16)x, (u16)y);
}

static u32 increment(u32 old, u32 limit)
{
    return old >= limit ? 0 : old + 1;
}

static u32 decrement(u32 old, u32 limit)
{
    return old == 0 || old > limit ? limit : old - 1;
}

/* Who is first decides about the last bits. Blocks that several threads of the host run have no word in common. */
static void note_float_sum(struct warp *warp, const struct micro *op, uint32_t in_global)
{
    struct sim *sim = warp->block->view.sim;
    if (in_global && !warp->block->view.tracker && sim->float_sum.line == 0)
        sim->float_sum = place_of_lane(&warp->block->view, warp->index, __builtin_ctz(in_global),
                                       warp_loc(warp, op), NULL);
}

#define IS_FLOAT_SUM(key) ((key)[9] == 'f' || ((key)[9] == 'b' && (key)[10] == 'f')) /* atom.add.f32, .bf16 */

/*
 * New value from the old one, b as y and (for cas) c as z. WORD: an integer as wide as T, for the exchange.
 * An atomic that changes nothing may be a look at a lock that another thread holds.
 */
#define DEFINE_ATOMIC(key, name, T, WORD, expression)                                                        \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const bool discard = ((const struct atomic_detail *)op->detail)->discard;                            \
        struct lane_access lanes;                                                                            \
        u32 in_global;                                                                                       \
        if (!resolve_atomic(warp, op, active, &lanes, &in_global))                                           \
            return STEP_FAULT;                                                                               \
        T b_row[WARP_LANES], c_row[WARP_LANES];                                                              \
        memcpy(b_row, row(warp, op->b), sizeof b_row);                                                       \
        memcpy(c_row, row(warp, op->c), sizeof c_row);                                                       \
        unsigned char *d = row(warp, op->dst);                                                               \
        const bool alone = !in_global || !warp->block->view.tracker;                                         \
        bool changed = false;                                                                                \
        FOR_LANES(lane, active)                                                                              \
        {                                                                                                    \
            WORD *word = (WORD *)(void *)lanes.host[lane];                                                   \
            WORD before = __atomic_load_n(word, __ATOMIC_RELAXED), after;                                    \
            T old, y = b_row[lane], z = c_row[lane];                                                         \
            do {                                                                                             \
                memcpy(&old, &before, sizeof old);                                                           \
                (void)z, (void)in_global;                                                                    \
                T updated = (expression);                                                                    \
                memcpy(&after, &updated, sizeof after);                                                      \
            } while (!(alone ? STORE(word, after) : EXCHANGE(word, &before, after)));                        \
            changed |= before != after;                                                                      \
            if (!discard)                                                                                    \
                memcpy(d + lane * sizeof(T), &old, sizeof old);                                              \
        }                                                                                                    \
        if (IS_FLOAT_SUM(key))                                                                               \
            note_float_sum(warp, op, in_global);                                                             \
        warp->block->changes += changed;                                                                     \
        return changed || discard ? STEP_NEXT : warp_spin(warp);                                             \
    }

/* No other thread of the host touches the word. */
#define STORE(word, after) (__atomic_store_n(word, after, __ATOMIC_RELAXED), true)
#define EXCHANGE(word, before, after)                                                                        \
    __atomic_compare_exchange_n(word, before, after, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)

/* *in_global: the lanes whose word lies in global memory. */
static bool resolve_atomic(struct warp *warp, const struct micro *op, uint32_t active,
                           struct lane_access *lanes, uint32_t *in_global)
{
    const struct memory_detail *detail = &((const struct atomic_detail *)op->detail)->memory;
    uint64_t offset;
    exec_fill_addresses(warp, detail, lanes->address);
    *in_global = detail->space == PTX_GLOBAL ? active : 0;
    if (detail->space == PTX_GENERIC)
        FOR_LANES(lane, active)
    *in_global |= (uint32_t)(generic_space(lanes->address[lane], &offset) == PTX_GLOBAL) << lane;
    return exec_resolve(warp, op, active, ACCESS_ATOMIC, detail, lanes);
}

#define ATOMICS(X)                                                                                           \
    X("atom.add.u32", add_b32, u32, u32, old + y)                                                            \
    X("atom.add.s32", add_s32, u32, u32, old + y)                                                            \
    X("atom.add.u64", add_b64, u64, u64, old + y)                                                            \
    X("atom.add.s64", add_s64, u64, u64, old + y)                                                            \
    X("atom.add.f32", atom_add_f32, f32, u32, add_f32(old, y, in_global >> lane & 1))                        \
    X("atom.add.f64", atom_add_f64, f64, u64, add_f64(old, y, in_global >> lane & 1))                        \
    X("atom.add.f16", atom_add_f16, u16, u16, f16_add(old, y))                                               \
    X("atom.add.bf16", atom_add_bf16, u16, u16, bf16_add(old, y))                                            \
    X("atom.add.f16x2", atom_add_f16x2, u32, u32, add_f16x2(old, y))                                         \
    X("atom.add.bf16x2", atom_add_bf16x2, u32, u32, add_bf16x2(old, y))                                      \
    X("atom.inc.u32", inc_u32, u32, u32, increment(old, y))                                                  \
    X("atom.dec.u32", dec_u32, u32, u32, decrement(old, y))                                                  \
    X("atom.min.u32", min_u32, u32, u32, old < y ? old : y)                                                  \
    X("atom.min.s32", min_s32, s32, u32, old < y ? old : y)                                                  \
    X("atom.min.u64", min_u64, u64, u64, old < y ? old : y)                                                  \
    X("atom.min.s64", min_s64, s64, u64, old < y ? old : y)                                                  \
    X("atom.max.u32", max_u32, u32, u32, old > y ? old : y)                                                  \
    X("atom.max.s32", max_s32, s32, u32, old > y ? old : y)                                                  \
    X("atom.max.u64", max_u64, u64, u64, old > y ? old : y)                                                  \
    X("atom.max.s64", max_s64, s64, u64, old > y ? old : y)                                                  \
    X("atom.and.b32", and_b32, u32, u32, old &y)                                                             \
    X("atom.and.b64", and_b64, u64, u64, old &y)                                                             \
    X("atom.or.b32", or_b32, u32, u32, old | y)                                                              \
    X("atom.or.b64", or_b64, u64, u64, old | y)                                                              \
    X("atom.xor.b32", xor_b32, u32, u32, old ^ y)                                                            \
    X("atom.xor.b64", xor_b64, u64, u64, old ^ y)                                                            \
    X("atom.exch.b32", exch_b32, u32, u32, y)                                                                \
    X("atom.exch.b64", exch_b64, u64, u64, y)                                                                \
    X("atom.cas.b16", cas_b16, u16, u16, old == y ? z : old)                                                 \
    X("atom.cas.b32", cas_b32, u32, u32, old == y ? z : old)                                                 \
    X("atom.cas.b64", cas_b64, u64, u64, old == y ? z : old)

ATOMICS(DEFINE_ATOMIC)

#define ATOMIC_ROW(key, name, T, WORD, expression) {key, name},

const struct handler exec_atomic_handlers[] = {
    ATOMICS(ATOMIC_ROW){NULL, NULL},
};
