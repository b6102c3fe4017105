/* Barriers that live in shared memory. Source: PTX ISA, mbarrier. */
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
    return exec_resolve(warp, op, active, kind, detail, lanes);
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
            return exec_fault(warp, op, 1u << lane, SIM_TRAP, "initialises an mbarrier for %llu arrivals",
                              (unsigned long long)count);
        memcpy(lanes.host[lane], &word, sizeof word);
    }
    return STEP_NEXT;
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
        uint64_t word = read_word(&lanes, lane), count = arrivals(warp, op, lane);
        uint64_t pending = pending_of(word), expected = expected_of(word) - (drop ? count : 0);
        if (count > pending || (drop && count > expected_of(word)) ||
            (detail->no_complete && count == pending))
            return exec_fault(
                warp, op, 1u << lane, SIM_TRAP,
                "arrives %llu times at an mbarrier that waits for %llu: too many threads arrive, or it "
                "was not initialised",
                (unsigned long long)count, (unsigned long long)pending);
        pending -= count;
        uint64_t after = pending ? make_word(pending, expected, phase_of(word))
                                 : make_word(expected, expected, phase_of(word) + 1);
        memcpy(lanes.host[lane], &after, sizeof after);
        if (!detail->discard)
            d[lane] = word;
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

/* Whether the phase of a state, or the last one of a parity, is over. */
static enum step mbarrier_test_wait(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct mbarrier_detail *detail = op->detail;
    struct lane_access lanes;
    uint32_t done = 0;
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

/* An arrival when the lane's copies are done; they are done here and now. Without .noinc it does not
 * count. */
static enum step async_arrive(struct warp *warp, const struct micro *op, uint32_t active)
{
    async_finish(warp, active);
    return op->imm ? arrive(warp, op, active, false) : STEP_NEXT;
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
