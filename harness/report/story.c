#include "harness/report/story.h"

#include <string.h>

#include "harness/base/text.h"
#include "harness/cause/find.h"
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/report/failure.h"
#include "harness/report/report.h"
#include "sim/origin/origin.h"

#define MOST_SOURCES 8 /* that are listed */
#define MOST_STORES  4

/* ---- what went into the value -------------------------------------------------------------------------- */

static const char *times_text(uint64_t times, char text[32])
{
    text[0] = '\0';
    if (times > 1)
        text_set(text, 32, times == 2 ? ", twice" : ", %llu times", (unsigned long long)times);
    return text;
}

/* "d_x[0] to d_x[31], 32 elements" */
static void name_elements(const struct cause *c, const struct protocol_source *s, char *text, size_t size)
{
    char first[64], last[64];
    const int64_t width = s->size > 0 ? s->size : 1;
    cause_name_element(c->call, s->buffer, s->offset / width, first, sizeof first);
    cause_name_element(c->call, s->buffer, (s->offset + (int64_t)(s->count - 1) * s->distance) / width, last,
                       sizeof last);
    if (s->count > 1)
        text_set(text, size, "%s to %s, %llu elements", first, last, (unsigned long long)s->count);
    else
        text_set(text, size, "%s", first);
}

static void name_source(const struct cause *c, const struct protocol_source *s, char *text, size_t size)
{
    static const char *const kinds[] = {
        [SIM_ORIGIN_MEMORY] = "global memory",
        [SIM_ORIGIN_CONSTANT] = "constant memory",
        [SIM_ORIGIN_UNWRITTEN] = "shared or local memory that nothing has written",
        [SIM_ORIGIN_REGISTER] = "a variable that was never set",
        [SIM_ORIGIN_PARAMETER] = "a parameter of the kernel",
        [SIM_ORIGIN_SPECIAL] = "a number of the thread or block, or a size of the launch",
        [SIM_ORIGIN_CALL] = "what a function returned",
        [SIM_ORIGIN_HOST] = "memory that the host filled",
    };
    if (s->kind == SIM_ORIGIN_MEMORY && s->buffer >= 0 && s->buffer < c->call->run.buffer_count &&
        s->count > 0)
        name_elements(c, s, text, size);
    else
        text_set(text, size, "%s",
                 s->kind < sizeof kinds / sizeof *kinds && kinds[s->kind] ? kinds[s->kind] : "something");
}

/* Numbers in the code are not: many are the compiler's own, and stand on no line of the source. */
static bool is_told(const struct protocol_source *s)
{
    return s->kind != SIM_ORIGIN_IMMEDIATE;
}

static bool has_sources(const struct cause *c)
{
    FOR_SOURCES(s, c)
    if (is_told(s))
        return true;
    return false;
}

static void tell_sources(FILE *out, const struct cause *c)
{
    int told = 0;
    FOR_SOURCES(s, c)
    {
        char what[200], at[256], thread[128], times[32], text[700];
        if (!is_told(s))
            continue;
        if (told++ == MOST_SOURCES)
            break;
        name_source(c, s, what, sizeof what);
        cause_name_place(c, cause_place_of(c, s->place), at, sizeof at);
        cause_name_thread(c, &s->thread, thread, sizeof thread);
        text_set(text, sizeof text, "%s%s", what, times_text(s->times, times));
        if (s->kind == SIM_ORIGIN_HOST) /* the place is the host's */
            text_append(text, sizeof text, ", at %s", at);
        else if (s->kind != SIM_ORIGIN_CONSTANT &&
                 s->kind != SIM_ORIGIN_PARAMETER) /* the compiler moves these loads */
            text_append(text, sizeof text, ": %sread at %s by %s", s->count > 1 ? "the first one is " : "",
                        at, thread);
        text_print(out, 4, text, 0);
    }
    if (told > MOST_SOURCES)
        fprintf(out, "    ... and more\n");
}

/* What the thread does there. No values: this is one more run, in which memory that is never set may hold others. */
static const char *verb_of(const struct protocol_store *store)
{
    return !store->is_atomic                    ? "stores it at"
           : strstr(store->instruction, ".add") ? "adds to it at"
                                                : "changes it, by an atomic operation, at";
}

static void tell_stores(FILE *out, const struct cause *c)
{
    const struct protocol_origin *o = c->origin;
    for (uint64_t i = 0; c->buffer >= 0 && i < o->store_count && i < MOST_STORES; i++) {
        const struct protocol_store *store = &o->store[i];
        char at[256], thread[128], text[600];
        cause_name_place(c, &store->place, at, sizeof at);
        cause_name_thread(c, &store->thread, thread, sizeof thread);
        text_set(text, sizeof text, "%s %s %s", thread, verb_of(store), at);
        text_print(out, 4, text, 0);
    }
    if (c->buffer >= 0 && o->store_count > MOST_STORES)
        fprintf(out, "    ... and %llu times before\n", (unsigned long long)(o->store_count - MOST_STORES));
}

