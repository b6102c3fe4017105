/* The one device, its limits, its memory pools, advice on managed memory, and streams: answers, and calls that fail. */
#include "api_calls.h"
#include "sim/device/sim.h"

/* ---- which device -------------------------------------------------------------------------------------- */

TEST(test_the_only_device)
{
    int device = -1, can = -1;
    int valid[2] = {0, 3};
    char id[32] = "";
    struct cudaDeviceProp wanted = {.major = 9};
    OK(cudaGetDevice(&device));
    assert_int_equal(device, 0);
    OK(cudaChooseDevice(&device, &wanted));
    assert_int_equal(device, 0);
    OK(cudaSetValidDevices(valid, 1));
    FAILS(cudaErrorInvalidDevice, cudaSetValidDevices(valid, 2));
    FAILS(cudaErrorInvalidValue, cudaGetDevice(NULL));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceCount(NULL));
    FAILS(cudaErrorInvalidValue, cudaChooseDevice(NULL, &wanted));

    /* No device is its own peer. */
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    assert_int_equal(can, 0);
    FAILS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
    FAILS(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));

    OK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    OK(cudaDeviceGetByPCIBusId(&device, id));
    assert_int_equal(device, 0);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "0000:FF:1F.0"));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(id, 4, 0)); /* too short for it */
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(id, sizeof id, 1));
}

TEST(test_flags_and_settings)
{
    unsigned flags = 0;
    enum cudaFuncCache cache = cudaFuncCachePreferNone;
    OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    OK(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags & cudaDeviceScheduleMask, cudaDeviceScheduleYield);
    assert_true(flags & cudaDeviceMapHost); /* always so since unified addresses */
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceGetCacheConfig(&cache));
    assert_int_equal(cache, cudaFuncCachePreferL1);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetCacheConfig(NULL));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceFlags(NULL));
}

TEST(test_limits)
{
    size_t value = 0;
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
    OK(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    assert_int_equal(value, 1 << 20);
    FAILS(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&value, (enum cudaLimit)99));
    FAILS(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((enum cudaLimit)99, 1));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    assert_int_equal(sim_config(sim_current())->profile->cc_major, 9); /* the default: an H100 */
    FAILS(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
}

/* What the driver may do, cudaDeviceGetLimit says. */
TEST(test_the_stack_has_a_granule_and_a_maximum)
{
    size_t value = 0;
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 5001));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    assert_int_equal(value, 5008);
    assert_int_equal(sim_config(sim_current())->stack_limit, 5008);
    OK(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 30));
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    assert_int_equal(value, 512 << 10);
    OK(cudaDeviceReset());
    assert_int_equal(sim_config(sim_current())->stack_limit, 1024);
}

/* As on an H100: what was set goes with the device's context. */
TEST(test_a_reset_takes_the_limits)
{
    size_t before = 0, value = 0;
    enum cudaFuncCache cache = cudaFuncCachePreferL1;
    OK(cudaDeviceReset());
    OK(cudaDeviceGetLimit(&before, cudaLimitStackSize));
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceReset());
    OK(cudaDeviceGetLimit(&value, cudaLimitStackSize));
    OK(cudaDeviceGetCacheConfig(&cache));
    assert_int_equal(before, 1024);
    assert_int_equal(value, 1024);
    assert_int_equal(cache, cudaFuncCachePreferNone);
}

/* ---- pools --------------------------------------------------------------------------------------------- */

static const struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                                   .location = {.type = cudaMemLocationTypeDevice, .id = 0}};

TEST(test_pools_of_the_device)
{
    cudaMemPool_t usual, pool, now;
    OK(cudaDeviceGetDefaultMemPool(&usual, 0));
    OK(cudaMemPoolCreate(&pool, &properties));
    OK(cudaDeviceSetMemPool(0, pool));
    OK(cudaDeviceGetMemPool(&now, 0));
    assert_ptr_equal(now, pool);
    OK(cudaMemPoolDestroy(pool)); /* then the device has its own again */
    OK(cudaDeviceGetMemPool(&now, 0));
    assert_ptr_equal(now, usual);
    FAILS(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, pool));
    FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
    FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(usual));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetMemPool(&now, 1));
    FAILS(cudaErrorInvalidDevice, cudaDeviceSetMemPool(1, usual));
    FAILS(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, NULL));
}

TEST(test_memory_outlives_its_pool)
{
    cudaMemPool_t pool;
    void *memory;
    int value = 7, back = 0;
    OK(cudaMemPoolCreate(&pool, &properties));
    OK(cudaMallocFromPoolAsync(&memory, sizeof value, pool, 0));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaMemcpy(memory, &value, sizeof value, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(&back, memory, sizeof back, cudaMemcpyDeviceToHost));
    assert_int_equal(back, 7);
    OK(cudaFreeAsync(memory, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&memory, 4, pool, 0));
}

TEST(test_access_to_pools)
{
    cudaMemPool_t pool;
    enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    struct cudaMemLocation here = {.type = cudaMemLocationTypeDevice, .id = 0}, there = here;
    struct cudaMemAccessDesc access = {.location = here, .flags = cudaMemAccessFlagsProtReadWrite};
    there.id = 1;
    OK(cudaMemPoolCreate(&pool, &properties));
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &here));
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    FAILS(cudaErrorInvalidDevice, cudaMemPoolGetAccess(&flags, pool, &there));
    OK(cudaMemPoolDestroy(pool));
    FAILS(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, &access, 1));
    FAILS(cudaErrorInvalidValue, cudaMemPoolTrimTo(pool, 0));
