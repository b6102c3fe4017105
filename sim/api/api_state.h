/* The state behind the CUDA runtime API: one for the process. */
#ifndef SIM_API_STATE_H
#define SIM_API_STATE_H

#include "sim/api/api_call.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_module.h"
#include "sim/api/api_order.h"
#include "sim/api/api_pages.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_remarks.h"
#include "sim/api/api_stream.h"
#include "sim/api/api_summary.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

/* What a program can set and read back, and little more (api_device.c). */
struct api_device_settings {
    unsigned flags;
    size_t limits[cudaLimitPersistingL2CacheSize + 1];
    enum cudaFuncCache cache_config;
};

/* As on an H100; kernels only ever read the size of the stack and of the printf buffer. */
#define API_DEFAULT_SETTINGS                                                                                 \
    {                                                                                                        \
        .cache_config = cudaFuncCachePreferNone, .limits = {                                                 \
            [cudaLimitStackSize] = STACK_LIMIT_DEFAULT,                                                      \
            [cudaLimitPrintfFifoSize] = 1048576,                                                             \
            [cudaLimitMallocHeapSize] = 8388608,                                                             \
            [cudaLimitDevRuntimeSyncDepth] = 2,                                                              \
            [cudaLimitDevRuntimePendingLaunchCount] = 2048,                                                  \
            [cudaLimitMaxL2FetchGranularity] = 128,                                                          \
            [cudaLimitPersistingL2CacheSize] = 0,                                                            \
        }                                                                                                    \
    }

/* Texts that have been said, by their hashes. */
struct api_said {
    uint64_t texts[256];
    int count;
};

/* What says how far a long program is (api_settings.c). */
struct api_progress {
    double seconds; /* of quiet, at first; twice as many from then on; 0: say nothing */
    double begin, quiet_until;
    bool hinted;
};

/* The thread of api_runner.c. */
struct api_runner {
    pid_t process; /* in which there is one; 0: none */
    sem_t wake;
    unsigned functions; /* of the host, after which it stopped */
};

struct api_state {
    struct sim *sim;
    uint64_t calls;      /* of the API so far */
    cudaError_t pending; /* a kernel's fault that no synchronizing call has delivered yet */
    cudaError_t sticky;  /* delivered: every later call returns it */
    char fault[1024];    /* what the launch said about it */
    struct sim_result last;
    struct sim_counters totals;
    double total_seconds;
    double copied_bytes;        /* that copies and fills have read and written on the device since then */
    double longest_seconds;     /* of a launch since the totals were reset … */
    const char *limiter;        /* … what held it back */
    struct sim_slowest slowest; /* … and what it was */
    struct sim_shape shapes[SIM_MAX_SHAPES]; /* of launches since the totals were reset */
    int shape_count;
    struct sim_site sites[SIM_MAX_SITES];
    int site_count;
    uint64_t sampled_blocks;    /* of launches since the totals were reset … */
    double sampled_error;       /* … and the standard errors of their modeled seconds, added up */
    double unlike_error;        /* the same for blocks unlike those that the time model watched */
    double rough_seconds;       /* of the modeled seconds, those that were not modeled from machine code */
    bool reports;               /* on stderr: faults at once, hazards at exit */
    bool profile;               /* … and the lines that cost most */
    struct api_summary summary; /* … and what the whole run was */
    struct api_suppressions suppressions;
    int error_status;     /* of the program, where hazards are told or a kernel stopped; 0: its own */
    uint64_t repeat_work; /* sim_config.repeat_work, of a program that is on its own */
    bool machine_code;    /* may be asked for, once somebody is told times */
    sim_host_memory_of *host_memory; /* NULL: the memory of the host is not known */
    bool faults_forwarded;           /* the program's own handler of SIGSEGV asks sim_host_fault */
    bool ending, reported;           /* the program ends; and that has been said */
    FILE *printed;                   /* kernels' printf output that no call has flushed yet */
    char *printed_text;
    size_t printed_size;
    const void *printed_by; /* the launch that the first of it is of */
    struct api_said said;
    struct api_progress progress;
    const struct sim_profile *device; /* by sim_use_device, or NULL */
    struct api_device_settings settings;
    struct api_modules modules;
    struct api_host_blocks blocks;
    struct api_pools pools;
    struct api_streams streams;
    struct api_queue queue;
    struct api_pages pages;
    struct api_runner runner;
    struct api_sources sources;
    struct api_remarks remarks;
    struct CUevent_st *events;           /* api_event.c */
    struct cudaArray *arrays;            /* newest first: api_array.c */
    struct api_texture_object *textures; /* api_texture.c */
    struct api_surface_object *surfaces; /* api_surface.c */
    bool in_function;                    /* a thread is between api_begin_function and api_end_function */
    pthread_cond_t function_done;
    pthread_mutex_t lock;
    pthread_once_t lock_once;
} __attribute__((aligned(4096))); /* pages of its own: others may be closed (api_pages.h) */

extern struct api_state api;

/* For the few functions that are not calls of the API: those hold the lock by API_ENTER. */
void api_lock(void);
void api_unlock(void);
/* Whether this thread holds it. */
bool api_is_inside(void);
/* Between these a host function of a stream runs, in this thread, without the lock; no other thread does queued work. */
void api_begin_function(void);
void api_end_function(void);
bool api_is_in_function(void); /* this thread is between them */
/* Waits until no other thread is between them. */
void api_wait_for_function(void);
/* The same, at most half a second: the program ends. */
void api_wait_for_function_briefly(void);

/* Shows what kernels have printed since the last time (CUDA C++ Programming Guide, "Formatted Output"). */
void api_flush_printf(void);

/* Turns a launch's outcome into an error that the next synchronizing call delivers. */
void api_set_fault(const struct sim_kernel_info *kernel, const struct sim_result *result);

#endif
