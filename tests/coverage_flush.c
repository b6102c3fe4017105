/*
 * For tests/coverage only: linked into every program there, so that the counters of a process are written however
 * it ends. gcov writes them at exit; a worker is killed by its grader, or dies of a signal.
 *
 * The linker turns calls of kill, raise, abort and _exit into those of __wrap_...: the counters come first. A process
 * that is to be killed gets COVERAGE_SIGNAL first, writes its counters, and kills itself; one that does not listen,
 * or takes longer than a second, is killed as before. And no grader here confines a worker: what is confined could
 * not write its counters.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COVERAGE_SIGNAL (SIGRTMIN + 7)

void __gcov_dump(void);
int __real_kill(pid_t pid, int number);
int __real_raise(int number);
void __real_abort(void) __attribute__((noreturn));
void __real__exit(int status) __attribute__((noreturn));

/* harness/wire/sandbox.h, where the program has it. What confines a compiler (mk/confine.c) does: the compiler counts nothing. */
bool __real_sandbox_begin(int mode, const char *ptxas, char message[512]) __attribute__((weak));
bool __wrap_sandbox_begin(int mode, const char *ptxas, char message[512])
{
    const bool is_confine = strcmp(program_invocation_short_name, "confine") == 0;
    return __real_sandbox_begin(is_confine ? mode : 2 /* SANDBOX_OFF */, ptxas, message);
}

static void dump(void)
{
    __gcov_dump();
}

static void on_signal(int number)
{
    (void)number;
    dump();
    __real_kill(getpid(), SIGKILL);
}

/* A fault: the instruction is repeated, and is then fatal. */
static void on_fault(int number)
{
    (void)number;
    dump();
}

__attribute__((constructor)) static void listen_for_signals(void)
{
    struct sigaction killed = {.sa_handler = on_signal},
                     fault = {.sa_handler = on_fault, .sa_flags = SA_RESETHAND};
    sigaction(COVERAGE_SIGNAL, &killed, NULL);
    sigaction(SIGFPE, &fault, NULL);
    sigaction(SIGILL, &fault, NULL);
}

static void wait_for_end(pid_t pid)
{
    for (int i = 0; i < 500; i++) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid)
            return;
        usleep(2000);
    }
}

int __wrap_kill(pid_t pid, int number)
{
    if (number == SIGKILL && __real_kill(pid, COVERAGE_SIGNAL) == 0)
        wait_for_end(pid < 0 ? -pid : pid);
    return __real_kill(pid, number);
}

int __wrap_raise(int number)
{
    dump();
    return __real_raise(number);
}

void __wrap_abort(void)
{
    dump();
    __real_abort();
}

void __wrap__exit(int status)
{
    dump();
    __real__exit(status);
}
