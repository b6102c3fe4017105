/*
 * A CUDA runtime whose device is the host: enough for the harness. FAKE_GPU=none: there is none.
 * And the backend of the fake simulator, if compiled with -DFAKE_SIM.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"
#include "harness/worker/backend.h"

int fake_launch_error, fake_execution_error, fake_hazards;

static double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    const char *gpu = getenv("FAKE_GPU");
    *count = gpu && strcmp(gpu, "none") == 0 ? 0 : 1;
    return *count ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    (void)device;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "Fake GPU");
    properties->l2CacheSize = 1 << 18;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *address)
{
    (void)attributes;
    (void)address;
    return cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)attribute;
    (void)device;
    *value = 4;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                          size_t shared)
{
    (void)kernel;
    (void)threads;
    (void)shared;
    *blocks = 2;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    *pointer = malloc(size);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *pointer)
{
    free(pointer);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
    (void)kind;
    memcpy(to, from, size);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(to, from, size, kind);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

cudaError_t cudaMemset(void *to, int byte, size_t size)
{
    memset(to, byte, size);
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = (cudaError_t)fake_launch_error;
    fake_launch_error = 0;
    return error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    fake_finish();
    return (cudaError_t)fake_execution_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error == cudaErrorInvalidConfiguration ? "cudaErrorInvalidConfiguration"
           : error == cudaErrorIllegalAddress     ? "cudaErrorIllegalAddress"
           : error == cudaErrorMemoryAllocation   ? "cudaErrorMemoryAllocation"
                                                  : "cudaErrorOther";
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorNoDevice ? "no CUDA-capable device is detected" : "the fake runtime says so";
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    double *time = malloc(sizeof *time);
    *event = (cudaEvent_t)time;
    return time ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    *(double *)event = clock_ms();
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *context)
{
    (void)stream;
    function(context);
    return cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags)
{
    (void)pointer, (void)size, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    *milliseconds = (float)(*(double *)end - *(double *)begin);
    return cudaSuccess;
}

#ifndef FAKE_SIM
unsigned __real___cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                            struct CUstream_st *stream);
unsigned __real___cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                            struct CUstream_st *stream)
{
    (void)grid, (void)block, (void)shared, (void)stream;
    return 0;
}
#endif

#ifdef FAKE_SIM
bool backend_take_program(const char *path)
{
    (void)path;
    return false;
}

void backend_take_copy(uint32_t copy)
{
    (void)copy;
}

void backend_load(void)
{
}

void backend_note_launches(void)
{
}

void backend_seen_launches(struct protocol_mailbox *mailbox)
{
    (void)mailbox;
}

static bool fake_is_slow_model; /* one whose memory is a tenth of an H100's */

bool backend_open(const char *model, char *text, size_t size)
{
    fake_is_slow_model = strcmp(model, "h100") != 0;
    if (strcmp(model, "h100") == 0)
        snprintf(text, size, "Fake simulated GPU");
    else
        snprintf(text, size, "Fake simulated %s", model);
    return true;
}

void backend_share_lines(void *memory, size_t bytes)
{
    (void)memory, (void)bytes;
}

void backend_share(void *memory, size_t memory_bytes, size_t bytes)
{
    (void)memory, (void)memory_bytes, (void)bytes;
}

void backend_record(int fd)
{
    (void)fd;
}

void backend_buffers(const struct protocol_request *request, const struct worker_set *set)
{
    (void)request, (void)set;
}

void backend_name(void *device, const char *name)
{
    (void)device, (void)name;
}

void backend_poison(void *device, int byte, size_t size)
{
    memset(device, byte, size);
}

bool backend_repeat(void *device, size_t size, const void *pattern, size_t period)
{
    for (size_t i = 0; i < size; i++)
        ((char *)device)[i] = ((const char *)pattern)[i % period];
    return true;
}

void backend_begin(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    (void)request, (void)mailbox;
    fake_hazards = 0;
}

bool backend_watches(const void *siginfo, void *context)
{
    (void)siginfo, (void)context;
    return false;
}

void backend_launch(struct protocol_mailbox *mailbox)
{
    mailbox->grid_blocks = 10;
    mailbox->blocks_per_sm = 2;
    mailbox->sm_count = 4;
}

static double modeled_seconds(const char *task)
{
    const char *mode = fake_mode();
    if (strcmp(mode, "modeled_slow") == 0 || strcmp(mode, "large_fails_slow") == 0)
        return 1e-3;
    if (strcmp(mode, "unsure_then_slow") == 0)
        return strcmp(task, "copy") == 0 ? 2.2e-6 : 1e-3;
    if (strcmp(mode, "modeled_unsure") == 0)
        return 2.2e-6;
    if (strcmp(mode, "modeled_nothing") == 0)
        return 0;
    if (strcmp(mode, "modeled_impossible") == 0)
        return 1e-7;
    return fake_is_slow_model ? 4e-6 : 1e-6;
}

void backend_collect(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    backend_launch(mailbox);
    mailbox->hazard_count = (uint32_t)fake_hazards;
    for (int i = 0; i < fake_hazards && i < PROTOCOL_MAX_HAZARDS; i++) {
        snprintf(mailbox->hazard[i].name, sizeof mailbox->hazard[i].name, "race in shared memory");
        snprintf(mailbox->hazard[i].message, sizeof mailbox->hazard[i].message,
                 "fake.cu:12: a race, number %d", i);
        snprintf(mailbox->hazard[i].here.file, sizeof mailbox->hazard[i].here.file, "fake.cu");
        mailbox->hazard[i].here.line = 12;
        snprintf(mailbox->hazard[i].there.file, sizeof mailbox->hazard[i].there.file, "fake.cu");
        mailbox->hazard[i].there.line = 15;
        mailbox->hazard[i].count = 3;
    }
    mailbox->counters.launches = 1;
    /* A case, in which hazards are looked for, loads all that there is. */
    mailbox->counters.load_requests = strcmp(fake_mode(), "no_loads") == 0 && !request->hazards ? 0 : 1000;
    mailbox->counters.load_sectors =
        mailbox->counters.load_requests * (strcmp(fake_mode(), "strided") == 0 ? 32 : 4);
    mailbox->counters.load_sectors_ideal = 4000;
    mailbox->model_seconds = modeled_seconds(request->task);
    mailbox->model_bytes = strcmp(fake_mode(), "modeled_half") == 0 ? 1 << 18 : 1e9;
    mailbox->stored_share = 1;
    mailbox->model_error = strcmp(fake_mode(), "sample_unsure") == 0 ? 0.8 : 0;
    mailbox->unlike_error = strcmp(fake_mode(), "blocks_unlike") == 0 ? 0.8 : 0;
    mailbox->sampled_blocks = request->kind == PROTOCOL_MODEL ? 5 : 0;
    snprintf(mailbox->limiter, sizeof mailbox->limiter, "DRAM bandwidth");
}

bool backend_is_device(const void *address, bool may_ask)
{
    (void)may_ask;
    return address == fake_device_address();
}
#endif
