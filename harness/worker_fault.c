/* The program crashed: where the student's code was, into the mailbox, before the process dies of it as usual. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/backend.h"
#include "harness/worker.h"

#define FRAMES 24

static struct protocol_mailbox *mailbox;

/* How far from its own addresses the program was loaded: that of the first object of the list. */
static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

/* The frames' addresses in the program, as arguments for addr2line: of each, of the call itself. Returns how many. */
static int name_frames(void *const *frames, int count, char names[][24], char **arguments)
{
    uintptr_t base = 0;
    dl_iterate_phdr(take_base, &base);
    for (int i = 0; i < count; i++) {
        snprintf(names[i], 24, "0x%lx", (unsigned long)((uintptr_t)frames[i] - base - 1));
        arguments[i] = names[i];
    }
    return count;
}

/* addr2line's answers for the frames, in the reading end of a pipe; -1: it could not be started. */
static int start_addr2line(char **arguments, pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        if (freopen("/dev/null", "w", stderr))
            execvp("addr2line", arguments);
        _exit(127);
    }
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

/* The first line that is known, of the innermost frame that has one: "file:line". */
static void take_first_line(FILE *answers, struct protocol_place *place)
{
    char line[512];
    while (fgets(line, sizeof line, answers)) {
        char *colon = strrchr(line, ':');
        const int number = colon ? atoi(colon + 1) : 0;
        if (number <= 0 || line[0] == '?' || place->line > 0)
            continue;
        *colon = '\0';
        if (strstr(line, "/harness/") || strstr(line, "/include/") || strstr(line, "/sim/"))
            continue;
        snprintf(place->file, sizeof place->file, "%.190s", line);
        place->line = number;
    }
}

static void find_place(struct protocol_place *place)
{
    static char names[FRAMES][24], path[] = "/proc/self/exe", resolved[4096];
    void *frames[FRAMES];
    char *arguments[FRAMES + 5] = {(char *)"addr2line", (char *)"-i", (char *)"-e", resolved};
    pid_t child;
    const ssize_t length = readlink(path, resolved, sizeof resolved - 1);
    if (length <= 0)
        return;
    resolved[length] = '\0';
    arguments[4 + name_frames(frames, backtrace(frames, FRAMES), names, arguments + 4)] = NULL;
    const int answers = start_addr2line(arguments, &child);
    FILE *stream = answers >= 0 ? fdopen(answers, "r") : NULL;
    if (!stream)
        return;
    take_first_line(stream, place);
    fclose(stream);
    waitpid(child, NULL, 0);
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t again;
    (void)context;
    signal(signal_number, SIG_DFL);
    if (!again++) {
        mailbox->fault_address = (uint64_t)(uintptr_t)info->si_addr;
        mailbox->fault_in_device_memory = backend_is_device(info->si_addr);
        mailbox->fault_seen = signal_number == SIGSEGV || signal_number == SIGBUS;
        if (mailbox->student_running)
            find_place(&mailbox->fault_place);
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
