#include "sim/model/timing_internal.h"

/*
 * The pipeline's shares are those of the busiest SM while it has blocks. As Nsight Compute counts, a unit's share is over
 * all SMs and the whole time, which `cycles` is: of `rounds` blocks that the busiest SM has, the others have fewer.
 */
static void spread_over_sms(const struct timing_launch *launch, const struct pipeline_machine *machine,
                            double rounds, double cycles, struct pipeline_result *r)
{
    const struct sim_profile *profile = launch->profile;
    double sms = profile->sm_count, blocks = (double)launch->blocks, active = smaller(blocks, sms);
    double whole = r->cycles < cycles ? r->cycles / cycles : 1;
    /* L2 and memory: the SMs that have blocks share them, but none can take more than its own path carries. */
    double l2 = machine->l2_bytes * active * profile->clock_ghz / profile->l2_gbs;
    double memory = machine->memory_bytes * active * profile->clock_ghz / timing_memory_rate(launch);
    for (int i = 0; i < PIPELINE_LIMITERS; i++) {
        double among = i == PIPELINE_L2 ? l2 / active : i == PIPELINE_MEMORY ? memory / active : 1 / sms;
        r->busy[i] *= whole * among * blocks / rounds;
    }
}

static const char *limiter_name(const struct pipeline_result *r)
{
    static const char *const names[PIPELINE_LIMITERS] = {
        [PIPELINE_MEMORY] = "DRAM bandwidth",
        [PIPELINE_L2] = "L2 bandwidth",
        [PIPELINE_L1] = "L1 throughput",
        [PIPELINE_SHARED] = "shared-memory bandwidth",
        [PIPELINE_ISSUE] = "instruction issue",
        [PIPELINE_FMA] = "FP32 arithmetic",
        [PIPELINE_INT] = "integer arithmetic",
        [PIPELINE_FP64] = "FP64 arithmetic",
        [PIPELINE_HALF] = "half-precision arithmetic",
        [PIPELINE_XU] = "special functions and conversions",
        [PIPELINE_LATENCY] = "latency",
        [PIPELINE_BARRIER] = "barriers",
        [PIPELINE_CONST] = "constant cache",
    };
    static const int stalls[PIPELINE_STALLS] = {
        [STALL_FIXED] = PIPELINE_LATENCY,   [STALL_MEMORY] = PIPELINE_LATENCY,
        [STALL_RESULT] = PIPELINE_LATENCY,  [STALL_UNIT] = PIPELINE_ISSUE,
        [STALL_QUEUE] = PIPELINE_SHARED,    [STALL_CONST] = PIPELINE_CONST,
        [STALL_BARRIER] = PIPELINE_BARRIER,
    };
    int best = stalls[r->stall];
    double most = 0.6; /* a unit that is busy for less holds no warp back: waiting does */
    for (int i = 0; i < PIPELINE_LIMITERS; i++)
        if (i != PIPELINE_LATENCY && i != PIPELINE_BARRIER && r->busy[i] > most) {
            best = i;
            most = r->busy[i];
        }
    return names[best];
}

const char *timing_limiter(const struct timing_launch *launch, const struct pipeline_machine *machine,
                           double rounds, double cycles, struct pipeline_result *result)
{
    spread_over_sms(launch, machine, rounds, cycles, result);
    return limiter_name(result);
}
