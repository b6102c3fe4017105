/*
 * Handlers: one C function for each form of an opcode, found by name ("add.b32") when a kernel is decoded.
 *
 * exec_simd*.c hold the loops over 32 lanes. They are compiled twice, for any processor and for one with AVX2
 * and FMA; the names differ by suffix, and exec_handler picks the table that this machine can run.
 */
#pragma once

#include <string.h>

#include "sim/core/detail.h"
#include "sim/machine/block.h"

struct handler {
    const char *key;
    exec_fn run;
};

/* The warp's loop for the processor that we run on. */
warp_loop_fn exec_loop(void);
/* What the decoder asks for: the handler called `key` for the processor that we run on, or NULL. */
exec_fn exec_handler(const char *key);
/* The function of the runtime API in kernels that has this name, or NULL (exec_device_runtime.c). */
const struct device_call *device_call_find(const char *name);

#ifdef SIM_ISA
#define SIMD_PASTE2(name, isa) name##_##isa
#define SIMD_PASTE(name, isa)  SIMD_PASTE2(name, isa)
#define SIMD(name)             SIMD_PASTE(name, SIM_ISA)
#else
#define SIMD(name) name##_baseline
#endif

/* Rows hold any type, in turn. */
typedef uint8_t __attribute__((may_alias)) row_u8;
typedef uint16_t __attribute__((may_alias)) row_u16;
typedef int16_t __attribute__((may_alias)) row_s16;
typedef uint32_t __attribute__((may_alias)) row_u32;
typedef int32_t __attribute__((may_alias)) row_s32;
typedef uint64_t __attribute__((may_alias)) row_u64;
typedef int64_t __attribute__((may_alias)) row_s64;
typedef float __attribute__((may_alias)) row_f32;
typedef double __attribute__((may_alias)) row_f64;

static inline void *row(const struct warp *warp, uint32_t ref)
{
    return __builtin_assume_aligned(warp->base[ref & ROW_BASE_MASK] + (ref & ~ROW_BASE_MASK), 64);
}

static inline bool lane_on(uint32_t lanes, int lane)
{
    return lanes >> lane & 1;
}

/* The operation as the lane has it, where lanes at several places take part in one collective; NULL: the lane does not. */
static inline const struct micro *exec_own_op(const struct warp *warp, const struct micro *op, int lane)
{
    return warp->met_at ? warp->met_at[lane] : op;
}

/* for each lane of `lanes`, lowest first */
#define FOR_LANES(lane, lanes)                                                                               \
    for (uint32_t left_ = (lanes), lane = left_ ? (uint32_t)__builtin_ctz(left_) : 0; left_;                 \
         left_ &= left_ - 1, lane = left_ ? (uint32_t)__builtin_ctz(left_) : 0)

/* The source predicate of op->q, by lanes. */
static inline uint32_t predicate_q(const struct warp *warp, const struct micro *op)
{
    return warp->preds[op->q] ^ (op->flags & FLAG_NEGATE_P ? ~0u : 0);
}

static inline void set_predicate(struct warp *warp, uint32_t index, uint32_t lanes, uint32_t value)
{
    warp->preds[index] = (warp->preds[index] & ~lanes) | (value & lanes);
}

/* Run the group warp->mask from warp->pc until it must be scheduled anew; leave pc and budget there. */
enum step warp_loop_baseline(struct warp *warp);
enum step warp_loop_avx2(struct warp *warp);
/* The same, and follows undefined registers (exec_undefined.c). */
enum step warp_loop_undefined(struct warp *warp);
/* The same, and notes everything for sim/origin. */
enum step warp_loop_recorded(struct warp *warp);

/*
 * Every lane of the warp waits at a collective, and not all at the same: reports it and lets all of them go
 * on with whoever is there, as the hardware does.
 */
bool exec_release_mismatched(struct warp *warp);

/*
 * All lanes of the warp do this together: those that can go on now, as warp_gather() says; afterwards STEP_SCHEDULE
 * unless they are `active`. Reports it where some lanes have ended, or never were there.
 */
uint32_t exec_meet_all(struct warp *warp, const struct micro *op, uint32_t active);

/* cp.async: copies that a warp has begun. They take effect when their lanes wait for them, or end. */
struct async_copies;
void async_destroy(struct async_copies *copies);
void async_reset(struct async_copies *copies);
void async_finish(struct warp *warp, uint32_t lanes);
/* The lanes touch shared memory: reports those whose own copy to there is still under way. */
void async_check_access(struct warp *warp, const struct access *access);
/* The lanes change global memory: reports it if a copy of a thread of the block from there is still under way. */
void async_check_sources(const struct warp *warp, const struct access *access);
/*
 * cp.async.mbarrier.arrive: the lanes arrive at their mbarriers when their copies so far are done, which is as late as
 * it may be: when a thread of the block looks at an mbarrier, or the lanes end. false: out of memory.
 */
bool async_arrive_later(struct warp *warp, const struct micro *op, uint32_t lanes,
                        const uint64_t address[WARP_LANES]);
/* Does what has been put off for the lanes: `arrive` for each of those, whose copies are done then. false: a fault. */
typedef bool (*async_arrive_fn)(struct warp *warp, const struct micro *op, uint32_t lanes,
                                const uint64_t address[WARP_LANES]);
bool async_arrive_now(struct warp *warp, uint32_t lanes, async_arrive_fn arrive);
/* exec_mbarrier.c: what the lanes have put off, as they end. */
void mbarrier_finish(struct warp *warp, uint32_t lanes);

/* What helps against a full stack. */
#define STACK_ADVICE "cudaDeviceSetLimit(cudaLimitStackSize, bytes) before the launch gives more"

/* Ends the launch with a message about the lowest of `lanes`: "file:line: what, in thread …". */
enum step exec_fault(struct warp *warp, const struct micro *op, uint32_t lanes, enum sim_status status,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/*
 * The host bytes behind a thread's generic address, or NULL: for builtins that follow pointers.
 * The access is checked like a load or a store, but neither counted nor watched.
 */
void *exec_thread_pointer(struct warp *warp, const struct micro *op, int lane, uint64_t address, size_t size);
