#include "harness/cause/remark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cause/explain.h"
#include "harness/source/line.h"
#include "harness/source/program.h"
#include "harness/source/uses.h"
#include "sim/device/sim.h"

#define SAY(...) text_append(text, size, __VA_ARGS__)

/* "student.cu:37: " */
static void say_place(const struct protocol_place *place, char *text, size_t size)
{
    if (place->line > 0)
        SAY("%s:%d: ", place->file, place->line);
}

/*
 * Giving back memory has no influence on values. What is filled after the last launch may be meant for the next call,
 * unless it is what is wrong now.
 */
static bool may_change_values(const struct call *call, const struct grader_finding *finding,
                              const struct protocol_remark *remark)
{
    if (remark->kind == SIM_REMARK_LATE_COPY || remark->kind == SIM_REMARK_LATE_FILL)
        return finding->buffer >= 0 && strcmp(remark->name, call->run.buffer[finding->buffer].name) == 0;
    if (remark->kind == SIM_REMARK_OVERWRITTEN)
        return finding->buffer < 0;
    if (remark->kind == SIM_REMARK_EMPTY)
        return false; /* see say_never_copied */
    return remark->detail != SIM_REMARK_FREE;
}

static bool is_of_launch(uint32_t detail)
{
    return detail >= SIM_REMARK_LAUNCH && detail <= SIM_REMARK_ARRAYS;
}

/* Are there functions in this lab that return what the runtime says, where CHECK() would be wrong? */
static bool errors_are_returned(void)
{
    bool any = false;
    for (int i = 0; i < the_lab.task_count; i++)
        any = any || the_lab.tasks[i].error_is_answer;
    return any;
}

static void say_failed(const struct protocol_remark *remark, char *text, size_t size)
{
    say_place(&remark->place, text, size);
    SAY("%s.\n", remark->text);
    SAY("%s, and the program went on.%s\n",
        is_of_launch(remark->detail) ? "So no kernel ran" : "So the call did nothing",
        errors_are_returned()
            ? ""
            : " CHECK(...) around a call, or CHECK(cudaGetLastError()) after a launch, ends it there.");
}

/* Of this kind, the first one; NULL: there is none. */
static const struct protocol_remark *first_remark(const struct protocol_mailbox *mailbox, uint32_t kind)
{
    for (uint32_t i = 0; i < mailbox->remark_count && i < PROTOCOL_MAX_REMARKS; i++)
        if ((uint32_t)mailbox->remark[i].kind == kind)
            return &mailbox->remark[i];
    return NULL;
}

/* The function's result was made of what stayed on the device, or never was there. */
static bool say_never_copied(const struct grader_finding *finding, const struct protocol_mailbox *mailbox,
                             char *text, size_t size, struct protocol_place *place)
{
    const struct protocol_remark *copy = first_remark(mailbox, SIM_REMARK_LATE_COPY),
                                 *empty = first_remark(mailbox, SIM_REMARK_EMPTY);
    if (finding->buffer >= 0 || mailbox->kept.line == 0 || mailbox->counters.launches == 0)
        return false;
    if (empty) {
        say_place(&empty->place, text, size);
        SAY("%s What the kernels stored never comes to the host: the number of bytes is 0 in this case.\n",
            empty->text);
        *place = empty->place;
        return true;
    }
    if (copy) {
        say_place(&copy->place, text, size);
        SAY("this copies from the host to the device, after the last kernel, and nothing is ever copied to the host. "
            "Results are copied by cudaMemcpy(host, device, bytes, "
            "cudaMemcpyDeviceToHost).\n");
        *place = copy->place;
        return true;
    }
    say_place(&mailbox->kept, text, size);
    SAY("what the kernels stored in the memory that is allocated here was never copied to the host. "
        "cudaMemcpy(..., cudaMemcpyDeviceToHost) is missing before the host uses the results, and before cudaFree.\n");
    *place = mailbox->kept;
    return true;
}

/* Whether the call that begins in this line takes sizeof(name) of a variable: eight bytes may also be meant. */
static bool takes_size_of_a_name(const char *path, int line)
{
    struct program p;
    const struct tokens *t = &p.tokens;
    bool found = false;
    program_read_file(&p, path);
    for (int i = 0; i + 2 < t->count; i++) {
        const int name = token_is(t, i + 1, "(") ? i + 2 : i + 1;
        found |= t->token[i].line >= line && t->token[i].line < line + 3 && token_is(t, i, "sizeof") &&
                 token_is_name(t, name) && program_meaning(&p, name, name) &&
                 !token_in(t, name + 1, " [ * . -> ");
    }
    program_free(&p);
    return found;
}

static void add_fact(const struct protocol_remark *remark, struct grader_finding *finding)
{
    struct fact *fact = fact_add(&finding->facts, FACT_REMARK, FACT_SEEN, &remark->place);
    fact->what = remark->kind;
    fact->detail = remark->detail;
    text_set(fact->name[0], sizeof fact->name[0], "%s", remark->name);
    fact_add_line(&finding->facts, remark->place.line);
}

