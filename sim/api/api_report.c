/*
 * What is left to say when the program ends: by exit or a return from main, by _exit (simcc makes it sim_exit_now), by
 * abort (a failed assertion, an exception that nothing catches), or by another signal.
 */
#include "sim/api/api_report.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_order.h"
#include "sim/api/api_pages.h"
#include "sim/api/api_state.h"
#include "sim/text/line_memory.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* No streams: the program may have been stopped anywhere. */
static void say(const char *text)
{
    (void)!write(STDERR_FILENO, text, strlen(text)); /* if that fails, there is nowhere to say so */
}

/*
 * Races of one warp's lanes on one array, with the same advice: a reduction without __syncwarp() has more pairs of lines
 * than it has lines.
 */
static bool is_alike(const struct sim_hazard *a, const struct sim_hazard *b)
{
    return a->class == SIM_HAZARD_RACE_SHARED && b->class == SIM_HAZARD_RACE_SHARED && a->within_warp &&
           b->within_warp && a->advice_bytes > 0 && a->advice_bytes == b->advice_bytes &&
           memcmp(a->message + a->advice, b->message + b->advice, a->advice_bytes) == 0 &&
           strcmp(a->array, b->array) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->here.file, b->here.file) == 0 && strcmp(a->there.file, b->there.file) == 0;
}

/* What stopped a kernel was said then. */
static bool is_said(const struct sim_hazard *hazard)
{
    return strcmp(hazard->message, api.fault) != 0 && !api_is_suppressed(hazard);
}

static void report_hazard(const struct sim_hazard *hazards, int count, int i)
{
    char text[sizeof hazards->message + 64];
    int more = 0, low = INT_MAX, high = 0;
    for (int k = 0; k < count; k++) {
        const int here = hazards[k].here.line, there = hazards[k].there.line;
        if (k == i || !is_alike(&hazards[i], &hazards[k]) || !is_said(&hazards[k]))
            continue;
        if (k < i)
            return;
        more++;
        low = here < low ? here : low;
        low = there < low ? there : low;
        high = here > high ? here : high;
        high = there > high ? there : high;
    }
    snprintf(text, sizeof text, "simulator: %s\n", hazards[i].message);
    say(text);
    snprintf(text, sizeof text, "    (%llu times)\n", (unsigned long long)hazards[i].count);
    if (hazards[i].count > 1)
        say(text);
    snprintf(text, sizeof text, "    (and %d more pairs of lines like these two, from line %d to line %d)\n",
             more, low, high);
    if (more > 0)
        say(text);
}

static void report_hazards(void)
{
    const struct sim_hazard *hazards;
    const int count = sim_hazards(api.sim, &hazards);
    for (int i = 0; i < count; i++)
        if (is_said(&hazards[i]))
            report_hazard(hazards, count, i);
}

static void report_printed(void)
{
    const struct api_source launch = api_source_of(api.printed_by);
    char place[224] = "";
    if (launch.line > 0)
        snprintf(place, sizeof place, " (launched at %s:%d)", launch.file, launch.line);
    fprintf(stderr,
            "simulator: %zu characters that kernels printed%s were never shown: they appear when the "
            "host waits, for example in cudaDeviceSynchronize()\n",
            api.printed_size, place);
}

static void report_all(void)
{
    api_lock();
    api_wait_for_function_briefly(); /* one that has told the program all, and is about to return */
    if (!api.queue
             .running) { /* what the host has not waited for is done now, so that its hazards are known */
        api.ending = true;
        api_queue_run_all();
        api_queue_forget_all();
    }
    api_unlock();
    if (!api.reports || api.reported)
        return;
    api.reported = true;
    fflush(stdout);
    fflush(api.printed);
    if (api.printed_size > 0)
        report_printed();
    if (api.pending != cudaSuccess)
        fprintf(stderr,
                "simulator: the program never learned that a kernel failed with %s: call "
                "cudaDeviceSynchronize() and check what it returns\n",
                cudaGetErrorName(api.pending));
    report_hazards();
    if (api.profile)
        api_print_profile(stderr);
    api_print_summary();
}

static bool found_errors(void)
{
    const struct sim_hazard *hazards;
    const int count = sim_hazards(api.sim, &hazards);
    bool found = api.fault[0] != '\0';
    for (int i = 0; i < count; i++)
        found |= !api_is_suppressed(&hazards[i]);
    return found;
}

