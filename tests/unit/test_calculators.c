/* calculators/: layers and waves against figures worked out by hand or published; limits against NVIDIA's calculator. */
#include <math.h>
#include <cuda_runtime_api.h>
#include <cuda_occupancy.h>

#include "test.h"
#include "calculators/device.h"
#include "calculators/layer.h"
#include "calculators/limits.h"
#include "calculators/ptxas.h"
#include "calculators/waves.h"

static void near(double found, double wanted, double part)
{
    if (!(fabs(found - wanted) <= part * fabs(wanted)))
        fail_msg("found %g, expected %g", found, wanted);
}

/* ---- layers -------------------------------------------------------------------------------------------- */

/* NVIDIA's "GPU Performance Background User's Guide", table 1, in FP16: 315, 1, 2.25, 0.25 and less than 10 FLOP/B. */
TEST(test_the_published_table)
{
    const struct layer large = layer_linear(512, 1024, 4096), one = layer_linear(1, 1024, 4096);
    const struct layer pool = layer_pooling((struct images){1, 8, 40, 40}, (struct window){3, 3, 1, 1});
    const struct layer relu = layer_elementwise(1000, 1, 1), norm = layer_norm(512, 1024);
    near(layer_intensity(&large, 2), 315, 0.001);
    near(layer_intensity(&one, 2), 1, 0.002);
    near(layer_intensity(&pool, 2), 2.25, 1e-9);
    near(layer_intensity(&relu, 2), 0.25, 1e-9);
    assert_true(layer_intensity(&norm, 2) < 10);
}

/* By hand: 2 images, 3 channels, 5 x 6, 4 windows of 3 x 2, stride 1, no border: outputs of 3 x 5. */
TEST(test_convolution)
{
    const struct images in = {2, 3, 5, 6};
    const struct window window = {3, 2, 1, 0};
    const struct layer full = layer_convolution(in, 4, window), own = layer_depthwise(in, window);
    near(full.m, 2 * 3 * 5, 0);
    near(full.n, 4, 0);
    near(full.k, 3 * 3 * 2, 0);
    near(full.macs, 30 * 4 * 18, 0);
    near(full.flops, 2 * full.macs, 0);
    near(layer_bytes(&full, 4), 4 * (2 * 3 * 5 * 6 + 4 * 18 + 30 * 4), 0);
    near(own.macs, 3 * 30 * 6, 0);
    near(layer_bytes(&own, 4), 4 * (180 + 18 + 90), 0);
    near(layer_output(224, 7, 2, 3), 112, 0);
    near(layer_output(5, 3, 2, 0), 2, 0);
}

TEST(test_other_layers)
{
    const struct layer soft = layer_softmax(10, 100), sum = layer_elementwise(50, 2, 1),
                       norm = layer_norm(10, 100);
    near(soft.flops, 5000, 0);
    near(layer_bytes(&soft, 4), 8000, 0);
    near(layer_intensity(&sum, 4), 1.0 / 12, 1e-9);
    near(norm.flops, 7000, 0);
    near(layer_bytes(&norm, 2), 2 * (1000 + 200 + 1000), 0);
}

/* ---- waves and tiles -------------------------------------------------------------------------------------- */

TEST(test_waves)
{
    /* The guide's figure 3: 12 blocks on 8 SMs, the second wave half full. */
    const struct waves twelve = waves_of(12, 1, 8), whole = waves_of(264, 2, 132),
                       more = waves_of(265, 2, 132);
    near(twelve.full, 1, 0);
    near(twelve.tail, 4, 0);
    near(twelve.waves, 2, 0);
    near(twelve.used, 0.75, 1e-9);
    near(whole.waves, 1, 0);
    near(whole.tail, 0, 0);
    near(whole.used, 1, 1e-9);
    near(more.waves, 2, 0);
    near(more.used, 265.0 / 528, 1e-9);
}

