/* The messages between grader and worker: building, checking, moving. */
#include "harness/protocol.h"

#include <math.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

static uint64_t page_round(uint64_t bytes)
{
    return (bytes + PROTOCOL_PAGE - 1) / PROTOCOL_PAGE * PROTOCOL_PAGE;
}

uint64_t protocol_lines(void)
{
    return page_round(sizeof(struct protocol_mailbox));
}

uint64_t protocol_first_slot(void)
{
    return protocol_lines() + page_round(PROTOCOL_LINES_BYTES);
}

uint64_t protocol_slot_bytes(const struct protocol_buffer *buffer)
{
    return page_round(buffer->bytes + 2 * buffer->guard);
}

void protocol_init_request(struct protocol_request *request, uint32_t kind, uint64_t nonce)
{
    request->magic = PROTOCOL_MAGIC;
    request->version = PROTOCOL_VERSION;
    request->kind = kind;
    request->nonce = nonce;
}

void protocol_init_reply(struct protocol_reply *reply, const struct protocol_request *request)
{
    reply->magic = PROTOCOL_MAGIC;
    reply->version = PROTOCOL_VERSION;
    reply->kind = request ? request->kind : PROTOCOL_HELLO;
    reply->nonce = request ? request->nonce : 0;
}

static const char *check_buffer(const struct protocol_buffer *buffer, uint64_t arena_bytes)
{
    if (buffer->role > PROTOCOL_OUT)
        return "a buffer has an unknown role";
    if (buffer->offset < protocol_first_slot() || buffer->offset > arena_bytes)
        return "a slot begins outside the arena";
    uint64_t room = arena_bytes - buffer->offset;
    if (buffer->guard > room / 2 || buffer->bytes > room - 2 * buffer->guard)
        return "a slot ends outside the arena";
    return NULL;
}

const char *protocol_check_request(const struct protocol_request *request, uint64_t arena_bytes)
{
    if (request->magic != PROTOCOL_MAGIC)
        return "not a request";
    if (request->version != PROTOCOL_VERSION)
        return "a request of another version";
    if (request->kind < PROTOCOL_RUN || request->kind > PROTOCOL_QUIT)
        return "a request of unknown kind";
    if (request->buffer_count > LAB_MAX_BUFFERS)
        return "too many buffers";
    if (request->set >= PROTOCOL_MAX_SETS)
        return "a set number out of range";
    if (memchr(request->task, 0, sizeof request->task) == NULL)
        return "a task name without an end";
    if (request->change_near_count > sizeof request->change_near / sizeof *request->change_near)
        return "too many lines";
    if (memchr(request->change_in, 0, sizeof request->change_in) == NULL)
        return "a file name without an end";
    if (request->launch_change.kind != 0 &&
        (request->launch_change.buffer >= (int32_t)request->buffer_count ||
         request->launch_change.argument >= LAB_MAX_ARGS))
        return "an impossible change";
    if (request->origin_count > PROTOCOL_MAX_ORIGINS)
        return "too many elements whose origin is asked for";
    if (request->question_count > PROTOCOL_MAX_QUESTIONS)
        return "too many questions";
    for (uint32_t i = 0; i < request->question_count; i++)
        if (memchr(request->question[i].place.file, 0, sizeof request->question[i].place.file) == NULL ||
            (request->question[i].buffer >= 0 &&
             (uint32_t)request->question[i].buffer >= request->buffer_count))
            return "an impossible question";
    for (uint32_t i = 0; i < request->origin_count; i++) {
        const struct protocol_element *element = &request->origin[i];
        if (element->need_count > PROTOCOL_MAX_NEEDS)
            return "too many needs";
        if (element->buffer == PROTOCOL_COPIED_BACK)
            continue;
        if (element->buffer >= request->buffer_count || element->size < 1 || element->size > 16 ||
            element->offset + element->size > request->buffer[element->buffer].bytes)
            return "an element outside of its buffer";
    }
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        const char *wrong = check_buffer(&request->buffer[i], arena_bytes);
        if (wrong)
            return wrong;
    }
    return NULL;
}

const char *protocol_check_reply(const struct protocol_reply *reply, uint32_t kind, uint64_t nonce)
{
    if (reply->magic != PROTOCOL_MAGIC)
        return "the answer is not one of the protocol";
    if (reply->version != PROTOCOL_VERSION)
        return "the answer has another version: grader and worker were not built together";
    if (reply->kind != kind || reply->nonce != nonce)
        return "the answer belongs to another question";
    if (reply->status > PROTOCOL_COPY_BACK)
        return "the answer has an unknown status";
    for (int i = 0; i < PROTOCOL_MAX_SETS; i++)
        if (!(reply->milliseconds[i] >= 0 && reply->milliseconds[i] < 1e9))
            return "the answer holds a number that cannot be a time";
    return NULL;
}

