/* The other end of api_record.h: a device that does what another process says. Nothing that comes from there is believed. */
#include "sim/api/api_copy.h"
#include "sim/api/api_follow.h"
#include "sim/api/api_launch.h"
#include "sim/api/api_record.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"
#include "sim/device/module.h"
#include "sim/memory/texture.h"
#include "sim/text/plain_name.h"
#include "sim/text/source_line.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOST_RANGES 8

struct sim_follower {
    int fd, answered_fd;
    struct api_program program;
    struct {
        uint64_t address;
        const char *memory;
        size_t bytes;
    } host[HOST_RANGES];
    int host_count;
    struct record_head head; /* of the record that is followed, … */
    char *bytes;             /* … and what is behind it: RECORD_MOST and a zero fit */
    double copied;           /* bytes since the last RECORD_COPIED */
    char *message;
};

__attribute__((format(printf, 2, 3))) static bool wrong(const struct sim_follower *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->message, 256, format, arguments);
    va_end(arguments);
    return false;
}

/* Nothing comes any more: the program has answered, and nothing of what it wrote is left. */
static bool is_late(const struct sim_follower *f)
{
    struct pollfd watched[2] = {{.fd = f->fd, .events = POLLIN}, {.fd = f->answered_fd, .events = POLLIN}};
    while (poll(watched, 2, -1) < 0 && errno == EINTR)
        ;
    return watched[0].revents == 0 && watched[1].revents != 0 && poll(watched, 1, 0) == 0;
}

