/*
 * The runtime API in kernels, as far as it goes with launches from kernels: parameter buffers and launches,
 * streams and events of the device, errors, cudaMalloc. Source: CUDA C++ Programming Guide, "CUDA Dynamic
 * Parallelism"; cuda_device_runtime_api.h.
 */
#include "sim/core/address_space.h"
#include "sim/machine/device_launch.h"
#include "sim/machine/exec_builtin.h"
#include "sim/memory/allocations.h"
#include "sim/ptx/ptx.h"

/* Of enum cudaError and the special streams of driver_types.h, which sim/exec*.c does not include. */
enum {
    ERROR_INVALID_VALUE = 1,
    ERROR_MEMORY_ALLOCATION = 2,
    ERROR_INVALID_CONFIGURATION = 9,
    ERROR_MAX_DEPTH_EXCEEDED = 65,
    ERROR_INVALID_DEVICE_FUNCTION = 98,
};
enum { STREAM_TAIL_LAUNCH = 3 };

struct device_call {
    const char *name;
    enum step (*run)(struct warp *warp, const struct micro *op, unsigned lane);
};

static struct device_launches *launches_of(struct warp *warp)
{
    return warp->block->view.sim->device_launches;
}

/* The call's result: an error is remembered for cudaGetLastError. */
static enum step give_error(struct warp *warp, const struct micro *op, unsigned lane, int error)
{
    if (error)
        launches_of(warp)->last_error = error;
    exec_set_result(warp, op->detail, lane, (uint64_t)error);
    return STEP_NEXT;
}