/* The call that had to fail has returned its error and left none behind (lab.h, error_is_answer): what is wrong comes later. */
static bool is_refused_well(const struct call *call)
{
    return call->task->error_is_answer && call->run.result[0] == 1 && call->run.result[1] == 0;
}

bool remark_of_values(const struct call *call, const char *path, struct grader_finding *finding,
                      const struct protocol_mailbox *mailbox, char *text, size_t size,
                      struct protocol_place *place)
{
    text_set(text, size, "%s", "");
    *place = (struct protocol_place){0};
    if (finding->reason != REASON_VALUES)
        return false;
    const bool refused = is_refused_well(call);
    bool expected = refused; /* the first call that fails */
    for (uint32_t i = 0; i < mailbox->remark_count && i < PROTOCOL_MAX_REMARKS; i++) {
        const struct protocol_remark *remark = &mailbox->remark[i];
        if (remark->kind == SIM_REMARK_FAILED && expected) {
            expected = false;
            continue;
        }
        if (!may_change_values(call, finding, remark) ||
            (remark->detail == SIM_REMARK_POINTER_SIZE && !takes_size_of_a_name(path, remark->place.line)))
            continue;
        *place = remark->place;
        add_fact(remark, finding);
        if (remark->kind == SIM_REMARK_FAILED && call->task->error_is_answer && !refused) {
            say_place(&remark->place, text, size);
            SAY("%s. Here this error is expected: %s must return it, and clear it with cudaGetLastError().\n",
                remark->text, call->task->error_is_answer);
        } else if (remark->kind == SIM_REMARK_FAILED) {
            say_failed(remark, text, size);
        } else {
            say_place(&remark->place, text, size);
            SAY("%s\n", remark->text);
        }
        return true;
    }
    return say_never_copied(finding, mailbox, text, size, place);
}

/* ---- other ends ---------------------------------------------------------------------------------------- */

/* Arrays without elements are handed over as null pointers: one of them, an output if something is written. */
static const char *empty_buffer(const struct call *call, bool written)
{
    const char *name = NULL;
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct lab_buffer *buffer = &call->run.buffer[i];
        if (buffer->count == 0 && !buffer->on_host && (!name || (buffer->role != LAB_IN) == written))
            name = buffer->name;
    }
    return name;
}

/* The launch is the place; the access that it led to is told behind it. */
static void blame_launch(const struct protocol_mailbox *mailbox, const char *cause,
                         struct grader_finding *finding)
{
    if (mailbox->stopped.line == 0)
        return;
    fact_add(&finding->facts, FACT_MANY_BLOCKS, FACT_SEEN, &mailbox->stopped);
    text_set(finding->cause, sizeof finding->cause, "%s\n", cause);
    text_set(finding->file, sizeof finding->file, "%s", mailbox->stopped.file);
    finding->line = mailbox->stopped.line;
}

/* A null pointer, where the call has an array without elements: that is what it points to. */
static void complete_null(const struct call *call, const struct protocol_mailbox *mailbox,
                          struct grader_finding *finding)
{
    const struct fact *hazard = fact_find(&finding->facts, FACT_HAZARD);
    const char *name =
        hazard && hazard->detail == SIM_DETAIL_NULL ? empty_buffer(call, hazard->writes) : NULL;
    char cause[400];
    if (!name)
        return;
    explain_with(mailbox, "An array without elements is passed as a null pointer.", finding);
    text_set(
        cause, sizeof cause,
        "Too many blocks are launched: %s has no elements in this case (%s = %lld), so there must be no block, not "
        "even one. Return before the launch in that case, and otherwise launch only as many blocks as the elements need.",
        name, call->task->arg_names[0] ? call->task->arg_names[0] : "n", (long long)call->run.arg[0]);
    blame_launch(mailbox, cause, finding);
}

/* The simulator knows that the index is the number of the block. */
static void complete_blocks(const struct protocol_mailbox *mailbox, struct grader_finding *finding)
{
    const struct fact *hazard = fact_find(&finding->facts, FACT_HAZARD);
    if (hazard && hazard->detail == SIM_DETAIL_BLOCK_BYTES)
        blame_launch(
            mailbox,
            "Each block uses the element with the block's number, and that array has fewer elements than there are blocks.",
            finding);
    if (hazard && hazard->detail == SIM_DETAIL_BLOCK)
        blame_launch(mailbox,
                     "Too many blocks are launched: each block uses the element with the block's number, and "
                     "that array has fewer elements than there are blocks.",
                     finding);
}

/* Of calls that failed, the last one: it ended the program, or was not looked at. */
static const struct protocol_remark *failed_call(const struct protocol_mailbox *mailbox)
{
    for (uint32_t i = mailbox->remark_count < PROTOCOL_MAX_REMARKS ? mailbox->remark_count
                                                                   : PROTOCOL_MAX_REMARKS;
         i > 0; i--)
        if (mailbox->remark[i - 1].kind == SIM_REMARK_FAILED && mailbox->remark[i - 1].place.line > 0)
            return &mailbox->remark[i - 1];
    return NULL;
}

