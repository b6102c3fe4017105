/*
 * Work that nothing orders: two pieces of it must not touch the same bytes if one of them writes. Which bytes a piece
 * touches is found out only where there is other work that it is not in order with; so a program with one stream that
 * waits before it looks pays nothing.
 */
#include "sim/api/api_order.h"
#include "sim/api/api_pages.h"
#include "sim/api/api_state.h"
#include "sim/core/device.h"
#include "sim/hazard/watch.h"
#include "sim/memory/memory.h"
#include "sim/text/allocation_name.h"
#include "sim/text/plain_name.h"
#include "sim/text/source_line.h"

#include <stdlib.h>
#include <string.h>

/* ---- when ---------------------------------------------------------------------------------------------- */

static bool before(const struct api_work *a, const struct api_work *b)
{
    return clock_at(&b->clock, a->lane) >= a->number;
}

static bool unordered(const struct api_work *a, const struct api_work *b)
{
    return a != b && !before(a, b) && !before(b, a);
}

static bool any_unordered(const struct api_work *list, const struct api_work *work)
{
    for (; list; list = list->next)
        if (unordered(list, work))
            return true;
    return false;
}

bool api_order_wants(const struct api_work *work)
{
    const struct sim_config *config = sim_config(api.sim);
    if (!config->hazards || config->sample_work > 0)
        return false;
    if (api.queue.early || api_pages_wants(work))
        return true;
    return api.queue.lanes_live > 1 &&
           (any_unordered(api.queue.first, work) || any_unordered(api.queue.remembered, work));
}

/* ---- words --------------------------------------------------------------------------------------------- */

struct api_source api_source_of(const void *caller)
{
    struct api_sources *known = &api.sources;
    for (unsigned i = 0; caller && i < API_SOURCES; i++)
        if (known->list[i].caller == caller)
            return known->list[i].source;
    struct api_source source = {"", 0};
    char *colon;
    if (!caller)
        return source;
    if (source_line(caller, source.file, sizeof source.file) && (colon = strrchr(source.file, ':'))) {
        source.line = atoi(colon + 1);
        *colon = '\0';
    }
    known->list[known->next % API_SOURCES].caller = caller;
    known->list[known->next++ % API_SOURCES].source = source;
    return source;
}

struct api_source api_source_of_call(const struct api_call *call)
{
    const struct api_source source = api_source_of(call->caller);
    return source.line > 0 || !call->outer ? source : api_source_of(call->outer);
}

struct api_source api_source_of_work(const struct api_work *work)
{
    if (work->accessed_from)
        return api_source_of(work->accessed_from);
    const struct api_call call = {work->name, cudaSuccess, work->caller, work->outer, NULL};
    return api_source_of_call(&call);
}

static void describe_stream(const struct CUstream_st *stream, char *text, size_t size)
{
    if (stream == &api.streams.legacy)
        snprintf(text, size, "the default stream");
    else
        snprintf(text, size, "%sstream %llu", stream->blocking ? "" : "non-blocking ", stream->id - 2);
}

void api_describe_work(const struct api_work *work, const struct api_source *source, char *text, size_t size)
{
    char stream[64], name[100], where[80] = "";
    const bool is_kernel = work->kind == API_WORK_KERNEL;
    const char *call = work->accessed_from ? "a host function" : work->name;
    describe_stream(work->stream, stream, sizeof stream);
    plain_name(work->name, name, sizeof name);
    if (source->line > 0)
        snprintf(where, sizeof where, "%s:%d, ", source->file, source->line);
    snprintf(text, size, "%s%s (%s%sin %s)", is_kernel ? "the kernel " : "", is_kernel ? name : call,
             is_kernel && source->line > 0 ? "launched at " : "", where, stream);
}

void api_allocation_name(const struct sim_allocation *allocation, char *text, size_t size)
{
    const struct api_host_block *block = api_find_host_block((const void *)(uintptr_t)allocation->address);
    struct api_source source = {"", 0};
    allocation_name(api.sim->memory->places, allocation, text, size);
    if (block && block->outermost && strncmp(text, "the unnamed", 11) == 0)
        source = api_source_of(block->outermost);
    if (source.line > 0)
        snprintf(text, size, "the allocation of %s:%d", source.file, source.line);
}

void api_describe_bytes(uint64_t address, uint64_t bytes, char *text, size_t size)
{
    const struct sim_allocation *found = sim_mem_find(api.sim, address);
    char name[160];
    if (!found || address - found->address >= found->size) {
        snprintf(text, size, "%llu bytes at 0x%llx", (unsigned long long)bytes, (unsigned long long)address);
        return;
    }
    api_allocation_name(found, name, sizeof name);
    const uint64_t first = address - found->address;
    if (bytes == found->size)
        snprintf(text, size, "%s", name);
    else if (bytes == 1)
        snprintf(text, size, "byte %llu of %s", (unsigned long long)first, name);
    else
        snprintf(text, size, "bytes %llu to %llu of %s", (unsigned long long)first,
                 (unsigned long long)(first + bytes - 1), name);
}

struct sim_hazard_place api_place_of(const struct api_source *source, bool is_write)
{
    return (struct sim_hazard_place){.file = source->file, .line = source->line, .is_write = is_write};
}

static const char *advice(const struct api_work *earlier, const struct api_work *later)
{
    if (earlier->stream == later->stream)
        return "they are branches of a graph: make one depend on the other (cudaGraphAddDependencies; when a stream is "
               "captured, cudaEventRecord and cudaStreamWaitEvent)";
    return "record an event after the first (cudaEventRecord) and let the other stream wait for it "
           "(cudaStreamWaitEvent), or let the host wait in between (cudaStreamSynchronize)";
}

static void report(const struct api_work *earlier, const struct api_work *later,
                   const struct touched_conflict *conflict, bool earlier_writes, bool later_writes)
{
    const struct api_source there = api_source_of_work(earlier), here = api_source_of_work(later);
    char first[192], second[192];
    struct sim_hazard hazard = {.class = SIM_HAZARD_RACE_STREAM,
                                .kernel = later->kind == API_WORK_KERNEL ? later->name : earlier->name,
                                .here = api_place_of(&here, later_writes),
                                .there = api_place_of(&there, earlier_writes),
                                .address = conflict->address};
    api_describe_work(earlier, &there, first, sizeof first);
    api_describe_work(later, &here, second, sizeof second);
    api_describe_bytes(conflict->address, conflict->bytes, hazard.object, sizeof hazard.object);
    snprintf(hazard.message, sizeof hazard.message,
             "race between streams: %s %s %s, which %s %s; nothing orders the two: %s", first,
             earlier_writes ? "writes" : "reads", hazard.object, second, later_writes ? "writes" : "reads",
             advice(earlier, later));
    hazard_file(api.sim, &hazard);
}

void api_order_check(struct api_work *work)
{
    for (const struct api_work *other = api.queue.remembered; other; other = other->next) {
        struct touched_conflict conflict;
        if (!unordered(other, work) || !touched_meet(work->touched, other->touched, &conflict) ||
            touched_talk(work->touched, other->touched))
            continue;
        if (other->order < work->order)
            report(other, work, &conflict, conflict.there_writes, conflict.here_writes);
        else
            report(work, other, &conflict, conflict.here_writes, conflict.there_writes);
    }
}