/* On an A100, 256 x 128 tiles: one more row and column than 1792 make 120 tiles of 98, and two waves of one. */
TEST(test_tiles)
{
    const struct tiles even = tiles_of(1792, 1792, 256, 128), odd = tiles_of(1793, 1793, 256, 128);
    near(even.tiles, 98, 0);
    near(even.used, 1, 1e-9);
    near(odd.tiles, 120, 0);
    near(odd.used, 1793.0 * 1793 / (120.0 * 256 * 128), 1e-9);
    near(waves_of(even.tiles, 1, 108).waves, 1, 0);
    near(waves_of(odd.tiles, 1, 108).waves, 2, 0);
}

TEST(test_chains)
{
    near(chain_seconds(8000, 4, 2), 16e-6, 1e-9);
    near(bytes_in_flight(3352e9, 330e-9), 1106160, 1e-9);
}

/* ---- devices --------------------------------------------------------------------------------------------- */

/*
 * TFLOP/s on data sheets and in whitepapers; an H100's are for 1.83 GHz, where the profile has the 1.98 that were
 * measured.
 */
TEST(test_roofs)
{
    static const struct {
        const char *key;
        enum number_format format;
        double tflops;
    } sheets[] = {
        {"v100", FORMAT_FP32, 15.7},       {"v100", FORMAT_FP64, 7.8},
        {"v100", FORMAT_FP16_TENSOR, 125}, {"t4", FORMAT_FP16_TENSOR, 65},
        {"a100", FORMAT_FP32, 19.5},       {"a100", FORMAT_FP16_TENSOR, 312},
        {"rtx3090", FORMAT_FP32, 35.6},    {"rtx3090", FORMAT_FP16_TENSOR, 71},
        {"rtx4090", FORMAT_FP32, 82.6},    {"rtx4090", FORMAT_FP16_TENSOR, 165},
        {"h100", FORMAT_FP32, 66.9},       {"h100", FORMAT_FP16_TENSOR, 989 * 1.98 / 1.83},
        {"rtx5090", FORMAT_FP32, 104.8},   {"rtx5090", FORMAT_FP16_TENSOR, 209.5},
    };
    char message[256];
    for (size_t i = 0; i < sizeof sheets / sizeof *sheets; i++) {
        const struct sim_profile *profile = device_choose(sheets[i].key, message);
        assert_non_null(profile);
        near(1e-12 * device_roofs(profile, sheets[i].format).flops, sheets[i].tflops, 0.01);
    }
    near(1e-9 * device_roofs(device_choose("h100", message), FORMAT_FP32).bytes, 3352, 0.001);
    near(1e-9 * device_roofs(device_choose("rtx5090", message), FORMAT_FP32).bytes, 1792, 0.001);
    assert_null(device_choose("voodoo", message));
    assert_non_null(strstr(message, "rtx4090"));
    for (int i = 0; sim_profile_at(i); i++)
        assert_true(device_multiply_adds(sim_profile_at(i), FORMAT_FP16_TENSOR) > 0);
}

/* ---- limits ------------------------------------------------------------------------------------------------ */

static cudaOccResult calculator(const struct sim_profile *profile, int registers, size_t shared,
                                unsigned threads)
{
    cudaOccDeviceProp device = {0};
    cudaOccFuncAttributes attributes = {0};
    cudaOccDeviceState setting = {0};
    cudaOccResult result;
    device.computeMajor = profile->cc_major;
    device.computeMinor = profile->cc_minor;
    device.maxThreadsPerBlock = profile->threads_per_block;
    device.maxThreadsPerMultiprocessor = profile->threads_per_sm;
    device.regsPerBlock = device.regsPerMultiprocessor = profile->registers_per_sm;
    device.warpSize = 32;
    device.sharedMemPerBlock = profile->shared_per_block;
    device.sharedMemPerMultiprocessor = profile->shared_per_sm;
    device.numSms = profile->sm_count;
    device.sharedMemPerBlockOptin = profile->shared_per_block_optin;
    device.reservedSharedMemPerBlock = profile->cc_major < 8 ? 0 : 1024;
    attributes.maxThreadsPerBlock = profile->threads_per_block;
    attributes.numRegs = registers;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = profile->shared_per_block_optin;
    setting.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &attributes, &setting,
                                                             (int)threads, shared),
                     CUDA_OCC_SUCCESS);
    return result;
}

