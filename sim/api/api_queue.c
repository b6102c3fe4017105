/* The queue of work that is not done yet; see api_queue.h. */
#include "sim/api/api_queue.h"
#include "sim/api/api_pages.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

/* Work that may wait; then the oldest is done, as on a device, where the host waits for room. */
#define WAITING_MAX 1024

/* ---- lanes --------------------------------------------------------------------------------------------- */

unsigned api_lane_take(void)
{
    struct api_queue *queue = &api.queue;
    unsigned lane = 0;
    while (lane < queue->lane_count && (queue->lanes[lane].taken || queue->lanes[lane].live > 0))
        lane++;
    if (lane == queue->lane_count) {
        queue->lanes = sim_need_resized(queue->lanes, ++queue->lane_count, sizeof *queue->lanes, "streams");
        queue->lanes[lane] = (struct api_lane){0};
    }
    queue->lanes[lane].taken = true;
    return lane;
}

void api_lane_give_back(unsigned lane)
{
    api.queue.lanes[lane].taken = false;
}

static void enter_lane(struct api_work *work)
{
    struct api_lane *lane = &api.queue.lanes[work->lane];
    work->number = ++lane->issued;
    api.queue.lanes_live += lane->live++ == 0;
}

static void leave_lane(const struct api_work *work)
{
    api.queue.lanes_live -= --api.queue.lanes[work->lane].live == 0;
}

/* ---- events' records ----------------------------------------------------------------------------------- */

struct api_record *api_record_new(void)
{
    struct api_record *record = sim_need(1, sizeof *record, "an event");
    record->users = 1;
    return record;
}

void api_record_drop(struct api_record *record)
{
    if (!record || --record->users > 0)
        return;
    clock_free(&record->clock);
    free(record);
}

/* ---- one piece of work --------------------------------------------------------------------------------- */

struct api_work *api_queue_new(const struct api_call *call, struct CUstream_st *stream,
                               void (*run)(struct api_work *work))
{
    struct api_work *work = sim_need(1, sizeof *work, "work of a stream");
    work->run = run;
    work->name = call->name;
    work->caller = call->caller;
    work->outer = call->outer;
    work->stream = stream;
    stream->works++;
    return work;
}

static void destroy(struct api_work *work)
{
    leave_lane(work);
    touched_destroy(work->touched);
    clock_free(&work->clock);
    if (work->release)
        work->release(work);
    api_stream_release(work->stream);
    free(work);
}

static bool covers(const struct stream_clock *clock, const struct api_work *work)
{
    return clock_at(clock, work->lane) >= work->number;
}

static void unlink_work(struct api_work **link)
{
    struct api_queue *queue = &api.queue;
    struct api_work *work = *link;
    *link = work->next;
    if (queue->end == &work->next)
        queue->end = link;
    work->next = NULL;
    queue->waiting--;
}

/* Does the work that *link points to: all that comes before it is done. */
static void execute(struct api_work **link)
{
    struct api_queue *queue = &api.queue;
    struct api_work *work = *link, *outer = queue->running;
    unlink_work(link);
    work->touched = api_order_wants(work) ? touched_create() : NULL;
    queue->running = work;
    api_pages_open();
    if (work->anyway || (api.pending == cudaSuccess && api.sticky == cudaSuccess))
        work->run(work);
    queue->running = outer;
    work->done = true;
    if (!work->touched) {
        destroy(work);
        return;
    }
    touched_close(work->touched);
    api_order_check(work);
    work->next = queue->remembered;
    queue->remembered = work;
}

/* ---- what is done when --------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t number)
{
    uint64_t x = (sim_config(api.sim)->schedule_seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + number;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Does all that the clock covers, in the order in which it was issued. */
static void run_covered(const struct stream_clock *clock)
{
    api_wait_for_function();
    struct api_work **link = &api.queue.first;
    while (*link) {
        if (covers(clock, *link)) {
            execute(link);
            link = &api.queue.first; /* it may have queued or done something */
        } else {
            link = &(*link)->next;
        }
    }
}

/* Does the work that stands at that place of those that the clock covers, and what comes before it. */
static void run_up_to(const struct api_work *work)
{
    struct stream_clock until = {NULL, 0};
    clock_join(&until, &work->clock);
    run_covered(&until);
    clock_free(&until);
}

static void run_one(const struct stream_clock *clock, uint64_t place)
{
    const struct api_work *work = api.queue.first;
    while (!covers(clock, work) || place-- > 0)
        work = work->next;
    run_up_to(work);
}

static unsigned count_covered(const struct stream_clock *clock)
{
    unsigned count = 0;
    for (const struct api_work *work = api.queue.first; work; work = work->next)
        count += covers(clock, work);
    return count;
}

static void run_in_drawn_order(const struct stream_clock *clock)
{
    unsigned count;
    while (api.queue.lanes_live > 1 && (count = count_covered(clock)) > 0)
        run_one(clock, draw(api.queue.issued * 64 + count) % count);
    run_covered(clock);
}

static void run_until(const struct stream_clock *clock)
{
    if (sim_config(api.sim)->schedule_seed != 0)
        run_in_drawn_order(clock);
    else
        run_covered(clock);
}

static void forget_ordered(void);

void api_queue_run_all(void)
{
    api_wait_for_function();
    api.queue.early = true;
    while (api.queue.first)
        execute(&api.queue.first);
    api.queue.early = false;
    forget_ordered();
}

bool api_queue_run_to_function(void)
{
    bool told = false;
    api_wait_for_function();
    api.queue.early = true;
    while (api.queue.first && !told) {
        told = api.queue.first->kind == API_WORK_HOST;
        execute(&api.queue.first);
    }
    api.queue.early = false;
    forget_ordered();
    return api.queue.first == NULL;
}

