/* Occupancy against the toolkit's own calculator, and the time model's order of kernels. */
#include <math.h>
#include <cuda_runtime_api.h>
#include <cuda_occupancy.h>

#include "test.h"
#include "sim/core/code.h"
#include "sim/device/sim.h"
#include "sim/model/model.h"

/* ---- occupancy ----------------------------------------------------------------------------------------- */

/* The calculator's device, from a profile. */
static cudaOccDeviceProp calculator_device(const struct sim_profile *profile)
{
    cudaOccDeviceProp device;

    memset(&device, 0, sizeof(device));
    device.computeMajor = profile->cc_major;
    device.computeMinor = profile->cc_minor;
    device.maxThreadsPerBlock = profile->threads_per_block;
    device.maxThreadsPerMultiprocessor = profile->threads_per_sm;
    device.regsPerBlock = profile->registers_per_sm;
    device.regsPerMultiprocessor = profile->registers_per_sm;
    device.warpSize = 32;
    device.sharedMemPerBlock = profile->shared_per_block;
    device.sharedMemPerMultiprocessor = profile->shared_per_sm;
    device.numSms = profile->sm_count;
    device.sharedMemPerBlockOptin = profile->shared_per_block_optin;
    device.reservedSharedMemPerBlock = profile->cc_major < 8 ? 0 : 1024; /* as such devices report it */
    return device;
}

static int calculator_blocks(const struct sim_profile *profile, int registers, size_t shared_static,
                             unsigned threads, size_t dynamic)
{
    cudaOccDeviceProp device = calculator_device(profile);
    cudaOccFuncAttributes attributes;
    cudaOccDeviceState state;
    cudaOccResult result;

    memset(&attributes, 0, sizeof(attributes));
    memset(&state, 0, sizeof(state));
    attributes.maxThreadsPerBlock = profile->threads_per_block;
    attributes.numRegs = registers;
    attributes.sharedSizeBytes = shared_static;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = profile->shared_per_block_optin - shared_static;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    assert_int_equal(
        cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &attributes, &state, (int)threads, dynamic),
        CUDA_OCC_SUCCESS);
    return result.activeBlocksPerMultiprocessor;
}

TEST(test_occupancy_equals_the_calculator)
{
    static const unsigned threads[] = {1,   31,  32,  33,  64,  96,  128,  160, 192,
                                       256, 320, 384, 512, 672, 768, 1000, 1024};
    static const size_t dynamic[] = {0,     1,     100,   1024,  4000,   8192,   16384,
                                     30000, 49152, 65536, 98304, 101376, 166912, 232448};
    static const size_t shared_static[] = {0, 4, 512, 4096};

    for (int p = 0; sim_profile_at(p) != NULL; p++)
        for (int registers = 16; registers <= 255; registers += 7)
            for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
                for (size_t d = 0; d < sizeof(dynamic) / sizeof(dynamic[0]); d++)
                    for (size_t s = 0; s < 4; s++) {
                        const struct sim_profile *profile = sim_profile_at(p);
                        struct sim_kernel_info info = {.registers = registers,
                                                       .shared_static = shared_static[s]};
                        struct sim_occupancy found;

                        if (dynamic[d] + shared_static[s] > profile->shared_per_block_optin)
                            continue;
                        sim_occupancy(profile, &info, threads[t], dynamic[d], &found);
                        assert_int_equal(
                            found.blocks_per_sm,
                            calculator_blocks(profile, registers, shared_static[s], threads[t], dynamic[d]));
                    }
}

static void expect_occupancy(int registers, size_t shared, unsigned threads, int blocks, const char *limiter)
{
    struct sim_kernel_info info = {.registers = registers, .shared_static = shared};
    struct sim_occupancy found;

    sim_occupancy(sim_profile_find("h100"), &info, threads, 0, &found);
    assert_int_equal(found.blocks_per_sm, blocks);
    assert_string_equal(found.limiter, limiter);
}

