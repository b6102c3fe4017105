/* The program crashed: where the student's code was, into the mailbox, before the process dies of it as usual. */
#define _GNU_SOURCE /* REG_RIP */
#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "harness/worker/backend.h"
#include "harness/worker/worker.h"
#include "sim/text/source_line.h"

#define FRAMES  64
#define FURTHER 16        /* frames further out, in which a function that calls itself is found again */
#define NEAR    (1 << 16) /* bytes around the stack pointer */

static struct protocol_mailbox *mailbox;
static const char *outermost; /* frame of the stack: what lies below it is the stack's, used or not */

/* Where the program's own code lies; set by the linker. The C library may have lines, too. */
extern const char __executable_start[], etext[];

/* The instruction that failed; NULL: not known. */
static const char *failed_at(const void *context)
{
#ifdef __x86_64__
    return (const char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (const char *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

/* A stack without room is touched near its pointer. */
static bool is_on_stack(const void *address, const void *context)
{
#ifdef __x86_64__
    const uintptr_t top = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
    return (const char *)address < outermost && (uintptr_t)address - (top - NEAR) < 2 * (uintptr_t)NEAR;
#else
    (void)address;
    (void)context;
    return false;
#endif
}

static bool is_own_code(const char *at)
{
    return at >= __executable_start && at < etext;
}

/* Students write CUDA files and headers; the simulator and the harness are C. */
static bool is_of_student(const struct protocol_place *place)
{
    const size_t length = strlen(place->file);
    return length < 2 || strcmp(place->file + length - 2, ".c") != 0;
}

/* Whose code a frame is in. OTHERS: the C library's, or what nvcc writes. */
enum owner { OTHERS, OURS, STUDENTS };

/* The frame's file and line, if it is the student's; or ours, where that was compiled with lines: line 0 otherwise. */
static enum owner place_of(const char *at, const char *failed, struct protocol_place *place)
{
    char line[sizeof place->file];
    place->line = 0;
    if (!is_own_code(at))
        return OTHERS;
    /* Other frames hold where a call returns to, behind it. */
    if (!source_line(at == failed ? at + 1 : at, line, sizeof line))
        return OURS;
    if (strstr(line, ".stub.c:") || strstr(line, ".cudafe1.cpp:"))
        return OTHERS;
    char *colon = strrchr(line, ':');
    place->line = atoi(colon + 1);
    *colon = '\0';
    snprintf(place->file, sizeof place->file, "%s", line);
    return is_of_student(place) ? STUDENTS : OURS;
}

/* The frame of the instruction that failed: those before it are the handler's. Not found: all. */
static int first_frame(void *const *frames, int count, const char *failed)
{
    for (int i = 0; i < count; i++)
        if (frames[i] == failed)
            return i;
    return 0;
}

/*
 * The innermost frame of the student's code, or else of the program, and whether it had called something of ours. A
 * function that calls itself without end returns to the same address in many frames: to where it calls itself.
 */
static void find_place(const char *failed)
{
    struct protocol_place place, *found = &mailbox->fault_place;
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    int calls = 0;
    for (int i = first_frame(frames, count, failed); i < count; i++) {
        const enum owner owner = place_of(frames[i], failed, &place);
        if (owner == STUDENTS) {
            mailbox->fault_in_call = failed && calls > 0;
            *found = place;
            break;
        }
        calls += owner == OURS;
        if (owner == OURS && place.line > 0 && found->line == 0)
            *found = place;
    }
    for (int i = 0; mailbox->fault_on_stack && i < count - FURTHER; i++)
        for (int k = i + 1; k <= i + FURTHER; k++)
            if (frames[i] == frames[k] && place_of(frames[i], failed, &place) == STUDENTS) {
                mailbox->fault_repeats = 1;
                *found = place;
                return;
            }
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t again;
    const char *failed = failed_at(context);
    struct protocol_place place;
    if (signal_number == SIGSEGV && backend_watches(info, context))
        return;
    signal(signal_number, SIG_DFL);
    if (signal_number == SIGXCPU) { /* the grader waits no longer, and asks where this is */
        if (place_of(failed, failed, &place) == STUDENTS)
            mailbox->fault_place = place;
    } else if (!again++) {
        mailbox->fault_address = (uint64_t)(uintptr_t)info->si_addr;
        mailbox->fault_in_device_memory = backend_is_device(info->si_addr, is_own_code(failed));
        mailbox->fault_seen = signal_number == SIGSEGV || signal_number == SIGBUS;
        mailbox->fault_on_stack = signal_number == SIGSEGV && is_on_stack(info->si_addr, context);
        if (mailbox->student_running)
            find_place(failed);
    }
    raise(signal_number); /* blocked until we return */
}

void worker_catch_faults(struct protocol_mailbox *to)
{
    static char stack[256 * 1024]; /* an overflowing stack has no room for the handler */
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGXCPU};
    void *frame;
    mailbox = to;
    outermost = __builtin_frame_address(0);
    (void)backtrace(&frame, 1); /* loads what it needs, which a crash may not be able to */
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&other, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
