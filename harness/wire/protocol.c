/* The messages between grader and worker: building, checking, moving. What a mailbox holds: wire/clean.c. */
#include "harness/wire/protocol.h"

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

uint64_t protocol_period(uint64_t bytes, uint64_t full)
{
    return bytes > 16 * PROTOCOL_PAGE && bytes < full ? bytes - bytes % PROTOCOL_PAGE : bytes;
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
