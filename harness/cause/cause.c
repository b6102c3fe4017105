#include "harness/cause/internal.h"
#include "harness/judge/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

_Static_assert(LAB_MAX_NEEDS <= PROTOCOL_MAX_NEEDS, "a request has room for what an output needs");
_Static_assert(GRADER_SAMPLES <= PROTOCOL_MAX_ORIGINS, "a request has room for the samples");

/* ---- asking -------------------------------------------------------------------------------------------- */

static void add_need(struct protocol_element *element, const struct call *call, const struct lab_need *need,
                     int64_t first, int64_t count)
{
    const int64_t size = (int64_t)lab_type_size(call->run.buffer[need->buffer].type);
    element->needs_more |= element->need_count == PROTOCOL_MAX_NEEDS;
    if (element->need_count < PROTOCOL_MAX_NEEDS)
        element->need[element->need_count++] = (struct protocol_need){.buffer = (uint32_t)need->buffer,
                                                                      .size = (uint32_t)size,
                                                                      .first = first * size,
                                                                      .count = count,
                                                                      .stride = need->stride * size};
}

static void add_needs(struct protocol_element *element, const struct call *call, int buffer, int64_t index)
{
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    const int rows = call->task->needs ? call->task->needs(&call->run, buffer, index, need) : 0;
    for (int r = 0; r < rows; r++) {
        if (!need[r].chosen)
            add_need(element, call, &need[r], need[r].first, need[r].count);
        for (int64_t k = 0; need[r].chosen && k < need[r].count; k++) {
            const int64_t at = need[r].first + k * need[r].stride;
            if (!element->needs_more && need[r].chosen(&call->run, index, at))
                add_need(element, call, &need[r], at, 1);
        }
    }
}

void cause_ask(const struct call *call, const struct grader_finding *finding,
               struct protocol_request *request)
{
    const int buffer = finding->buffer;
    request->origin_count = 1;
    request->origin[0] = (struct protocol_element){.buffer = PROTOCOL_COPIED_BACK};
    if (buffer < 0) {
        add_needs(&request->origin[0], call, buffer, finding->element);
        return;
    }
    const uint32_t size = (uint32_t)lab_type_size(call->run.buffer[buffer].type);
    request->origin_count = (uint32_t)finding->sample_count;
    for (int i = 0; i < finding->sample_count; i++) {
        request->origin[i] = (struct protocol_element){
            .buffer = (uint32_t)buffer, .size = size, .offset = size * (uint64_t)finding->sample[i]};
        add_needs(&request->origin[i], call, buffer, finding->sample[i]);
    }
}

/* Sentences begin with a capital, but for names of the program. */
static void capitalize(char *text)
{
    for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, "thread ", 7) == 0)
            *line = 'T';
}

/* ---- answering ----------------------------------------------------------------------------------------- */

/* A value that the host returned: what it copied back last. */
static bool tell_returned(struct cause *c)
{
    if (cause_tell_host_sum(c))
        return true;
    if (!c->call->task->needs)
        return false;
    if (!c->origin->known)
        return false;
    if (cause_tell_undefined(c))
        return true;
    const int elements = cause_tell_elements(c);
    if (elements == 1 || cause_tell_state(c, elements == 0) || cause_tell_steps(c))
        return true;
    if (elements == 0)
        cause_tell_host(c);
    return elements == 0;
}

static bool tell_element(struct cause *c)
{
    if (c->buffer < 0)
        return tell_returned(c);
    if (!c->origin->known)
        return false;
    if (cause_tell_untouched(c) || cause_tell_never_stored(c) || cause_tell_undefined(c) ||
        cause_tell_type(c) || cause_tell_state(c, false) || cause_tell_nan(c))
        return true;
    const int elements = cause_tell_elements(c);
    if (elements == 1 || cause_tell_state(c, elements == 0) || cause_tell_steps(c))
        return true;
    if (elements == 0)
        cause_tell_arithmetic(c);
    else
        cause_tell_facts(c);
    return true;
}

void cause_of_store(const struct call *call, const struct grader_finding *finding,
                    const struct protocol_mailbox *mailbox, char *text, size_t size)
{
    char at[256], thread[128];
    const struct cause c = {.call = call, .mailbox = mailbox, .origin = &mailbox->origin[0]};
    const struct lab_buffer *buffer = &call->run.buffer[finding->buffer];
    cause_name_place(&c, &c.origin->store[0].place, at, sizeof at);
    cause_name_thread(&c, &c.origin->store[0].thread, thread, sizeof thread);
    text_set(text, size, "%s[%lld] is overwritten at %s, by %s: in this call, %s must stay as it is.\n",
             buffer->name, (long long)finding->element, at, thread, buffer->name);
}

/* Of counts all are known, and so is how much they must be together. */
static void say_total(const struct call *call, int buffer, char *text, size_t size)
{
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    const struct lab_buffer *counts = &call->run.buffer[buffer < 0 ? 0 : buffer];
    const uint32_t *got = counts->data;
    int64_t total = 0;
    if (buffer < 0 || !call->task->needs || counts->type != LAB_UINT32 ||
        call->task->needs(&call->run, buffer, 0, need) != 1 || !need[0].counted)
        return;
    for (int64_t i = 0; i < counts->count; i++)
        total += got[i];
    text_append(text, size, "The elements of %s add up to %lld, and %s has %lld elements", counts->name,
                (long long)total, call->run.buffer[need[0].buffer].name, (long long)need[0].count);
    if (total == need[0].count)
        text_append(text, size, ": what some have too much is what others lack.\n");
    else
        text_append(text, size, ": %lld too %s.\n", (long long)llabs(total - need[0].count),
                    total < need[0].count ? "few" : "many");
}

bool cause_of_value(const struct call *call, const struct grader_finding *finding,
                    const struct protocol_mailbox *mailbox, char *text, size_t size, const char *source,
                    struct protocol_place *place, enum grader_known *known, struct facts *facts)
{
    const int count = finding->buffer < 0 ? 1 : finding->sample_count;
    enum cause_rank best = CAUSE_NONE;
    char *told = malloc(size);
    struct facts found, most = {0};
    *place = (struct protocol_place){0};
    text_set(text, size, "%s", "");
    for (int i = 0; told && i < count && i < PROTOCOL_MAX_ORIGINS; i++) {
        struct protocol_place at = {0};
        found = (struct facts){0};
        struct cause c = {.call = call,
                          .mailbox = mailbox,
                          .origin = &mailbox->origin[i],
                          .buffer = finding->buffer,
                          .index = finding->sample[i],
                          .want = finding->want[i],
                          .got = finding->got[i],
                          .untouched = finding->untouched[i],
                          .text = told,
                          .size = size,
                          .source = source,
                          .facts = &found,
                          .place = &at,
                          .rank = CAUSE_FACTS};
        text_set(told, size, "%s", "");
        cause_name_element(call, c.buffer, c.index, c.name, sizeof c.name);
        if (!tell_element(&c) || c.rank <= best)
            continue;
        best = c.rank;
        most = found;
        capitalize(told);
        text_set(text, size, "%s", told);
        *place = at;
    }
    free(told);
    if (best != CAUSE_NONE && best < CAUSE_STATE)
        say_total(call, finding->buffer, text, size);
    fact_add_all(facts, &most);
    *known = best >= CAUSE_INSTEAD ? KNOWN_WHY : best > CAUSE_MISSING ? KNOWN_MORE : KNOWN_WHERE;
    return best != CAUSE_NONE;
}
