#define _GNU_SOURCE
/* What stands behind every call: the lock, the current device, what a call waits for. */
#include "sim/api/api_state.h"
#include "sim/api/api_report.h"
#include "sim/api/api_settings.h"
#include "sim/core/device.h"
#include "sim/text/source_line.h"

#include <stdlib.h>
#include <time.h>
#include <string.h>

struct api_state api = {
    .reports = true,
    .settings = API_DEFAULT_SETTINGS,
    .pools = {.standard = API_NEW_POOL, .list = &api.pools.standard, .current = &api.pools.standard},
    .streams =
        {
            .legacy = {.blocking = true, .id = 1},
            .list = &api.streams.legacy,
            .last_id = 2,
        },
    .function_done = PTHREAD_COND_INITIALIZER,
    .lock_once = PTHREAD_ONCE_INIT,
};

/* Recursive: a host function queued on a stream may not call the API, but must not hang if it does. */
static void create_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&api.lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static _Thread_local unsigned lock_depth;

bool api_is_inside(void)
{
    return lock_depth > 0;
}

void api_lock(void)
{
    pthread_once(&api.lock_once, create_lock);
    pthread_mutex_lock(&api.lock);
    lock_depth++;
}

void api_unlock(void)
{
    lock_depth--;
    pthread_mutex_unlock(&api.lock);
}

/* A call holds the lock once; where it is held more often, by a call in a host function, it stays. */
static _Thread_local bool function_runs, lock_given;

/* For which the end of the program waits for a host function that another thread runs. */
#define FUNCTION_NANOSECONDS 500000000L

void api_begin_function(void)
{
    api.in_function = function_runs = true;
    lock_given = lock_depth == 1;
    if (lock_given)
        api_unlock();
}

void api_end_function(void)
{
    if (lock_given)
        api_lock();
    lock_given = false;
    api.in_function = function_runs = false;
    pthread_cond_broadcast(&api.function_done);
}

bool api_is_in_function(void)
{
    return function_runs;
}

void api_wait_for_function(void)
{
    while (api.in_function && !function_runs && lock_depth == 1)
        pthread_cond_wait(&api.function_done, &api.lock);
}

void api_wait_for_function_briefly(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += FUNCTION_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (api.in_function && !function_runs && lock_depth == 1 &&
           pthread_cond_timedwait(&api.function_done, &api.lock, &until) == 0)
        ;
}

/* ---- the current device -------------------------------------------------------------------------------- */

static void create_device(void)
{
    struct sim_config config = api_settings();
    api.printed = open_memstream(&api.printed_text, &api.printed_size);
    config.kernel_output = api.printed;
    config.printf_limit = api.settings.limits[cudaLimitPrintfFifoSize];
    config.heap_limit = api.settings.limits[cudaLimitMallocHeapSize];
    if (api.printed)
        api.sim = sim_create(&config);
    if (!api.sim) {
        fprintf(stderr,
                "simulator: not enough memory, or not enough address space, for a simulated device\n");
        exit(2);
    }
    api_report_begin();
}

static void need_device(void)
{
    if (!api.sim)
        create_device();
}

/* Whoever looks at the device from outside finds it idle; the program learns nothing from that. */
static void finish_work(void)
{
    const cudaError_t pending = api.pending, sticky = api.sticky;
    if (api.queue.running || (!api.queue.first && !api.queue.remembered))
        return;
    api_queue_run_all();
    const cudaError_t fault = pending != cudaSuccess ? pending : api.pending;
    api_queue_forget_all();
    api.pending = fault;
    api.sticky = sticky;
}

struct sim *sim_current(void)
{
    api_lock();
    need_device();
    finish_work();
    api_unlock();
    return api.sim;
}

bool sim_use_device(const char *key)
{
    const struct sim_profile *profile = sim_profile_find(key);
    if (!profile)
        return false;
    api_lock();
    api.device = profile;
    if (api.sim) /* a static constructor has made one */
        sim_config(api.sim)->profile = profile;
    api_unlock();
    return true;
}

const struct sim_result *sim_last_result(void)
{
    sim_current();
    return &api.last;
}

void sim_totals(struct sim_counters *counters, double *seconds)
{
    sim_current();
    if (counters)
        *counters = api.totals;
    if (seconds)
        *seconds = api.total_seconds;
}

void sim_totals_reset(void)
{
    sim_mem_moved_reset(sim_current());
    memset(&api.totals, 0, sizeof api.totals);
    api.total_seconds = 0;
    api.longest_seconds = 0;
    api.copied_bytes = 0;
    api.limiter = NULL;
    api.slowest = (struct sim_slowest){0};
    api.shape_count = 0;
    api.site_count = 0;
    api.sampled_blocks = 0;
    api.sampled_error = api.unlike_error = api.rough_seconds = 0;
}

double sim_totals_bytes(void)
{
    const struct sim_counters *c = &api.totals;
    return 32.0 * ((double)c->unique_sectors_read + (double)c->unique_sectors_written +
                   (double)c->unsure_sectors) +
           api.copied_bytes;
}

