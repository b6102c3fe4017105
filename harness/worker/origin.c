/* Of the worker on the simulator: where elements of its buffers came from, in the protocol's terms. */
#include "harness/worker/origin_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/device/sim.h"

/* Of the recording; a case's takes a few MB. */
#define RECORDING_BYTES ((size_t)1 << 30)

/* Of bytes that were copied to the host, whose origin is searched. */
#define COPIED_MAX ((size_t)1 << 20)

static bool is_recorded(const struct protocol_request *request)
{
    return request->origin_count + request->question_count > 0 || request->trace[0].wanted ||
           request->trace[1].wanted;
}

void origin_begin(struct sim *sim, const struct protocol_request *request)
{
    if (is_recorded(request))
        sim_origin_start(sim, RECORDING_BYTES);
}

struct protocol_place origin_place_put(const struct sim_origin_place *from)
{
    struct protocol_place to = {
        .line = from->line, .call_line = from->call_line, .from_line = from->from_line};
    if (!from->file)
        return to;
    snprintf(to.file, sizeof to.file, "%s", from->file);
    return to;
}

struct protocol_thread origin_thread_put(const struct sim_origin_thread *from)
{
    return (struct protocol_thread){.launch = from->launch,
                                    .block = {from->block.x, from->block.y, from->block.z},
                                    .thread = {from->thread.x, from->thread.y, from->thread.z}};
}