static void tell_launches(FILE *out, const struct cause *c)
{
    for (uint32_t i = 0; i < c->mailbox->launch_count && i < PROTOCOL_MAX_LAUNCHES; i++) {
        char launch[320], at[256];
        cause_name_launch(&c->mailbox->launch[i], launch, sizeof launch);
        cause_name_launched(c, &c->mailbox->launch[i], at, sizeof at);
        fprintf(out, "    %s at %s\n", launch, at);
    }
    if (c->mailbox->launch_count > PROTOCOL_MAX_LAUNCHES)
        fprintf(out, "    ... and %u more\n", c->mailbox->launch_count - PROTOCOL_MAX_LAUNCHES);
    if (c->mailbox->launch_count == 0)
        fprintf(out, "    none\n");
}

static struct cause cause_of(const struct call *call, const struct grader_finding *finding,
                             const struct protocol_mailbox *mailbox)
{
    struct cause c = {.call = call,
                      .mailbox = mailbox,
                      .origin = &mailbox->origin[0],
                      .buffer = finding->buffer,
                      .index = finding->element};
    cause_name_element(call, c.buffer, c.index, c.name, sizeof c.name);
    return c;
}

void story_of_value(FILE *out, const struct call *call, const struct grader_finding *finding,
                    const struct protocol_mailbox *mailbox)
{
    const struct cause cause = cause_of(call, finding, mailbox), *c = &cause;
    fprintf(out, "\nLaunches in this case:\n");
    tell_launches(out, c);
    if (c->buffer >= 0)
        fprintf(out, "\nStores to %s, the last one first:\n%s", c->name,
                c->origin->store_count == 0 ? "    no thread\n" : "");
    tell_stores(out, c);
    if (has_sources(c)) {
        fprintf(out, "\nWhat %s computed from:\n",
                c->buffer < 0 ? "the host copied back last, before it returned, was" : "it was");
        tell_sources(out, c);
    }
}

/* ---- what to draw -------------------------------------------------------------------------------------- */

static struct protocol_question *ask(struct protocol_request *request, const struct protocol_place *place)
{
    static struct protocol_question nothing; /* one question too many, or no place to ask about */
    const bool is_none = place->line == 0 || request->question_count == PROTOCOL_MAX_QUESTIONS;
    struct protocol_question *question = is_none ? &nothing : &request->question[request->question_count++];
    *question = (struct protocol_question){.place = *place, .buffer = -1, .loads = 1, .stores = 1};
    return question;
}

/* Of a value: its last store, and the first element that was read. */
static void ask_about_value(struct protocol_request *request, const struct cause *c)
{
    if (c->buffer >= 0 && c->origin->store_count > 0) {
        struct protocol_question *question = ask(request, &c->origin->store[0].place);
        question->thread = c->origin->store[0].thread;
        question->has_thread = 1;
        question->buffer = c->buffer;
        question->address = (uint64_t)c->index * lab_type_size(c->call->run.buffer[c->buffer].type);
        question->loads = 0;
    }
    FOR_SOURCES(s, c)
    {
        if (s->kind != SIM_ORIGIN_MEMORY || s->buffer < 0 || s->buffer >= c->call->run.buffer_count)
            continue;
        struct protocol_question *question = ask(request, cause_place_of(c, s->place));
        question->thread = s->thread;
        question->has_thread = 1;
        question->buffer = s->buffer;
        question->address = (uint64_t)s->offset;
        question->stores = 0;
        break;
    }
}

/* Memory may lie elsewhere when the call runs again: an address in a buffer is asked about by its offset. */
static void ask_about_address(struct protocol_question *question, const struct call *call,
                              const struct protocol_mailbox *seen, const struct protocol_hazard *hazard)
{
    question->is_shared = hazard->space == SIM_SPACE_SHARED;
    question->address = hazard->address;
    const int buffer = question->is_shared ? -1 : story_buffer_at(call, seen, hazard->address);
    if (buffer < 0)
        return;
    question->buffer = buffer;
    question->address -= seen->buffer_address[buffer];
}

/* One of the two accesses of a race, or what reads memory that nothing has written; `seen`: with the hazard. */
static void ask_about_access(struct protocol_request *request, const struct call *call,
                             const struct protocol_mailbox *seen, const struct protocol_hazard *hazard,
                             bool here)
{
    struct protocol_question *question = ask(request, here ? &hazard->here : &hazard->there);
    ask_about_address(question, call, seen, hazard);
    question->thread = here ? hazard->here_thread : hazard->there_thread;
    question->thread.launch = -1;
    question->has_thread = 1;
    question->stores = !here || hazard->writes;
    question->loads = here ? !hazard->writes : hazard->writes != 0; /* of two that read, none races */
}

