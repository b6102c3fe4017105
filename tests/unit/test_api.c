/* The runtime API without a kernel: memory, copies, errors, streams, events and device queries. */
#define _GNU_SOURCE /* siginfo_t */
#include <signal.h>
#include <dlfcn.h>
#include <ucontext.h>
#include "api_calls.h"
#include "sim/api/api_call.h"
#include "sim/api/api_pages.h"
#include "sim/device/sim.h"

/* ---- error codes --------------------------------------------------------------------------------------- */

TEST(test_error_texts)
{
    assert_string_equal(cudaGetErrorName(cudaErrorInvalidConfiguration), "cudaErrorInvalidConfiguration");
    assert_string_equal(cudaGetErrorString(cudaErrorInvalidConfiguration), "invalid configuration argument");
    assert_string_equal(cudaGetErrorString(cudaErrorIllegalAddress),
                        "an illegal memory access was encountered");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
}

/* Word for word what NVIDIA's library says, where there is one. CUDA 12 reworded one text of 11.8. */
TEST(test_error_texts_equal_the_real_ones)
{
    void *library = dlopen("libcudart.so", RTLD_NOW | RTLD_LOCAL);
    const char *(*real_name)(int), *(*real_text)(int);

    if (library == NULL)
        skip();
    *(void **)&real_name = dlsym(library, "cudaGetErrorName");
    *(void **)&real_text = dlsym(library, "cudaGetErrorString");
    for (int code = 0; code <= 10000; code++) {
        if (strcmp(real_name(code), "unrecognized error code") == 0 || code == cudaErrorInvalidNormSetting)
            continue;
        assert_string_equal(cudaGetErrorName((cudaError_t)code), real_name(code));
        assert_string_equal(cudaGetErrorString((cudaError_t)code), real_text(code));
    }
}

TEST(test_last_error)
{
    void *pointer;

    assert_int_equal(cudaGetLastError(), cudaSuccess);
    assert_int_equal(cudaSetDevice(7), cudaErrorInvalidDevice);
    OK(cudaMalloc(&pointer, 4)); /* a success does not hide an earlier failure */
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaSuccess);
    OK(cudaFree(pointer));
}

/* ---- memory -------------------------------------------------------------------------------------------- */

TEST(test_malloc_and_free)
{
    void *a, *b;

    OK(cudaMalloc(&a, 1000));
    OK(cudaMalloc(&b, 1));
    assert_int_equal((uintptr_t)a % 256, 0);
    assert_ptr_not_equal(a, b);
    FAILS(cudaErrorInvalidValue, cudaFree((char *)a + 16));
    OK(cudaFree(a));
    FAILS(cudaErrorInvalidValue, cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(NULL));
    OK(cudaMalloc(&a, 0));
    assert_null(a);
    FAILS(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
    FAILS(cudaErrorInvalidValue, cudaFree(&a)); /* a host address */
}

TEST(test_out_of_memory)
{
    void *a;
    size_t free_bytes, total, less;

    FAILS(cudaErrorMemoryAllocation, cudaMalloc(&a, (size_t)1 << 50));
    OK(cudaMemGetInfo(&free_bytes, &total));
    assert_true(free_bytes <= total && total >= (size_t)10 << 30);
    OK(cudaMalloc(&a, 1 << 20));
    OK(cudaMemGetInfo(&less, &total));
    assert_true(free_bytes - less >= 1 << 20);
    OK(cudaFree(a));
    OK(cudaMemGetInfo(&less, &total));
    assert_int_equal(less, free_bytes);
}

TEST(test_bad_copies)
{
    char host[64] = {0};
    void *a;

    OK(cudaMalloc(&a, 64));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(a, host, 65, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy((char *)a + 60, host, 8, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(host, a, 65, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(host, a, 64, cudaMemcpyHostToDevice)); /* swapped */
    FAILS(cudaErrorInvalidValue, cudaMemcpy(a, host, 64, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(a, host, 64, cudaMemcpyDeviceToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(a, NULL, 64, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, host, 64, (enum cudaMemcpyKind)17));
    FAILS(cudaErrorInvalidValue, cudaMemset(host, 0, 64));
    FAILS(cudaErrorInvalidValue, cudaMemset(a, 0, 65));
    OK(cudaMemcpy(a, NULL, 0, cudaMemcpyHostToDevice)); /* nothing to do */
    OK(cudaFree(a));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(a, host, 64, cudaMemcpyHostToDevice)); /* freed */
    FAILS(cudaErrorInvalidValue, cudaMemset(a, 0, 1));
}

TEST(test_bad_pitched_copies)
{
    unsigned char host[5][7] = {{0}};
    void *a;
    size_t pitch;

    OK(cudaMallocPitch(&a, &pitch, 7, 5));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(a, pitch, host, 6, 7, 5, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpy2D(a, pitch, host, 7, 7, 6, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemset2D(a, pitch, 0, 7, (size_t)1 << 60));
    OK(cudaFree(a));
}

TEST(test_host_memory)
{
    int *pinned, *managed, *device;
    static int mine[64];
    struct cudaPointerAttributes attributes;
    unsigned flags;

    OK(cudaMallocHost((void **)&pinned, 256));
    OK(cudaMallocManaged((void **)&managed, 256, cudaMemAttachGlobal));
    OK(cudaMalloc((void **)&device, 256));
    pinned[63] = managed[63] = 7; /* the host reads and writes both */
    OK(cudaMemcpy(device, pinned, 256, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(managed, device, 256, cudaMemcpyDeviceToDevice));
    assert_int_equal(managed[63], 7);
    OK(cudaMemset(managed, 0, 256));
    assert_int_equal(managed[63], 0);
    FAILS(cudaErrorInvalidValue, cudaMemcpy(device, pinned + 32, 256, cudaMemcpyHostToDevice));
    OK(cudaPointerGetAttributes(&attributes, managed + 3));
    assert_int_equal(attributes.type, cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&attributes, pinned));
    assert_int_equal(attributes.type, cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&attributes, device + 1));
    assert_int_equal(attributes.type, cudaMemoryTypeDevice);
    OK(cudaPointerGetAttributes(&attributes, mine));
    assert_int_equal(attributes.type, cudaMemoryTypeUnregistered);
    OK(cudaHostRegister(mine, sizeof(mine), cudaHostRegisterDefault));
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(mine, 4, cudaHostRegisterDefault));
    OK(cudaHostGetFlags(&flags, mine));
    OK(cudaHostUnregister(mine));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(mine));
    FAILS(cudaErrorInvalidValue, cudaFree(pinned));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(managed));
    OK(cudaFreeHost(pinned));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(pinned));
    OK(cudaFree(managed));
    OK(cudaFree(device));
}

