/* What stands behind every call: the lock, the current device, its settings, reports at the end. */
#include "sim/api/api_internal.h"
#include "sim/text/plain_name.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct api_state api = {.reports = true};

static pthread_mutex_t the_lock;
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static _Thread_local cudaError_t last_error;

/* Recursive: a host function queued on a stream may not call the API, but must not hang if it does. */
static void create_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&the_lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* ---- settings from the environment --------------------------------------------------------------------- */

/*
 * LABS_SIM_DEVICE    the profile's key, h100 by default
 * LABS_SIM_HAZARDS   0: do not look for races, uninitialised reads and the like
 * LABS_SIM_COUNTERS  0: do not count memory traffic (modelled time is then the launch's and latency only)
 * LABS_SIM_SCHEDULE  a seed: warps and blocks in another order
 * LABS_SIM_LIMIT     warp instructions that a launch may run
 * LABS_SIM_PROGRESS  seconds after which a program that still runs says how far it is; 0: never
 * LABS_SIM_PROFILE   1: at the end, the source lines that cost most
 * LABS_SIM_THREADS   threads of the host that may share a launch; 0: as many as there are processors
 * LABS_SIM_THREADS_FROM  warp instructions of a launch before others help; 0: the usual number
 */

static void bad_setting(const char *name, const char *value, const char *expected)
{
    fprintf(stderr, "simulator: %s=%s: expected %s\n", name, value, expected);
    exit(2);
}

static bool flag_setting(const char *name, bool otherwise)
{
    const char *value = getenv(name);
    if (!value || value[0] == '\0')
        return otherwise;
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        bad_setting(name, value, "0 or 1");
    return value[0] == '1';
}

static uint64_t number_setting(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    if (!value || value[0] == '\0')
        return otherwise;
    errno = 0;
    char *end;
    unsigned long long number = strtoull(value, &end, 0);
    if (errno != 0 || *end != '\0' || value[0] == '-')
        bad_setting(name, value, "a whole number from 0 on");
    return number;
}

