/*
 * The call once more, with a small change in its kernels: in a copy of the process, so that neither the change nor
 * what it breaks outlives the call.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/backend.h"
#include "harness/worker.h"

#define LIMIT_SECONDS 2 /* of processor time of the copy's, in host code as well */

static void be_silent(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

/* The copy ends without the runtime's farewell. */
static _Noreturn void run_changed(struct worker *worker)
{
    struct protocol_reply reply = {0};
    struct protocol_change *change = &worker->mailbox->change;
    be_silent();
    alarm(LIMIT_SECONDS);
    if (worker->request->change >= 0 && !backend_change(worker->request, change))
        _exit(0);
    worker_run_case(worker, &reply);
    backend_seen_launches(worker->mailbox);
    change->functions = backend_functions();
    change->status = reply.status;
    memcpy(change->result, reply.result, sizeof change->result);
    change->ended = 1;
    _exit(0);
}

void worker_try(struct worker *worker, struct protocol_reply *reply)
{
    (void)reply;
    backend_load();
    if (worker->request->change == -1) {
        backend_change(worker->request, &worker->mailbox->change);
        return;
    }
    fflush(NULL);
    const pid_t copy = fork();
    if (copy == 0)
        run_changed(worker);
    while (copy > 0 && waitpid(copy, NULL, 0) < 0)
        ;
    worker->mailbox->student_running = 0;
}
