#include "sim/api/api_runner.h"
#include "sim/api/api_pages.h"
#include "sim/api/api_state.h"

#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#define QUIET_NANOSECONDS 20000000 /* without a call of the API, after which work is done … */
/*
 * And after a host function: what the program does when it hears of it comes before the rest. Waking up takes long on a
 * busy machine; but a program with many such functions is not to wait so long for each.
 */
#define AFTER_FUNCTION 100000000
#define AFTER_MANY     5000000
#define MANY_FUNCTIONS 10

/* Does work, up to a host function, if the host has been quiet; false: look again later, after *quiet. */
static bool run_if_quiet(uint64_t calls, struct timespec *quiet)
{
    bool done = true;
    api_lock();
    if (api.queue.first && !api.queue.running && !api.in_function) {
        done = api.calls == calls;
        if (done) {
            done = api_queue_run_to_function();
            api_pages_close();
            quiet->tv_nsec = api.runner.functions++ < MANY_FUNCTIONS ? AFTER_FUNCTION : AFTER_MANY;
        }
    }
    api_unlock();
    return done;
}

static void *run(void *nothing)
{
    (void)nothing;
    for (;;) {
        struct timespec quiet = {0, QUIET_NANOSECONDS};
        while (sem_wait(&api.runner.wake) != 0)
            ;
        uint64_t calls;
        do {
            calls = __atomic_load_n(&api.calls, __ATOMIC_RELAXED);
            nanosleep(&quiet, NULL);
        } while (!run_if_quiet(calls, &quiet));
        while (sem_trywait(&api.runner.wake) == 0)
            ;
    }
    return NULL;
}

void api_runner_prepare(void)
{
    struct api_runner *runner = &api.runner;
    pthread_t thread;
    if (runner->process == getpid())
        return;
    sigset_t all, before;
    sigfillset(&all);
    sem_init(&runner->wake, 0, 0);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* the program's signals are not for it */
    if (pthread_create(&thread, NULL, run, NULL) == 0) {
        pthread_detach(thread);
        runner->process = getpid();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void api_runner_wake(void)
{
    if (api.runner.process != 0)
        sem_post(&api.runner.wake);
}

void api_runner_start(void)
{
    api_runner_prepare();
    api_runner_wake();
}
