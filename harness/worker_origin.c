/* Of the worker on the simulator: where elements of its buffers came from, in the protocol's terms. */
#include "harness/worker_origin.h"

#include <stdio.h>
#include <string.h>

#include "sim/device/sim.h"
#include "sim/origin/origin.h"

/* Of the recording; a case's takes a few MB. */
#define RECORDING_BYTES ((size_t)1 << 30)

/* Of bytes that were copied to the host, whose origin is searched. */
#define COPIED_MAX ((size_t)1 << 20)

void origin_begin(struct sim *sim, const struct protocol_request *request)
{
    if (request->origin_count > 0)
        sim_origin_start(sim, RECORDING_BYTES);
}

static struct protocol_place place(const struct sim_origin_place *from)
{
    struct protocol_place to = {.line = from->line};
    snprintf(to.file, sizeof to.file, "%s", from->file);
    return to;
}

static struct protocol_thread thread(const struct sim_origin_thread *from)
{
    return (struct protocol_thread){.launch = from->launch,
                                    .block = {from->block.x, from->block.y, from->block.z},
                                    .thread = {from->thread.x, from->thread.y, from->thread.z}};
}

/* The call's buffer in which the address lies, or -1. */
static int buffer_at(const struct protocol_request *request, const struct protocol_mailbox *mailbox,
                     uint64_t address)
{
    for (uint32_t i = 0; i < request->buffer_count; i++)
        if (!request->buffer[i].on_host && address - mailbox->buffer_address[i] < request->buffer[i].bytes)
            return (int)i;
    return -1;
}

static struct protocol_source source(const struct protocol_request *request,
                                     const struct protocol_mailbox *mailbox,
                                     const struct sim_origin_leaf *leaf)
{
    struct protocol_source to = {
        .kind = leaf->kind,
        .buffer = leaf->kind == SIM_ORIGIN_MEMORY ? buffer_at(request, mailbox, leaf->address) : -1,
        .offset = (int64_t)leaf->address,
        .count = 1,
        .bits = leaf->bits,
        .size = (uint32_t)leaf->size,
        .times = leaf->times,
        .index_uses = leaf->index_uses,
        .runs = leaf->runs,
        .place = place(&leaf->place),
        .thread = thread(&leaf->thread),
    };
    if (to.buffer >= 0)
        to.offset -= (int64_t)mailbox->buffer_address[to.buffer];
    return to;
}

/* Whether `next` goes on with the row of elements that `row` is. */
static bool goes_on(const struct protocol_source *row, const struct protocol_source *next)
{
    int64_t distance = next->offset - (row->offset + (int64_t)(row->count - 1) * row->distance);
    return row->kind == SIM_ORIGIN_MEMORY && next->kind == SIM_ORIGIN_MEMORY && row->buffer >= 0 &&
           row->buffer == next->buffer && row->size == next->size && row->times == next->times &&
           row->index_uses == next->index_uses && row->place.line == next->place.line &&
           (row->count == 1 || row->distance == distance);
}

static void put_sources(const struct protocol_request *request, const struct protocol_mailbox *mailbox,
                        const struct sim_origin *from, struct protocol_origin *to)
{
    struct protocol_source row = {0};
    for (int i = 0; i <= from->leaf_count; i++) {
        struct protocol_source next = {0};
        if (i < from->leaf_count)
            next = source(request, mailbox, &from->leaves[i]);
        if (i > 0 && i < from->leaf_count && goes_on(&row, &next)) {
            row.distance = next.offset - (row.offset + (int64_t)(row.count - 1) * row.distance);
            row.count++;
            continue;
        }
        if (i > 0 && to->source_count++ < PROTOCOL_MAX_SOURCES)
            to->source[to->source_count - 1] = row;
        row = next;
    }
}

static void put_origin(const struct protocol_request *request, const struct protocol_mailbox *mailbox,
                       const struct sim_origin *from, struct protocol_origin *to)
{
    to->known = 1;
    to->incomplete = from->incomplete;
    to->store_count = from->store_count;
    for (uint64_t i = 0; i < from->store_count && i < PROTOCOL_MAX_STORES; i++)
        to->store[i] = (struct protocol_store){
            .place = place(&from->store[i].place),
            .thread = thread(&from->store[i].thread),
            .is_atomic = from->store[i].is_atomic,
            .has_value = from->store[i].has_value,
            .index_uses = from->store[i].index_uses,
            .bits = from->store[i].bits,
        };
    put_sources(request, mailbox, from, to);
    for (int i = 0; i < from->step_count && i < PROTOCOL_MAX_STEPS; i++) {
        to->step[i].note = from->steps[i].note;
        to->step[i].place = place(&from->steps[i].place);
        to->step_count++;
    }
    for (int i = 0; i < from->path_count && i < PROTOCOL_MAX_PATH; i++, to->path_count++)
        to->path[i] = place(&from->path[i]);
}

static void put_launches(struct sim *sim, struct protocol_mailbox *mailbox)
{
    struct sim_origin_launch launch = {0};
    mailbox->launch_count = (uint32_t)sim_origin_launches(sim, -1, &launch);
    for (int i = 0; i < (int)mailbox->launch_count && i < PROTOCOL_MAX_LAUNCHES; i++) {
        struct protocol_launch *to = &mailbox->launch[i];
        sim_origin_launches(sim, i, &launch);
        snprintf(to->kernel, sizeof to->kernel, "%s", launch.kernel);
        to->place = place(&launch.place);
        to->grid[0] = launch.grid.x, to->grid[1] = launch.grid.y, to->grid[2] = launch.grid.z;
        to->block[0] = launch.block.x, to->block[1] = launch.block.y, to->block[2] = launch.block.z;
    }
}

static void answer(struct sim *sim, const struct protocol_request *request,
                   const struct protocol_mailbox *mailbox, const struct protocol_element *element,
                   struct protocol_origin *to)
{
    struct sim_origin origin;
    struct sim_origin_place copied;
    sim_addr address = 0;
    size_t size = element->size;
    if (element->buffer != PROTOCOL_COPIED_BACK) {
        address = mailbox->buffer_address[element->buffer] + element->offset;
    } else {
        if (!sim_origin_copied_back(sim, &address, &size, &copied))
            return;
        to->copied = place(&copied);
    }
    if (size > COPIED_MAX || !sim_origin_find(sim, address, size, &origin))
        return;
    put_origin(request, mailbox, &origin, to);
    sim_origin_free(&origin);
}

void origin_collect(struct sim *sim, const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    if (request->origin_count == 0)
        return;
    for (uint32_t i = 0; i < request->origin_count; i++)
        answer(sim, request, mailbox, &request->origin[i], &mailbox->origin[i]);
    put_launches(sim, mailbox);
    sim_origin_stop(sim);
}
