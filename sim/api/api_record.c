/* What is done with the device, for another process: api_record.h. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "sim/api/api_copy.h"
#include "sim/api/api_record.h"
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"
#include "sim/ptx/fatbin.h"
#include "sim/ptx/ptx.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM       ((size_t)256 << 10) /* that is written at once */
#define PAGE       4096u
#define WORD       8u
#define HOST_RANGE 8
#define THE_RECORD "a record of what is done with the device"

/* What the other process knows of memory of the host that kernels may touch. */
struct known {
    const char *start;
    size_t size;
    char *bytes;
};

static struct {
    int fd;       /* 0: nothing is recorded; -1: what is recorded waits for sim_record_to */
    bool decided; /* sim_record_to was called */
    uintptr_t base;
    unsigned char *waiting; /* `room` bytes, `used` of them filled */
    size_t room, used;
    bool quiet; /* what is copied to the device now, the other process has already */
    struct {
        uintptr_t first;
        size_t bytes;
    } range[HOST_RANGE]; /* memory of the host of which it has the contents */
    int ranges;
    struct known *known;
    int known_count;
} recorder;

/* ---- writing ------------------------------------------------------------------------------------------- */

static void write_all(const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0 && recorder.fd > 0) {
        const ssize_t done = write(recorder.fd, at, count);
        if (done <= 0 && errno != EINTR)
            recorder.fd = 0; /* who reads has ended, and says so to the grader */
        at += done > 0 ? done : 0;
        count -= done > 0 ? (size_t)done : 0;
    }
}

static void flush(void)
{
    if (recorder.fd < 0)
        return;
    write_all(recorder.waiting, recorder.used);
    recorder.used = 0;
}

static void put(const void *bytes, size_t count)
{
    if (count > recorder.room - recorder.used)
        flush();
    if (count > recorder.room - recorder.used) {
        recorder.room = recorder.used + 2 * count;
        recorder.waiting = sim_need_resized(recorder.waiting, recorder.room, 1, THE_RECORD);
    }
    memcpy(recorder.waiting + recorder.used, bytes, count);
    recorder.used += count;
}

static void put_head(struct record_head head)
{
    head.magic = RECORD_MAGIC;
    put(&head, sizeof head);
}

/* ---- beginning and marks -------------------------------------------------------------------------------- */

static int program_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1; /* the program itself comes first */
}

static uint64_t place_in_program(const void *address)
{
    return address ? (uint64_t)((uintptr_t)address - recorder.base) : 0;
}

static void begin(int fd)
{
    recorder.room = ROOM;
    recorder.waiting = sim_need(ROOM, 1, THE_RECORD);
    dl_iterate_phdr(program_base, &recorder.base);
    recorder.fd = fd;
    put_head(
        (struct record_head){.kind = RECORD_PROGRAM, .a = recorder.base, .b = api.sim->memory->device_base});
}

/* For programs that do not define it. A variable would not do: gcc takes its value for known although it is weak. */
__attribute__((weak)) bool sim_record_comes(void)
{
    return false;
}

/* Copies that a kernel queued are a part of its launch. */
static bool records(void)
{
    if (sim_record_comes() && !recorder.decided && recorder.fd == 0 && api.sim)
        begin(-1);
    return recorder.fd != 0 && api.sim && !api_runs_children();
}

void sim_record_to(int fd)
{
    sim_current();
    recorder.decided = true;
    if (fd > 0 && recorder.fd == 0)
        begin(fd);
    recorder.fd = fd;
    recorder.quiet = true;
}

bool sim_is_recorded(void)
{
    return recorder.fd > 0;
}

void sim_record_host(const void *address, size_t bytes)
{
    if (recorder.ranges == HOST_RANGE || bytes == 0)
        return;
    recorder.range[recorder.ranges].first = (uintptr_t)address;
    recorder.range[recorder.ranges++].bytes = bytes;
}

void sim_record_mark(const struct sim_mark *mark)
{
    api_lock();
    recorder.quiet = mark->kind != SIM_MARK_BUFFERS;
    if (recorder.quiet)
        recorder.ranges = 0;
    api_record_bytes(RECORD_MARK, mark->kind, mark->number, mark->address, sizeof mark->address);
    if (records())
        flush();
    api_unlock();
}

/* ---- records ------------------------------------------------------------------------------------------- */

void api_record(enum record_kind kind, uint64_t a, uint64_t b, uint64_t c)
{
    if (records())
        put_head((struct record_head){.kind = kind, .a = a, .b = b, .c = c});
}

void api_record_made(enum record_kind kind, uint64_t a, uint64_t b, const struct api_call *call)
{
    if (records())
        put_head((struct record_head){.kind = kind,
                                      .a = a,
                                      .b = b,
                                      .caller = place_in_program(call->caller),
                                      .outer = place_in_program(call->outer)});
}

void api_record_bytes(enum record_kind kind, uint64_t a, uint64_t b, const void *bytes, size_t count)
{
    if (!records() || count > RECORD_MOST)
        return;
    put_head((struct record_head){.kind = kind, .a = a, .b = b, .bytes = (uint32_t)count});
    put(bytes, count);
}

void api_record_load(const void *image)
{
    const void *container = fatbin_linked_parts(image) ? NULL : fatbin_container(image);
    api_record(RECORD_LOAD, place_in_program(container), 0, 0);
}

/* ---- copies -------------------------------------------------------------------------------------------- */

void api_record_write(uint64_t address, const void *bytes, size_t count)
{
    for (size_t done = 0, piece; done < count; done += piece) {
        piece = count - done < RECORD_MOST ? count - done : RECORD_MOST;
        api_record_bytes(RECORD_WRITE, address + done, 0, (const char *)bytes + done, piece);
    }
}

