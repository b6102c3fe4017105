/*
 * Loads and stores: addresses from rows, bytes between memory and rows. Source: PTX ISA, "Data Movement and
 * Conversion Instructions": ld, st.
 */
#include "sim/machine/exec_lanes.h"
#include "sim/machine/exec_element.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

static enum step after_load(struct warp *warp, const struct memory_detail *detail)
{
    const enum step step = detail->may_spin ? warp_spin(warp) : STEP_NEXT;
    return __builtin_expect(warp->begins_following, 0) ? STEP_SCHEDULE : step;
}

/* ---- shared memory, the usual ways --------------------------------------------------------------------- */

enum { GROUPS = ACCESS_GROUPS, GROUP = WARP_LANES / GROUPS };

/* Offsets in the block's window, and what is known of them. */
struct offsets {
    u32 at[WARP_LANES] __attribute__((aligned(64))); /* SCATTERED; else only the first */
    enum access_shape shape;                         /* of all lanes … */
    unsigned char group_shape[GROUPS]; /* … and, if SCATTERED, of each eight, as in struct access */
};

/* Whether `count` lanes, a multiple of 8, lie `step` bytes behind one another. */
static inline bool in_steps(const u32 *at, u32 count, u32 step)
{
#ifdef __AVX2__
    const __m256i steps = _mm256_setr_epi32(0, (int)step, 2 * (int)step, 3 * (int)step, 4 * (int)step,
                                            5 * (int)step, 6 * (int)step, 7 * (int)step);
    __m256i wanted = _mm256_add_epi32(_mm256_set1_epi32((int)at[0]), steps), other = _mm256_setzero_si256();
    for (u32 i = 0; i < count; i += 8) {
        const __m256i found = _mm256_load_si256((const __m256i *)(const void *)(at + i));
        other = _mm256_or_si256(other, _mm256_xor_si256(found, wanted));
        wanted = _mm256_add_epi32(wanted, _mm256_set1_epi32(8 * (int)step));
    }
    return _mm256_testz_si256(other, other);
#else
    u32 other = 0;
    for (u32 i = 0; i < count; i++)
        other |= at[i] ^ (at[0] + step * i);
    return !other;
#endif
}

static inline void find_group_shapes(struct offsets *o, u32 size)
{
    for (int k = 0; k < GROUPS; k++)
        o->group_shape[k] = in_steps(o->at + k * GROUP, GROUP, size) ? SHAPE_CONTIGUOUS
                            : in_steps(o->at + k * GROUP, GROUP, 0)  ? SHAPE_UNIFORM
                                                                     : SHAPE_UNKNOWN;
}

static inline enum access_shape shape_of_row(const row_u32 *base, u32 size)
{
    const u32 step = base[1] - base[0];
    return step == size && in_steps(base, WARP_LANES, size) ? SHAPE_CONTIGUOUS
           : step == 0 && in_steps(base, WARP_LANES, 0)     ? SHAPE_UNIFORM
                                                            : SHAPE_SCATTERED;
}

/*
 * All lanes active, all addresses inside the window and aligned: most accesses to shared memory. false:
 * whatever is special about this one, the general way finds out.
 */
static inline bool find_offsets(const struct warp *warp, const struct micro *op, uint32_t active, u32 size,
                                struct offsets *out)
{
    const struct memory_detail *detail = op->detail;
    const size_t window = warp->block->view.shared_size;
    if (detail->space != PTX_SHARED || active != ~0u || window < size || !detail->has_base ||
        detail->address_64)
        return false;
    const row_u32 *base = row(warp, detail->base);
    const u32 constant = (u32)detail->offset, last = (u32)(window - size);
    u32 low_bits = 0, outside = 0;
    out->shape = shape_of_row(base, size);
    out->at[0] = base[0] + constant;
    if (out->shape != SHAPE_SCATTERED) { /* the first and the last lane speak for all */
        const u64 end = (u64)out->at[0] + (out->shape == SHAPE_CONTIGUOUS ? (WARP_LANES - 1) * size : 0);
        return end <= last && (out->at[0] & (size - 1)) == 0;
    }
    for (u32 i = 0; i < WARP_LANES; i++) {
        const u32 offset = base[i] + constant;
        out->at[i] = offset;
        low_bits |= offset;
        outside |= offset > last;
    }
    find_group_shapes(out, size);
    return !outside && (low_bits & (size - 1)) == 0;
}