/* Where launches are only sampled, large copies and fills repeat a part of what they should move. */
TEST(test_large_copies_of_samples_repeat_a_part)
{
    const size_t size = 64 << 20, part = 1 << 20;
    unsigned char *host = malloc(size), *device = NULL, *view;

    assert_non_null(host);
    for (size_t i = 0; i < size; i++)
        host[i] = (unsigned char)(i >> 12);
    OK(cudaMalloc((void **)&device, size));
    view = sim_mem_host(sim_current(), (uintptr_t)device, size);
    sim_config(sim_current())->sample_work = 1;
    OK(cudaMemcpy(device, host, size, cudaMemcpyHostToDevice));
    assert_int_equal(view[4096 * 5], 5);
    assert_int_equal(view[part + 4096 * 5], 5);
    assert_int_equal(view[size - 1], 255);
    memset(host, 1, size);
    OK(cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost));
    assert_int_equal(host[4096 * 5], 5);
    assert_int_equal(host[part], 1);
    OK(cudaMemset(device, 7, size));
    OK(cudaDeviceSynchronize());
    assert_true(view[0] == 7 && view[size / 2] == 7 && view[size - 1] == 7);
    sim_config(sim_current())->sample_work = 0;
    OK(cudaMemset(device, 8, size));
    memset(host, 9, size);
    OK(cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost));
    assert_true(host[0] == 8 && host[part] == 8 && host[size - 1] == 8);
    OK(cudaFree(device));
    free(host);
}

/* ---- streams and events -------------------------------------------------------------------------------- */

TEST(test_events_measure_modeled_time)
{
    const size_t size = 64 << 20;
    void *a = NULL, *b = NULL;
    cudaEvent_t start, end, untimed, never;
    float milliseconds;
    double wanted = 1e3 * sim_model_copy_seconds(sim_config(sim_current())->profile, 2.0 * size);

    OK(cudaMalloc(&a, size));
    OK(cudaMalloc(&b, size));
    OK(cudaMemset(a, 1, size));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaEventCreate(&never));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(start, NULL));
    OK(cudaMemcpyAsync(b, a, size, cudaMemcpyDeviceToDevice, NULL));
    OK(cudaEventRecord(end, NULL));
    OK(cudaEventRecord(untimed, NULL));
    FAILS(cudaErrorNotReady, cudaEventElapsedTime(&milliseconds, start, end));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    assert_true(milliseconds > wanted && milliseconds < 1.3 * wanted);
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, untimed));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, start, never));
    OK(cudaEventDestroy(never));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(never, NULL));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(untimed));
    OK(cudaFree(a));
    OK(cudaFree(b));
}