/* Writes `size` bytes of the value to where argument `index` points, like a store of the thread. */
static enum step give_through(struct warp *warp, const struct micro *op, unsigned lane, int index,
                              uint64_t value, int size)
{
    const struct memory_detail store = {.space = PTX_GENERIC, .element_size = size, .count = 1};
    struct lane_access out;
    out.address[lane] = exec_argument(warp, op->detail, lane, index);
    if (!exec_resolve(warp, op, 1u << lane, ACCESS_STORE, &store, &out))
        return STEP_FAULT;
    memcpy(out.host[lane], &value, (size_t)size);
    return give_error(warp, op, lane, 0);
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static const struct ptx_func *kernel_at(const struct warp *warp, uint64_t address)
{
    const struct ptx_module *module = warp->block->view.kernel->func->module;
    uint64_t index = address - FUNCTION_ADDRESS_BASE;
    if (index >= (uint64_t)module->func_count || !module->funcs[index]->is_entry)
        return NULL;
    return module->funcs[index];
}

static bool fits(const struct sim_dim3 *grid, const struct sim_dim3 *block)
{
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    return grid->x && grid->y && grid->z && grid->x <= 2147483647u && grid->y <= 65535 && grid->z <= 65535 &&
           threads && threads <= 1024 && block->x <= 1024 && block->y <= 1024 && block->z <= 64;
}

/* cudaGetParameterBufferV2(kernel, grid, block, bytes of shared memory): NULL where it cannot be launched. */
static enum step get_buffer(struct warp *warp, const struct micro *op, unsigned lane)
{
    const struct call_detail *call = op->detail;
    struct device_launch launch = {.kernel = kernel_at(warp, exec_argument(warp, call, lane, 0))};
    struct device_launches *launches = launches_of(warp);
    sim_addr buffer = 0;
    exec_argument_bytes(warp, call, lane, 1, &launch.grid, sizeof launch.grid);
    exec_argument_bytes(warp, call, lane, 2, &launch.block, sizeof launch.block);
    launch.dynamic_shared = exec_argument(warp, call, lane, 3);
    if (!launch.kernel)
        launches->last_error = ERROR_INVALID_DEVICE_FUNCTION;
    else if (!fits(&launch.grid, &launch.block))
        launches->last_error = ERROR_INVALID_CONFIGURATION;
    else if (launches->depth + 1 >= DEVICE_LAUNCH_DEPTH)
        launches->last_error = ERROR_MAX_DEPTH_EXCEEDED;
    else if (!(buffer = device_launch_buffer(warp->block->view.sim, &launch)))
        launches->last_error = ERROR_MEMORY_ALLOCATION;
    exec_set_result(warp, call, lane, buffer);
    return STEP_NEXT;
}

/* cudaLaunchDeviceV2(buffer, stream) */
static enum step launch_device(struct warp *warp, const struct micro *op, unsigned lane)
{
    const struct call_detail *call = op->detail;
    bool is_tail = exec_argument(warp, call, lane, 1) == STREAM_TAIL_LAUNCH;
    bool launched = device_launch_commit(warp->block->view.sim, exec_argument(warp, call, lane, 0), is_tail);
    return give_error(warp, op, lane, launched ? 0 : ERROR_INVALID_VALUE);
}

/* cudaMemcpyAsync(to, from, size, kind, stream) */
static enum step copy_async(struct warp *warp, const struct micro *op, unsigned lane)
{
    const struct call_detail *call = op->detail;
    struct device_launch copy = {.to = exec_argument(warp, call, lane, 0),
                                 .from = exec_argument(warp, call, lane, 1),
                                 .size = exec_argument(warp, call, lane, 2),
                                 .is_tail = exec_argument(warp, call, lane, 4) == STREAM_TAIL_LAUNCH};
    bool good = copy.from && device_launch_copy(warp->block->view.sim, &copy);
    return give_error(warp, op, lane, good ? 0 : ERROR_INVALID_VALUE);
}

/* cudaMemsetAsync(to, value, size, stream) */
static enum step fill_async(struct warp *warp, const struct micro *op, unsigned lane)
{
    const struct call_detail *call = op->detail;
    struct device_launch fill = {.to = exec_argument(warp, call, lane, 0),
                                 .value = (int)exec_argument(warp, call, lane, 1),
                                 .size = exec_argument(warp, call, lane, 2),
                                 .is_tail = exec_argument(warp, call, lane, 3) == STREAM_TAIL_LAUNCH};
    bool good = device_launch_copy(warp->block->view.sim, &fill);
    return give_error(warp, op, lane, good ? 0 : ERROR_INVALID_VALUE);
}

/* ---- errors -------------------------------------------------------------------------------------------- */

static enum step peek_error(struct warp *warp, const struct micro *op, unsigned lane)
{
    exec_set_result(warp, op->detail, lane, (uint64_t)launches_of(warp)->last_error);
    return STEP_NEXT;
}

static enum step get_error(struct warp *warp, const struct micro *op, unsigned lane)
{
    peek_error(warp, op, lane);
    launches_of(warp)->last_error = 0;
    return STEP_NEXT;
}

#define ERROR_TEXT_BYTES 128

static const struct {
    int code;
    const char *text[2]; /* cudaGetErrorName, cudaGetErrorString */
} error_texts[] = {
#define ERROR_CODE(number, name, text) {number, {#name, text}},
#include "sim/core/cuda_errors.def"
#undef ERROR_CODE
    {-1, {"unrecognized error code", "unrecognized error code"}},
};
#define ERROR_TEXTS (sizeof error_texts / sizeof error_texts[0])

/* The texts lie in device memory, names and strings in turn; 0: no memory. */
static sim_addr device_texts(struct sim *sim)
{
    const size_t size = ERROR_TEXTS * 2 * ERROR_TEXT_BYTES;
    struct device_launches *launches = sim->device_launches;
    if (launches->texts && sim_mem_host(sim, launches->texts, size))
        return launches->texts;
    launches->texts = sim_mem_alloc(sim, size, NULL);
    char *bytes = launches->texts ? sim_mem_host(sim, launches->texts, size) : NULL;
    if (!bytes)
        return 0;
    memset(bytes, 0, size);
    for (size_t i = 0; i < 2 * ERROR_TEXTS; i++)
        strncpy(bytes + i * ERROR_TEXT_BYTES, error_texts[i / 2].text[i % 2], ERROR_TEXT_BYTES - 1);
    sim_mem_name(sim, launches->texts, "texts of errors");
    sim_mem_mark_written(sim, launches->texts, size);
    return launches->texts;
}

static enum step give_text(struct warp *warp, const struct micro *op, unsigned lane, size_t which)
{
    int code = (int)exec_argument(warp, op->detail, lane, 0);
    size_t i = 0;
    while (i + 1 < ERROR_TEXTS && error_texts[i].code != code)
        i++;
    sim_addr texts = device_texts(warp->block->view.sim);
    exec_set_result(warp, op->detail, lane, texts ? texts + (2 * i + which) * ERROR_TEXT_BYTES : 0);
    return STEP_NEXT;
}

static enum step get_error_name(struct warp *warp, const struct micro *op, unsigned lane)
{
    return give_text(warp, op, lane, 0);
}

static enum step get_error_string(struct warp *warp, const struct micro *op, unsigned lane)
{
    return give_text(warp, op, lane, 1);
}

/* ---- streams, events, devices: grids run one after the other in any case ------------------------------- */

static enum step succeed(struct warp *warp, const struct micro *op, unsigned lane)
{
    return give_error(warp, op, lane, 0);
}

/* A handle that is none of the special streams'. */
static enum step create_handle(struct warp *warp, const struct micro *op, unsigned lane)
{
    return give_through(warp, op, lane, 0, 0x100, 8);
}

static enum step get_device(struct warp *warp, const struct micro *op, unsigned lane)
{
    return give_through(warp, op, lane, 0, 0, 4);
}

static enum step get_device_count(struct warp *warp, const struct micro *op, unsigned lane)
{
    return give_through(warp, op, lane, 0, 1, 4);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static enum step device_malloc(struct warp *warp, const struct micro *op, unsigned lane)
{
    struct sim *sim = warp->block->view.sim;
    sim_addr address = sim_mem_alloc(sim, exec_argument(warp, op->detail, lane, 1), NULL);
    if (!address)
        return give_error(warp, op, lane, ERROR_MEMORY_ALLOCATION);
    exec_made_at(warp, op, address);
    return give_through(warp, op, lane, 0, address, 8);
}

static enum step device_free(struct warp *warp, const struct micro *op, unsigned lane)
{
    uint64_t address = exec_argument(warp, op->detail, lane, 0);
    bool freed = !address || sim_mem_free(warp->block->view.sim, address);
    return give_error(warp, op, lane, freed ? 0 : ERROR_INVALID_VALUE);
}

/* As nvcc calls them since CUDA 12 with __cudaCDP2 in front, before that with cuda. */
static const struct device_call device_calls[] = {
    {"GetParameterBufferV2", get_buffer},
    {"LaunchDeviceV2", launch_device},
    {"LaunchDeviceV2_ptsz", launch_device},
    {"MemcpyAsync", copy_async},
    {"MemcpyAsync_ptsz", copy_async},
    {"MemsetAsync", fill_async},
    {"MemsetAsync_ptsz", fill_async},
    {"GetLastError", get_error},
    {"PeekAtLastError", peek_error},
    {"GetErrorName", get_error_name},
    {"GetErrorString", get_error_string},
    {"StreamCreateWithFlags", create_handle},
    {"StreamDestroy", succeed},
    {"StreamWaitEvent", succeed},
    {"StreamWaitEvent_ptsz", succeed},
    {"EventCreateWithFlags", create_handle},
    {"EventRecord", succeed},
    {"EventRecord_ptsz", succeed},
    {"EventDestroy", succeed},
    {"GetDevice", get_device},
    {"GetDeviceCount", get_device_count},
    {"Malloc", device_malloc},
    {"Free", device_free},
};

const struct device_call *device_call_find(const char *name)
{
    static const char *const prefixes[] = {"__cudaCDP2", "cuda"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0) {
            name += length;
            break;
        }
    }
    for (size_t i = 0; i < sizeof device_calls / sizeof device_calls[0]; i++)
        if (strcmp(device_calls[i].name, name) == 0)
            return &device_calls[i];
    return NULL;
}

enum step exec_device_call(struct warp *warp, const struct micro *op, unsigned lane)
{
    const struct call_detail *call = op->detail;
    return call->device_call->run(warp, op, lane);
}