/* Tells the watchers, if there are any and the lanes lie so that it takes no further look; else false. */
static inline bool is_told(struct warp *warp, const struct micro *op, enum access_kind kind, u32 size,
                           const struct offsets *offsets)
{
    if (!warp->watched)
        return true;
    if (offsets->shape != SHAPE_SCATTERED && kind == ACCESS_LOAD && size == 4 &&
        exec_load_is_known(warp, op, offsets->at[0], offsets->shape == SHAPE_UNIFORM))
        return true;
    for (int k = 0; k < GROUPS && offsets->shape == SHAPE_SCATTERED; k++)
        if (offsets->group_shape[k] == SHAPE_UNKNOWN)
            return false;
    uint64_t wide[WARP_LANES];
    const u32 step = offsets->shape == SHAPE_CONTIGUOUS ? size : 0;
    if (offsets->shape == SHAPE_SCATTERED)
        for (int i = 0; i < WARP_LANES; i++)
            wide[i] = offsets->at[i];
    else
        for (u32 i = 0; i < WARP_LANES; i++)
            wide[i] = offsets->at[0] + i * step;
    exec_watch_shared(warp, op, kind, wide, offsets->shape, offsets->group_shape);
    return true;
}

/*
 * Eight lanes with addresses of any kind: often the same one (a factor that a row of threads shares) or
 * neighbors (a row of a tile), even where the warp as a whole is neither.
 */
static inline void load_scattered_u32(row_u32 *d, const u32 *at, const unsigned char *shared)
{
#ifdef __AVX2__
    const __m256i steps = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    for (int k = 0; k < WARP_LANES; k += 8) {
        const __m256i offsets = _mm256_load_si256((const __m256i *)(const void *)(at + k));
        const __m256i first = _mm256_set1_epi32((int)at[k]);
        const __m256i value = _mm256_set1_epi32(*(const row_s32 *)(const void *)(shared + at[k]));
        if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(offsets, first)) == -1)
            _mm256_store_si256((__m256i *)(void *)(d + k), value);
        else if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(offsets, _mm256_add_epi32(first, steps))) == -1)
            memcpy(d + k, shared + at[k], 32);
        else
            for (int i = k; i < k + 8; i++)
                d[i] = *(const row_u32 *)(const void *)(shared + at[i]);
    }
#else
    for (int i = 0; i < WARP_LANES; i++)
        d[i] = *(const row_u32 *)(const void *)(shared + at[i]);
#endif
}

static inline void load_scattered_u64(row_u64 *d, const u32 *at, const unsigned char *shared)
{
    for (int i = 0; i < WARP_LANES; i++)
        d[i] = *(const row_u64 *)(const void *)(shared + at[i]);
}

/* ---- global memory, the usual way ---------------------------------------------------------------------- */

typedef u64 four __attribute__((vector_size(32), aligned(8), may_alias));

/* Whether the lanes of a row of addresses lie `step` bytes behind one another. */
static inline bool are_neighbors(const row_u64 *at, u64 step)
{
    const four *found = (const four *)(const void *)at;
    four wanted = {at[0], at[0] + step, at[0] + 2 * step, at[0] + 3 * step}, other = {0, 0, 0, 0};
    for (int i = 0; i < WARP_LANES / 4; i++, wanted += 4 * step)
        other |= found[i] ^ wanted;
    return (other[0] | other[1] | other[2] | other[3]) == 0;
}

/* All lanes active, on neighbors of `size` bytes: where the bytes are, if nothing else is special; else NULL. */
static inline unsigned char *find_row(struct warp *warp, const struct micro *op, uint32_t active,
                                      bool is_store, u64 size)
{
    const struct memory_detail *detail = op->detail;
    if (detail->space != PTX_GLOBAL || active != ~0u || !detail->has_base || !detail->address_64)
        return NULL;
    const row_u64 *base = row(warp, detail->base);
    const u64 first = base[0] + (u64)detail->offset;
    if (base[1] - base[0] != size || (first & (size - 1)) || !are_neighbors(base, size))
        return NULL;
    return exec_row(warp, op, is_store, first, size * WARP_LANES);
}

/* ---- one element as wide as its register --------------------------------------------------------------- */