const char *sim_totals_limiter(void)
{
    return api.limiter;
}

const struct sim_slowest *sim_totals_slowest(void)
{
    struct sim_slowest *slowest = &api.slowest;
    const bool of_launch = slowest->waste.kind && slowest->waste.line == 0;
    if (of_launch && slowest->caller && !slowest->place[0] &&
        !source_line(slowest->caller, slowest->place, sizeof slowest->place))
        slowest->place[0] = 0;
    return slowest->seconds > 0 ? slowest : NULL;
}

int sim_totals_shapes(const struct sim_shape **list)
{
    *list = api.shapes;
    return api.shape_count;
}

void sim_totals_sampled(uint64_t *blocks, double *relative_error)
{
    *blocks = api.sampled_blocks;
    *relative_error = api.total_seconds > 0 ? api.sampled_error / api.total_seconds : 0;
}

double sim_totals_unlike(void)
{
    return api.total_seconds > 0 ? api.unlike_error / api.total_seconds : 0;
}

double sim_totals_rough(void)
{
    return api.total_seconds > 0 ? api.rough_seconds / api.total_seconds : 0;
}

/* ---- a call -------------------------------------------------------------------------------------------- */

/*
 * The buffer is circular: older lines are lost if there are more than it holds. The bytes of their text. Source: CUDA C++
 * Programming Guide, "Formatted Output", "Limitations".
 */
static size_t lost_bytes(void)
{
    struct sim *sim = api.sim;
    size_t kept = 0, line = sim->printed_count;
    while (line > 0 && kept + sim->printed[line - 1].bytes <= sim->config.printf_limit)
        kept += sim->printed[--line].bytes;
    const size_t lost = line > 0 ? (size_t)sim->printed[line - 1].end : 0;
    if (line > 0)
        api_note("printf in a kernel",
                 "the first %zu of %zu calls are lost: the buffer holds %zu bytes; cudaDeviceSetLimit("
                 "cudaLimitPrintfFifoSize, bytes) makes it larger",
                 line, sim->printed_count, sim->config.printf_limit);
    sim->printed_count = 0;
    return lost < api.printed_size ? lost : api.printed_size;
}

void api_flush_printf(void)
{
    FILE *output = sim_config(api.sim)->kernel_output;
    if (output != api.printed) {
        api.sim->printed_count = 0;
        if (output)
            fflush(output); /* the harness collects it itself */
        return;
    }
    fflush(api.printed);
    if (api.printed_size == 0)
        return;
    const size_t lost = lost_bytes();
    fwrite(api.printed_text + lost, 1, api.printed_size - lost, stdout);
    fflush(stdout);
    rewind(api.printed);
    fflush(api.printed);
}

static _Thread_local const void *per_thread_caller, *per_thread_outer;
static _Thread_local uintptr_t stack_end;

static void find_stack(void)
{
    pthread_attr_t attributes;
    void *first;
    size_t size;
    stack_end = 1; /* not known */
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &first, &size) == 0)
        stack_end = (uintptr_t)first + size;
    pthread_attr_destroy(&attributes);
}

#define WRAPPER_FRAME_MAX 4096 /* bytes */

/*
 * Where the caller of the function with this frame will return to; *frame becomes the caller's, NULL if it has none.
 * The caller is a wrapper, which keeps its own frame, only in programs that are not optimized; in others the answer
 * means nothing, and the line of the caller itself is known.
 */
static const void *outer_caller(void **frame)
{
    if (stack_end == 0)
        find_stack();
    const uintptr_t here = (uintptr_t)*frame, above = here ? *(uintptr_t *)here : 0;
    if (above <= here || above - here > WRAPPER_FRAME_MAX || above % sizeof above != 0 ||
        above + 2 * sizeof above > stack_end) {
        *frame = NULL;
        return NULL;
    }
    *frame = (void *)above;
    return ((const void **)above)[1];
}

const void *api_begin_per_thread(const void *caller, void *frame)
{
    const void *before = per_thread_caller;
    per_thread_caller = caller;
    per_thread_outer = outer_caller(&frame);
    return before;
}

void api_end_per_thread(const void **outer)
{
    per_thread_caller = *outer;
}

bool api_is_per_thread(void)
{
    return per_thread_caller != NULL;
}

struct api_call api_enter(const char *name, enum api_call_kind kind, const void *caller, void *frame)
{
    struct api_call call = {name, cudaSuccess, caller, NULL, NULL};
    if (per_thread_caller) {
        call.caller = per_thread_caller;
        call.outer = per_thread_outer;
    } else {
        call.outer = outer_caller(&frame);
        call.outermost = outer_caller(&frame);
    }
    api_lock();
    need_device();
    api.calls++;
    if (kind == API_ANYWAY)
        return call;
    if (api.sticky != cudaSuccess)
        call.error = api_fail(api.sticky);
    else if (kind == API_SYNC)
        call.error = api_queue_wait_all();
    return call;
}

void api_leave(struct api_call *call)
{
    (void)call;
    api_unlock();
}
