/*
 * Parameters of kernels and functions, and moves that are about addresses or vectors. Source: PTX ISA, "Kernel
 * Function Parameters", mov, isspacep.
 */
#include "sim/machine/exec_element.h"

/* ---- parameters ---------------------------------------------------------------------------------------- */

/* The kernel's parameters, which are the same bytes for all lanes unless an index was added to their
 * address. */
static enum step load_param(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = op->detail;
    const struct block_view *view = &warp->block->view;
    uint64_t address[WARP_LANES];
    uint64_t size = (uint64_t)detail->element_size * (uint64_t)detail->count;
    exec_fill_addresses(warp, detail, address);
    FOR_LANES(lane, active)
    {
        if (size > view->param_size || address[lane] > view->param_size - size)
            return exec_fault(warp, op, 1u << lane, SIM_OUT_OF_BOUNDS,
                              "reads %llu bytes at byte %llu of the kernel's parameters, which have only %zu",
                              (unsigned long long)size, (unsigned long long)address[lane], view->param_size);
        for (int i = 0; i < detail->count; i++) {
            unsigned char *d = row(warp, detail->registers[i]);
            load_element(detail, i, d + lane * detail->register_size[i],
                         view->param + address[lane] + i * detail->element_size);
        }
    }
    return STEP_NEXT;
}

/* One word of them at a fixed place: nearly always. */
#define DEFINE_LOAD_PARAM(name, T)                                                                           \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        const struct memory_detail *detail = op->detail;                                                     \
        const struct block_view *view = &warp->block->view;                                                  \
        if (detail->has_base || view->param_size < sizeof(T) ||                                              \
            (uint64_t)detail->offset > view->param_size - sizeof(T))                                         \
            return load_param(warp, op, active);                                                             \
        row_##T *d = row(warp, op->dst);                                                                     \
        T value;                                                                                             \
        memcpy(&value, view->param + detail->offset, sizeof value);                                          \
        WRITE_LANES(T, d, active, warp->full, value);                                                        \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_LOAD_PARAM(load_param_b32, u32)
DEFINE_LOAD_PARAM(load_param_b64, u64)

/* .param variables of functions: bytes in the frame of the thread's local window. */
static unsigned char *frame_bytes(const struct warp *warp, unsigned lane, uint64_t offset, uint64_t size)
{
    const struct block_view *view = &warp->block->view;
    if (size > view->local_size || offset > view->local_size - size)
        return NULL;
    return view->local + (size_t)(warp->index * WARP_LANES + lane) * view->local_size + offset;
}

static enum step move_param(struct warp *warp, const struct micro *op, uint32_t active, bool store)
{
    const struct memory_detail *detail = op->detail;
    uint64_t address[WARP_LANES];
    exec_fill_addresses(warp, detail, address);
    FOR_LANES(lane, active)
    {
        unsigned char *bytes = frame_bytes(warp, lane, address[lane] + warp->local,
                                           (uint64_t)detail->element_size * (uint64_t)detail->count);
        if (!bytes)
            return exec_fault(warp, op, 1u << lane, SIM_OUT_OF_BOUNDS,
                              "leaves the call stack of %zu bytes a thread", warp->block->view.local_size);
        for (int i = 0; i < detail->count; i++, bytes += detail->element_size) {
            unsigned char *value =
                (unsigned char *)row(warp, detail->registers[i]) + lane * detail->register_size[i];
            if (store)
                copy_element(bytes, value, detail->element_size);
            else
                load_element(detail, i, value, bytes);
        }
    }
    return STEP_NEXT;
}

static enum step load_frame(struct warp *warp, const struct micro *op, uint32_t active)
{
    return move_param(warp, op, active, false);
}

static enum step store_frame(struct warp *warp, const struct micro *op, uint32_t active)
{
    return move_param(warp, op, active, true);
}

/* ---- moves that are about addresses or vectors --------------------------------------------------------- */

#define DEFINE_MOV_LOCAL(name, T)                                                                            \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const T address = (T)((u64)op->imm + warp->local);                                                   \
        WRITE_LANES(T, d, active, warp->full, address);                                                      \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_MOV_LOCAL(mov_local_b32, u32)
DEFINE_MOV_LOCAL(mov_local_b64, u64)

/* The usual case: 64 bits from two registers, for example a double after its halves were shuffled. */
static bool are_halves(const struct pack_detail *detail)
{
    return detail->count == 2 && detail->element_size == 4;
}

static enum step pack(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct pack_detail *detail = op->detail;
    unsigned char whole[16];
    if (are_halves(detail)) {
        const row_u32 *low = row(warp, detail->elements[0]), *high = row(warp, detail->elements[1]);
        row_u64 *d = row(warp, detail->whole);
        FOR_LANES(lane, active)
        d[lane] = low[lane] | (uint64_t)high[lane] << 32;
        return STEP_NEXT;
    }
    FOR_LANES(lane, active)
    {
        for (int i = 0; i < detail->count; i++) {
            int bytes = detail->element_size, stride = bytes < 2 ? 2 : bytes;
            const unsigned char *element = row(warp, detail->elements[i]);
            memcpy(whole + i * bytes, element + lane * stride, (size_t)bytes);
        }
        unsigned char *d = row(warp, detail->whole);
        memcpy(d + lane * detail->whole_size, whole, (size_t)detail->whole_size);
    }
    return STEP_NEXT;
}

static enum step unpack(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct pack_detail *detail = op->detail;
    unsigned char whole[16];
    if (are_halves(detail)) {
        const row_u64 *a = row(warp, detail->whole);
        row_u32 *low = row(warp, detail->elements[0]), *high = row(warp, detail->elements[1]);
        FOR_LANES(lane, active)
        {
            low[lane] = (u32)a[lane];
            high[lane] = (u32)(a[lane] >> 32);
        }
        return STEP_NEXT;
    }
    FOR_LANES(lane, active)
    {
        const unsigned char *a = row(warp, detail->whole);
        memcpy(whole, a + lane * detail->whole_size, (size_t)detail->whole_size);
        for (int i = 0; i < detail->count; i++) {
            int bytes = detail->element_size, stride = bytes < 2 ? 2 : bytes;
            unsigned char *d = (unsigned char *)row(warp, detail->elements[i]) + lane * stride;
            memcpy(d, whole + i * bytes, (size_t)bytes);
            if (stride > bytes)
                d[bytes] = 0;
        }
    }
    return STEP_NEXT;
}

static enum step isspacep(struct warp *warp, const struct micro *op, uint32_t active)
{
    const row_u64 *a = row(warp, op->a);
    u32 result = 0;
    uint64_t offset;
    FOR_LANES(lane, active)
    result |= (u32)(generic_space(a[lane], &offset) == (enum ptx_space)op->imm) << lane;
    set_predicate(warp, op->p, active, result);
    return STEP_NEXT;
}

const struct handler SIMD(exec_param_handlers)[] = {
    {"ld.param", load_param},
    {"ld.param.b32", load_param_b32},
    {"ld.param.b64", load_param_b64},
    {"ld.frame", load_frame},
    {"st.frame", store_frame},
    {"mov.local.b32", mov_local_b32},
    {"mov.local.b64", mov_local_b64},
    {"pack", pack},
    {"unpack", unpack},
    {"isspacep", isspacep},
    {NULL, NULL},
};