TEST(test_occupancy_names_its_limiter)
{
    expect_occupancy(16, 0, 256, 8, "threads");
    expect_occupancy(16, 0, 32, 32, "blocks");
    expect_occupancy(64, 0, 256, 4, "registers");
    expect_occupancy(16, 40000, 128, 5, "shared memory");
    expect_occupancy(128, 0, 1024, 0, "registers"); /* cannot be launched */
}

TEST(test_each_room_of_an_sm)
{
    const struct sim_kernel_info info = {.registers = 48};
    struct sim_occupancy found;
    sim_occupancy(sim_profile_find("h100"), &info, 256, 16384, &found);
    assert_int_equal(found.blocks_per_sm, 5);
    assert_int_equal(found.room[SIM_SM_WARPS].fits, 8);
    assert_int_equal(found.room[SIM_SM_REGISTERS].fits, 5);
    assert_int_equal(found.room[SIM_SM_REGISTERS].takes, 48 * 256);
    assert_int_equal(found.room[SIM_SM_SHARED].takes, 17 * 1024); /* 1 KiB is the driver's */
    assert_int_equal(found.room[SIM_SM_SHARED].fits, 13);
    assert_int_equal(found.room[SIM_SM_BLOCKS].fits, 32);
}

/* ---- an SM in time -------------------------------------------------------------------------------------- */

TEST(test_spans_widen_and_keep_what_was_added)
{
    struct sim_sm *sm = calloc(1, sizeof *sm);
    assert_non_null(sm);
    sm_begin(sm);
    sm_add(sm, sm->doing[SIM_SM_MEMORY], 100, 500, 2);
    sm_add(sm, sm->bytes, 0, 9000, 128);
    sm_add(sm, sm->issued, 8000, 8000, 1); /* nothing */
    sm_end(sm, 9216, 1);
    assert_int_equal(sm->spans, 72); /* of 128 cycles */
    assert_true(fabs(sm->seconds - 128e-9) < 1e-15);
    assert_true(fabs(sim_sm_mean(sm, sm->doing[SIM_SM_MEMORY]) * 9216 - 800) < 0.01);
    assert_true(fabs((double)sm->doing[SIM_SM_MEMORY][2] - 2) < 1e-6);
    assert_true(fabs((double)sm->bytes[69] - 128) < 1e-6);
    assert_true(sim_sm_mean(sm, sm->issued) == 0);
    free(sm);
}

/* ---- profiles ------------------------------------------------------------------------------------------ */

TEST(test_profiles_are_complete)
{
    assert_null(sim_profile_find("geforce256"));
    assert_null(sim_profile_find(NULL));
    assert_null(sim_profile_at(-1));
    assert_string_equal(sim_profile_at(0)->key, "h100");
    for (int i = 0; sim_profile_at(i) != NULL; i++) {
        const struct sim_profile *p = sim_profile_at(i);
        double paper = 2e-6 * p->memory_clock_khz * p->memory_bus_bits / 8;

        assert_ptr_equal(sim_profile_find(p->key), p);
        assert_true(p->cc_major >= 7);
        assert_int_equal(sim_profile_code(p), p->cc_major < 8 ? 80 : 10 * p->cc_major + p->cc_minor);
        /* A T4 copies 0.75 of what is on paper, see its profile. */
        assert_true(p->dram_gbs > (strcmp(p->key, "t4") ? 0.85 : 0.70) * paper && p->dram_gbs < 0.95 * paper);
        assert_true(p->l2_gbs > p->dram_gbs);
        assert_true(p->shared_per_block_optin + (p->cc_major < 8 ? 0 : 1024) == p->shared_per_sm);
        assert_true(p->sm_count > 0 && p->clock_ghz > 1 && p->launch_us > 0 && p->pcie_gbs > 0);
        assert_true(p->fp32_lanes > 0 && p->fp64_lanes > 0 && p->int_lanes > 0 && p->sfu_lanes > 0);
    }
}

