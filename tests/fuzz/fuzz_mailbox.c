/*
 * Fuzz target: what a worker writes into the mailbox, which may be anything. What the grader takes from it, once cleaned, ends
 * no grader, and puts no control character on a terminal.
 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cause/cause.h"
#include "harness/cause/explain.h"
#include "harness/cause/remark.h"
#include "harness/judge/call.h"
#include "harness/report/story.h"
#include "harness/result/grader.h"
#include "harness/speed/slow.h"
#include "harness/speed/work.h"
#include "sim/origin/origin.h"
#include "tests/fuzz/draw.h"

#define SOURCE "lab09_matmul_tiled/solution.cu"

static void require(bool kept, const char *promise)
{
    if (kept)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static int shape(struct lab_run *run)
{
    run->buffer[0] = lab_device("d_x", LAB_IN, LAB_REAL, run->arg[0]);
    run->buffer[1] = lab_device("d_key", LAB_IN, LAB_UINT8, 7);
    run->buffer[2] = lab_device("d_y", LAB_OUT, LAB_REAL, run->arg[0]);
    return 3;
}

static void expect(const struct lab_run *run, int buffer, struct lab_expect *expect)
{
    (void)run;
    (void)buffer;
    for (int64_t i = 0; i < expect->count; i++)
        expect->want[i] = 3;
}

static int needs(const struct lab_run *run, int buffer, int64_t index, struct lab_need *need)
{
    (void)buffer;
    need[0] = (struct lab_need){.buffer = 0, .first = index, .count = run->arg[0] - index, .stride = 1};
    need[1] = (struct lab_need){.buffer = 1, .count = 7, .stride = 1, .with_next = true};
    return 2;
}

static const struct lab_case cases[] = {{.name = NULL}};
static const struct lab_speed speed = {.loads_in_flight = 2};
static const struct lab_task task = {.id = "task",
                                     .cases = cases,
                                     .shape = shape,
                                     .expect = expect,
                                     .needs = needs,
                                     .result_count = 1,
                                     .speed = &speed,
                                     .arg_names = {"n"}};
const struct lab the_lab = {.name = "lab91", .tasks = &task, .task_count = 1};

/* ---- what a hostile worker writes ----------------------------------------------------------------------- */

static const int64_t odd_numbers[] = {
    0,  1,         2,         3,         -1,        -2,         4,       8,    16,  31,         32, 60,
    99, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX, UINT32_MAX, 1 << 30, 4096, 396, 0x7ff00000, -8, 400};
#define ODD_NUMBERS (sizeof odd_numbers / sizeof *odd_numbers)

static int64_t odd_number(void)
{
    return odd_numbers[draw(ODD_NUMBERS)];
}

/* Any bytes, or words that are odd numbers: too many for a fuzzer to choose each. */
static void fill(void *data, size_t size)
{
    unsigned char *bytes = data;
    const bool any = draw(4) == 0;
    for (size_t i = 0; i < size; i += 4) {
        const uint32_t word =
            any ? (uint32_t)(draw_any() << 16 ^ draw_any()) : (uint32_t)odd_numbers[draw_any() % ODD_NUMBERS];
        memcpy(bytes + i, &word, size - i < 4 ? size - i : 4);
    }
}

/* A place in the student's file, so that its text is read. */
static void name_file(struct protocol_place *place)
{
    snprintf(place->file, sizeof place->file, "%s", SOURCE);
    place->line = (int32_t)draw(400);
}

/* As much of it likely as an origin needs to be told. */
static void spoil_origin(struct protocol_origin *o)
{
    o->known = 1;
    o->store_count = draw(3);
    name_file(&o->store[0].place);
    o->source_count = (uint32_t)(draw(3) ? draw(4) : (uint64_t)odd_number());
    for (int i = 0; i < 4; i++) {
        o->source[i].kind = (uint32_t)draw(12);
        o->source[i].buffer = (int32_t)draw(5) - 1;
        o->source[i].offset = odd_number();
        o->source[i].distance = odd_number();
        o->source[i].count = (uint64_t)(draw(2) ? 1 : odd_number());
    }
    if (draw(2))
        memset(&o->unset, 0, sizeof o->unset);
    o->absence.why = (uint32_t)draw(16);
    o->absence.buffer = (uint32_t)odd_number();
    o->absence.wanted = odd_number();
    name_file(&o->absence.place);
}

