/*
 * The call once more, with a changed copy of the source or changed launches: in a copy of the process, so that neither the
 * change nor what it breaks outlives the call.
 */
#define _GNU_SOURCE /* wait4 */
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/worker/backend.h"
#include "harness/worker/worker.h"

#define LIMIT_SECONDS 2  /* at most, of the copy's processor time, which a busy machine does not change */
#define LAST_RESORT   20 /* seconds, for a copy that waits */

static void be_silent(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

static void limit_time(double limit)
{
    const struct rlimit processor = {.rlim_cur = LIMIT_SECONDS, .rlim_max = LIMIT_SECONDS};
    setrlimit(RLIMIT_CPU, &processor);
    if (limit > 0 && limit < LIMIT_SECONDS) {
        const struct itimerval timer = {
            .it_value = {.tv_sec = (time_t)limit,
                         .tv_usec = (suseconds_t)((limit - (double)(time_t)limit) * 1e6)}};
        signal(SIGPROF, SIG_DFL);
        setitimer(ITIMER_PROF, &timer, NULL);
    }
    alarm(LAST_RESORT);
}

/* In a worker with changed copies of the source: which one is called (harness/change/edit.h). */
extern int repair_choice __attribute__((weak));

/* The copy ends without the runtime's farewell. */
static _Noreturn void run_changed(struct worker *worker)
{
    struct protocol_reply reply = {0};
    struct protocol_trial *trial = &worker->mailbox->trial;
    be_silent();
    backend_record(0);
    limit_time(worker->request->processor_limit);
    if (worker->request->choice > 0) {
        setenv("PATH", "/dev/null", 1); /* the lines of its faults are not read: addr2line need not start */
        if (&repair_choice)
            repair_choice = (int)worker->request->choice;
        else
            backend_take_copy(worker->request->choice);
    }
    worker_run_case(worker, &reply);
    backend_seen_launches(worker->mailbox);
    trial->status = reply.status;
    trial->at_limit = reply.error == cudaErrorLaunchTimeout;
    memcpy(trial->result, reply.result, sizeof trial->result);
    trial->ended = 1;
    _exit(0);
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

void worker_try(struct worker *worker, struct protocol_reply *reply)
{
    (void)reply;
    backend_load();
    fflush(NULL);
    struct rusage used = {0};
    const pid_t copy = fork();
    if (copy == 0)
        run_changed(worker);
    while (copy > 0 && wait4(copy, NULL, 0, &used) < 0)
        ;
    worker->mailbox->trial.processor_seconds = seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
    worker->mailbox->student_running = 0;
}