TEST(test_all_devices_are_there)
{
    static const char *const keys[] = {"h100",    "h200",    "a100", "rtx3060", "rtx3090", "rtx4060laptop",
                                       "rtx4090", "rtx5090", "b200", "t4",      "v100"};
    char text[256], cut[16];

    sim_profile_keys(text, sizeof text);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_non_null(sim_profile_find(keys[i]));
        assert_non_null(strstr(text, keys[i]));
    }
    sim_profile_keys(cut, sizeof cut);
    assert_memory_equal(cut, text, sizeof cut - 1);
}

static void expect_near(double value, double expected, double part)
{
    assert_true(value > expected * (1 - part) && value < expected * (1 + part));
}

/* The rules for devices that have not been measured give back what was measured on others. */
TEST(test_rates_by_rule_are_near_measured_ones)
{
    static const char *const keys[] = {"h100", "h200"};

    for (int i = 0; i < 2; i++) {
        struct sim_profile unmeasured = *sim_profile_find(keys[i]);
        const struct sim_rates measured = unmeasured.measured;
        struct sim_rates rule;

        memset(&unmeasured.measured, 0, sizeof unmeasured.measured);
        sim_profile_rates(&unmeasured, &rule);
        expect_near(rule.read_gbs, measured.read_gbs, 0.05);
        expect_near(rule.write_gbs, measured.write_gbs, 0.05);
        expect_near(rule.word_gbs, measured.word_gbs, 0.05);
        expect_near(rule.dword_gbs, measured.dword_gbs, 0.05);
        for (int b = 0; b < 6; b++)
            expect_near(rule.block_ns[b], measured.block_ns[b], 0.05);
        expect_near(rule.atomic_int_ns, measured.atomic_int_ns, 0.05);
        expect_near(rule.atomic_float_ns, measured.atomic_float_ns, 0.05);
        expect_near(rule.atomic_double_ns, measured.atomic_double_ns, 0.05);
    }
}

/* The same relations that the grader demands of a GPU's own figures. */
TEST(test_rates_can_be_true)
{
    for (int i = 0; sim_profile_at(i) != NULL; i++) {
        const struct sim_profile *p = sim_profile_at(i);
        struct sim_rates r;

        sim_profile_rates(p, &r);
        assert_true(r.read_gbs > 0.8 * p->dram_gbs && r.read_gbs < 1.1 * p->dram_gbs);
        assert_true(r.write_gbs > 0.5 * p->dram_gbs && r.write_gbs < 1.15 * p->dram_gbs);
        assert_true(r.word_gbs > 0.3 * p->dram_gbs && r.word_gbs < 1.01 * r.dword_gbs);
        assert_true(r.dword_gbs < 1.01 * p->dram_gbs);
        for (int b = 0; b < 5; b++)
            assert_true(r.block_ns[b] > 0.1 && r.block_ns[b] <= 1.01 * r.block_ns[b + 1]);
        assert_true(r.atomic_int_ns > 0 && r.atomic_float_ns >= r.atomic_int_ns && r.atomic_double_ns > 0);
        assert_true(r.next_launch_us > 1 && r.next_launch_us < 10);
    }
}

/* ---- time ---------------------------------------------------------------------------------------------- */

/* What a kernel of `warps` warps counts, a line for each thing that a warp does. */
struct kernel_shape {
    double loads, load_sectors, load_needed; /* a warp: requests, sectors in all, sectors if coalesced */
    double stores, store_sectors, store_needed;
    double shared, shared_wavefronts; /* accesses, wavefronts */
    double barriers, fp32, ints;
    double cycles;                    /* of a block alone, as latency.c finds them */
    double fresh_read, fresh_written; /* sectors that no other warp has touched */
};