TEST(test_a_polling_loop_ends)
{
    void *a;
    cudaEvent_t done;
    cudaStream_t stream;
    int polls = 0;

    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&done));
    OK(cudaEventQuery(done)); /* never recorded: nothing to wait for */
    OK(cudaMalloc(&a, 1 << 20));
    OK(cudaMemsetAsync(a, 0, 1 << 20, stream));
    OK(cudaEventRecord(done, stream));
    while (cudaEventQuery(done) == cudaErrorNotReady)
        polls++;
    assert_int_equal(polls, 1);
    assert_int_equal(cudaGetLastError(), cudaErrorNotReady);
    OK(cudaStreamQuery(stream));
    FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, NULL, NULL));
    OK(cudaStreamDestroy(stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaMemsetAsync(a, 0, 1, stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    OK(cudaEventDestroy(done));
    OK(cudaFree(a));
}

/* Copies in two directions on two streams overlap; on one stream they do not. */
static float both_ways(cudaStream_t there, cudaStream_t back)
{
    static char host[1 << 20];
    void *a = NULL, *b = NULL;
    cudaEvent_t start, end;
    float milliseconds = 0;

    OK(cudaMalloc(&a, sizeof(host)));
    OK(cudaMalloc(&b, sizeof(host)));
    OK(cudaMemset(b, 0, sizeof(host)));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(start, NULL));
    OK(cudaMemcpyAsync(a, host, sizeof(host), cudaMemcpyHostToDevice, there));
    OK(cudaMemcpyAsync(host, b, sizeof(host), cudaMemcpyDeviceToHost, back));
    OK(cudaEventRecord(end, NULL)); /* the legacy stream waits for both */
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&milliseconds, start, end));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    OK(cudaFree(a));
    OK(cudaFree(b));
    return milliseconds;
}

TEST(test_streams_overlap)
{
    cudaStream_t one, two;
    float apart, together;

    OK(cudaStreamCreate(&one));
    OK(cudaStreamCreate(&two));
    together = both_ways(one, one);
    apart = both_ways(one, two);
    assert_true(apart < 0.6 * together);
    OK(cudaStreamDestroy(one));
    OK(cudaStreamDestroy(two));
}

/* ---- the device ---------------------------------------------------------------------------------------- */

TEST(test_device_queries)
{
    struct cudaDeviceProp p;
    int value, count;
    const struct sim_profile *profile = sim_config(sim_current())->profile;

    OK(cudaGetDeviceCount(&count));
    assert_int_equal(count, 1);
    OK(cudaGetDeviceProperties(&p, 0));
    assert_string_equal(p.name, profile->name);
    assert_int_equal(p.major, profile->cc_major);
    assert_int_equal(p.multiProcessorCount, profile->sm_count);
    assert_int_equal(p.warpSize, 32);
    assert_int_equal(p.maxThreadsDim[2], 64);
    assert_int_equal(p.maxGridSize[1], 65535);
    assert_int_equal(p.sharedMemPerBlockOptin, profile->shared_per_block_optin);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    assert_int_equal(value, profile->shared_per_block_optin);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0));
    assert_int_equal(value, 1);
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)9999, 0));
    FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 1));
    FAILS(cudaErrorInvalidDevice, cudaSetDevice(1));
    OK(cudaRuntimeGetVersion(&value));
    assert_int_equal(value, CUDART_VERSION);
}

TEST(test_unknown_symbols_and_kernels)
{
    static int no_symbol;
    struct cudaFuncAttributes attributes;
    void *address;
    int blocks = 0;
    dim3 one = {1, 1, 1};

    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&no_symbol, &blocks, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, &no_symbol));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyToSymbol(&no_symbol, &blocks, 4, 0, cudaMemcpyDeviceToHost));
    FAILS(API_NO_KERNEL, cudaFuncGetAttributes(&attributes, &no_symbol));
    FAILS(API_NO_KERNEL, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &no_symbol, 32, 0));
    FAILS(API_NO_KERNEL, cudaLaunchKernel(&no_symbol, one, one, NULL, 0, NULL));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(NULL, one, one, NULL, 0, NULL));
}

TEST(test_unsupported_calls_say_so)
{
    FAILS(cudaErrorNotSupported, cudaFreeMipmappedArray(NULL));
}

TEST(test_device_reset)
{
    void *a;
    int *managed;

    OK(cudaMalloc(&a, 4));
    OK(cudaMallocManaged((void **)&managed, 4, cudaMemAttachGlobal));
    OK(cudaDeviceReset());
    FAILS(cudaErrorInvalidValue, cudaMemset(a, 0, 4));
    OK(cudaMalloc(&a, 4));
    OK(cudaMemset(a, 0, 4));
    OK(cudaFree(a));
}

/* A host that waits for a word in shared memory can fault again and again while another thread opens the page. */
TEST(test_a_fault_on_an_open_page_is_tried_again)
{
    char *host;
    ucontext_t context;
    memset(&context, 0, sizeof context);
    OK(cudaHostAlloc((void **)&host, 4096, cudaHostAllocMapped));
    siginfo_t info = {.si_addr = host + 128};
    for (int i = 0; i < 100; i++)
        assert_true(api_pages_fault(&info, &context));
    int more = 0;
    while (more < 100000 && api_pages_fault(&info, &context))
        more++;
    assert_true(more < 100000); /* not for ever */
    info.si_addr = &info;
    assert_false(api_pages_fault(&info, &context)); /* nor anywhere else */
    OK(cudaFreeHost(host));
}

int main(void)
{
    sim_report_at_exit(false);
    return RUN_WITH(NULL, NULL);
}
