/*
 * What the api_*.c files share: the state behind the CUDA runtime API, and how a call begins, fails
 * and ends. The API is a thin skin over sim.h: it keeps the books that a CUDA driver keeps (modules,
 * symbols, streams, the clock, errors that are still to be delivered) and leaves the work to the core.
 *
 * One lock covers everything; a call holds it from api_enter to the end of its function.
 */
#ifndef SIM_API_INTERNAL_H
#define SIM_API_INTERNAL_H

#include <cuda_runtime_api.h>
#include <stdarg.h>

#include "sim/device/sim.h"

/* ---- a call -------------------------------------------------------------------------------------------- */

enum api_call_kind {
    API_PLAIN,  /* fails at once if an earlier fault has been delivered */
    API_SYNC,   /* also waits for the device: faults are delivered, printf output appears */
    API_ANYWAY, /* works even after a fault */
};

struct api_call {
    const char *name;   /* "cudaMemcpy" */
    cudaError_t error;  /* cudaSuccess, or what the call must return at once */
    const void *caller; /* return address, or NULL */
};

struct api_call api_enter(const char *name, enum api_call_kind kind, const void *caller);
void api_leave(struct api_call *call);

/* The first line of every function of the API. */
#define API_ENTER(kind)                                                                                      \
    struct api_call call __attribute__((cleanup(api_leave), unused)) =                                       \
        api_enter(__func__, kind, __builtin_return_address(0));                                              \
    if (call.error != cudaSuccess)                                                                           \
    return call.error

/* The same function under the name that -default-stream per-thread gives it (suffix ptds or ptsz). */
#define API_PER_THREAD(function, suffix)                                                                     \
    extern __typeof__(function) function##_##suffix __attribute__((alias(#function)))

/* Remembers `error` for cudaGetLastError and returns it. */
cudaError_t api_fail(cudaError_t error);

