/* What stands behind every call: the lock, the current device, what a call waits for. */
#include "sim/api/api_state.h"
#include "sim/api/api_report.h"
#include "sim/api/api_settings.h"

#include <stdlib.h>
#include <string.h>

struct api_state api = {
    .reports = true,
    .settings = API_DEFAULT_SETTINGS,
    .pools = {.standard = API_NEW_POOL, .list = &api.pools.standard, .current = &api.pools.standard},
    .streams =
        {
            .legacy = {.blocking = true, .id = 1},
            .per_thread = {.blocking = true, .id = 2, .next = &api.streams.legacy},
            .list = &api.streams.per_thread,
            .last_id = 2,
        },
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

void api_lock(void)
{
    pthread_once(&api.lock_once, create_lock);
    pthread_mutex_lock(&api.lock);
}

void api_unlock(void)
{
    pthread_mutex_unlock(&api.lock);
}

/* ---- the current device -------------------------------------------------------------------------------- */

static void create_device(void)
{
    struct sim_config config = api_settings();
    api.printed = open_memstream(&api.printed_text, &api.printed_size);
    config.kernel_output = api.printed;
    if (api.printed)
        api.sim = sim_create(&config);
    if (!api.sim) {
        fprintf(stderr,
                "simulator: not enough memory, or not enough address space, for a simulated device\n");
        exit(2);
    }
    api_report_begin();
}

struct sim *sim_current(void)
{
    api_lock();
    if (!api.sim)
        create_device();
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
    return &api.last;
}

void sim_totals(struct sim_counters *counters, double *seconds)
{
    if (counters)
        *counters = api.totals;
    if (seconds)
        *seconds = api.total_seconds;
}

void sim_totals_reset(void)
{
    memset(&api.totals, 0, sizeof api.totals);
    api.total_seconds = 0;
    api.longest_seconds = 0;
    api.copied_bytes = 0;
    api.limiter = NULL;
    api.sampled_blocks = 0;
    api.sampled_error = 0;
}

double sim_totals_bytes(void)
{
    const struct sim_counters *c = &api.totals;
    return 32.0 * ((double)c->unique_sectors_read + (double)c->unique_sectors_written) + api.copied_bytes;
}

const char *sim_totals_limiter(void)
{
    return api.limiter;
}

void sim_totals_sampled(uint64_t *blocks, double *relative_error)
{
    *blocks = api.sampled_blocks;
    *relative_error = api.total_seconds > 0 ? api.sampled_error / api.total_seconds : 0;
}

/* ---- a call -------------------------------------------------------------------------------------------- */

void api_flush_printf(void)
{
    FILE *output = sim_config(api.sim)->kernel_output;
    if (output != api.printed) {
        if (output)
            fflush(output); /* the harness collects it itself */
        return;
    }
    fflush(api.printed);
    if (api.printed_size == 0)
        return;
    fwrite(api.printed_text, 1, api.printed_size, stdout);
    fflush(stdout);
    rewind(api.printed);
    fflush(api.printed);
}

/* The wait of a synchronising call is over: what the device had to say reaches the host. */
static void deliver(void)
{
    api_flush_printf();
    if (api.pending != cudaSuccess && api.sticky == cudaSuccess)
        api.sticky = api.pending;
    api.pending = cudaSuccess;
}

struct api_call api_enter(const char *name, enum api_call_kind kind, const void *caller)
{
    struct api_call call = {name, cudaSuccess, caller};
    sim_current();
    api_lock();
    if (kind == API_SYNC)
        deliver();
    if (kind != API_ANYWAY && api.sticky != cudaSuccess)
        call.error = api_fail(api.sticky);
    return call;
}

void api_leave(struct api_call *call)
{
    (void)call;
    api_unlock();
}
