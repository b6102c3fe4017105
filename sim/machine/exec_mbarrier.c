/* Barriers that live in shared memory. Source: PTX ISA, mbarrier. */
#include "sim/hazard/watch.h"
#include "sim/machine/exec_memory.h"

/*
 * The 64 bits are ours to lay out: arrivals that are still pending in this phase, arrivals that a phase
 * needs, number of the phase. A state is a copy of them.
 */
#define COUNT_BITS 20
#define COUNT_MAX  ((UINT64_C(1) << COUNT_BITS) - 1)

static uint64_t make_word(uint64_t pending, uint64_t expected, uint64_t phase)
{
    return pending | expected << COUNT_BITS | phase << 2 * COUNT_BITS;
}

static uint64_t pending_of(uint64_t word)
{
    return word & COUNT_MAX;
}

static uint64_t expected_of(uint64_t word)
{
    return word >> COUNT_BITS & COUNT_MAX;
}

static uint64_t phase_of(uint64_t word)
{
    return word >> 2 * COUNT_BITS;
}

static bool resolve_barrier(struct warp *warp, const struct micro *op, uint32_t active, enum access_kind kind,
                            struct lane_access *lanes)
{
    const struct memory_detail *detail = &((const struct mbarrier_detail *)op->detail)->memory;
    exec_fill_addresses(warp, detail, lanes->address);
    if (!exec_resolve(warp, op, active, kind, detail, lanes))
        return false;
    if (lanes->bad) /* there is no way to go on without a barrier */
        exec_fault(warp, op, lanes->bad, SIM_TRAP, "uses an mbarrier where there is none");
    else if (lanes->elsewhere)
        exec_fault(warp, op, active, SIM_TRAP,
                   "uses an mbarrier of another block of its cluster, which the simulator does not support");
    return !lanes->bad && !lanes->elsewhere;
}

static uint64_t read_word(const struct lane_access *lanes, uint32_t lane)
{
    uint64_t word;
    memcpy(&word, lanes->host[lane], sizeof word);
    return word;
}

static uint64_t arrivals(const struct warp *warp, const struct micro *op, uint32_t lane)
{
    const struct mbarrier_detail *detail = op->detail;
    return detail->has_count ? ((const row_u32 *)row(warp, op->b))[lane] : 1;
}

static enum step mbarrier_init(struct warp *warp, const struct micro *op, uint32_t active)
{
    struct lane_access lanes;
    if (!resolve_barrier(warp, op, active, ACCESS_ATOMIC, &lanes))
        return STEP_FAULT;
    FOR_LANES(lane, active)
    {
        uint64_t count = arrivals(warp, op, lane), word = make_word(count, count, 0);
        if (count == 0 || count > COUNT_MAX)
            return exec_fault(warp, op, 1u << lane, SIM_TRAP, "initializes an mbarrier for %llu arrivals",
                              (unsigned long long)count);
        memcpy(lanes.host[lane], &word, sizeof word);
    }
    return STEP_NEXT;
}

/* One arrival of `count`, at a word that stands at `lane` of the access. *before: the state before it. */
static bool arrive_at(struct warp *warp, const struct micro *op, const struct lane_access *lanes,
                      uint32_t lane, uint64_t count, bool drop, uint64_t *before)
{
    const struct mbarrier_detail *detail = op->detail;
    uint64_t word = read_word(lanes, lane);
    uint64_t pending = pending_of(word), expected = expected_of(word) - (drop ? count : 0);
    *before = word;
    if (count > pending || (drop && count > expected_of(word)) || (detail->no_complete && count == pending)) {
        exec_fault(warp, op, 1u << lane, SIM_TRAP,
                   "arrives %llu times at an mbarrier that waits for %llu: too many threads arrive, or it "
                   "was not initialized",
                   (unsigned long long)count, (unsigned long long)pending);
        return false;
    }
    pending -= count;
    uint64_t after = pending ? make_word(pending, expected, phase_of(word))
                             : make_word(expected, expected, phase_of(word) + 1);
    memcpy(lanes->host[lane], &after, sizeof after);
    if (pending == 0 && warp->block->launch->hazards)
        hazard_phase(&warp->block->view, lanes->address[lane]);
    return true;
}

/* The state before the arrival; at the last one the next phase begins. */
static enum step arrive(struct warp *warp, const struct micro *op, uint32_t active, bool drop)
{
    const struct mbarrier_detail *detail = op->detail;
    struct lane_access lanes;
    if (!resolve_barrier(warp, op, active, ACCESS_ATOMIC, &lanes))
        return STEP_FAULT;
    row_u64 *d = row(warp, op->dst);
    FOR_LANES(lane, active)
    {
        uint64_t before;
        if (!arrive_at(warp, op, &lanes, lane, arrivals(warp, op, lane), drop, &before))
            return STEP_FAULT;
        if (!detail->discard)
            d[lane] = before;
    }
    return STEP_NEXT;
}