/* The same, and says on stderr, once for each text, what was wrong: "simulator: cudaMemcpy: …". */
cudaError_t api_fail_because(const struct api_call *call, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * What an impossible grid or block returns: CUDA 13 no longer has an error of its own for it. And a function
 * that is no kernel: CUDA 13 takes it for a handle of one. (Seen on an H100.)
 */
#if CUDART_VERSION >= 13000
#define API_BAD_LAUNCH  cudaErrorInvalidValue
#define API_BAD_THREADS cudaErrorInvalidValue /* more than __launch_bounds__ */
#define API_NO_KERNEL   cudaErrorInvalidResourceHandle
#else
#define API_BAD_LAUNCH  cudaErrorInvalidConfiguration
#define API_BAD_THREADS cudaErrorLaunchOutOfResources
#define API_NO_KERNEL   cudaErrorInvalidDeviceFunction
#endif

/* Only says it. */
void api_note(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- state --------------------------------------------------------------------------------------------- */

struct api_state {
    struct sim *sim;
    cudaError_t pending; /* a kernel's fault that no synchronising call has delivered yet */
    cudaError_t sticky;  /* delivered: every later call returns it */
    char fault[1024];    /* what the launch said about it */
    struct sim_result last;
    struct sim_counters totals;
    double total_seconds;
    bool reports;  /* on stderr: faults at once, hazards at exit */
    bool profile;  /* … and the lines that cost most */
    FILE *printed; /* kernels' printf output that no call has flushed yet */
    char *printed_text;
    size_t printed_size;
};

extern struct api_state api;

/* Shows what kernels have printed since the last time (CUDA C++ Programming Guide, "Formatted Output"). */
void api_flush_printf(void);

/* Turns a launch's outcome into an error that the next synchronising call delivers. */
void api_set_fault(const struct sim_kernel_info *kernel, const struct sim_result *result);

/* Which source lines cost most: api_profile.c. */
void api_print_profile(FILE *out);

/* ---- kernels and variables (api_register.c) ------------------------------------------------------------ */

struct api_module;

struct api_function {
    const void *host; /* the address of the stub, by which the program names the kernel */
    const char *name; /* mangled */
    struct api_module *module;
    struct sim_kernel *kernel; /* NULL until it is first used */
    int max_dynamic_shared;    /* cudaFuncAttributeMaxDynamicSharedMemorySize; -1: never set */
    int carveout;              /* cudaFuncAttributePreferredSharedMemoryCarveout, -1 by default */
};

/*
 * The function that `symbol` names, a stub's address or a cudaKernel_t, loaded. NULL and `error`
 * (cudaErrorInvalidDeviceFunction and others) if there is none or it cannot run here.
 */
struct api_function *api_find_function(const struct api_call *call, const void *symbol, cudaError_t *error);

/* The same by its mangled name, for launches from kernels. */
struct api_function *api_find_function_named(const struct api_call *call, const char *name,
                                             cudaError_t *error);

struct api_symbol {
    const char *name;
    sim_addr address;
    size_t size;
};

/* The variable whose shadow on the host is `symbol`. */
cudaError_t api_find_symbol(const struct api_call *call, const void *symbol, struct api_symbol *out);

/* Bytes of dynamic shared memory that a launch may ask for, as cudaFuncSetAttribute has left it. */
int api_dynamic_limit(const struct api_function *function, const struct sim_kernel_info *info);

/* Forgets all modules' device side; they are loaded anew when next used. */
void api_unload_modules(void);

/* ---- the device (api_device.c) ------------------------------------------------------------------------- */

/* cudaErrorInvalidDevice, said and remembered, unless `device` is the only one, 0. */
cudaError_t api_check_device(const struct api_call *call, int device);

/* ---- memory (api_memory.c) ----------------------------------------------------------------------------- */

/* The host's memory that kernels may touch. */
enum api_host_kind { API_HOST_PINNED, API_HOST_REGISTERED, API_HOST_MANAGED };

struct api_host_block {
    char *start;
    size_t size;
    enum api_host_kind kind;
    unsigned flags;
    bool owned;                     /* allocated here */
    struct api_page_advice *advice; /* api_advice.c; NULL until there is any */
};

/* The block that holds `pointer`, or NULL: ordinary host memory (or a device's). */
struct api_host_block *api_find_host_block(const void *pointer);
/* Lets kernels use [start, start + size) of the host's memory at that very address. */
bool api_adopt(void *start, size_t size, enum api_host_kind kind, unsigned flags, const void *caller);

/* cudaMalloc and cudaFree, without waiting. */
cudaError_t api_malloc(const struct api_call *call, void **pointer, size_t size);
cudaError_t api_free(const struct api_call *call, void *pointer);
/* An allocation is freed: if it came from a pool, the pool has it back (api_pool.c). */
void api_pool_forget(const void *pointer);
void api_pool_forget_all(void);

/* Frees every allocation of the device and every block of the host. */
void api_free_all(void);

/* One side of a copy or fill: its role ("destination") for messages, and where it must be. */
struct api_place {
    const char *role;
    uintptr_t address;
    size_t size;      /* bytes from `address` on that will be touched */
    bool must_device; /* the direction says: on the device */
    bool must_host;   /* the direction says: on the host */
    /* filled in by api_resolve */
    bool on_device;
    unsigned char *bytes; /* as the host sees them */
};

/* Finds and checks the bytes behind place->address. */
cudaError_t api_resolve(const struct api_call *call, struct api_place *place);

/* Sets the must_ fields of both for a direction of copying; false for an unknown one. */
bool api_set_direction(enum cudaMemcpyKind kind, struct api_place *to, struct api_place *from);

/* Every copy is a box, most of them with a single row (api_copy.c). */
struct api_box {
    size_t width, height, depth; /* bytes, rows, slices */
};

struct api_box_side {
    uintptr_t address;
    size_t pitch; /* bytes from row to row */
    size_t slice; /* bytes from slice to slice */
};

cudaError_t api_copy_box(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *to_side, const struct api_box_side *from_side,
                         enum cudaMemcpyKind kind, cudaStream_t stream, bool async);

/* Where a copy of three dimensions begins in pitched memory. */
struct api_box_side api_side_3d(const struct cudaPitchedPtr *memory, const struct cudaPos *position);
/* The same for filling with one byte. */
cudaError_t api_fill_box(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *side, int value, cudaStream_t stream);

/* Checks and runs a kernel; `symbol` as cudaLaunchKernel takes it, launch->kernel is filled in
 * (api_launch.c). */
cudaError_t api_launch(const struct api_call *call, const void *symbol, struct sim_launch *launch,
                       cudaStream_t stream);

/* ---- graphs (api_graph.c) ------------------------------------------------------------------------------ */

/*
 * What is queued on a stream that is being captured becomes a node of a graph. Each of these adds one and
 * returns true if that is so, having put the outcome into *error; else false, and the caller does the work.
 */
bool api_capture_launch(const struct api_call *call, const void *symbol, const struct sim_launch *launch,
                        cudaStream_t stream, cudaError_t *error);
bool api_capture_copy(const struct api_box *box, const struct api_box_side *to,
                      const struct api_box_side *from, enum cudaMemcpyKind kind, cudaStream_t stream,
                      cudaError_t *error);
bool api_capture_fill(const struct api_box *box, const struct api_box_side *side, int value,
                      cudaStream_t stream, cudaError_t *error);
bool api_capture_host(cudaHostFn_t function, void *data, cudaStream_t stream, cudaError_t *error);

/* A call that waits for a capture spoils it; cudaStreamEndCapture says so. */
void api_spoil_capture(struct CUgraph_st *graph);
bool api_capture_is_spoilt(const struct CUgraph_st *graph);

/* The graph that a stream is captured into, or NULL (api_stream.c). */
struct CUgraph_st *api_stream_capture(cudaStream_t stream);
void api_stream_set_capture(cudaStream_t stream, struct CUgraph_st *graph);
/* No stream and no event has to do with the graph any more. */
void api_streams_end_capture(const struct CUgraph_st *graph);
void api_events_end_capture(const struct CUgraph_st *graph);

/* ---- arrays (api_array.c) ------------------------------------------------------------------------------ */

/* What cudaArray_t points to. The texels lie in ordinary device memory, row by row. */
struct cudaArray {
    sim_addr address;
    struct cudaChannelFormatDesc format;
    struct cudaExtent
        extent; /* as given: height and depth may be 0; depth counts layers where there are any */
    unsigned flags;
    size_t texel_size, pitch, slice; /* bytes */
    struct cudaArray *next;
};

/* Bytes of a texel, 0 if it is no format that an array or texture can have. */
size_t api_texel_size(const struct cudaChannelFormatDesc *format);
/* cudaErrorInvalidResourceHandle, said and remembered, unless the array is one that lives. */
cudaError_t api_check_array(const struct api_call *call, const struct cudaArray *array);
/* Forgets all arrays; their memory is freed with everything else. */
void api_forget_arrays(void);
/* Destroys all texture objects (api_texture.c). */
void api_forget_textures(void);
/* Fills in what an array says about a texture or a surface over it (api_texture.c). */
struct texture;
cudaError_t api_set_array(const struct api_call *call, const struct cudaResourceDesc *resource,
                          struct texture *out);
void api_forget_surfaces(void); /* api_surface.c */

/* ---- the clock and streams (api_stream.c) -------------------------------------------------------------- */

enum api_engine { API_ENGINE_KERNEL, API_ENGINE_TO_DEVICE, API_ENGINE_TO_HOST, API_ENGINE_COUNT };

/* The stream of a handle: 0, legacy, per-thread, or a live one; else NULL. */
struct CUstream_st *api_find_stream(cudaStream_t handle);

bool api_stream_valid(cudaStream_t stream);
/* `seconds` of work for one engine, queued on `stream`: advances the modelled clock and the totals. */
void api_clock_work(cudaStream_t stream, enum api_engine engine, double seconds);
/* Seconds since the device was made, as far as the host has waited. */
double api_clock_now(void);
void api_clock_wait_until(double time);
/* When everything is done that work queued on `stream` now must wait for; and a time that it must. */
double api_stream_ready(const struct CUstream_st *stream);
void api_stream_delay(struct CUstream_st *stream, double time);
/*
 * For a host that asks whether work is done: it is told "not ready" once for work that takes modelled time,
 * and that time then passes. So a loop that polls sees what it would see on a device, and ends.
 */
cudaError_t api_poll(double ready);
/* The host waits for the stream, or for the whole device. */
void api_clock_wait(cudaStream_t stream);
void api_clock_wait_all(void);
/* Seconds for moving bytes between host and device, or inside the device. */
double api_copy_seconds(double bytes, bool to_device, bool from_device);
/* Queues a copy's or fill's time and, unless `async`, waits for it. */
void api_clock_copy(cudaStream_t stream, double bytes, bool to_device, bool from_device, bool async);

/* Enters `call` and finds the stream, or returns the error. */
#define API_ENTER_STREAM(kind, handle)                                                                       \
    API_ENTER(kind);                                                                                         \
    struct CUstream_st *stream = api_find_stream(handle);                                                    \
    if (!stream)                                                                                             \
    return api_fail_because(&call, cudaErrorInvalidResourceHandle, "the stream does not exist (any more)")

static inline double api_later(double a, double b)
{
    return a > b ? a : b;
}

#endif