/* Host functions wait until they must: what the host tells others by them is not to come too early. */
static void run_early(uint64_t place)
{
    const struct api_work *host = api.queue.first, *chosen = api.queue.first;
    for (; place > 0; place--)
        chosen = chosen->next;
    while (host && (host->kind != API_WORK_HOST || !covers(&chosen->clock, host)))
        host = host->next;
    if (host)
        return;
    api.queue.early = true;
    run_up_to(chosen);
    api.queue.early = false;
}

bool api_queue_has(const struct stream_clock *clock)
{
    for (const struct api_work *work = api.queue.first; work; work = work->next)
        if (covers(clock, work))
            return true;
    return false;
}

void api_queue_stream_clock(const struct CUstream_st *stream, struct stream_clock *clock)
{
    clock_join(clock, &stream->clock);
    if (stream == &api.streams.legacy) {
        for (const struct CUstream_st *other = api.streams.list; other; other = other->next)
            if (other->blocking)
                clock_join(clock, &other->clock);
    } else if (stream->blocking) {
        clock_join(clock, &api.streams.legacy.clock);
    }
}

static void give_clock(struct api_work *work)
{
    struct api_branch *branch = api.queue.branch;
    struct CUstream_st *stream = work->stream;
    struct stream_clock *end = branch ? &branch->clock : &stream->clock;
    work->lane = branch ? branch->lane : stream->lane;
    if (!branch)
        api_queue_stream_clock(stream, end);
    clock_join(end, &api.queue.host);
    enter_lane(work);
    clock_set(end, work->lane, work->number);
    clock_join(&work->clock, end);
}

void api_queue_add(struct api_work *work)
{
    struct api_queue *queue = &api.queue;
    give_clock(work);
    work->issued = api_clock_now();
    work->host_accesses = api_pages_noted();
    if (!queue->end)
        queue->end = &queue->first;
    *queue->end = work;
    queue->end = &work->next;
    queue->waiting++;
    work->order = ++queue->issued;
    api_pages_watch(work);
    while (queue->waiting > WAITING_MAX && !api.in_function)
        execute(&queue->first);
    if (sim_config(api.sim)->schedule_seed != 0 && draw(queue->issued) % 4 == 0 && queue->waiting > 0 &&
        !api.in_function)
        run_early(draw(queue->issued + 1) % queue->waiting);
    api_pages_close();
}

/* ---- waiting ------------------------------------------------------------------------------------------- */

/* Whether work is still to be done that nothing orders with this one. */
static bool may_be_met(const struct api_work *work)
{
    for (const struct api_work *other = api.queue.first; other; other = other->next)
        if (!covers(&other->clock, work) && !covers(&work->clock, other))
            return true;
    return false;
}

/* The host knows more now: what it did to memory before is compared, and what nothing can meet any more goes. */
static void forget_ordered(void)
{
    struct api_work **link = &api.queue.remembered;
    while (*link) {
        struct api_work *work = *link;
        if (!work->ordered && covers(&api.queue.host, work)) {
            work->ordered = true;
            api_pages_check(work);
        }
        if (work->ordered && !may_be_met(work)) {
            *link = work->next;
            destroy(work);
        } else {
            link = &work->next;
        }
    }
    api_pages_forget();
}

/* The wait is over: what the device had to say reaches the host. */
static cudaError_t deliver(void)
{
    api_flush_printf();
    if (api.pending != cudaSuccess && api.sticky == cudaSuccess)
        api.sticky = api.pending;
    api.pending = cudaSuccess;
    return api_fail(api.sticky);
}

cudaError_t api_queue_wait(const struct stream_clock *clock)
{
    api.queue.waited_for = true;
    run_until(clock);
    api.queue.waited_for = false;
    clock_join(&api.queue.host, clock);
    forget_ordered();
    api_pages_close();
    return deliver();
}

cudaError_t api_queue_wait_stream(struct CUstream_st *stream)
{
    struct stream_clock clock = {NULL, 0};
    api_queue_stream_clock(stream, &clock);
    cudaError_t error = api_queue_wait(&clock);
    clock_free(&clock);
    return error;
}

static void clock_of_all(struct stream_clock *clock)
{
    for (unsigned lane = 0; lane < api.queue.lane_count; lane++)
        clock_set(clock, lane, api.queue.lanes[lane].issued);
}

void api_queue_forget_all(void)
{
    clock_of_all(&api.queue.host);
    forget_ordered();
}

cudaError_t api_queue_wait_all(void)
{
    struct stream_clock clock = {NULL, 0};
    clock_of_all(&clock);
    cudaError_t error = api_queue_wait(&clock);
    clock_free(&clock);
    return error;
}

cudaError_t api_queue_add_and_wait(struct api_work *work)
{
    struct stream_clock clock = {NULL, 0};
    struct CUstream_st *stream = work->stream;
    stream->works++; /* it stays, whatever happens */
    api_queue_add(work);
    clock_join(&clock, &stream->clock);
    cudaError_t error = api_queue_wait(&clock);
    clock_free(&clock);
    api_clock_wait(stream);
    api_stream_release(stream);
    return error;
}

void api_queue_add_and_run(struct api_work *work)
{
    struct stream_clock clock = {NULL, 0};
    struct CUstream_st *stream = work->stream;
    stream->works++;
    api_queue_add(work);
    clock_join(&clock, &stream->clock);
    run_until(&clock);
    clock_free(&clock);
    api_stream_release(stream);
}