static const struct sim_profile *profile_setting(void)
{
    const char *value = getenv("LABS_SIM_DEVICE");
    const struct sim_profile *profile = sim_profile_find(value && value[0] != '\0' ? value : "h100");
    char keys[256] = "one of:";
    size_t used = strlen(keys);
    if (profile)
        return profile;
    for (int i = 0; sim_profile_at(i) && used < sizeof keys - 1; i++)
        used += (size_t)snprintf(keys + used, sizeof keys - used, " %s", sim_profile_at(i)->key);
    bad_setting("LABS_SIM_DEVICE", value, keys);
    return NULL;
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* True the first time that it sees a text. The same mistake in a loop is said once. */
static bool is_new(const char *text)
{
    static uint64_t seen[256];
    static int count;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (int i = 0; i < count; i++)
        if (seen[i] == hash)
            return false;
    if (count == 256)
        return false;
    seen[count++] = hash;
    return true;
}

static void say(const char *name, const char *format, va_list arguments)
{
    char text[1600];
    vsnprintf(text, sizeof text, format, arguments);
    if (!is_new(text))
        return;
    fflush(stdout);
    fprintf(stderr, "simulator: %s: %s\n", name, text);
}

void api_note(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(name, format, arguments);
    va_end(arguments);
}

cudaError_t api_fail(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t api_fail_because(const struct api_call *call, cudaError_t error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(call->name, format, arguments);
    va_end(arguments);
    return api_fail(error);
}

/* ---- what is left to say when the program ends --------------------------------------------------------- */

static void report_hazards(void)
{
    const struct sim_hazard *hazards;
    int count = sim_hazards(api.sim, &hazards);
    for (int i = 0; i < count; i++) {
        if (strcmp(hazards[i].message, api.fault) == 0)
            continue; /* said when the kernel stopped */
        fprintf(stderr, "simulator: %s\n", hazards[i].message);
        if (hazards[i].count > 1)
            fprintf(stderr, "    (%llu times)\n", (unsigned long long)hazards[i].count);
    }
}

static void at_exit(void)
{
    if (!api.reports)
        return;
    fflush(stdout);
    fflush(api.printed);
    if (api.printed_size > 0)
        fprintf(stderr,
                "simulator: %zu characters that kernels printed were never shown: they appear when the "
                "host waits, for example in cudaDeviceSynchronize()\n",
                api.printed_size);
    if (api.pending != cudaSuccess)
        fprintf(stderr,
                "simulator: the program never learned that a kernel failed with %s: call "
                "cudaDeviceSynchronize() and look at what it returns\n",
                cudaGetErrorName(api.pending));
    report_hazards();
    if (api.profile)
        api_print_profile(stderr);
}

void sim_report_at_exit(bool enabled)
{
    api.reports = enabled;
}

/*
 * The commonest mistake of all: host code follows a device pointer. The device's addresses are
 * unmapped on the host, so it faults as on a real machine; here it is also told why.
 */
static void on_segfault(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (api.sim && sim_mem_is_device(api.sim, info->si_addr)) {
        char text[400];
        const struct sim_allocation *found = sim_mem_find(api.sim, (sim_addr)(uintptr_t)info->si_addr);
        int length =
            snprintf(text, sizeof text,
                     "simulator: host code used the device address %p%s%s: only kernels can read or write "
                     "it; copy with cudaMemcpy first, or allocate with cudaMallocManaged\n",
                     info->si_addr, found && found->name[0] != '\0' ? " of " : "", found ? found->name : "");
        if (length > 0)
            (void)!write(STDERR_FILENO, text, (size_t)length); /* if that fails, there is nowhere to say so */
    }
    if (api.sim && api.reports)
        report_hazards(); /* exit handlers will not run */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void watch_segfaults(void)
{
    struct sigaction old;
    if (sigaction(SIGSEGV, NULL, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL)
        return; /* somebody else's: leave it */
    struct sigaction new;
    memset(&new, 0, sizeof new);
    new.sa_sigaction = on_segfault;
    new.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGSEGV, &new, NULL);
}

/* ---- programs that take long -------------------------------------------------------------------------- */

static double progress_seconds; /* of quiet, at first; twice as many from then on */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say_progress(const struct sim_kernel *kernel, uint64_t blocks_begun, uint64_t blocks)
{
    static double begin, quiet_until;
    static bool hinted;
    const struct sim_config *config = sim_config(api.sim);
    double now = seconds_now();
    if (begin == 0) {
        begin = now;
        quiet_until = begin + progress_seconds;
    }
    if (now < quiet_until)
        return;
    quiet_until = now + (now - begin);
    struct sim_kernel_info info;
    sim_kernel_info(kernel, &info);
    char name[128];
    plain_name(info.name, name, sizeof name);
    fprintf(stderr, "simulator: %.0f s so far: launch %llu, kernel %s, block %llu of %llu%s\n", now - begin,
            (unsigned long long)api.totals.launches + 1, name, (unsigned long long)blocks_begun,
            (unsigned long long)blocks,
            hinted || !config->hazards ? ""
                                       : " (LABS_SIM_HAZARDS=0 does not look for hazards, and is faster)");
    hinted = true;
}

/* Unless told otherwise, only people are told: who reads stderr from a file may compare it. */
static void set_progress(struct sim_config *config)
{
    progress_seconds = (double)number_setting("LABS_SIM_PROGRESS", isatty(STDERR_FILENO) ? 10 : 0);
    if (progress_seconds > 0)
        config->progress = say_progress;
}

/* ---- the current device -------------------------------------------------------------------------------- */

static void create_device(void)
{
    struct sim_config config = {
        .profile = profile_setting(),
        .hazards = flag_setting("LABS_SIM_HAZARDS", true),
        .counters = flag_setting("LABS_SIM_COUNTERS", true),
        .schedule_seed = number_setting("LABS_SIM_SCHEDULE", 0),
        .instruction_limit = number_setting("LABS_SIM_LIMIT", 0),
        .threads = (unsigned)number_setting("LABS_SIM_THREADS", 0),
        .threads_from = number_setting("LABS_SIM_THREADS_FROM", 0),
    };
    set_progress(&config);
    api.profile = flag_setting("LABS_SIM_PROFILE", false);
    api.printed = open_memstream(&api.printed_text, &api.printed_size);
    config.kernel_output = api.printed;
    if (api.printed)
        api.sim = sim_create(&config);
    if (!api.sim) {
        fprintf(stderr,
                "simulator: not enough memory, or not enough address space, for a simulated device\n");
        exit(2);
    }
    watch_segfaults();
    atexit(at_exit);
}

struct sim *sim_current(void)
{
    pthread_once(&lock_once, create_lock);
    pthread_mutex_lock(&the_lock);
    if (!api.sim)
        create_device();
    pthread_mutex_unlock(&the_lock);
    return api.sim;
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
    pthread_mutex_lock(&the_lock);
    if (kind == API_SYNC)
        deliver();
    if (kind != API_ANYWAY && api.sticky != cudaSuccess)
        call.error = api_fail(api.sticky);
    return call;
}

void api_leave(struct api_call *call)
{
    (void)call;
    pthread_mutex_unlock(&the_lock);
}

/* ---- cudaGetLastError and its kin ---------------------------------------------------------------------- */

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess; /* after a fault the next call that fails brings it back */
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

static cudaError_t fault_code(enum sim_status status)
{
    switch (status) {
    case SIM_OK: return cudaSuccess;
    case SIM_OUT_OF_BOUNDS: return cudaErrorIllegalAddress;
    case SIM_MISALIGNED: return cudaErrorMisalignedAddress;
    case SIM_TRAP: return cudaErrorLaunchFailure;
    case SIM_ASSERT: return cudaErrorAssert;
    case SIM_DEADLOCK:
    case SIM_INSTRUCTION_LIMIT: return cudaErrorLaunchTimeout;
    case SIM_UNSUPPORTED: return cudaErrorNotSupported;
    case SIM_OUT_OF_MEMORY: return cudaErrorMemoryAllocation;
    }
    return cudaErrorUnknown;
}

void api_set_fault(const struct sim_kernel_info *kernel, const struct sim_result *result)
{
    if (result->status == SIM_OK || api.pending != cudaSuccess || api.sticky != cudaSuccess)
        return;
    api.pending = fault_code(result->status);
    snprintf(api.fault, sizeof api.fault, "%s", result->message);
    char name[128];
    plain_name(kernel->name, name, sizeof name);
    if (api.reports)
        api_note(name, "the kernel stopped: %s", result->message);
}
