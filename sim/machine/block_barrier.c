/* The barriers of a block: who waits, when they are complete, what bar.red delivers. */
#include <string.h>

#include "sim/hazard/watch.h"
#include "sim/machine/block_report.h"
#include "sim/machine/cluster.h"
#include "sim/machine/exec.h"
#include "sim/model/trace.h"
#include "sim/text/place.h"

/* The barrier at which all lanes of a waiting warp wait, or -1 if they wait for different things. */
static int common_barrier(const struct warp *warp)
{
    for (int i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state != GROUP_BLOCK_WAIT || warp->groups[i].barrier != warp->groups[0].barrier)
            return -1;
    return (int)warp->groups[0].barrier;
}

static bool waits_at(const struct warp *warp, unsigned barrier)
{
    return warp->state == WARP_WAITING && common_barrier(warp) == (int)barrier;
}

static bool is_complete(const struct block *block, const struct barrier *barrier)
{
    if (barrier->expected)
        return barrier->waiting_warps * WARP_LANES + barrier->arrived_threads >= barrier->expected;
    return barrier->waiting_warps > 0 && barrier->waiting_warps == block->live_warps;
}

/* bar.red: what all waiting threads' predicates come to. */
struct reduction {
    unsigned count;
    bool all, any;
};

static struct reduction reduce_predicates(const struct block *block, unsigned number)
{
    struct reduction r = {0, true, false};
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        for (int g = 0; waits_at(warp, number) && g < warp->group_count; g++) {
            const struct group *group = &warp->groups[g];
            r.count += (unsigned)__builtin_popcount(group->value);
            r.all &= group->value == group->lanes;
            r.any |= group->value != 0;
        }
    }
    return r;
}

/* Writes the reduction into the group's destination; its frame's rows are found through the frame. */
static void deliver_reduction(struct warp *warp, const struct group *group, const struct reduction *r)
{
    const struct micro *op = group->wait;
    const struct barrier_detail *detail = op->detail;
    if (detail->operation != BARRIER_RED)
        return;
    uint32_t *pred = warp->predicates + group->frame->predicates + op->p;
    bool value = detail->reduction == BOOL_AND ? r->all : r->any;
    *pred = (*pred & ~group->lanes) | (value ? group->lanes : 0);
    if (detail->reduction != BOOL_POPC)
        return;
    uint32_t *row =
        (uint32_t *)(void *)(warp->rows[ROWS_32] + group->frame->rows[ROWS_32] + (op->dst & ~ROW_BASE_MASK));
    FOR_LANES(lane, group->lanes)
    row[lane] = r->count;
}

static void add_counts(struct sim *sim, const struct idle_barrier *count)
{
    struct idle_barrier *at = sim->idle_barriers, *end = at + IDLE_BARRIERS - 1;
    while (at < end && at->line > 0 && (at->line != count->line || strcmp(at->file, count->file) != 0))
        at++;
    if (at == end)
        return;
    at->file = count->file;
    at->line = count->line;
    at->idle += count->idle;
    at->busy += count->busy;
    at->reached = true;
}

void block_add_barriers(struct sim *sim, const struct sim *worker)
{
    for (const struct idle_barrier *count = worker->idle_barriers; count->line > 0; count++)
        add_counts(sim, count);
}

static void hand_over_counts(struct block *block)
{
    for (int i = 0; i < block->barrier_count; i++) {
        const struct barrier_count *c = &block->counted[i];
        const struct idle_barrier count = {.file = place_file(block->launch->kernel, c->loc),
                                           .line = c->loc.line,
                                           .idle = c->idle,
                                           .busy = c->busy};
        add_counts(block->view.sim, &count);
    }
    block->barrier_count = 0;
}

static void count_barrier(struct block *block, struct ptx_loc loc, bool idle)
{
    int i = 0;
    if (loc.line == 0)
        return; /* compiled without -lineinfo */
    while (i < block->barrier_count &&
           (block->counted[i].loc.line != loc.line || block->counted[i].loc.file != loc.file))
        i++;
    if (i == COUNTED_BARRIERS) {
        hand_over_counts(block);
        i = 0;
    }
    if (i == block->barrier_count)
        block->counted[block->barrier_count++] = (struct barrier_count){.loc = loc};
    block->counted[i].idle += idle;
    block->counted[i].busy += !idle;
}