#if CUDART_VERSION >= 13000
    cudaMemPool_t usual, found;
    OK(cudaDeviceGetDefaultMemPool(&usual, 0));
    OK(cudaMemGetDefaultMemPool(&found, &here, cudaMemAllocationTypePinned));
    assert_ptr_equal(found, usual);
    OK(cudaMemGetMemPool(&found, &here, cudaMemAllocationTypePinned));
    assert_ptr_equal(found, usual);
    FAILS(cudaErrorNotSupported, cudaMemGetMemPool(&found, &there, cudaMemAllocationTypePinned));
    FAILS(cudaErrorNotSupported, cudaMemSetMemPool(&there, cudaMemAllocationTypePinned, usual));
    FAILS(cudaErrorInvalidValue, cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
#endif
}

/* ---- managed memory ------------------------------------------------------------------------------------ */

TEST(test_advice)
{
    void *memory;
    OK(cudaMallocManaged(&memory, 4096, cudaMemAttachGlobal));
#if CUDART_VERSION >= 13000
    struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice, .id = 0};
    OK(cudaMemAdvise(memory, 4096, cudaMemAdviseSetReadMostly, device));
    OK(cudaMemAdvise(memory, 4096, cudaMemAdviseSetAccessedBy, device));
    FAILS(cudaErrorInvalidValue, cudaMemAdvise(memory, 4096, (enum cudaMemoryAdvise)77, device));
    device.id = 1;
    FAILS(cudaErrorInvalidDevice, cudaMemAdvise(memory, 4096, cudaMemAdviseSetAccessedBy, device));
#else
    OK(cudaMemAdvise(memory, 4096, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemAdvise(memory, 4096, cudaMemAdviseSetAccessedBy, 0));
    FAILS(cudaErrorInvalidValue, cudaMemAdvise(memory, 4096, (enum cudaMemoryAdvise)77, 0));
    FAILS(cudaErrorInvalidDevice, cudaMemAdvise(memory, 4096, cudaMemAdviseSetAccessedBy, 1));
#endif
    OK(cudaStreamAttachMemAsync(0, memory, 0, cudaMemAttachSingle));
    OK(cudaFree(memory));
}

/* ---- streams ------------------------------------------------------------------------------------------- */

TEST(test_what_a_stream_says_of_itself)
{
    cudaStream_t stream, other;
    cudaStreamAttrValue value = {.priority = -9};
    int priority = 1;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
#if CUDART_VERSION >= 12000
    unsigned long long id = 0, other_id = 0;
    OK(cudaStreamGetId(stream, &id));
    OK(cudaStreamGetId(other, &other_id));
    assert_int_not_equal(id, other_id);
    FAILS(cudaErrorInvalidValue, cudaStreamGetId(stream, NULL));
#endif
    /* Beyond the most urgent priority there is none. */
    OK(cudaStreamSetAttribute(stream, cudaLaunchAttributePriority, &value));
    OK(cudaStreamGetPriority(stream, &priority));
    assert_int_equal(priority, -5);
    value.priority = 3;
    OK(cudaStreamSetAttribute(other, cudaLaunchAttributePriority, &value));
    OK(cudaStreamGetPriority(other, &priority));
    assert_int_equal(priority, 0);
    OK(cudaStreamCopyAttributes(other, stream));
    memset(&value, 0, sizeof value);
    OK(cudaStreamGetAttribute(other, cudaLaunchAttributePriority, &value));
    assert_int_equal(value.priority, -5);
    FAILS(cudaErrorInvalidValue, cudaStreamSetAttribute(stream, cudaLaunchAttributePriority, NULL));
    FAILS(cudaErrorInvalidValue, cudaStreamGetAttribute(stream, cudaLaunchAttributeCooperative, &value));
    OK(cudaStreamDestroy(other));
    OK(cudaStreamDestroy(stream));
}

/* ---- copies -------------------------------------------------------------------------------------------- */

TEST(test_queued_copies_of_boxes)
{
    unsigned char host[3][5], back[3][5];
    void *device;
    size_t pitch;
    for (int i = 0; i < 15; i++)
        host[i / 5][i % 5] = (unsigned char)(i + 1);
    OK(cudaMallocPitch(&device, &pitch, 5, 3));
    OK(cudaMemset2DAsync(device, pitch, 0xCC, 5, 3, 0));
    OK(cudaMemcpy2DAsync(device, pitch, host, 5, 2, 2, cudaMemcpyHostToDevice, 0));
    OK(cudaMemcpy2DAsync(back, 5, device, pitch, 5, 3, cudaMemcpyDeviceToHost, 0));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 15; i++)
        assert_int_equal(back[i / 5][i % 5], i / 5 < 2 && i % 5 < 2 ? i + 1 : 0xCC);
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeerAsync(device, 0, device, 1, 1, 0));
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(device, 1, device, 0, 1));
    OK(cudaMemcpyPeerAsync((char *)device + pitch, 0, device, 0, 2, 0));
    OK(cudaMemcpy(back, (char *)device + pitch, 2, cudaMemcpyDeviceToHost));
    assert_int_equal(back[0][0], 1);
    assert_int_equal(back[0][1], 2);
    OK(cudaFree(device));
}

int main(void)
{
    sim_report_at_exit(false);
    return RUN_WITH(NULL, NULL);
}