/* What the kernel reads is filled only after it. */
static const struct protocol_remark *late_fill(const struct protocol_mailbox *mailbox,
                                               const struct grader_finding *finding)
{
    const struct fact *read = fact_find(&finding->facts, FACT_HAZARD);
    for (uint32_t i = 0; read && i < mailbox->remark_count && i < PROTOCOL_MAX_REMARKS; i++) {
        const struct protocol_remark *remark = &mailbox->remark[i];
        if (fact_is_late(remark->kind) && remark->name[0] && strcmp(remark->name, read->name[0]) == 0)
            return remark;
    }
    return NULL;
}

static void blame_remark(const struct protocol_remark *remark, struct grader_finding *finding)
{
    if (!remark || finding->cause[0])
        return;
    text_set(finding->cause, sizeof finding->cause, "%s\n", remark->text);
    text_set(finding->file, sizeof finding->file, "%s", remark->place.file);
    finding->line = remark->place.line;
    add_fact(remark, finding);
}

static void complete_check(const struct call *call, struct grader_finding *finding)
{
    char headline[sizeof finding->headline];
    if (finding->reason != REASON_CHECK || !call->task->error_is_answer)
        return;
    text_set(headline, sizeof headline, "%s", finding->headline);
    text_set(finding->headline, sizeof finding->headline,
             "CHECK ended the program, but here the function must return this error to its caller: %.300s",
             headline);
    text_append(
        finding->detail, sizeof finding->detail,
        "Do not put this call in CHECK: call cudaGetLastError() to clear the error, and let %s return it.\n",
        call->task->error_is_answer);
}

static bool has_word(const char *path, int line, const char *word)
{
    struct program p;
    bool found = false;
    program_read_file(&p, path);
    for (int i = 0; i < p.tokens.count; i++)
        found |= p.tokens.token[i].line == line && token_is(&p.tokens, i, word);
    program_free(&p);
    return found;
}

/* The C library's free was given an address of the device. */
static void complete_free(const char *path, struct grader_finding *finding)
{
    if (finding->reason != REASON_SIGNAL || !fact_find(&finding->facts, FACT_DEVICE_POINTER) ||
        !has_word(path, finding->line, "free"))
        return;
    text_set(
        finding->detail, sizeof finding->detail,
        "%s:%d: free is called with a device pointer. Memory from cudaMalloc is freed with cudaFree; memory "
        "from malloc, on the host, with free.\n",
        finding->file, finding->line);
}

/* Shared memory may be too small: how the launch gives it its size. */
static void say_launched(const char *path, const struct protocol_place *at, struct grader_finding *finding)
{
    const struct fact *hazard = fact_find(&finding->facts, FACT_HAZARD);
    char said[512], *text;
    text_append(finding->detail, sizeof finding->detail, "The kernel was launched at %s:%d.\n", at->file,
                at->line);
    if (!hazard || hazard->what != SIM_HAZARD_OUT_OF_BOUNDS || hazard->space != SIM_SPACE_SHARED ||
        !(text = trial_read_file(path)))
        return;
    uses_say_bytes(text, at->line, said, sizeof said);
    text_append(finding->detail, sizeof finding->detail, "%s%s", said, said[0] ? "\n" : "");
    free(text);
}

void remark_complete(const struct call *call, const char *path, const struct exchange *exchange,
                     struct grader_finding *finding)
{
    const struct protocol_mailbox *mailbox = &exchange->mailbox;
    const bool refused = finding->reason == REASON_CHECK || finding->reason == REASON_LAUNCH;
    complete_check(call, finding);
    complete_free(path, finding);
    crash_complete(path, mailbox, finding);
    if (refused && !call->task->error_is_answer && failed_call(mailbox)) {
        blame_remark(failed_call(mailbox), finding);
        text_remove(finding->detail, exchange->said); /* the same */
    }
    if (finding->reason == REASON_HAZARD &&
        (fact_is_unwritten_read(&finding->facts) || fact_is_hazard(&finding->facts, SIM_HAZARD_RACE_GLOBAL)))
        blame_remark(first_remark(mailbox, SIM_REMARK_SIZE), finding);
    if (finding->reason == REASON_HAZARD && fact_is_unwritten_read(&finding->facts))
        blame_remark(late_fill(mailbox, finding), finding);
    if (finding->reason != REASON_HAZARD && finding->reason != REASON_EXECUTION)
        return;
    blame_remark(first_remark(mailbox, SIM_REMARK_SHAPE), finding);
    complete_null(call, mailbox, finding);
    complete_blocks(mailbox, finding);
    if (mailbox->stopped.line > 0)
        say_launched(path, &mailbox->stopped, finding);
}
