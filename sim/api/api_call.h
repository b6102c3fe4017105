/*
 * How a call of the CUDA runtime API begins, fails and ends. One lock covers everything; a call holds it from
 * api_enter to the end of its function.
 */
#ifndef SIM_API_CALL_H
#define SIM_API_CALL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

enum api_call_kind {
    API_PLAIN,  /* fails at once if an earlier fault has been delivered */
    API_SYNC,   /* also waits for the device: faults are delivered, printf output appears */
    API_ANYWAY, /* works even after a fault */
};

struct api_call {
    const char *name;   /* "cudaMemcpy" */
    cudaError_t error;  /* cudaSuccess, or what the call must return at once */
    const void *caller; /* return address in the program, or NULL … */
    /* … and that of the function there, a wrapper of cuda_runtime.h that was not inlined; and of the one around that */
    const void *outer, *outermost;
};

/* `frame`: of the function of the API that was called. */
struct api_call api_enter(const char *name, enum api_call_kind kind, const void *caller, void *frame);
void api_leave(struct api_call *call);

/* The first line of every function of the API. */
#define API_ENTER(kind)                                                                                      \
    struct api_call call __attribute__((cleanup(api_leave), unused)) =                                       \
        api_enter(__func__, kind, __builtin_return_address(0), __builtin_frame_address(0));                  \
    if (call.error != cudaSuccess)                                                                           \
    return call.error

/*
 * The same function under the name that --default-stream per-thread gives it (suffix ptds or ptsz): stream 0 is the
 * host thread's own stream there.
 */
#define API_PER_THREAD(function, suffix, parameters, arguments)                                              \
    extern cudaError_t function##_##suffix parameters;                                                       \
    cudaError_t function##_##suffix parameters                                                               \
    {                                                                                                        \
        const void *outer __attribute__((cleanup(api_end_per_thread), unused)) =                             \
            api_begin_per_thread(__builtin_return_address(0), __builtin_frame_address(0));                   \
        return function arguments;                                                                           \
    }

/* Until the end, calls of this host thread count as made by `caller`, for the stream of its own. */
const void *api_begin_per_thread(const void *caller, void *frame);
void api_end_per_thread(const void **outer);
bool api_is_per_thread(void);

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

#define API_BAD_CLUSTER ((cudaError_t)912) /* cudaErrorInvalidClusterSize, where the toolkit has the name */

/* Only says it. */
void api_note(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* cudaErrorInvalidDevice, said and remembered, unless `device` is the only one, 0 (api_device.c). */
cudaError_t api_check_device(const struct api_call *call, int device);

#endif