struct protocol_lanes origin_lanes_put(const struct sim_origin_lanes *from)
{
    struct protocol_lanes to = {.known = 1,
                                .is_store = from->is_store,
                                .is_atomic = from->is_atomic,
                                .is_shared = from->is_shared,
                                .size = (uint32_t)from->size,
                                .lanes = from->lanes,
                                .cost = (uint32_t)from->cost,
                                .least = (uint32_t)from->least,
                                .first = {.launch = from->launch,
                                          .block = {from->block.x, from->block.y, from->block.z},
                                          .thread = {from->first_thread, 0, 0}}};
    memcpy(to.address, from->address, sizeof to.address);
    return to;
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

/* The place in the origin's table; the last one stands for places that are not known or find no room. */
static uint16_t place_number(struct protocol_origin *origin, const struct sim_origin_place *from)
{
    int i = 0;
    if (from->line <= 0)
        return PROTOCOL_MAX_PLACES - 1;
    for (; i < PROTOCOL_MAX_PLACES - 1 && origin->place[i].line > 0; i++)
        if (origin->place[i].line == from->line && origin->place[i].call_line == from->call_line &&
            origin->place[i].from_line == from->from_line &&
            strncmp(origin->place[i].file, from->file, sizeof origin->place[i].file - 1) == 0)
            return (uint16_t)i;
    if (i < PROTOCOL_MAX_PLACES - 1)
        origin->place[i] = origin_place_put(from);
    return (uint16_t)i;
}

static struct protocol_source source(const struct question *q, const struct sim_origin_leaf *leaf,
                                     struct protocol_origin *origin)
{
    struct protocol_source to = {
        .kind = leaf->kind,
        .buffer = leaf->kind == SIM_ORIGIN_MEMORY ? buffer_at(q->request, q->mailbox, leaf->address) : -1,
        .offset = (int64_t)leaf->address,
        .count = 1,
        .bits = leaf->bits,
        .size = (uint32_t)leaf->size,
        .times = leaf->times,
        .minus = leaf->minus,
        .index_times = leaf->index_times,
        .index_uses = leaf->index_uses,
        .runs = leaf->runs,
        .ways = leaf->ways,
        .place = place_number(origin, &leaf->place),
        .minus_place = place_number(origin, &leaf->minus_place),
        .crossed = place_number(origin, &leaf->crossed),
        .used = place_number(origin, &leaf->used),
        .second_place = place_number(origin, &leaf->second_place),
        .has_second = leaf->has_second,
        .thread = origin_thread_put(&leaf->thread),
        .second = origin_thread_put(&leaf->second),
    };
    snprintf(to.name, sizeof to.name, "%s", leaf->name);
    if (to.buffer >= 0)
        to.offset -= (int64_t)q->mailbox->buffer_address[to.buffer];
    return to;
}

/* Whether `next` goes on with the row of elements that `row` is. */
static bool goes_on(const struct protocol_source *row, const struct protocol_source *next, bool coarse)
{
    int64_t distance = next->offset - (row->offset + (int64_t)(row->count - 1) * row->distance);
    return row->kind == next->kind && (row->buffer >= 0 || row->kind == SIM_ORIGIN_CONSTANT) &&
           row->buffer == next->buffer && row->size == next->size && row->times == next->times &&
           row->minus == next->minus && row->index_times == next->index_times && row->ways == next->ways &&
           (coarse || (row->index_uses == next->index_uses && row->place == next->place &&
                       row->has_second == next->has_second)) &&
           (row->count == 1 || row->distance == distance);
}

/* `coarse`: elements of a row may be read by several lines. */
static void put_sources(const struct question *q, const struct sim_origin *from, bool coarse,
                        struct protocol_origin *to)
{
    struct protocol_source row = {0};
    bool open = false;
    for (int i = 0; i <= from->leaf_count; i++) {
        struct protocol_source next = {0};
        if (i < from->leaf_count && !from->leaves[i].times && !from->leaves[i].index_times)
            continue;
        if (i < from->leaf_count)
            next = source(q, &from->leaves[i], to);
        if (open && i < from->leaf_count && goes_on(&row, &next, coarse)) {
            row.mixed |= row.place != next.place;
            row.distance = next.offset - (row.offset + (int64_t)(row.count - 1) * row.distance);
            row.count++;
            continue;
        }
        if (open && to->source_count++ < PROTOCOL_MAX_SOURCES)
            to->source[to->source_count - 1] = row;
        row = next;
        open = true;
    }
}

static void put_store(const struct sim_origin_store *from, struct protocol_store *to)
{
    *to = (struct protocol_store){
        .place = origin_place_put(&from->place),
        .thread = origin_thread_put(&from->thread),
        .is_atomic = from->is_atomic,
        .goes_in = from->goes_in,
        .index_uses = from->index_uses,
        .runs = from->runs,
    };
    snprintf(to->instruction, sizeof to->instruction, "%s", from->instruction ? from->instruction : "");
}

static void put_fork(const struct sim_origin_fork *from, struct protocol_origin *to)
{
    to->fork_made = origin_place_put(&from->made);
    to->fork_itself = from->itself;
    to->fork_shuffled = from->shuffled;
    if (from->made.line == 0)
        return;
    to->fork_thread = origin_thread_put(&from->thread);
    for (int k = 0; k < 2; k++) {
        to->fork_use[k] = origin_place_put(&from->use[k]);
        to->fork_user[k] = origin_thread_put(&from->user[k]);
    }
    to->fork_join = origin_place_put(&from->join);
    to->fork_joiner = origin_thread_put(&from->joiner);
}

static void put_origin(const struct question *q, const struct sim_origin *from, struct protocol_origin *to)
{
    to->known = 1;
    to->incomplete = from->incomplete;
    to->store_count = from->store_count;
    const uint64_t kept =
        from->store_count < SIM_ORIGIN_STORES ? from->store_count : (uint64_t)SIM_ORIGIN_STORES;
    for (uint64_t i = 0; i < kept && i < PROTOCOL_MAX_STORES; i++)
        put_store(&from->store[i < PROTOCOL_MAX_STORES - 1 ? i : kept - 1], &to->store[i]);
    put_sources(q, from, false, to);
    if (to->source_count > PROTOCOL_MAX_SOURCES) {
        to->source_count = 0;
        put_sources(q, from, true, to);
    }
    for (int i = 0; i < from->step_count && i < PROTOCOL_MAX_STEPS; i++) {
        to->step[i].note = from->steps[i].note;
        to->step[i].place = origin_place_put(&from->steps[i].place);
        to->step_count++;
    }
    for (int i = 0; i < from->path_count && i < PROTOCOL_MAX_PATH; i++, to->path_count++)
        to->path[i] = origin_place_put(&from->path[i]);
    put_fork(&from->fork, to);
    to->computed = origin_place_put(&from->computed);
}

static void put_launches(struct sim *sim, struct protocol_mailbox *mailbox)
{
    struct sim_origin_launch launch = {0};
    mailbox->launch_count = (uint32_t)sim_origin_launches(sim, -1, &launch);
    for (int i = 0; i < (int)mailbox->launch_count && i < PROTOCOL_MAX_LAUNCHES; i++) {
        struct protocol_launch *to = &mailbox->launch[i];
        sim_origin_launches(sim, i, &launch);
        snprintf(to->kernel, sizeof to->kernel, "%s", launch.kernel);
        to->place = origin_place_put(&launch.place);
        to->grid[0] = launch.grid.x, to->grid[1] = launch.grid.y, to->grid[2] = launch.grid.z;
        to->block[0] = launch.block.x, to->block[1] = launch.block.y, to->block[2] = launch.block.z;
    }
}

static void put_back(const struct sim_origin_back *back, struct protocol_origin *to)
{
    const size_t most = sizeof to->parts;
    to->copied = origin_place_put(&back->place);
    to->copied_bytes = back->size;
    memcpy(to->parts, back->bytes, back->byte_count < most ? back->byte_count : most);
}

static void answer(const struct question *q, const struct protocol_element *element,
                   struct protocol_origin *to)
{
    struct sim_origin origin;
    struct sim_origin_back back = {.size = element->size};
    if (element->buffer != PROTOCOL_COPIED_BACK) {
        back.address = q->mailbox->buffer_address[element->buffer] + element->offset;
    } else {
        if (!sim_origin_copied_back(q->sim, &back))
            return;
        put_back(&back, to);
    }
    if (back.size > COPIED_MAX)
        return;
    if (!(element->buffer == PROTOCOL_COPIED_BACK
              ? sim_origin_find_copied(q->sim, &back, &origin)
              : sim_origin_find(q->sim, back.address, back.size, &origin)))
        return;
    put_origin(q, &origin, to);
    if (element->buffer != PROTOCOL_COPIED_BACK && origin.store_count == 0)
        origin_put_absence(q, element->buffer, element->offset, element->size, true, &to->absence);
    else
        origin_put_missing(q, element, &origin, to);
    origin_put_unset(q, &origin, to);
    sim_origin_free(&origin);
}

/* Elements of the buffer that was asked about that several threads stored to. */
static void put_overlap(const struct question *q, uint32_t buffer, uint32_t size, struct protocol_overlap *to)
{
    const uint64_t base = q->mailbox->buffer_address[buffer];
    struct sim_origin_overlap from;
    if (!sim_origin_overlaps(q->sim, base, q->request->buffer[buffer].bytes, size, &from) || !from.count)
        return;
    to->count = from.count;
    to->offset = (int64_t)(from.address - base);
    for (int i = 0; i < 2; i++) {
        to->thread[i] = origin_thread_put(&from.thread[i]);
        to->place[i] = origin_place_put(&from.place[i]);
    }
    struct sim_origin origin;
    if (!sim_origin_find(q->sim, from.address, size, &origin))
        return;
    to->index_uses = origin.store_count ? origin.store[0].index_uses : UINT32_MAX;
    sim_origin_free(&origin);
}

static void answer_question(struct sim *sim, const struct protocol_question *from,
                            const struct protocol_mailbox *mailbox, struct protocol_lanes *to)
{
    const uint32_t *block = from->thread.block, *at = from->thread.thread;
    const struct sim_origin_thread wanted = {.launch = from->thread.launch,
                                             .block = {block[0], block[1], block[2]},
                                             .thread = {at[0], at[1], at[2]}};
    const uint64_t base = from->buffer >= 0 ? mailbox->buffer_address[from->buffer] : 0;
    const struct sim_origin_question question = {.file = from->place.file,
                                                 .line = from->place.line,
                                                 .thread = from->has_thread ? &wanted : NULL,
                                                 .address = base + from->address,
                                                 .is_shared = from->is_shared,
                                                 .loads = from->loads,
                                                 .stores = from->stores};
    struct sim_origin_lanes lanes;
    if (!sim_origin_lanes(sim, &question, &lanes))
        return;
    *to = origin_lanes_put(&lanes);
}

void origin_collect(struct sim *sim, const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    const struct question q = {sim, request, mailbox};
    if (!is_recorded(request))
        return;
    for (int i = 0; i < PROTOCOL_MAX_TRACES; i++)
        if (request->trace[i].wanted)
            origin_put_trace(sim, &request->trace[i], &mailbox->trace[i]);
    for (uint32_t i = 0; i < request->question_count; i++)
        answer_question(sim, &request->question[i], mailbox, &mailbox->answer[i]);
    for (uint32_t i = 0; i < request->origin_count; i++)
        answer(&q, &request->origin[i], &mailbox->origin[i]);
    if (request->origin_count > 0 && request->origin[0].buffer != PROTOCOL_COPIED_BACK)
        put_overlap(&q, request->origin[0].buffer, request->origin[0].size, &mailbox->overlap);
    put_launches(sim, mailbox);
    sim_origin_stop(sim);
}