static bool read_all(const struct sim_follower *f, void *to, size_t count)
{
    for (size_t done = 0; done < count;) {
        if (is_late(f))
            return wrong(f, "the program answered before it had told of its call");
        const ssize_t got = read(f->fd, (char *)to + done, count - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return wrong(f, "the program ended before its call did");
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Where lines of the program are looked up: see source_line_of. */
static const void *caller_of(uint64_t address)
{
    return address > 0 && address < SOURCE_LINE_MOST ? (const void *)(uintptr_t)(SOURCE_LINE_BASE + address)
                                                     : NULL;
}

static char *device_bytes(const struct sim_follower *f, uint64_t address, size_t count)
{
    char *bytes = sim_mem_host(api.sim, address, count);
    if (!bytes)
        wrong(f, "%zu bytes at 0x%llx are not device memory", count, (unsigned long long)address);
    return bytes;
}

/* ---- modules and memory -------------------------------------------------------------------------------- */

/* A new module's kernels can be launched by their names, which stay when it is unloaded. */
static void register_kernels(struct api_module *module)
{
    const struct ptx_module *ptx = module->module->ptx;
    for (int i = 0; i < ptx->func_count; i++) {
        if (!ptx->funcs[i]->is_entry)
            continue;
        const size_t size = strlen(ptx->funcs[i]->name) + 1;
        char *name = sim_need(size, 1, "the name of a kernel");
        memcpy(name, ptx->funcs[i]->name, size);
        __cudaRegisterFunction((void **)module, name, NULL, name, 0, NULL, NULL, NULL, NULL, NULL);
    }
}

/* It may have been loaded before, and unloaded; NULL: it was not. */
static struct api_module *module_of(const void *container)
{
    struct api_module *module = api.modules.list;
    while (module && module->image != container)
        module = module->next;
    return module;
}

static bool follow_load(struct sim_follower *f)
{
    const void *container = api_program_container(&f->program, f->head.a);
    if (!container)
        return wrong(f, "there is no code for the device at 0x%llx of the program",
                     (unsigned long long)f->head.a);
    struct api_module *module = module_of(container);
    const bool is_new = !module;
    if (is_new)
        module = (struct api_module *)__cudaRegisterFatBinary((void *)(uintptr_t)container);
    if (api_load_module("the program", module) != cudaSuccess)
        return wrong(f, "the code for the device cannot be loaded");
    if (is_new)
        register_kernels(module);
    return true;
}

static bool follow_allocate(const struct sim_follower *f)
{
    const sim_addr address = sim_mem_alloc(api.sim, f->head.b, caller_of(f->head.caller));
    sim_mem_called_from(api.sim, address, caller_of(f->head.outer));
    return (address != 0 && address == f->head.a) || wrong(f, "an allocation of another device");
}

static bool follow_free(const struct sim_follower *f)
{
    return sim_mem_free(api.sim, f->head.a) || wrong(f, "what was never allocated is freed");
}

static bool follow_adopt(const struct sim_follower *f)
{
    void *start = api_program_map(f->head.a, f->head.b);
    return (start && sim_mem_adopt(api.sim, start, f->head.b, caller_of(f->head.caller)) != 0) ||
           wrong(f, "memory of the host that cannot be shared");
}

static bool follow_name(const struct sim_follower *f)
{
    sim_mem_name(api.sim, f->head.a, f->bytes);
    return true;
}

/* ---- copies -------------------------------------------------------------------------------------------- */

static bool write_row(struct sim_follower *f, const char *from, size_t count)
{
    char *to = device_bytes(f, f->head.a, count);
    if (!to)
        return false;
    memcpy(to, from, count);
    sim_mem_mark_written(api.sim, f->head.a, count);
    f->copied += (double)count;
    return true;
}

static bool follow_write_from(struct sim_follower *f)
{
    const struct record_head *head = &f->head;
    for (int i = 0; i < f->host_count; i++)
        if (head->b >= f->host[i].address && head->c <= f->host[i].bytes &&
            head->b - f->host[i].address <= f->host[i].bytes - head->c)
            return write_row(f, f->host[i].memory + (head->b - f->host[i].address), head->c);
    return wrong(f, "a copy from memory of the host that is not known");
}

static bool follow_repeat(struct sim_follower *f)
{
    const struct record_head *head = &f->head;
    f->copied += (double)head->b;
    return (device_bytes(f, head->a, head->b) && head->bytes > 0 &&
            sim_mem_repeat(api.sim, head->a, head->b, f->bytes, head->bytes)) ||
           wrong(f, "a repeated copy to what is not device memory");
}

static bool follow_fill(struct sim_follower *f)
{
    const struct record_head *head = &f->head;
    struct api_place to = {.address = head->a, .size = head->b, .on_device = true};
    to.bytes = (unsigned char *)device_bytes(f, head->a, head->b);
    if (!to.bytes)
        return false;
    api_fill_row(&to, 0, (int)(head->c & 255), head->b);
    f->copied += (double)head->b;
    return true;
}

static bool follow_move(struct sim_follower *f)
{
    const struct record_head *head = &f->head;
    struct api_place to = {.address = head->a, .size = head->c, .on_device = true}, from = to;
    from.address = head->b;
    to.bytes = (unsigned char *)device_bytes(f, head->a, head->c);
    from.bytes = (unsigned char *)device_bytes(f, head->b, head->c);
    if (!to.bytes || !from.bytes)
        return false;
    api_copy_row(&to, 0, &from, 0, head->c);
    f->copied += (double)head->c;
    return true;
}

/* Into memory of the host that kernels may touch, if it is that. */
static bool follow_read(struct sim_follower *f)
{
    const struct record_head *head = &f->head;
    const char *from = device_bytes(f, head->b, head->c);
    if (!from)
        return false;
    char *to = sim_mem_is_device(api.sim, (const void *)(uintptr_t)head->a)
                   ? NULL
                   : sim_mem_host(api.sim, head->a, head->c);
    if (to)
        memmove(to, from, head->c);
    f->copied += (double)head->c;
    return true;
}

/* The program says what it was, and that it was one; how many bytes it was is known here. */
static void count_copied(struct sim_follower *f, uint64_t copy)
{
    struct CUstream_st *stream = api_find_stream(NULL);
    if (f->copied > 0 && (copy & RECORD_WAS_FILL))
        api_clock_fill(stream, f->copied);
    else if (f->copied > 0)
        api_clock_copy(stream, f->copied, (copy & RECORD_TO_DEVICE) != 0, (copy & RECORD_FROM_DEVICE) != 0);
    f->copied = 0;
}

/* ---- textures ------------------------------------------------------------------------------------------ */

static bool is_one_of(int number, int most)
{
    return number == 1 || (number == 2 && most >= 2) || (number == 4 && most >= 4);
}

static bool is_texture(const struct texture *t)
{
    bool fits = (unsigned)t->kind <= TEXTURE_3D && (unsigned)t->format <= TEXEL_FLOAT &&
                is_one_of(t->channels, 4) && is_one_of(t->channel_bytes, 4) && t->layers >= 0 &&
                t->layers < 1 << 16;
    for (int i = 0; i < 3; i++)
        fits =
            fits && t->size[i] > 0 && t->size[i] < INT64_C(1) << 40 && (unsigned)t->mode[i] <= TEXTURE_BORDER;
    return fits;
}

/* A bool is no byte that may have any value. */
static bool flag_at(const struct sim_follower *f, size_t offset)
{
    return f->bytes[offset] != 0;
}

static bool follow_texture(const struct sim_follower *f)
{
    struct texture texture;
    if (f->head.bytes != sizeof texture)
        return wrong(f, "a texture of another size");
#define FLAG(field) f->bytes[offsetof(struct texture, field)] = flag_at(f, offsetof(struct texture, field))
    FLAG(is_cube), FLAG(linear), FLAG(unit_coordinates), FLAG(unit_values), FLAG(colour_is_srgb),
        FLAG(is_surface);
#undef FLAG
    memcpy(&texture, f->bytes, sizeof texture);
    return (is_texture(&texture) && texture_create(api.sim, &texture) == f->head.a) ||
           wrong(f, "a texture that cannot be");
}

/* ---- launches ------------------------------------------------------------------------------------------ */

/* The arguments lie behind one another; each gets the place that the kernel's parameters have. */
static bool unpack(const struct sim_follower *f, const struct ptx_func *function, const char *packed,
                   size_t count, char *block, void **args)
{
    for (int i = 0; i < function->param_count; i++) {
        const struct ptx_param *parameter = &function->params[i];
        if (parameter->var.size > count)
            return wrong(f, "arguments that the kernel %.100s does not have", function->name);
        args[i] = block + parameter->offset;
        memcpy(args[i], packed, parameter->var.size);
        packed += parameter->var.size;
        count -= parameter->var.size;
    }
    return count == 0 || wrong(f, "arguments that the kernel %.100s does not have", function->name);
}

static bool launch(const struct sim_follower *f, const struct record_launch *record,
                   struct api_function *function, void **args)
{
    struct sim_launch launch = {function->kernel,
                                {record->grid[0], record->grid[1], record->grid[2]},
                                {record->block[0], record->block[1], record->block[2]},
                                record->dynamic_shared,
                                args,
                                record->cooperative != 0,
                                {record->cluster & 0xff, record->cluster >> 8 & 0xff, record->cluster >> 16}};
    const struct api_call call = {.name = "a launch"};
    struct sim_kernel_info info;
    struct sim_config *config = sim_config(api.sim);
    config->printf_limit = record->printf_limit;
    config->heap_limit = record->heap_limit;
    config->stack_limit = record->stack_limit < STACK_LIMIT_MAX ? record->stack_limit : STACK_LIMIT_MAX;
    sim_kernel_info(function->kernel, &info);
    /* What the program asked for may be another value by now than when it launched: the device's own limit holds. */
    function->large_clusters = true;
    function->max_dynamic_shared = (int)(config->profile->shared_per_block_optin - info.shared_static);
    if (api_check_launch(&call, function, &info, &launch) != cudaSuccess) {
        char name[128];
        plain_name(function->name, name, sizeof name);
        return wrong(f, "a launch of %.100s that no device accepts", name);
    }
    api_launch_made_by(caller_of(f->head.caller));
    api_run_launch(&launch, &info, api_find_stream(NULL));
    if (api.pending == cudaSuccess)
        return true;
    api.pending = cudaSuccess;
    return wrong(f, "%.240s", api.last.message);
}

static bool follow_launch(struct sim_follower *f)
{
    const struct api_call call = {.name = "a launch"};
    struct record_launch record;
    cudaError_t error;
    if (f->head.bytes < sizeof record)
        return wrong(f, "a launch that is cut off");
    memcpy(&record, f->bytes, sizeof record);
    const char *name = f->bytes + sizeof record;
    const size_t behind = f->head.bytes - sizeof record;
    if (record.name_bytes == 0 || record.name_bytes > behind || name[record.name_bytes - 1] != 0 ||
        record.argument_bytes != behind - record.name_bytes)
        return wrong(f, "a launch that is cut off");
    struct api_function *function = api_find_function_named(&call, name, &error);
    if (!function)
        return wrong(f, "there is no kernel %.100s", name);
    const struct ptx_func *of = sim_kernel_function(function->kernel);
    char *block = sim_need(of->param_size + 16, 1, "a kernel's arguments");
    void **args = sim_need((size_t)of->param_count + 1, sizeof *args, "a kernel's arguments");
    const bool ok = unpack(f, of, name + record.name_bytes, record.argument_bytes, block, args) &&
                    launch(f, &record, function, args);
    free(args);
    free(block);
    return ok;
}

/* ---- records ------------------------------------------------------------------------------------------- */

static bool follow_program(const struct sim_follower *f)
{
    return f->head.b == api.sim->memory->device_base ||
           wrong(f, "the device's memory begins at another address");
}

static bool follow(struct sim_follower *f)
{
    switch ((enum record_kind)f->head.kind) {
    case RECORD_PROGRAM: return follow_program(f);
    case RECORD_LOAD: return follow_load(f);
    case RECORD_UNLOAD: api_unload_modules(); return true;
    case RECORD_ALLOCATE: return follow_allocate(f);
    case RECORD_FREE: return follow_free(f);
    case RECORD_ADOPT: return follow_adopt(f);
    case RECORD_NAME: return follow_name(f);
    case RECORD_WRITE: return write_row(f, f->bytes, f->head.bytes);
    case RECORD_WRITE_FROM: return follow_write_from(f);
    case RECORD_FILL: return follow_fill(f);
    case RECORD_REPEAT: return follow_repeat(f);
    case RECORD_MOVE: return follow_move(f);
    case RECORD_READ: return follow_read(f);
    case RECORD_COPIED: count_copied(f, f->head.a); return true;
    case RECORD_TEXTURE: return follow_texture(f);
    case RECORD_NO_TEXTURE: return texture_destroy(api.sim, f->head.a) || wrong(f, "no such texture");
    case RECORD_LAUNCH: return follow_launch(f);
    case RECORD_MARK: return true;
    }
    return wrong(f, "a record of an unknown kind");
}

static bool take_mark(struct sim_follower *f, struct sim_mark *mark)
{
    if (f->head.bytes != sizeof mark->address || f->head.a < SIM_MARK_BEGIN || f->head.a > SIM_MARK_END)
        return wrong(f, "a mark that cannot be");
    mark->kind = (enum sim_mark_kind)f->head.a;
    mark->number = f->head.b;
    memcpy(mark->address, f->bytes, sizeof mark->address);
    count_copied(f, RECORD_TO_DEVICE);
    if (mark->kind != SIM_MARK_BUFFERS)
        f->host_count = 0;
    return true;
}

static bool next_record(struct sim_follower *f)
{
    if (!read_all(f, &f->head, sizeof f->head))
        return false;
    if (f->head.magic != RECORD_MAGIC || f->head.bytes > RECORD_MOST)
        return wrong(f, "what the program wrote is no record");
    f->bytes[f->head.bytes] = 0;
    return read_all(f, f->bytes, f->head.bytes);
}

bool sim_follow_to_mark(struct sim_follower *follower, struct sim_mark *mark, char message[256])
{
    follower->message = message;
    do {
        if (!next_record(follower))
            return false;
        api_lock();
        const bool ok = follow(follower);
        api_unlock();
        if (!ok)
            return false;
    } while (follower->head.kind != RECORD_MARK);
    return take_mark(follower, mark);
}

void sim_follow_host(struct sim_follower *follower, uint64_t address, const void *memory, size_t bytes)
{
    if (follower->host_count == HOST_RANGES || bytes == 0)
        return;
    follower->host[follower->host_count].address = address;
    follower->host[follower->host_count].memory = memory;
    follower->host[follower->host_count++].bytes = bytes;
}

struct sim_follower *sim_follow(int fd, int answered_fd, const char *program, char message[256])
{
    struct sim_follower *follower =
        sim_need(1, sizeof *follower, "what another process does with the device");
    follower->fd = fd;
    follower->answered_fd = answered_fd;
    follower->bytes = sim_need(RECORD_MOST + 1, 1, "what another process does with the device");
    if (!api_program_open(&follower->program, program, message)) {
        free(follower->bytes);
        free(follower);
        return NULL;
    }
    source_line_of(program);
    sim_current();
    return follower;
}