static void spoil(struct protocol_mailbox *mailbox)
{
    unsigned char *bytes = (unsigned char *)mailbox;
    fill(mailbox, sizeof *mailbox);
    for (int i = 0; i < PROTOCOL_MAX_ORIGINS && draw(5) > 0; i++)
        spoil_origin(&mailbox->origin[i]);
    mailbox->launch_count = (uint32_t)(draw(2) ? draw(10) : (uint64_t)odd_number());
    mailbox->hazard_count = (uint32_t)(draw(2) ? 0 : odd_number());
    mailbox->remark_count = (uint32_t)odd_number();
    for (int i = 0; i < PROTOCOL_MAX_REMARKS; i++)
        mailbox->remark[i].kind = (uint32_t)draw(10);
    mailbox->waste.kind = (uint32_t)draw(24);
    while (draws.at < draws.end) { /* words of the fuzzer's own choice */
        const size_t at = draw(sizeof *mailbox / 4) * 4;
        const uint32_t word = (uint32_t)odd_number();
        memcpy(bytes + at, &word, sizeof word);
    }
}

/* ---- what the grader takes from it ----------------------------------------------------------------------- */

struct fixture {
    struct arena arena;
    struct call call;
    struct protocol_request request;
    struct exchange exchange;
    struct grader_finding finding;
};

static void open_fixture(struct fixture *f)
{
    static const int64_t arg[LAB_MAX_ARGS] = {100};
    char message[256];
    memset(f, 0, sizeof *f);
    require(call_make(&f->call, &task, arg, 42, false, message), message);
    require(grader_arena_create(&f->arena, call_arena_bytes(&f->call)), "there is memory for a call");
    call_place(&f->call, &f->arena, &f->request);
    protocol_init_request(&f->request, PROTOCOL_RUN, 1);
}

/* Wrong are elements of the output, or what was returned; or an input was changed. */
static void set_finding(struct fixture *f)
{
    const bool is_returned = draw(3) == 0;
    f->finding = (struct grader_finding){.reason = REASON_VALUES,
                                         .buffer = is_returned ? -1 : 2,
                                         .sample_count = 2,
                                         .sample = {0, 99},
                                         .want = {3, 3},
                                         .got = {6, NAN}};
    f->finding.element = is_returned ? 0 : 99;
    f->request.origin_count = 0;
    cause_ask(&f->call, &f->finding, &f->request);
}

static void take_values(struct fixture *f, FILE *out)
{
    const struct protocol_mailbox *mailbox = &f->exchange.mailbox;
    char text[2048];
    struct protocol_place place;
    struct grader_finding finding = f->finding;
    struct facts facts = {0};
    enum grader_known known;
    cause_of_value(&f->call, &f->finding, mailbox, text, sizeof text, SOURCE, &place, &known, &facts);
    fputs(text, out);
    remark_of_values(&f->call, SOURCE, &f->finding, mailbox, text, sizeof text, &place);
    explain_hazards(mailbox, &finding);
    story_of_value(out, &f->call, &f->finding, mailbox);
    finding = (struct grader_finding){.reason = REASON_INPUT, .buffer = 0, .element = 3};
    cause_of_store(&f->call, &finding, mailbox, text, sizeof text);
    for (int i = 0; i < PROTOCOL_MAX_QUESTIONS; i++) {
        const struct protocol_question question = {.buffer = i - 1, .has_thread = 1};
        story_draw(out, &f->call, mailbox, &question, &mailbox->answer[i]);
    }
}

static void take_rest(struct fixture *f)
{
    const struct protocol_mailbox *mailbox = &f->exchange.mailbox;
    struct grader_finding finding = {.reason = REASON_SIGNAL};
    struct grader_speed *timed = calloc(1, sizeof *timed);
    require(timed, "there is memory");
    timed->arg[0] = 100;
    remark_complete(&f->call, SOURCE, &f->exchange, &finding);
    slow_take(timed, &mailbox->waste);
    work_take(timed, &task, mailbox);
    speed_take_waves(timed, mailbox);
    free(timed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fixture *f;
    char *said = NULL;
    size_t length = 0;
    if (!f && (f = malloc(sizeof *f)))
        open_fixture(f);
    FILE *out = open_memstream(&said, &length);
    require(f && out, "there is memory");
    draw_from(data, size);
    set_finding(f);
    spoil(&f->exchange.mailbox);
    protocol_clean_mailbox(&f->exchange.mailbox, &f->request);
    take_values(f, out);
    take_rest(f);
    fclose(out);
    for (size_t i = 0; i < length; i++)
        require((unsigned char)said[i] >= ' ' || said[i] == '\n' || said[i] == '\t',
                "no control characters are printed");
    free(said);
    return 0;
}
