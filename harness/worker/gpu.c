/*
 * The worker on a real GPU. What only a simulator can see stays empty.
 *
 * Launches of the student's file come through here (the linker's --wrap), so that the report can say how many
 * blocks they had and how many of these an SM holds.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/worker/backend.h"
#include "sim/device/sim.h"
#include "sim/text/launch_words.h"
#include "sim/text/line_memory.h"
#include "sim/text/source_line.h"

#define WORTH_SHARING (16u << 20) /* bytes of one call */

/* ---- launches ------------------------------------------------------------------------------------------ */

static struct {
    const void *kernel;
    struct dim3 grid, block;
    size_t shared;
} last_launch;

/* Of the launches since backend_begin, the first one that was refused. */
static struct {
    const void *caller; /* the line of <<<...>>> that was reached last */
    const void *refused_at;
    char refused[400]; /* why, in words; "": none was */
} launches;

unsigned __real___cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                            struct CUstream_st *stream);
unsigned __wrap___cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                            struct CUstream_st *stream);
unsigned __wrap___cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                            struct CUstream_st *stream)
{
    launches.caller = __builtin_return_address(0);
    return __real___cudaPushCallConfiguration(grid, block, shared, stream);
}

/* Keeps why a launch was refused because of its sizes. */
static cudaError_t keep_launch(struct dim3 grid, struct dim3 block, const void *caller, cudaError_t error)
{
    const uint32_t blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
    int most = 1024, device = 0;
    if (error == cudaSuccess || launches.refused[0])
        return error;
    if (cudaGetDevice(&device) == cudaSuccess)
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
    if (launch_words(blocks, threads, most, launches.refused, sizeof launches.refused))
        launches.refused_at = launches.caller ? launches.caller : caller;
    return error;
}

static void note_launch(const void *kernel, struct dim3 grid, struct dim3 block, size_t shared)
{
    last_launch.kernel = kernel;
    last_launch.grid = grid;
    last_launch.block = block;
    last_launch.shared = shared;
}

/* One for each way that a launch can be compiled into; toolkits before 12 lack the second. */
#define WRAP(name)                                                                                           \
    cudaError_t __real_##name(const void *kernel, struct dim3 grid, struct dim3 block, void **args,          \
                              size_t shared, cudaStream_t stream) __attribute__((weak));                     \
    cudaError_t __wrap_##name(const void *kernel, struct dim3 grid, struct dim3 block, void **args,          \
                              size_t shared, cudaStream_t stream);                                           \
    cudaError_t __wrap_##name(const void *kernel, struct dim3 grid, struct dim3 block, void **args,          \
                              size_t shared, cudaStream_t stream)                                            \
    {                                                                                                        \
        note_launch(kernel, grid, block, shared);                                                            \
        const cudaError_t error = __real_##name(kernel, grid, block, args, shared, stream);                  \
        return keep_launch(grid, block, __builtin_return_address(0), error);                                 \
    }
WRAP(cudaLaunchKernel)
WRAP(__cudaLaunchKernel)
WRAP(cudaLaunchCooperativeKernel)

/* ---- the backend --------------------------------------------------------------------------------------- */

static cudaError_t find_device(struct cudaDeviceProp *properties)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(properties, 0);
    return error;
}

bool backend_open(const char *model, char *text, size_t size)
{
    (void)model;
    struct cudaDeviceProp properties;
    cudaError_t error = find_device(&properties);
    if (error == cudaSuccess)
        error = cudaFree(NULL); /* creates the context, which may take seconds */
    snprintf(text, size, "%s", error == cudaSuccess ? properties.name : cudaGetErrorString(error));
    return error == cudaSuccess;
}

void backend_share_lines(void *memory, size_t bytes)
{
    line_memory_use(memory, bytes);
}

/* Pages that stay where they are: then the GPU copies them by itself, several times as fast. It takes a while itself.
   If it is refused, copies go another way. */
void backend_share(void *memory, size_t memory_bytes, size_t bytes)
{
    static bool shared;
    if (shared || bytes < WORTH_SHARING)
        return;
    shared = true;
    if (cudaHostRegister(memory, memory_bytes, cudaHostRegisterDefault) != cudaSuccess)
        cudaGetLastError();
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
    (void)device;
    (void)name;
}

void backend_poison(void *device, int byte, size_t size)
{
    cudaMemset(device, byte, size);
}

bool backend_repeat(void *device, size_t size, const void *pattern, size_t period)
{
    for (size_t done = 0; done < size; done += period)
        if (cudaMemcpy((char *)device + done, pattern, size - done < period ? size - done : period,
                       cudaMemcpyHostToDevice) != cudaSuccess)
            return false;
    return true;
}

void backend_begin(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    (void)mailbox;
    (void)request;
    memset(&launches, 0, sizeof launches);
}

static void put_refused(struct protocol_mailbox *mailbox)
{
    struct protocol_remark *to = &mailbox->remark[0];
    char place[sizeof to->place.file];
    char *colon;
    to->kind = SIM_REMARK_FAILED;
    snprintf(to->text, sizeof to->text, "launch: %s", launches.refused);
    if (source_line(launches.refused_at, place, sizeof place) && (colon = strrchr(place, ':')) != NULL) {
        to->place.line = atoi(colon + 1);
        *colon = '\0';
        snprintf(to->place.file, sizeof to->place.file, "%s", place);
    }
    mailbox->remark_count = 1;
}

void backend_collect(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    (void)request;
    if (launches.refused[0])
        put_refused(mailbox);
}

/* Of the last launch; nothing where it cannot be told. */
void backend_launch(struct protocol_mailbox *mailbox)
{
    const struct dim3 grid = last_launch.grid, block = last_launch.block;
    int fit = 0, sm_count = 0, device = 0;
    if (!last_launch.kernel || cudaGetDevice(&device) != cudaSuccess)
        return;
    if (cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, last_launch.kernel,
                                                      (int)(block.x * block.y * block.z),
                                                      last_launch.shared) == cudaSuccess) {
        mailbox->grid_blocks = (uint64_t)grid.x * grid.y * grid.z;
        mailbox->blocks_per_sm = (uint32_t)fit;
        mailbox->sm_count = (uint32_t)sm_count;
    }
    cudaGetLastError(); /* a refused question is not the student's error */
}

bool backend_is_device(const void *address, bool may_ask)
{
    struct cudaPointerAttributes attributes;
    return may_ask && cudaPointerGetAttributes(&attributes, address) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
}

bool backend_watches(const void *siginfo, void *context)
{
    (void)siginfo, (void)context;
    return false;
}

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