/*
 * Every limit by itself, not only the least. (Without shared memory the calculator has none; it says so by a large
 * number.)
 */
TEST(test_limits_equal_the_calculators)
{
    static const unsigned threads[] = {1, 32, 33, 64, 96, 128, 192, 256, 384, 512, 672, 1000, 1024};
    static const size_t shared[] = {0, 1, 512, 4096, 18432, 49152, 65536, 98304, 101376, 232448};
    for (int p = 0; sim_profile_at(p); p++)
        for (int registers = 16; registers <= 255; registers += 13)
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
                for (size_t s = 0; s < sizeof shared / sizeof *shared; s++) {
                    const struct sim_profile *profile = sim_profile_at(p);
                    if (shared[s] > profile->shared_per_block_optin)
                        continue;
                    const struct block_limits found = limits_of(profile, registers, shared[s], threads[t]);
                    const cudaOccResult wanted = calculator(profile, registers, shared[s], threads[t]);
                    assert_int_equal(found.blocks, wanted.activeBlocksPerMultiprocessor);
                    assert_int_equal(found.threads, wanted.blockLimitWarps);
                    assert_int_equal(found.registers, wanted.blockLimitRegs);
                    assert_int_equal(found.slots, wanted.blockLimitBlocks);
                    if (shared[s] > 0)
                        assert_int_equal(found.shared, wanted.blockLimitSharedMem);
                }
}

/* The advice is exact: so much is enough, and more is too much. */
TEST(test_what_more_blocks_take)
{
    const struct sim_profile *profile = sim_profile_find("rtx4090");
    for (int blocks = 2; blocks <= 12; blocks++) {
        const int registers = limits_registers_for(profile, 128, blocks);
        const size_t shared = limits_shared_for(profile, 128, blocks);
        assert_true(limits_of(profile, registers, shared, 128).blocks >= blocks);
        assert_true(registers == 255 || limits_of(profile, registers + 1, 0, 128).blocks < blocks);
        assert_true(limits_of(profile, 0, shared + 1, 128).blocks < blocks);
    }
    assert_int_equal(limits_registers_for(profile, 128, 100000), 0);
}

/* ---- what ptxas says ---------------------------------------------------------------------------------------- */

TEST(test_ptxas)
{
    static const char text[] =
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function '_Z8convolvePKfiPf' for 'sm_90'\n"
        "ptxas info    : Function properties for _Z8convolvePKfiPf\n"
        "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Used 71 registers, used 1 barriers, 18432 bytes smem, 368 bytes cmem[0]\n"
        "a warning of the compiler\n"
        "ptxas info    : Compiling entry function '_Z4stepIfEvPT_' for 'sm_80'\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 9 registers, 360 bytes cmem[0]\n"; /* as CUDA 11.8 says it */
    struct ptxas_kernel kernels[2];
    FILE *in = fmemopen((void *)(uintptr_t)text, sizeof text - 1, "r");
    assert_int_equal(ptxas_read(in, kernels, 2), 2);
    fclose(in);
    assert_string_equal(kernels[0].name, "convolve");
    assert_int_equal(kernels[0].registers, 71);
    assert_int_equal(kernels[0].shared_static, 18432);
    assert_int_equal(kernels[0].spill_stores, 12);
    assert_int_equal(kernels[0].spill_loads, 8);
    assert_string_equal(kernels[1].name, "step");
    assert_int_equal(kernels[1].registers, 9);
    assert_int_equal(kernels[1].shared_static, 0);
}

RUN_ALL