/*
 * The last barrier is judged, with what has been done since: it orders nothing if between the one before it and
 * itself no thread touched shared memory or stored anything; and if, where something was loaded, nothing is stored
 * until the next one.
 */
static void judge_last_barrier(struct block *block, unsigned deeds)
{
    const unsigned before = block->deeds_before;
    const struct micro *op = block->last_barrier;
    const struct barrier_detail *detail = op ? op->detail : NULL;
    block->last_barrier = NULL;
    if (!op || (before & DEED_UNKNOWN) || (detail && detail->operation == BARRIER_RED))
        return;
    const bool busy = (before & (DEED_SHARED | DEED_STORE)) || ((before & DEED_LOAD) && (deeds & DEED_STORE));
    count_barrier(block, block->last_barrier_loc, !busy);
}

void block_end_barriers(struct block *block, unsigned deeds)
{
    judge_last_barrier(block, deeds);
    hand_over_counts(block);
}

static void note_barrier(struct block *block, unsigned number)
{
    const struct barrier *barrier = &block->barriers[number];
    const unsigned deeds = hazard_block_deeds(&block->view);
    const bool of_all = number == 0 && !barrier->expected && barrier->first;
    judge_last_barrier(block, deeds);
    if (!of_all)
        return;
    block->last_barrier = barrier->first;
    block->last_barrier_loc = warp_loc(&block->warps[barrier->first_warp], barrier->first);
    block->deeds_before = deeds;
}

static void tell_hazards(struct block *block, unsigned number)
{
    const struct launch *launch = block->launch;
    const struct barrier *barrier = &block->barriers[number];
    if (!launch->hazards)
        return;
    note_barrier(block, number);
    block_report_barrier(block, number);
    if (!barrier->expected && barrier->waiting_warps == launch->warp_count) {
        hazard_block_barrier(&block->view, number, NULL);
        return;
    }
    uint32_t lanes[BLOCK_WARPS_MAX];
    for (unsigned w = 0; w < BLOCK_WARPS_MAX; w++)
        lanes[w] = w < launch->warp_count && waits_at(&block->warps[w], number) ? block->warps[w].full : 0;
    hazard_block_barrier(&block->view, number, lanes);
}

static void complete_barrier(struct block *block, unsigned number)
{
    struct barrier *barrier = &block->barriers[number];
    tell_hazards(block, number);
    trace_barrier(block->trace);
    struct reduction reduction = reduce_predicates(block, number);
    for (unsigned w = 0; w < block->launch->warp_count; w++) {
        struct warp *warp = &block->warps[w];
        if (!waits_at(warp, number))
            continue;
        for (int g = 0; g < warp->group_count; g++)
            deliver_reduction(warp, &warp->groups[g], &reduction);
        warp_release(warp, number);
        warp->state = WARP_READY;
    }
    memset(barrier, 0, sizeof *barrier);
}

static void check_barrier(struct block *block, unsigned number)
{
    if (is_complete(block, &block->barriers[number]))
        complete_barrier(block, number);
}

/* A whole warp counts 32 threads, whatever lanes it has left. */
void block_arrive(struct block *block, unsigned barrier, unsigned expected, unsigned warp, uint32_t lanes)
{
    struct barrier *b = &block->barriers[barrier];
    bool whole = lanes == block->warps[warp].full;
    b->arrived_threads += whole ? WARP_LANES : (unsigned)__builtin_popcount(lanes);
    b->expected = expected;
    if (block->launch->hazards)
        hazard_barrier_arrive(&block->view, barrier, warp, lanes);
    check_barrier(block, barrier);
}

void block_note_waiting(struct block *block, struct warp *warp)
{
    int number = common_barrier(warp);
    if (number < 0 || number == CLUSTER_BARRIER)
        return;
    struct barrier *barrier = &block->barriers[number];
    if (barrier->waiting_warps++ == 0) {
        barrier->first = warp->groups[0].wait;
        barrier->first_warp = warp->index;
    }
    if (warp->groups[0].expected)
        barrier->expected = warp->groups[0].expected;
    check_barrier(block, (unsigned)number);
}

void block_note_done(struct block *block)
{
    block->live_warps--;
    for (unsigned i = 0; i < BARRIER_COUNT; i++)
        if (!block->barriers[i].expected)
            check_barrier(block, i);
}
