/*
 * Timed calls on a GPU. Input sets stay on the device; a round calls the student's function once
 * on each, with events around every call, so that no set is still in the L2 cache when its turn
 * comes. Before a round all outputs are poisoned again: a call that does nothing is found out. And the sets' contents are
 * dealt out anew to the same places: what an earlier call has kept for a pointer, or for the number of the call, is wrong.
 *
 * The device is held up until the host is ahead of it. Otherwise it would reach the first event while the host
 * still prepares the first launch, and the first call of a round would seem to take longer than the others, by the
 * 10 to 50 us of the host: more than a kernel's spread.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/timer.h"
#include "harness/lab/lab.h"
#include "harness/worker/backend.h"
#include "harness/worker/worker.h"

#define HOLD_NS 300000

void worker_prepare(struct worker *worker, struct protocol_reply *reply)
{
    struct worker_set *set = &worker->timed[worker->request->set];
    worker_set_destroy(&worker->single); /* or there may be no room */
    int error = worker_set_create(worker, set, worker->request, true);
    if (error != cudaSuccess) {
        worker_set_destroy(set);
        cudaGetLastError();
        worker_fail(reply, PROTOCOL_NO_MEMORY, error);
    } else if ((int)worker->request->set >= worker->timed_count) {
        worker->timed_count = (int)worker->request->set + 1;
    }
}

/* Every order is as likely as any other. `draw`: a random number that the program cannot have predicted. */
static cudaError_t deal_out(struct worker *worker, uint64_t draw)
{
    int error = worker->room ? cudaSuccess : cudaMalloc(&worker->room, EXCHANGE_BYTES);
    for (int last = worker->timed_count - 1; last > 0 && error == cudaSuccess; last--) {
        const int other = (int)(lab_random_u64(draw, 0, (uint64_t)last) % (uint64_t)(last + 1));
        if (other != last)
            error = worker_set_exchange(&worker->timed[last], &worker->timed[other], worker->room);
    }
    return (cudaError_t)error;
}

static cudaError_t reset_all(struct worker *worker)
{
    const cudaError_t dealt = deal_out(worker, worker->request->draw);
    if (dealt != cudaSuccess)
        return dealt;
    for (int i = 0; i < worker->timed_count; i++) {
        int error = worker_set_reset(&worker->timed[i]);
        if (error != cudaSuccess)
            return (cudaError_t)error;
    }
    return cudaDeviceSynchronize();
}

static void call_once(struct worker *worker, const struct lab_binding *binding, int set)
{
    struct lab_call call;
    worker_fill_call(&call, &worker->timed[set], worker->request->arg);
    worker_call(worker, binding, &call);
    memcpy(worker->mailbox->result[set], call.result, sizeof call.result);
}

static void read_timers(struct timer *timer, int count, struct protocol_reply *reply)
{
    for (int i = 0; i < count; i++) {
        float milliseconds = 0;
        cudaError_t error = timer_milliseconds(&timer[i], &milliseconds);
        if (error != cudaSuccess)
            worker_fail(reply, PROTOCOL_EXECUTION, (int)error);
        reply->milliseconds[i] = milliseconds;
    }
}

static void CUDART_CB hold(void *context)
{
    const struct timespec a_while = {0, HOLD_NS};
    (void)context;
    nanosleep(&a_while, NULL);
}

/* The student's failures come to light in worker_settle, with their names; here no call is checked. */
static void time_calls(struct worker *worker, const struct lab_binding *binding, struct timer *timer)
{
    for (int i = 0; i < worker->timed_count; i++) {
        timer_start(&timer[i]);
        call_once(worker, binding, i);
        timer_stop(&timer[i]);
    }
}

void worker_round(struct worker *worker, struct protocol_reply *reply)
{
    const struct lab_binding *binding = worker_binding(worker->request->task);
    struct timer timer[PROTOCOL_MAX_SETS];
    int count = worker->timed_count;
    cudaError_t error = reset_all(worker);
    for (int i = 0; i < count && error == cudaSuccess; i++)
        error = timer_init(&timer[i]);
    if (!binding || error != cudaSuccess) {
        worker_fail(reply, binding ? PROTOCOL_NO_MEMORY : PROTOCOL_NO_TASK, (int)error);
        return;
    }
    cudaLaunchHostFunc(0, hold, NULL);
    time_calls(worker, binding, timer);
    if (worker_settle(reply)) {
        read_timers(timer, count, reply);
        backend_launch(worker->mailbox);
    }
    for (int i = 0; i < count; i++)
        timer_destroy(&timer[i]);
    fflush(stdout);
}

void worker_fetch(struct worker *worker, struct protocol_reply *reply)
{
    struct worker_set *set = &worker->timed[worker->request->set];
    int error = set->used ? worker_set_fetch(worker, set, worker->request->runs != 0, worker->request->draw)
                          : (int)cudaErrorInvalidValue;
    if (error != cudaSuccess)
        worker_fail(reply, PROTOCOL_COPY_BACK, error);
}

/* The grader times this one from outside, with its own clock. */
void worker_batch(struct worker *worker, struct protocol_reply *reply)
{
    const struct lab_binding *binding = worker_binding(worker->request->task);
    for (uint32_t i = 0; i < worker->request->runs && binding && worker->timed_count > 0; i++)
        call_once(worker, binding, (int)(i % (uint32_t)worker->timed_count));
    worker_settle(reply);
}

void worker_release(struct worker *worker)
{
    for (int i = 0; i < worker->timed_count; i++)
        worker_set_destroy(&worker->timed[i]);
    worker->timed_count = 0;
    cudaFree(worker->room);
    worker->room = NULL;
}