static struct sim_result time_of(const char *device, const struct kernel_shape *k, double warps,
                                 unsigned threads, size_t shared_bytes)
{
    struct sim_kernel_info info = {.registers = 24, .shared_static = shared_bytes};
    struct sim_result result;
    struct sim_counters *c = &result.counters;
    struct sim_dim3 grid = {(unsigned)(warps * 32 / threads), 1, 1}, block = {threads, 1, 1};

    memset(&result, 0, sizeof(result));
    result.block_cycles = k->cycles;
    c->warps = (uint64_t)warps;
    c->global_load_requests = (uint64_t)(warps * k->loads);
    c->global_load_sectors = (uint64_t)(warps * k->load_sectors);
    c->global_load_sectors_ideal = (uint64_t)(warps * k->load_needed);
    c->global_store_requests = (uint64_t)(warps * k->stores);
    c->global_store_sectors = (uint64_t)(warps * k->store_sectors);
    c->global_store_sectors_ideal = (uint64_t)(warps * k->store_needed);
    c->unique_sectors_read = (uint64_t)(warps * k->fresh_read);
    c->unique_sectors_written = (uint64_t)(warps * k->fresh_written);
    c->global_lines = c->global_load_sectors > 8 * c->global_load_requests
                          ? c->global_load_sectors + c->global_store_sectors
                          : c->global_load_requests + c->global_store_requests;
    c->shared_load_requests = (uint64_t)(warps * k->shared);
    c->shared_load_wavefronts = (uint64_t)(warps * k->shared_wavefronts);
    c->block_barriers = (uint64_t)(warps * k->barriers);
    c->issue_cycles[COST_FP32] = (uint64_t)(warps * k->fp32);
    c->issue_cycles[COST_INT] = (uint64_t)(warps * k->ints);
    c->issue_cycles[COST_LSU] = (uint64_t)(warps * (k->loads + k->stores + k->shared));
    c->issue_cycles[COST_CONTROL] = (uint64_t)(warps * (k->barriers + 2));
    model_time(sim_profile_find(device), &info, grid, block, 0, &result);
    return result;
}

static const struct kernel_shape copy = {.loads = 1,
                                         .load_sectors = 4,
                                         .load_needed = 4,
                                         .stores = 1,
                                         .store_sectors = 4,
                                         .store_needed = 4,
                                         .fresh_read = 4,
                                         .fresh_written = 4,
                                         .ints = 6};
static const struct kernel_shape copy_strided = {.loads = 1,
                                                 .load_sectors = 32,
                                                 .load_needed = 4,
                                                 .stores = 1,
                                                 .store_sectors = 32,
                                                 .store_needed = 4,
                                                 .fresh_read = 4,
                                                 .fresh_written = 4,
                                                 .ints = 6};

TEST(test_copy_is_bound_by_dram)
{
    struct kernel_shape wide = copy; /* float4 */
    double bytes = 8.0 * (1 << 27);
    struct sim_result result;

    wide.load_sectors = wide.load_needed = wide.store_sectors = wide.store_needed = 16;
    wide.fresh_read = wide.fresh_written = 16;
    wide.cycles = 681;
    result = time_of("h100", &wide, (1 << 25) / 32, 256, 0);
    assert_string_equal(result.limiter, "DRAM bandwidth");
    assert_true(result.seconds < 1.06 * sim_model_copy_seconds(sim_profile_find("h100"), bytes));
}

/* 2^25 floats, one a thread: an H100 took 0.163, 0.117 and 0.138 ms in blocks of 128, 256 and 1024. */
TEST(test_block_size_matters_as_it_did)
{
    struct kernel_shape alone = copy;
    double warps = (1 << 25) / 32, t128, t256, t1024;

    alone.cycles = 681;
    t128 = time_of("h100", &alone, warps, 128, 0).seconds;
    t256 = time_of("h100", &alone, warps, 256, 0).seconds;
    t1024 = time_of("h100", &alone, warps, 1024, 0).seconds;
    assert_true(t128 > 0.163e-3 * 0.9 && t128 < 0.163e-3 * 1.1);
    assert_true(t256 > 0.117e-3 * 0.9 && t256 < 0.117e-3 * 1.1);
    assert_true(t1024 > 0.138e-3 * 0.9 && t1024 < 0.138e-3 * 1.1);
}

TEST(test_strided_copy_is_slower)
{
    for (int i = 0; sim_profile_at(i) != NULL; i++) {
        const char *key = sim_profile_at(i)->key;
        double good = time_of(key, &copy, (1 << 25) / 32, 256, 0).seconds;
        double bad = time_of(key, &copy_strided, (1 << 25) / 32, 256, 0).seconds;

        assert_true(bad > 1.5 * good);
    }
}