#define DEFINE_LOAD(name, T)                                                                                 \
    static void load_shared_##name(row_##T *d, const struct offsets *offsets, const unsigned char *shared)   \
    {                                                                                                        \
        if (offsets->shape == SHAPE_CONTIGUOUS) {                                                            \
            memcpy(d, shared + offsets->at[0], sizeof(T) * WARP_LANES);                                      \
        } else if (offsets->shape == SHAPE_UNIFORM) {                                                        \
            const T value = *(const row_##T *)(const void *)(shared + offsets->at[0]);                       \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                d[i] = value;                                                                                \
        } else {                                                                                             \
            load_scattered_##T(d, offsets->at, shared);                                                      \
        }                                                                                                    \
    }                                                                                                        \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const struct memory_detail *detail = op->detail;                                                     \
        row_##T *d = row(warp, op->dst);                                                                     \
        struct offsets offsets;                                                                              \
        if (find_offsets(warp, op, active, sizeof(T), &offsets) &&                                           \
            is_told(warp, op, ACCESS_LOAD, sizeof(T), &offsets)) {                                           \
            load_shared_##name(d, &offsets, warp->block->view.shared);                                       \
            return after_load(warp, detail);                                                                 \
        }                                                                                                    \
        const unsigned char *bytes = find_row(warp, op, active, false, sizeof(T));                           \
        if (bytes) {                                                                                         \
            memcpy(d, bytes, sizeof(T) * WARP_LANES);                                                        \
            return after_load(warp, detail);                                                                 \
        }                                                                                                    \
        struct lane_access lanes;                                                                            \
        exec_fill_addresses(warp, detail, lanes.address);                                                    \
        if (!exec_resolve(warp, op, active, ACCESS_LOAD, detail, &lanes))                                    \
            return STEP_FAULT;                                                                               \
        if (exec_is_one_row(&lanes)) {                                                                       \
            memcpy(d, lanes.host[0], sizeof(T) * WARP_LANES);                                                \
        } else if (active == ~0u) {                                                                          \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                d[i] = *(const row_##T *)(const void *)lanes.host[i];                                        \
        } else {                                                                                             \
            FOR_LANES(lane, active) d[lane] = *(const row_##T *)(const void *)lanes.host[lane];              \
        }                                                                                                    \
        return after_load(warp, detail);                                                                     \
    }
DEFINE_LOAD(load_b32, u32)
DEFINE_LOAD(load_b64, u64)

/* Lanes in order: of two that store to one address the higher one wins. */
#define DEFINE_STORE(name, T)                                                                                \
    static void store_shared_##name(const row_##T *value, const struct offsets *offsets,                     \
                                    unsigned char *shared)                                                   \
    {                                                                                                        \
        if (offsets->shape == SHAPE_CONTIGUOUS)                                                              \
            memcpy(shared + offsets->at[0], value, sizeof(T) * WARP_LANES);                                  \
        else if (offsets->shape == SHAPE_UNIFORM)                                                            \
            *(row_##T *)(void *)(shared + offsets->at[0]) = value[WARP_LANES - 1];                           \
        else                                                                                                 \
            for (int i = 0; i < WARP_LANES; i++)                                                             \
                *(row_##T *)(void *)(shared + offsets->at[i]) = value[i];                                    \
    }                                                                                                        \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const struct memory_detail *detail = op->detail;                                                     \
        const row_##T *value = row(warp, op->b);                                                             \
        struct offsets offsets;                                                                              \
        if (find_offsets(warp, op, active, sizeof(T), &offsets) &&                                           \
            is_told(warp, op, ACCESS_STORE, sizeof(T), &offsets)) {                                          \
            store_shared_##name(value, &offsets, warp->block->view.shared);                                  \
            return STEP_NEXT;                                                                                \
        }                                                                                                    \
        unsigned char *bytes = find_row(warp, op, active, true, sizeof(T));                                  \
        if (bytes) {                                                                                         \
            memcpy(bytes, value, sizeof(T) * WARP_LANES);                                                    \
            return STEP_NEXT;                                                                                \
        }                                                                                                    \
        struct lane_access lanes;                                                                            \
        exec_fill_addresses(warp, detail, lanes.address);                                                    \
        if (!exec_resolve(warp, op, active, ACCESS_STORE, detail, &lanes))                                   \
            return STEP_FAULT;                                                                               \
        if (exec_is_one_row(&lanes)) {                                                                       \
            memcpy(lanes.host[0], value, sizeof(T) * WARP_LANES);                                            \
        } else {                                                                                             \
            FOR_LANES(lane, active) * (row_##T *)(void *)lanes.host[lane] = value[lane];                     \
        }                                                                                                    \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_STORE(store_b32, u32)
DEFINE_STORE(store_b64, u64)

/* ---- vectors, and elements narrower than their registers ----------------------------------------------- */

/* Each element is as wide as its register: nothing is extended. */
static bool has_width(const struct memory_detail *detail, int bytes)
{
    for (int i = 0; i < detail->count; i++)
        if (detail->register_size[i] != bytes)
            return false;
    return detail->element_size == bytes;
}

#define DEFINE_VECTOR(T)                                                                                     \
    static void load_vectors_##T(struct warp *warp, const struct memory_detail *detail, uint32_t active,     \
                                 const struct lane_access *lanes)                                            \
    {                                                                                                        \
        row_##T *d[VECTOR_MAX];                                                                              \
        for (int i = 0; i < detail->count; i++)                                                              \
            d[i] = row(warp, detail->registers[i]);                                                          \
        FOR_LANES(lane, active)                                                                              \
        {                                                                                                    \
            const row_##T *from = (const row_##T *)(const void *)lanes->host[lane];                          \
            for (int i = 0; i < detail->count; i++)                                                          \
                d[i][lane] = from[i];                                                                        \
        }                                                                                                    \
    }                                                                                                        \
    static void store_vectors_##T(struct warp *warp, const struct memory_detail *detail, uint32_t active,    \
                                  const struct lane_access *lanes)                                           \
    {                                                                                                        \
        const row_##T *value[VECTOR_MAX];                                                                    \
        for (int i = 0; i < detail->count; i++)                                                              \
            value[i] = row(warp, detail->registers[i]);                                                      \
        for (int i = 0; i < detail->count; i++)                                                              \
            FOR_LANES(lane, active)((row_##T *)(void *)lanes->host[lane])[i] = value[i][lane];               \
    }
DEFINE_VECTOR(u32)
DEFINE_VECTOR(u64)

static enum step load_any(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = op->detail;
    struct lane_access lanes;
    exec_fill_addresses(warp, detail, lanes.address);
    if (!exec_resolve(warp, op, active, ACCESS_LOAD, detail, &lanes))
        return STEP_FAULT;
    if (has_width(detail, 4)) {
        load_vectors_u32(warp, detail, active, &lanes);
        return after_load(warp, detail);
    }
    if (has_width(detail, 8)) {
        load_vectors_u64(warp, detail, active, &lanes);
        return after_load(warp, detail);
    }
    for (int i = 0; i < detail->count; i++) {
        unsigned char *d = row(warp, detail->registers[i]);
        FOR_LANES(lane, active)
        load_element(detail, i, d + lane * detail->register_size[i],
                     lanes.host[lane] + i * detail->element_size);
    }
    return after_load(warp, detail);
}

static enum step store_any(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = op->detail;
    struct lane_access lanes;
    exec_fill_addresses(warp, detail, lanes.address);
    if (!exec_resolve(warp, op, active, ACCESS_STORE, detail, &lanes))
        return STEP_FAULT;
    if (has_width(detail, 4)) {
        store_vectors_u32(warp, detail, active, &lanes);
        return STEP_NEXT;
    }
    if (has_width(detail, 8)) {
        store_vectors_u64(warp, detail, active, &lanes);
        return STEP_NEXT;
    }
    for (int i = 0; i < detail->count; i++) {
        const unsigned char *value = row(warp, detail->registers[i]);
        FOR_LANES(lane, active)
        memcpy(lanes.host[lane] + i * detail->element_size, value + lane * detail->register_size[i],
               (size_t)detail->element_size);
    }
    return STEP_NEXT;
}

const struct handler SIMD(exec_memory_handlers)[] = {
    {"ld.b32", load_b32},  {"ld.b64", load_b64}, {"ld", load_any}, {"st.b32", store_b32},
    {"st.b64", store_b64}, {"st", store_any},    {NULL, NULL},
};
