/*
 * Off switches of what looks for causes, for tests/ablation alone. The linker (--wrap) calls a function here instead of each
 * one in the list, so that the grader itself has no switch and no test of one.
 *
 * CAUSE_OFF=bisect,steps leaves these out. CAUSE_LOG=FILE: the names of those that said something are appended there.
 *
 * An entry of the list: kind of function, name, function, parameters, arguments, and what goes with it: files, or
 * file:function for a part of one. tests/ablation reads the entries.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cause/explain.h"
#include "harness/cause/kernel_text.h"
#include "harness/cause/launch.h"
#include "harness/cause/refusal.h"
#include "harness/cause/remark.h"
#include "harness/cause/tally.h"
#include "harness/cause/warning.h"
#include "harness/change/change_internal.h"
#include "harness/change/edits.h"
#include "harness/change/sources_internal.h"
#include "harness/grade/again.h"
#include "harness/grade/state.h"
#include "harness/grade/unoptimized.h"
#include "harness/judge/compare.h"
#include "harness/speed/slow.h"
#include "harness/speed/work.h"
#include "sim/device/launch_change.h"
#include "sim/device/sim.h"

static bool is_off(const char *name)
{
    const char *off = getenv("CAUSE_OFF");
    const size_t length = strlen(name);
    for (; off && *off; off += strcspn(off, ","), off += *off == ',')
        if (strcspn(off, ",") == length && strncmp(off, name, length) == 0)
            return true;
    return false;
}

static void note(const char *name)
{
    char line[128];
    const char *path = getenv("CAUSE_LOG");
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
    if (file < 0)
        return;
    const int length = snprintf(line, sizeof line, "%s\n", name);
    if (write(file, line, (size_t)length) != length)
        perror(path);
    close(file);
}

static bool noted(const char *name, bool said)
{
    if (said)
        note(name);
    return said;
}

/* What a finding says, as one number, to see that something was added. */
static size_t said(const struct grader_finding *finding)
{
    return strlen(finding->cause) + strlen(finding->detail) + strlen(finding->headline) +
           1000 * (size_t)finding->facts.count + (size_t)finding->line;
}

static size_t said_in_all(const struct grader *grader)
{
    size_t sum = 0;
    for (int i = 0; i < the_lab.task_count; i++)
        for (int k = 0; k < grader->tasks[i].case_count; k++)
            sum += said(&grader->tasks[i].cases[k].outcome[BACKEND_SIM].finding);
    return sum;
}

/* Programs other than the grader are linked with this file, too, and have none of these functions: so they are weak. */
#pragma weak the_lab
#pragma weak pattern_key
#define REAL(type, function, parameters)                                                                     \
    type __real_##function parameters __attribute__((weak));                                                 \
    type __wrap_##function parameters;                                                                       \
    type __wrap_##function parameters