/* The status with which the program ends, `otherwise` if nothing was found. */
static int status_or(int otherwise)
{
    return api.reports && api.error_status != 0 && found_errors() ? api.error_status : otherwise;
}

_Noreturn static void end_now(int status)
{
    for (;;)
        syscall(SYS_exit_group, status);
}

/* The functions of the program that are still to be called are called by another exit() in glibc, with its status. */
static void at_exit(void)
{
    const bool is_first = !api.reported;
    report_all();
    const int status = status_or(0);
    if (is_first && status != 0)
        exit(status);
}

static void on_quick_exit(void)
{
    report_all();
    const int status = status_or(0);
    if (status != 0)
        end_now(status);
}

void sim_share_lines(void *memory, size_t bytes)
{
    line_memory_use(memory, bytes);
}

void sim_report_at_exit(bool enabled)
{
    api.reports = enabled;
}

_Noreturn void sim_exit_now(int status)
{
    if (api.sim && !api_is_inside()) {
        report_all();
        status = status_or(status);
    }
    end_now(status);
}

/* ---- signals ------------------------------------------------------------------------------------------- */

/* The program ends by this signal, as it would have without the handler. */
static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* Work that is done in a handler may wait for a lock that the program holds: then this ends it. */
#define HANDLER_SECONDS 20

static void on_late(int number)
{
    (void)number;
    end_by(SIGABRT);
}

/* What has been found so far; where the program stopped itself, what is queued is done first. */
static void report_in_handler(bool by_itself)
{
    if (!api.sim)
        return;
    if (by_itself && !api_is_inside()) {
        signal(SIGALRM, on_late);
        alarm(HANDLER_SECONDS);
        report_all();
        alarm(0);
    } else if (api.reports && !api.reported) {
        api.reported = true;
        report_hazards();
    }
}

/* A fault, abort, or a signal that was sent, by ulimit -t as well. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    report_in_handler(number != SIGXCPU && (info->si_code > 0 || info->si_pid == getpid()));
    end_by(number);
}

/*
 * The commonest mistake of all: host code follows a device pointer. The device's addresses are
 * unmapped on the host, so it faults as on a real machine; here it is also told why.
 */
static void explain_address(const void *address, void *context)
{
    char text[600], place[224] = "", name[160] = "";
    const struct api_host_access access = api_pages_access((uintptr_t)address, context, true);
    const struct api_source source = api_pages_source_of(&access);
    const struct sim_allocation *found = sim_mem_find(api.sim, (sim_addr)(uintptr_t)address);
    if (source.line > 0)
        snprintf(place, sizeof place, " at %s:%d", source.file, source.line);
    if (found)
        api_allocation_name(found, name, sizeof name);
    snprintf(text, sizeof text,
             "simulator: host code%s used the device address %p%s%s: only kernels can read or write "
             "it; copy with cudaMemcpy first, or allocate with cudaMallocManaged\n",
             place, address, found ? " of " : "", name);
    say(text);
}

static void on_segfault(int number, siginfo_t *info, void *context)
{
    if (api.sim && api_pages_fault(info, context))
        return;
    if (api.sim && sim_mem_is_device(api.sim, info->si_addr))
        explain_address(info->si_addr, context);
    on_signal(number, info, context);
}

/* Handlers of the program's own, or a sanitizer's, stay. */
static void watch_signal(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction old, new;
    if (sigaction(number, NULL, &old) != 0 || (old.sa_flags & SA_SIGINFO) != 0 || old.sa_handler != SIG_DFL)
        return;
    memset(&new, 0, sizeof new);
    new.sa_sigaction = handler;
    new.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(number, &new, NULL);
}

static bool is_handled_by(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
           now.sa_sigaction == handler;
}

void sim_watch_host_memory(sim_host_memory_of *ask)
{
    sim_current();
    api.host_memory = ask;
}

void sim_host_faults_forwarded(void)
{
    api.faults_forwarded = true;
}

bool sim_host_fault(const void *siginfo, void *context)
{
    return api.sim && api_pages_fault(siginfo, context);
}

bool api_report_sees_faults(void)
{
    watch_signal(SIGTRAP, api_pages_stepped);
    return (api.faults_forwarded || is_handled_by(SIGSEGV, on_segfault)) &&
           is_handled_by(SIGTRAP, api_pages_stepped);
}

void api_report_begin(void)
{
    static const int ending[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU};
    watch_signal(SIGSEGV, on_segfault);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
        watch_signal(ending[i], on_signal);
    atexit(at_exit);
    at_quick_exit(on_quick_exit);
}