void protocol_clean(char *text, size_t size)
{
    text[size - 1] = 0;
    for (char *c = text; *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
}

static void clean_place(struct protocol_place *place)
{
    protocol_clean(place->file, sizeof place->file);
    place->line = place->line < 0 ? 0 : place->line;
    place->call_line = place->call_line < 0 ? 0 : place->call_line;
    place->from_line = place->from_line < 0 ? 0 : place->from_line;
}

/* The last place stands for one that is not known. */
static void clean_index(uint16_t *place)
{
    if (*place >= PROTOCOL_MAX_PLACES)
        *place = PROTOCOL_MAX_PLACES - 1;
}

static void clean_source(struct protocol_source *source)
{
    const int64_t most = INT64_C(1) << 40;
    clean_index(&source->place);
    clean_index(&source->index_place);
    clean_index(&source->second_place);
    clean_index(&source->minus_place);
    protocol_clean(source->name, sizeof source->name);
    if (source->buffer >= 0 && (source->offset < 0 || source->offset > most || source->distance < -most ||
                                source->distance > most || source->count > (uint64_t)most))
        source->count = 0;
}

static void clean_absence(struct protocol_absence *absence)
{
    clean_place(&absence->place);
    clean_place(&absence->guard);
    clean_place(&absence->state_place);
    clean_place(&absence->lost);
    clean_place(&absence->kept);
    clean_place(&absence->left_load);
    clean_place(&absence->left_guard);
    clean_place(&absence->buried);
    clean_place(&absence->replaced);
    for (int i = 0; i < PROTOCOL_MAX_PATH; i++)
        clean_place(&absence->guard_path[i]);
    if (absence->guard_path_count > PROTOCOL_MAX_PATH)
        absence->guard_path_count = PROTOCOL_MAX_PATH;
    protocol_clean(absence->state, sizeof absence->state);
    if (absence->buffer >= LAB_MAX_BUFFERS || absence->wanted < 0)
        absence->why = 0;
}

static void clean_decision(struct protocol_decision *decision)
{
    const uint32_t most = sizeof decision->by / sizeof *decision->by;
    clean_place(&decision->place);
    clean_place(&decision->way);
    if (decision->count > most || decision->buffer >= LAB_MAX_BUFFERS)
        decision->count = 0;
    for (uint32_t i = 0; i < most; i++) {
        clean_place(&decision->by[i].place);
        clean_place(&decision->by[i].index_place);
        if (decision->by[i].buffer >= LAB_MAX_BUFFERS)
            decision->by[i].buffer = -1;
    }
}

static void clean_products(struct protocol_origin *origin)
{
    if (origin->product_count > PROTOCOL_MAX_PRODUCTS)
        origin->product_count = PROTOCOL_MAX_PRODUCTS;
    for (uint32_t k = 0; k < origin->product_count; k++)
        clean_index(&origin->product[k].place);
}

static void clean_seen(struct protocol_mailbox *mailbox)
{
    if (mailbox->seen_count > PROTOCOL_MAX_SEEN)
        mailbox->seen_count = PROTOCOL_MAX_SEEN;
    for (uint32_t i = 0; i < mailbox->seen_count; i++) {
        struct protocol_seen *seen = &mailbox->seen[i];
        protocol_clean(seen->kernel, sizeof seen->kernel);
        clean_place(&seen->place);
        if (seen->argument_count > PROTOCOL_MAX_ARGUMENTS)
            seen->argument_count = PROTOCOL_MAX_ARGUMENTS;
    }
}

static void clean_site(struct protocol_site *site)
{
    clean_place(&site->launch.place);
    protocol_clean(site->launch.kernel, sizeof site->launch.kernel);
    if (site->idle_blocks > site->blocks)
        site->idle_blocks = 0;
    if (!isfinite(site->seconds))
        site->seconds = 0;
}

static void clean_habits(struct protocol_habits *habits)
{
    clean_place(&habits->launch.place);
    clean_place(&habits->again);
    clean_place(&habits->kept);
    clean_place(&habits->loads);
    clean_place(&habits->apart.place);
    protocol_clean(habits->apart.launch.kernel, sizeof habits->apart.launch.kernel);
    protocol_clean(habits->launch.kernel, sizeof habits->launch.kernel);
    if (!isfinite(habits->again_times) || !isfinite(habits->again_words))
        habits->again.line = 0;
    if (!isfinite(habits->kept_times))
        habits->kept.line = 0;
    if (!isfinite(habits->in_flight) || !isfinite(habits->behind))
        habits->loads.line = 0;
}

void protocol_clean_work(struct protocol_mailbox *mailbox)
{
    struct protocol_arithmetic *arithmetic = &mailbox->arithmetic;
    clean_site(&mailbox->idle);
    clean_site(&mailbox->busy);
    clean_place(&arithmetic->selection);
    clean_place(&mailbox->alone.place);
    if (!isfinite(mailbox->alone.times) || !isfinite(mailbox->alone.share))
        mailbox->alone.place.line = 0;
    clean_habits(&mailbox->habits);
    if (arithmetic->count > PROTOCOL_ARITHMETIC_LINES || !isfinite(arithmetic->flops) ||
        !isfinite(arithmetic->flops_of_launch))
        arithmetic->count = 0;
    for (int i = 0; i < PROTOCOL_ARITHMETIC_LINES; i++) {
        clean_place(&arithmetic->line[i]);
        if (!isfinite(arithmetic->line_flops[i]))
            arithmetic->line_flops[i] = 0;
    }
}

static void clean_unset(struct protocol_unset *unset)
{
    protocol_clean(unset->name, sizeof unset->name);
    protocol_clean(unset->other_name, sizeof unset->other_name);
    clean_place(&unset->read);
    clean_place(&unset->fetched);
    clean_place(&unset->part);
    clean_place(&unset->other);
    clean_place(&unset->late);
    if (unset->bytes == 0 || unset->size < unset->bytes || unset->offset > unset->size - unset->bytes ||
        !unset->name[0])
        unset->size = 0;
}

static void clean_over(struct protocol_over *over)
{
    protocol_clean(over->name, sizeof over->name);
    clean_place(&over->read);
    clean_place(&over->stored);
    clean_place(&over->over);
    if (!isfinite(over->before) || !isfinite(over->now))
        over->known = 0;
}

void protocol_clean_origins(struct protocol_mailbox *mailbox)
{
    struct protocol_change *change = &mailbox->change;
    clean_place(&change->place);
    protocol_clean(change->kernel, sizeof change->kernel);
    protocol_clean(change->from, sizeof change->from);
    protocol_clean(change->to, sizeof change->to);
    clean_seen(mailbox);
    clean_place(&mailbox->overlap.place[0]);
    clean_place(&mailbox->overlap.place[1]);
    clean_place(&mailbox->overlap.index_place);
    for (int i = 0; i < PROTOCOL_MAX_LAUNCHES; i++) {
        protocol_clean(mailbox->launch[i].kernel, sizeof mailbox->launch[i].kernel);
        clean_place(&mailbox->launch[i].place);
    }
    for (int i = 0; i < PROTOCOL_MAX_ORIGINS; i++) {
        struct protocol_origin *origin = &mailbox->origin[i];
        clean_place(&origin->copied);
        clean_unset(&origin->unset);
        clean_over(&origin->over);
        clean_place(&origin->early);
        clean_decision(&origin->decision);
        clean_place(&origin->early_store);
        protocol_clean(origin->early_name, sizeof origin->early_name);
        if (origin->early_buffer > LAB_MAX_BUFFERS)
            origin->early_buffer = 0;
        for (int k = 0; k < PROTOCOL_MAX_STORES; k++) {
            clean_place(&origin->store[k].place);
            clean_place(&origin->store[k].index_place);
            protocol_clean(origin->store[k].instruction, sizeof origin->store[k].instruction);
        }
        for (int k = 0; k < PROTOCOL_MAX_PLACES; k++)
            clean_place(&origin->place[k]);
        clean_absence(&origin->absence);
        clean_products(origin);
        clean_place(&origin->again);
        clean_place(&origin->twice);
        clean_place(&origin->torn_read);
        clean_place(&origin->torn_store[0]);
        clean_place(&origin->torn_store[1]);
        for (int k = 0; k < PROTOCOL_MAX_SOURCES; k++)
            clean_source(&origin->source[k]);
        for (int k = 0; k < PROTOCOL_MAX_STEPS; k++)
            clean_place(&origin->step[k].place);
        for (int k = 0; k < PROTOCOL_MAX_PATH; k++)
            clean_place(&origin->path[k]);
        origin->step_count =
            origin->step_count < PROTOCOL_MAX_STEPS ? origin->step_count : PROTOCOL_MAX_STEPS;
        origin->path_count = origin->path_count < PROTOCOL_MAX_PATH ? origin->path_count : PROTOCOL_MAX_PATH;
    }
}

bool protocol_write(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t done = write(fd, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

bool protocol_read(int fd, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t done = read(fd, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}