/* Whether it says something. */
#define ASKS(name, function, parameters, arguments, where)                                                   \
    REAL(bool, function, parameters)                                                                         \
    {                                                                                                        \
        return !is_off(name) && noted(name, __real_##function arguments);                                    \
    }
/* It appends to c->text. */
#define SAYS(name, function, parameters, arguments, where)                                                   \
    REAL(void, function, parameters)                                                                         \
    {                                                                                                        \
        const size_t before = strlen(c->text);                                                               \
        if (!is_off(name))                                                                                   \
            __real_##function arguments;                                                                     \
        noted(name, strlen(c->text) != before);                                                              \
    }
/* It adds to the finding, or to that of the outcome, … */
#define ADDS_TO(sum, name, function, parameters, arguments)                                                  \
    REAL(void, function, parameters)                                                                         \
    {                                                                                                        \
        const size_t length = sum;                                                                           \
        if (!is_off(name))                                                                                   \
            __real_##function arguments;                                                                     \
        noted(name, sum != length);                                                                          \
    }
#define ADDS(name, function, parameters, arguments, where)                                                   \
    ADDS_TO(said(finding), name, function, parameters, arguments)
#define OUTS(name, function, parameters, arguments, where)                                                   \
    ADDS_TO(said(&outcome->finding), name, function, parameters, arguments)
/* … to those of all cases. */
#define ALLS(name, function, parameters, arguments, where)                                                   \
    ADDS_TO(said_in_all(grader), name, function, parameters, arguments)
/* What it adds is not seen here: it is noted wherever it is called. */
#define CALL(name, function, parameters, arguments, where)                                                   \
    REAL(void, function, parameters)                                                                         \
    {                                                                                                        \
        note(name);                                                                                          \
        if (!is_off(name))                                                                                   \
            __real_##function arguments;                                                                     \
    }

/* Where a wrong value came from. */
ASKS("untouched", cause_tell_untouched, (struct cause * c), (c), "harness/cause/place.c:cause_tell_untouched")
ASKS("displaced", cause_say_displaced, (struct cause * c), (c), "harness/cause/place.c")
ASKS("never-stored", cause_tell_never_stored, (struct cause * c), (c),
     "harness/cause/absence.c "
     "sim/origin/origin_absence.c")
ASKS("torn", cause_tell_torn, (struct cause * c), (c), "harness/cause/values.c:cause_tell_torn")
ASKS("undefined", cause_tell_undefined, (struct cause * c), (c),
     "harness/cause/values.c:cause_tell_undefined")
ASKS("type", cause_tell_type, (struct cause * c), (c), "harness/cause/type.c")
ASKS("state", cause_tell_state, (struct cause * c, bool all_right), (c, all_right),
     "harness/cause/values.c:cause_tell_state")
ASKS("unset", cause_tell_unset, (struct cause * c), (c),
     "harness/cause/unset.c "
     "harness/worker/origin_unset.c")
ASKS("bisect", cause_tell_bisect, (struct cause * c), (c),
     "harness/cause/bisect.c "
     "harness/worker/origin_bisect.c "
     "sim/origin/origin_bisect.c "
     "sim/origin/origin_where.c "
     "sim/origin/origin_replay.c "
     "sim/origin/origin_replay_memory.c")
ASKS("steps", cause_tell_steps, (struct cause * c), (c), "harness/cause/values.c:cause_tell_steps")
ASKS("signs", cause_tell_signs, (struct cause * c), (c), "harness/cause/values.c:cause_tell_signs")
SAYS("numbers", cause_tell_numbers, (struct cause * c), (c), "harness/cause/numbers.c")
SAYS("sum-of-numbers", cause_tell_sum_of_numbers, (struct cause * c), (c),
     "harness/cause/numbers.c:cause_tell_sum_of_numbers")
ASKS("stand-in", cause_tell_stand_in, (struct cause * c), (c), "harness/cause/values.c:cause_tell_stand_in")
ASKS("products", cause_tell_products, (struct cause * c, const struct lab_need *need, int rows),
     (c, need, rows),
     "harness/cause/products.c "
     "harness/worker/origin_products.c "
     "sim/origin/origin_terms.c")
SAYS("direction", cause_say_direction, (struct cause * c), (c),
     "harness/cause/products.c:cause_say_direction")
ASKS("not-read", cause_tell_not_read, (struct cause * c), (c),
     "harness/cause/absence.c:cause_tell_not_read "
     "sim/origin/origin_lost.c "
     "harness/worker/origin_missing.c")
ASKS("removed", cause_tell_removed, (struct cause * c), (c), "harness/cause/removed.c")
ASKS("left", cause_say_left, (struct cause * c), (c),
     "harness/cause/left.c "
     "sim/origin/origin_ways.c")
SAYS("no-block", cause_say_no_block, (struct cause * c, const char *verb), (c, verb),
     "harness/cause/left.c:cause_say_no_block "
     "sim/origin/origin_blocks.c")
SAYS("readers", cause_say_readers, (struct cause * c, const struct protocol_source *s), (c, s),
     "harness/cause/sum.c:cause_say_readers")
ASKS("doubled", cause_say_doubled, (struct cause * c, const struct tally *t), (c, t),
     "harness/cause/sum.c:cause_say_doubled")
SAYS("replaced", cause_say_replaced, (struct cause * c, const struct tally *t), (c, t),
     "harness/cause/sum.c:cause_say_replaced")
SAYS("cancelled", cause_say_cancelled, (struct cause * c, const struct tally *t), (c, t),
     "harness/cause/tally.c:cause_say_cancelled")
SAYS("again", cause_say_again, (struct cause * c), (c), "harness/cause/sum.c:cause_say_again")
ASKS("overwritten", cause_tell_overwritten, (struct cause * c), (c),
     "harness/cause/text.c:cause_tell_overwritten "
     "harness/cause/text.c:tell_two_launches")
ASKS("index", cause_tell_index,
     (struct cause * c, const struct protocol_place *place, const struct protocol_place *from, uint32_t uses,
      const struct protocol_thread *thread, const char *what),
     (c, place, from, uses, thread, what),
     "harness/cause/text.c:cause_tell_index "
     "harness/cause/text.c:cause_lacking")
SAYS("condition", cause_say_condition, (struct cause * c, const struct protocol_place *place), (c, place),
     "harness/cause/absence.c:cause_say_condition")
ASKS("early", cause_tell_early, (struct cause * c), (c), "harness/cause/host.c:cause_tell_early")
SAYS("host", cause_tell_host, (struct cause * c), (c),
     "harness/cause/host.c "
     "sim/origin/origin_back.c")
ASKS("host-sum", cause_tell_host_sum, (struct cause * c), (c),
     "harness/cause/host.c:cause_tell_host_sum "
     "harness/cause/host.c:tell_correction "
     "harness/cause/host.c:tell_terms "
     "harness/cause/host.c:say_correction "
     "harness/cause/host.c:find_in_function")
SAYS("arithmetic", cause_tell_arithmetic, (struct cause * c), (c),
     "harness/cause/values.c:cause_tell_arithmetic")
SAYS("facts", cause_tell_facts, (struct cause * c), (c), "harness/cause/values.c:cause_tell_facts")

/* What the host did. */
ADDS("no-launch", launch_explain_none,
     (const struct grader *grader, const struct call *call, struct grader_finding *finding),
     (grader, call, finding), "harness/cause/launch.c")
ADDS("number-of-blocks", launch_explain_blocks,
     (const struct grader *grader, const struct call *call, struct grader_finding *finding),
     (grader, call, finding),
     "harness/cause/launch.c:launch_explain_blocks "
     "harness/cause/launch.c:say_blocks")
CALL("division", launch_say_division,
     (const struct value_context *context, const struct source_function *f, const char *begin,
      const char *end, char *text, size_t size),
     (context, f, begin, end, text, size), "harness/cause/launch_division.c")
ASKS("warning", warning_of_values,
     (const struct grader_build *build, const char *task, char *text, size_t size,
      struct protocol_place *place),
     (build, task, text, size, place), "harness/cause/warning.c")
ASKS("unused", kernel_text_unused,
     (const struct source *source, const char *task, char *text, size_t size, int *line),
     (source, task, text, size, line), "harness/cause/kernel_text.c:kernel_text_unused")
ASKS("remark", remark_of_values,
     (const struct call *call, const char *path, struct grader_finding *finding,
      const struct protocol_mailbox *mailbox, char *text, size_t size, struct protocol_place *place),
     (call, path, finding, mailbox, text, size, place), "harness/cause/remark.c")
ADDS("order-of-launches", remark_of_order,
     (const struct protocol_mailbox *mailbox, struct grader_finding *finding), (mailbox, finding),
     "harness/cause/remark.c:remark_of_order "
     "harness/worker/origin_order.c")
ADDS("complete", remark_complete,
     (const struct call *call, const char *path, const struct exchange *exchange,
      struct grader_finding *finding),
     (call, path, exchange, finding), "harness/cause/remark.c:remark_complete")
ADDS("crash", crash_complete,
     (const char *path, const struct protocol_mailbox *mailbox, struct grader_finding *finding),
     (path, mailbox, finding), "harness/cause/crash.c")
ADDS("arrays", crash_name_arrays, (const char *path, struct grader_finding *finding), (path, finding),
     "harness/cause/crash.c:crash_name_arrays")
CALL("refusal", refusal_say,
     (const struct call *call, const struct grader_finding *finding, const struct protocol_remark *remark,
      const char *path, char *text, size_t size, struct protocol_place *place),
     (call, finding, remark, path, text, size, place), "harness/cause/refusal.c")
ASKS("no-code", refusal_is_no_code, (const struct call *call, const struct grader_finding *finding),
     (call, finding), "harness/cause/refusal.c:refusal_is_no_code")

/* What the text of a kernel says. */
ADDS("loop", kernel_explain_loop, (const struct grader *grader, struct grader_finding *finding),
     (grader, finding),
     "harness/cause/kernel_text.c:kernel_text_loop "
     "harness/cause/kernel_text.c:kernel_explain_loop")

/* The case once more in another way. */
OUTS("without-others", again_without_others,
     (struct grader * grader, const struct call_plan *plan, const struct exchange *exchange,
      struct grader_outcome *outcome),
     (grader, plan, exchange, outcome), "harness/grade/again.c:again_without_others")
OUTS("between", again_between,
     (struct grader * grader, const struct call_plan *plan, const struct exchange *exchange,
      struct grader_outcome *outcome),
     (grader, plan, exchange, outcome), "harness/grade/again.c:again_between harness/grade/again.c:loses")
OUTS("another-order", again_in_another_order,
     (struct grader * grader, const struct call_plan *plan, const struct exchange *exchange,
      struct grader_outcome *outcome),
     (grader, plan, exchange, outcome),
     "harness/grade/again.c:again_in_another_order "
     "harness/grade/again.c:tell_order")
OUTS("earlier-call", state_explain,
     (struct grader * grader, const struct call_plan *plan, int before, const struct exchange *exchange,
      struct grader_outcome *outcome),
     (grader, plan, before, exchange, outcome), "harness/grade/state.c")
ALLS("unoptimized", unoptimized_explain, (struct grader * grader), (grader),
     "harness/grade/unoptimized.c:unoptimized_explain")

/* Small changes. */
ALLS("changes", trial_run, (struct grader * grader), (grader), "harness/change/*.c")
ASKS("source-changes", repair_try, (struct repair_run * run, struct trial *trial), (run, trial),
     "harness/change/sources*.c "
     "harness/change/edit*.c "
     "harness/change/copies.c "
     "harness/change/recompile.c")

/* Why a task is slow. */
CALL("waste", slow_take, (struct grader_speed * speed, const struct protocol_waste *waste), (speed, waste),
     "harness/speed/slow.c")
ASKS("work-for-nothing", work_for_nothing,
     (const struct grader *grader, const struct grader_task *task, char *text, size_t size),
     (grader, task, text, size), "harness/speed/work.c:work_for_nothing")
CALL("work-advice", work_advice,
     (const struct grader *grader, const struct grader_task *task, char *text, size_t size),
     (grader, task, text, size), "harness/speed/work.c:work_advice")

/* ---- kinds ---------------------------------------------------------------------------------------------- */

/* harness/judge/pattern.c: a shape of the wrong values. One that is off hides those behind it in the list. */
REAL(enum pattern, pattern_find,
     (const struct compare_view *view, const struct compare_result *result, char words[PATTERN_WORDS]))
{
    char name[64];
    const enum pattern found = __real_pattern_find(view, result, words);
    snprintf(name, sizeof name, "pattern-%s", pattern_key(found));
    if (found == PATTERN_NONE || !is_off(name))
        return noted(name, found != PATTERN_NONE) ? found : PATTERN_NONE;
    words[0] = '\0';
    return PATTERN_NONE;
}

/* What is counted below is an int of C, whatever the enum. */
static const char *const repair_kinds[] = {
    [REPAIR_COMPARE] = "edit-COMPARE",     [REPAIR_OPERATOR] = "edit-OPERATOR",
    [REPAIR_ASSIGN] = "edit-ASSIGN",       [REPAIR_NUMBER] = "edit-NUMBER",
    [REPAIR_BUILTIN] = "edit-BUILTIN",     [REPAIR_NAME] = "edit-NAME",
    [REPAIR_FUNCTION] = "edit-FUNCTION",   [REPAIR_WITHOUT] = "edit-WITHOUT",
    [REPAIR_TERM] = "edit-TERM",           [REPAIR_BARRIER] = "edit-BARRIER",
    [REPAIR_START] = "edit-START",         [REPAIR_ARGUMENTS] = "edit-ARGUMENTS",
    [REPAIR_REMAINDER] = "edit-REMAINDER", [REPAIR_INDEX] = "edit-INDEX",
};
_Static_assert(sizeof repair_kinds / sizeof *repair_kinds == REPAIR_KINDS, "each kind has a name");

/* The last of the functions that find changes of the source: those of a kind that is off go. */
REAL(void, edits_of_calls, (struct edits * edits))
{
    int kept = 0;
    __real_edits_of_calls(edits);
    for (int i = 0; i < edits->count; i++)
        if (!is_off(repair_kinds[edits->edit[i].kind]))
            edits->edit[kept++] = edits->edit[i];
    edits->count = kept;
}

REAL(void, repair_words,
     (const struct repair_edit *edit, const struct protocol_hazard *race, struct trial_words *words))
{
    note(repair_kinds[edit->kind]);
    __real_repair_words(edit, race, words);
}

static const char *launch_kind(uint32_t kind)
{
    static char name[32];
    snprintf(name, sizeof name, "launch-%u", kind);
    return name;
}

REAL(void, trial_find_launches, (const struct trial *t, bool races, struct trial_launches *launches))
{
    int kept = 0;
    __real_trial_find_launches(t, races, launches);
    for (int i = 0; i < launches->count; i++)
        if (!is_off(launch_kind(launches->change[i].kind)))
            launches->change[kept++] = launches->change[i];
    launches->count = kept;
}

REAL(void, trial_launch_words,
     (const struct trial *t, const struct protocol_launch_change *change, struct trial_words *words))
{
    note(launch_kind(change->kind));
    __real_trial_launch_words(t, change, words);
}
