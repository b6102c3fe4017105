/* The program crashed: where the student's code was, into the mailbox, before the process dies of it as usual. */
#define _GNU_SOURCE /* REG_RIP */
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "harness/backend.h"
#include "harness/worker.h"
#include "sim/text/source_line.h"

#define FRAMES 24

static struct protocol_mailbox *mailbox;

/* Where the program's own code lies; set by the linker. The C library may have lines, too. */
extern const char __executable_start[], etext[];

/* The instruction that failed; NULL: not known. */
static const char *failed_at(const void *context)
{
#ifdef __x86_64__
    return (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#else
    (void)context;
    return NULL;
#endif
}

static bool is_own_code(const char *at)
{
    return at >= __executable_start && at < etext;
}

/* The innermost frame of the program that has a line, but for those of this file and of the stubs that nvcc writes. */
static void find_place(const char *failed, struct protocol_place *place)
{
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    char line[sizeof place->file];
    for (int i = 0; i < count; i++) {
        const char *at = frames[i];
        /* Other frames hold where a call returns to, behind it. */
        if (!is_own_code(at) || !source_line(at == failed ? at + 1 : at, line, sizeof line) ||
            strncmp(line, "worker_fault.c:", 15) == 0 || strstr(line, ".stub.c:"))
            continue;
        char *colon = strrchr(line, ':');
        place->line = atoi(colon + 1);
        *colon = '\0';
        snprintf(place->file, sizeof place->file, "%s", line);
        return;
    }
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t again;
    const char *failed = failed_at(context);
    if (signal_number == SIGSEGV && backend_watches(info, context))
        return;
    signal(signal_number, SIG_DFL);
    if (!again++) {
        mailbox->fault_address = (uint64_t)(uintptr_t)info->si_addr;
        mailbox->fault_in_device_memory = backend_is_device(info->si_addr, is_own_code(failed));
        mailbox->fault_seen = signal_number == SIGSEGV || signal_number == SIGBUS;
        if (mailbox->student_running)
            find_place(failed, &mailbox->fault_place);
    }
    raise(signal_number); /* blocked until we return */
}

void worker_catch_faults(struct protocol_mailbox *to)
{
    static char stack[256 * 1024]; /* an overflowing stack has no room for the handler */
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};
    void *frame;
    mailbox = to;
    (void)backtrace(&frame, 1); /* loads what it needs, which a crash may not be able to */
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