static bool is_known_range(uintptr_t first, size_t bytes)
{
    for (int i = 0; i < recorder.ranges; i++)
        if (first >= recorder.range[i].first && bytes <= recorder.range[i].bytes &&
            first - recorder.range[i].first <= recorder.range[i].bytes - bytes)
            return true;
    return false;
}

static void record_to_device(uint64_t address, const void *bytes, size_t width)
{
    if (is_known_range((uintptr_t)bytes, width))
        api_record(RECORD_WRITE_FROM, address, (uint64_t)(uintptr_t)bytes, width);
    else if (api_repeats(width))
        api_record_bytes(RECORD_REPEAT, address, width, bytes, API_REPEATED);
    else
        api_record_write(address, bytes, width);
}

void api_record_row(const struct api_place *to, size_t to_offset, const struct api_place *from,
                    size_t from_offset, size_t width)
{
    if (!records() || recorder.quiet)
        return;
    if (to->on_device && from->on_device)
        api_record(RECORD_MOVE, to->address + to_offset, from->address + from_offset, width);
    else if (to->on_device)
        record_to_device(to->address + to_offset, from->bytes + from_offset, width);
    else if (from->on_device)
        api_record(RECORD_READ, to->address + to_offset, from->address + from_offset, width);
}

void api_record_copied(unsigned copy)
{
    if (!recorder.quiet)
        api_record(RECORD_COPIED, copy, 0, 0);
}

/* ---- launches ------------------------------------------------------------------------------------------ */

static struct known *know(const struct api_host_block *block)
{
    for (int i = 0; i < recorder.known_count; i++)
        if (recorder.known[i].start == block->start && recorder.known[i].size == block->size)
            return &recorder.known[i];
    recorder.known = sim_need_resized(recorder.known, (size_t)recorder.known_count + 1,
                                      sizeof *recorder.known, "what kernels see of the host's memory");
    struct known *known = &recorder.known[recorder.known_count++];
    *known = (struct known){block->start, block->size,
                            sim_need(block->size, 1, "what kernels see of the host's memory")};
    return known;
}

/* As adopted memory is at first: zero. */
void api_record_adopt(const void *start, size_t size, const void *caller)
{
    for (int i = 0; i < recorder.known_count; i++)
        if (recorder.known[i].start == start) {
            free(recorder.known[i].bytes);
            recorder.known[i--] = recorder.known[--recorder.known_count];
        }
    if (records())
        put_head((struct record_head){.kind = RECORD_ADOPT,
                                      .a = (uint64_t)(uintptr_t)start,
                                      .b = size,
                                      .caller = place_in_program(caller)});
}

/* What the host has written there since the last launch, in whole pages. */
static void record_block(const struct api_host_block *block)
{
    struct known *known = know(block);
    const uint64_t address = block->device ? block->device : (uint64_t)(uintptr_t)block->start;
    for (size_t at = 0, piece; at < block->size; at += piece) {
        piece = block->size - at < PAGE ? block->size - at : PAGE;
        if (memcmp(known->bytes + at, block->start + at, piece) != 0)
            api_record_write(address + at, block->start + at, piece);
    }
    memcpy(known->bytes, block->start, block->size);
}

static size_t argument_bytes(const struct ptx_func *function)
{
    size_t bytes = 0;
    for (int i = 0; i < function->param_count; i++)
        bytes += function->params[i].var.size;
    return bytes;
}

void api_record_launch(const struct api_work *work)
{
    if (!records())
        return;
    for (int i = 0; i < api.blocks.count; i++)
        record_block(&api.blocks.list[i]);
    const struct sim_launch *launch = &work->launch;
    const struct ptx_func *function = sim_kernel_function(launch->kernel);
    const struct sim_config *config = sim_config(api.sim);
    const struct record_launch record = {
        .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .block = {launch->block.x, launch->block.y, launch->block.z},
        .dynamic_shared = launch->dynamic_shared,
        .printf_limit = config->printf_limit,
        .heap_limit = config->heap_limit,
        .stack_limit = config->stack_limit,

        .cooperative = launch->cooperative,
        .cluster = launch->cluster.x | launch->cluster.y << 8 | launch->cluster.z << 16,
        .name_bytes = (uint32_t)strlen(function->name) + 1,
        .argument_bytes = (uint32_t)argument_bytes(function),
    };
    put_head((struct record_head){
        .kind = RECORD_LAUNCH,
        .bytes = (uint32_t)sizeof record + record.name_bytes + record.argument_bytes,
        .caller = place_in_program(work->caller),
    });
    put(&record, sizeof record);
    put(function->name, record.name_bytes);
    for (int i = 0; i < function->param_count; i++)
        put(launch->args[i], function->params[i].var.size);
    flush(); /* so that both run it at the same time */
}

/* What kernels have stored there is with the host now. */
static void change_read(const struct known *known, char *start)
{
    for (size_t at = 0; sim_config(api.sim)->changed_read > 0 && at + WORD <= known->size; at += WORD)
        if (memcmp(known->bytes + at, start + at, WORD) != 0)
            api_change_read((unsigned char *)start + at, WORD);
}

void api_record_launched(void)
{
    for (int i = 0; i < api.blocks.count && records(); i++) {
        struct known *known = know(&api.blocks.list[i]);
        change_read(known, (char *)api.blocks.list[i].start);
        memcpy(known->bytes, known->start, known->size);
    }
}

void sim_record_name(sim_addr address, const char *name)
{
    api_lock();
    api_record_bytes(RECORD_NAME, address, 0, name, strlen(name) + 1);
    api_unlock();
}
