/* What is left to say when the program ends, well or by a segmentation fault. */
#include "sim/api/api_report.h"
#include "sim/api/api_state.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void api_report_begin(void)
{
    watch_segfaults();
    atexit(at_exit);
}