static enum step mbarrier_arrive(struct warp *warp, const struct micro *op, uint32_t active)
{
    return arrive(warp, op, active, false);
}

static enum step mbarrier_arrive_drop(struct warp *warp, const struct micro *op, uint32_t active)
{
    return arrive(warp, op, active, true);
}

/* An arrival that was put off until the lanes' copies were done. */
static bool arrive_late(struct warp *warp, const struct micro *op, uint32_t active,
                        const uint64_t address[WARP_LANES])
{
    const struct memory_detail *detail = &((const struct mbarrier_detail *)op->detail)->memory;
    struct lane_access lanes;
    memcpy(lanes.address, address, sizeof lanes.address);
    if (!exec_resolve(warp, op, active, ACCESS_ATOMIC, detail, &lanes))
        return false;
    uint64_t before;
    FOR_LANES(lane, active)
    if (!arrive_at(warp, op, &lanes, lane, 1, false, &before))
        return false;
    return true;
}

void mbarrier_finish(struct warp *warp, uint32_t lanes)
{
    if (warp->async)
        async_arrive_now(warp, lanes, arrive_late);
}

/* Whether the phase of a state, or the last one of a parity, is over. */
static enum step mbarrier_test_wait(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct mbarrier_detail *detail = op->detail;
    struct lane_access lanes;
    uint32_t done = 0;
    for (unsigned w = 0; w < warp->block->launch->warp_count; w++)
        if (warp->block->warps[w].async && !async_arrive_now(&warp->block->warps[w], ~0u, arrive_late))
            return STEP_FAULT;
    if (!resolve_barrier(warp, op, active, ACCESS_ATOMIC, &lanes))
        return STEP_FAULT;
    FOR_LANES(lane, active)
    {
        uint64_t phase = phase_of(read_word(&lanes, lane));
        bool over = detail->by_parity ? (phase & 1) != (((const row_u32 *)row(warp, op->b))[lane] & 1)
                                      : phase != phase_of(((const row_u64 *)row(warp, op->b))[lane]);
        done |= over ? 1u << lane : 0;
    }
    set_predicate(warp, op->p, active, done);
    return done == active ? STEP_NEXT : warp_spin(warp);
}

static enum step mbarrier_pending_count(struct warp *warp, const struct micro *op, uint32_t active)
{
    row_u32 *d = row(warp, op->dst);
    const row_u64 *state = row(warp, op->b);
    FOR_LANES(lane, active)
    d[lane] = (uint32_t)pending_of(state[lane]);
    return STEP_NEXT;
}

static enum step mbarrier_invalidate(struct warp *warp, const struct micro *op, uint32_t active)
{
    struct lane_access lanes;
    return resolve_barrier(warp, op, active, ACCESS_ATOMIC, &lanes) ? STEP_NEXT : STEP_FAULT;
}

/* Until the late arrival the phase waits for one more, but with .noinc, where it was counted from the beginning. */
static enum step async_arrive(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = &((const struct mbarrier_detail *)op->detail)->memory;
    struct lane_access lanes;
    uint64_t address[WARP_LANES];
    exec_fill_addresses(warp, detail, lanes.address);
    memcpy(address, lanes.address, sizeof address);
    if (!exec_resolve(warp, op, active, ACCESS_LOAD, detail, &lanes))
        return STEP_FAULT;
    FOR_LANES(lane, op->imm ? 0 : active)
    {
        uint64_t word = read_word(&lanes, lane) + 1;
        memcpy(lanes.host[lane], &word, sizeof word);
    }
    if (!async_arrive_later(warp, op, active, address))
        return exec_fault(warp, op, active, SIM_OUT_OF_MEMORY, "has too many asynchronous copies under way");
    return STEP_NEXT;
}

const struct handler exec_mbarrier_handlers[] = {
    {"cp.async.mbarrier.arrive", async_arrive},
    {"mbarrier.init", mbarrier_init},
    {"mbarrier.inval", mbarrier_invalidate},
    {"mbarrier.arrive", mbarrier_arrive},
    {"mbarrier.arrive_drop", mbarrier_arrive_drop},
    {"mbarrier.test_wait", mbarrier_test_wait},
    {"mbarrier.pending_count", mbarrier_pending_count},
    {NULL, NULL},
};