TEST(test_bank_conflicts_cost)
{
    struct kernel_shape transpose = copy;
    double good, bad;

    transpose.shared = 2;
    transpose.shared_wavefronts = 2;
    transpose.barriers = 1;
    good = time_of("h100", &transpose, (1 << 26) / 32, 1024, 4224).seconds;
    transpose.shared_wavefronts = 33; /* one of the two accesses meets one bank 32 times */
    bad = time_of("h100", &transpose, (1 << 26) / 32, 1024, 4096).seconds;
    assert_true(bad > 1.2 * good);
    assert_string_equal(time_of("h100", &transpose, (1 << 26) / 32, 1024, 4096).limiter,
                        "shared-memory bandwidth");
}

/*
 * Sums of 1e8 floats in blocks of 128, in global and in shared memory: as counted, with the times of an
 * H100, 0.475 ms and 0.474 ms; and with an atomic for each block, 1.57 ms.
 */
TEST(test_reductions_take_what_they_took)
{
    static const struct kernel_shape in_global = {.loads = 4.25,
                                                  .load_sectors = 9.25,
                                                  .load_needed = 9.25,
                                                  .stores = 2.5,
                                                  .store_sectors = 3,
                                                  .store_needed = 3,
                                                  .fresh_read = 4,
                                                  .fresh_written = 2,
                                                  .barriers = 7,
                                                  .fp32 = 2,
                                                  .ints = 22,
                                                  .cycles = 1944};
    static const struct kernel_shape in_shared = {.loads = 1,
                                                  .load_sectors = 4,
                                                  .load_needed = 4,
                                                  .stores = 0.25,
                                                  .store_sectors = 0.25,
                                                  .store_needed = 0.25,
                                                  .fresh_read = 4,
                                                  .fresh_written = 0.25,
                                                  .shared = 7.25,
                                                  .shared_wavefronts = 7.25,
                                                  .barriers = 8,
                                                  .fp32 = 2,
                                                  .ints = 20,
                                                  .cycles = 1454};
    double global = time_of("h100", &in_global, 3125000, 128, 0).seconds;
    double shared = time_of("h100", &in_shared, 3125000, 128, 512).seconds;

    assert_true(global > 0.475e-3 * 0.8 && global < 0.475e-3 * 1.2);
    assert_true(shared > 0.474e-3 * 0.8 && shared < 0.474e-3 * 1.2);
}

TEST(test_atomics_on_one_address)
{
    struct sim_kernel_info info = {.registers = 24};
    struct sim_result result = {.hottest_atomic = 24 * 781250}; /* of floats, as lab 04's sum of 1e8 has */

    model_time(sim_profile_find("h100"), &info, (struct sim_dim3){781250, 1, 1}, (struct sim_dim3){128, 1, 1},
               0, &result);
    assert_true(result.seconds > 1.43e-3 * 0.95 && result.seconds < 1.43e-3 * 1.05);
    assert_string_equal(result.limiter, "atomics on one address");
}

TEST(test_small_grids)
{
    struct kernel_shape work = {.fp32 = 100000, .cycles = 400000};
    double one = time_of("h100", &work, 1, 32, 0).seconds;
    double all = time_of("h100", &work, 132, 32, 0).seconds;
    double more = time_of("h100", &work, 132 * 64, 32, 0).seconds;

    assert_true(one == all);       /* another SM each */
    assert_true(more > 1.9 * all); /* 64 warps an SM, 32 blocks at once */
    assert_string_equal(time_of("h100", &work, 1, 32, 0).limiter, "latency");
    assert_string_equal(time_of("h100", &work, 132 * 640, 1024, 0).limiter, "FP32 arithmetic");
}

TEST(test_nothing_to_do)
{
    struct kernel_shape nothing = {.ints = 1};
    struct sim_result result = time_of("h100", &nothing, 1, 32, 0);

    assert_true(result.seconds >= 2e-6 && result.seconds < 10e-6);
    assert_string_equal(result.limiter, "launch overhead");
}

RUN_ALL