/* ---- all together -------------------------------------------------------------------------------------- */

/* The call again. False: it came to no end that tells: a program that ends itself for an error of CUDA still does. */
static bool run_again(struct process *process, const struct call *call, struct protocol_request *request,
                      struct exchange *exchange)
{
    request->hazards = request->counters = 0;
    call_place(call, process->arena, request);
    process_ask(process, request, PROTOCOL_RUN, 60, exchange);
    return exchange->outcome == EXCHANGE_REPLY || exchange->outcome == EXCHANGE_DIED;
}

static bool run_as_told(struct process *process, const struct call *call,
                        const struct grader_finding *finding, struct protocol_request *request,
                        struct exchange *exchange)
{
    return run_again(process, call, request, exchange) && exchange->outcome == EXCHANGE_REPLY &&
           cause_is_same_run(call, process->arena, &exchange->reply, finding);
}

/* The call with the wrong values that are told; if it left something behind, in a process in which it is the first. */
static bool run_for_story(struct process *process, const struct call *call,
                          const struct grader_finding *finding, struct protocol_request *request,
                          struct exchange *exchange)
{
    if (run_as_told(process, call, finding, request, exchange))
        return true;
    process_stop(process);
    return run_as_told(process, call, finding, request, exchange);
}

static bool is_outside(const struct protocol_hazard *hazard)
{
    return hazard && hazard->class == SIM_HAZARD_OUT_OF_BOUNDS;
}

/*
 * An access outside of an array stops the kernel, and is not recorded: what is known of it is the hazard, of this run. False:
 * it is none.
 */
static bool draw_bounds(FILE *out, const struct call *call, const struct protocol_mailbox *mailbox,
                        const struct protocol_hazard *hazard)
{
    for (uint32_t i = 0; hazard && i < mailbox->hazard_count && i < PROTOCOL_MAX_HAZARDS; i++)
        if (mailbox->hazard[i].here.line == hazard->here.line &&
            strcmp(mailbox->hazard[i].name, hazard->name) == 0)
            return story_draw_bounds(out, call, mailbox, &mailbox->hazard[i]);
    return false;
}

/* Two lanes of one instruction race: what it accesses is drawn once. */
static bool is_same_drawing(const struct protocol_mailbox *mailbox, uint32_t i)
{
    return i > 0 && memcmp(&mailbox->answer[i], &mailbox->answer[i - 1], sizeof mailbox->answer[i]) == 0;
}

static void draw_answers(FILE *out, struct process *process, const struct call *call,
                         struct protocol_request *request, const struct protocol_hazard *hazard)
{
    struct exchange exchange;
    request->origin_count = 0;
    if (request->question_count == 0 || !run_again(process, call, request, &exchange) ||
        draw_bounds(out, call, &exchange.mailbox, hazard) || is_outside(hazard))
        return;
    for (uint32_t i = 0; i < request->question_count; i++)
        if (exchange.mailbox.answer[i].known && !is_same_drawing(&exchange.mailbox, i))
            story_draw(out, call, &exchange.mailbox, &request->question[i], &exchange.mailbox.answer[i]);
}

void story_tell(FILE *out, struct process *process, const struct protocol_request *asked,
                const struct call *call, const struct grader_outcome *outcome,
                const struct protocol_mailbox *seen, const struct protocol_place *look_at)
{
    const struct grader_finding *finding = &outcome->finding;
    const struct protocol_hazard *hazard = failure_hazard(outcome);
    struct protocol_request request = *asked;
    struct exchange exchange;
    if (look_at) {
        ask(&request, look_at);
    } else if (finding->reason == REASON_VALUES) {
        cause_ask(call, finding, &request);
        if (!run_for_story(process, call, finding, &request, &exchange))
            return;
        const struct cause cause = cause_of(call, finding, &exchange.mailbox);
        story_of_value(out, call, finding, &exchange.mailbox);
        ask_about_value(&request, &cause);
    } else if (hazard) {
        story_draw_waiting(out, hazard);
        if (is_outside(hazard)) /* the question makes the run tell of its launches */
            ask(&request, &hazard->here);
        if (fact_is_race(hazard->class) || fact_is_unwritten(hazard->class))
            ask_about_access(&request, call, seen, hazard, true);
        if (fact_is_race(hazard->class))
            ask_about_access(&request, call, seen, hazard, false);
    }
    draw_answers(out, process, call, &request, look_at ? NULL : hazard);
}
