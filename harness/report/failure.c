#include "harness/report/failure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/judge/call.h"
#include "harness/source/given.h"
#include "harness/source/source.h"

/* ---- collecting ---------------------------------------------------------------------------------------- */

/* The simulator's account, which has lines, is preferred to the GPU's. */
static const struct grader_outcome *worse_outcome(const struct grader_case *c, enum grader_backend *backend)
{
    const struct grader_outcome *sim = &c->outcome[BACKEND_SIM], *gpu = &c->outcome[BACKEND_GPU];
    bool take_sim =
        sim->run && !sim->passed &&
        (gpu->passed || !gpu->run || sim->finding.reason == REASON_HAZARD || sim->finding.cause[0]);
    *backend = take_sim ? BACKEND_SIM : BACKEND_GPU;
    return take_sim ? sim : gpu;
}

static struct failure *add(struct failures *failures, const struct grader_task *task,
                           const struct grader_outcome *outcome, const char *name, const int64_t *arg)
{
    struct failure *failure = &failures->all[failures->count++];
    *failure =
        (struct failure){.task = task, .outcome = outcome, .name = name, .arg = arg, .backend = BACKEND_SIM};
    failure_measure(failure);
    return failure;
}

static void collect_task(const struct grader_task *task, struct failures *failures)
{
    for (int i = 0; i < task->case_count; i++) {
        const struct grader_case *c = &task->cases[i];
        enum grader_backend backend;
        if (c->status != CASE_FAILED)
            continue;
        const struct grader_outcome *outcome = worse_outcome(c, &backend);
        struct failure *failure = add(failures, task, outcome, c->name, c->arg);
        failure->backend = backend;
        failure->is_case = true;
        failures->cases++;
    }
    if (task->counters.outcome.run && !task->counters.outcome.passed)
        add(failures, task, &task->counters.outcome, "counting memory traffic", task->task->limit_arg);
    const bool modeled = task->speed.modeled;
    if (task->speed.verdict == SPEED_WRONG)
        add(failures, task, &task->speed.outcome, modeled ? "the size that is timed" : "timed runs",
            task->speed.arg)
            ->backend = modeled ? BACKEND_SIM : BACKEND_GPU;
}

/* ---- what follows from an open TODO -------------------------------------------------------------------- */

bool failure_is_unwritten_read(const struct grader_finding *finding)
{
    return finding->reason == REASON_HAZARD && fact_is_unwritten_read(&finding->facts);
}

/* Missing code stores nothing and computes nothing; a race, a crash or an error comes from code that is there. */
static bool may_be_missing_code(const struct grader_finding *finding)
{
    return finding->reason == REASON_VALUES ||
           (failure_is_unwritten_read(finding) && !fact_is_misplaced(&finding->facts));
}

/* No task comes to this line yet, for example because the kernel's launch is a TODO itself. */
static bool is_reached(const struct source *source, int line)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (source_uses_line(source, the_lab.tasks[i].id, line))
            return true;
    return false;
}

/* The open TODO with the smallest number that the task needs; those that no task reaches belong to the next one. */
static const struct todo *open_todo_of(const struct failures *failures, const struct source *source,
                                       const struct lab_task *task)
{
    const struct todo *first = NULL;
    for (int i = 0; i < failures->todo_count; i++) {
        const struct todo *todo = &failures->todos[i];
        if (!todo->open || todo->number == task->right_without)
            continue;
        if (!first)
            first = todo;
        if (source_uses_line(source, task->id, todo->line))
            return first;
        if (is_reached(source, todo->line))
            first = NULL;
    }
    return NULL;
}

static void find_open_todos(const struct grader *grader, struct failures *failures)
{
    struct source source;
    failures->todo_count = todo_scan(grader->build.source_path, failures->todos);
    if (failures->todo_count <= 0 || !todo_first_open(failures->todos, failures->todo_count))
        return;
    build_read_source(&grader->build, &source);
    const struct grader_task *task = NULL; /* failures are in the order of tasks: each is looked at once */
    const struct todo *open = NULL;
    for (int i = 0; i < failures->count; i++) {
        struct failure *failure = &failures->all[i];
        if (!may_be_missing_code(&failure->outcome->finding))
            continue;
        if (failure->task != task)
            open = open_todo_of(failures, &source, failure->task->task);
        task = failure->task;
        failure->open = open;
    }
    source_free(&source);
}

bool failure_is_undone(const struct grader *grader, const struct lab_task *task,
                       const struct grader_finding *finding, struct todo *needed, struct todo *first)
{
    struct failures todos = {0};
    struct source source;
    todos.todo_count = todo_scan(grader->build.source_path, todos.todos);
    const struct todo *open = todos.todo_count > 0 ? todo_first_open(todos.todos, todos.todo_count) : NULL;
    if (!open || !may_be_missing_code(finding))
        return false;
    build_read_source(&grader->build, &source);
    const struct todo *found = open_todo_of(&todos, &source, task);
    source_free(&source);
    *first = *open;
    if (found)
        *needed = *found;
    return found != NULL;
}

static bool in_student_file(const struct grader *grader, const struct grader_finding *finding)
{
    return finding->line > 0 &&
           strcmp(text_file_name(finding->file), text_file_name(grader->build.source)) == 0;
}

/* ---- one cause ----------------------------------------------------------------------------------------- */

static bool same_place(const char *file, int line, const char *other_file, int other_line)
{
    return line > 0 && line == other_line && strcmp(text_file_name(file), text_file_name(other_file)) == 0;
}

/* Is the line among those that have to do with the outcome? */
static bool names_line(const struct grader_outcome *outcome, const char *file, int line)
{
    const struct facts *facts = &outcome->finding.facts;
    const char *dot = strrchr(file, '.');
    if (same_place(file, line, outcome->finding.file, outcome->finding.line))
        return true;
    for (int i = 0; i < facts->line_count && dot && strcmp(dot, ".cu") == 0; i++)
        if (facts->line[i] == line)
            return true;
    for (int i = 0; i < outcome->hazard_count; i++) {
        const struct protocol_hazard *hazard = &outcome->hazard[i];
        if (same_place(file, line, hazard->here.file, hazard->here.line) ||
            same_place(file, line, hazard->there.file, hazard->there.line))
            return true;
    }
    return false;
}

const struct protocol_hazard *failure_hazard(const struct grader_outcome *outcome)
{
    for (int i = 0; i < outcome->hazard_count && outcome->finding.reason == REASON_HAZARD; i++)
        if (fact_is_hazard(&outcome->finding.facts, outcome->hazard[i].class) &&
            same_place(outcome->hazard[i].here.file, outcome->hazard[i].here.line, outcome->finding.file,
                       outcome->finding.line))
            return &outcome->hazard[i];
    return NULL;
}

bool failure_says_the_same(const struct failure *a, const struct failure *b)
{
    const char *s = a->outcome->finding.cause, *t = b->outcome->finding.cause;
    while (*s && *s != '\n' && *t) {
        s += strspn(s, "0123456789");
        t += strspn(t, "0123456789");
        if (*s != *t)
            return false;
        s += *s != 0;
        t += *t != 0;
    }
    return s > a->outcome->finding.cause && (*s == 0 || *s == '\n');
}

/* Of two lines that a cause names, the one to correct: where the index leaves its array in another case. */
const struct grader_finding *failure_at(const struct failure *failure)
{
    return &(failure->index ? failure->index : failure)->outcome->finding;
}

bool failure_explains(const struct failure *first, const struct failure *other)
{
    const struct grader_finding *finding = &first->outcome->finding, *at = failure_at(first);
    const struct protocol_hazard *hazard = failure_hazard(first->outcome);
    if (first == other)
        return true;
    if (first->open || other->open)
        return first->open == other->open;
    if (finding->line == 0)
        return other->outcome->finding.line == 0 && finding->reason == other->outcome->finding.reason &&
               (first->task == other->task || failure_says_the_same(first, other));
    /* What is wrong without any hazard does not come of two accesses that nothing orders; in one task, both may be of one index. */
    const bool is_orderly = other->backend == BACKEND_SIM && other->outcome->hazard_count == 0;
    if (hazard && fact_is_race(hazard->class) && is_orderly && first->task != other->task)
        return false;
    return names_line(other->outcome, at->file, at->line) ||
           (hazard && hazard->there.line > 0 && !is_orderly &&
            names_line(other->outcome, hazard->there.file, hazard->there.line));
}

/* ---- all together ---------------------------------------------------------------------------------------- */

bool failures_find(const struct grader *grader, struct failures *failures)
{
    int most = 0;
    memset(failures, 0, sizeof *failures);
    for (int i = 0; i < the_lab.task_count; i++)
        most += grader->tasks[i].case_count + 2;
    failures->all = calloc((size_t)most + 1, sizeof *failures->all);
    if (!failures->all)
        return false;
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].selected)
            collect_task(&grader->tasks[i], failures);
    find_open_todos(grader, failures);
    failures_rank(failures);
    return true;
}

void failures_free(struct failures *failures)
{
    free(failures->all);
    failures->all = NULL;
}

/* Addresses that are wrong, and threads in the wrong order: neither comes of the other. */
enum hazard_family { FAMILY_OTHER, FAMILY_ADDRESS, FAMILY_ORDER };

static enum hazard_family family_of(const char *name)
{
    static const struct {
        const char *begins;
        enum hazard_family family;
    } families[] = {{"access out of bounds", FAMILY_ADDRESS},
                    {"use after free", FAMILY_ADDRESS},
                    {"misaligned access", FAMILY_ADDRESS},
                    {"race", FAMILY_ORDER},
                    {"barrier", FAMILY_ORDER}};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(name, families[i].begins, strlen(families[i].begins)) == 0)
            return families[i].family;
    return FAMILY_OTHER;
}

static bool are_apart(enum hazard_family a, enum hazard_family b)
{
    return a != b && a != FAMILY_OTHER && b != FAMILY_OTHER;
}

/* The line is named already, and what is seen of it, too. */
static bool says_no_more(const struct failure *first, const struct failure *other)
{
    const struct facts *facts = &other->outcome->finding.facts;
    for (int i = 0; i < facts->count; i++)
        if (!fact_find(&first->outcome->finding.facts, facts->fact[i].kind))
            return false;
    return facts->count > 0 &&
           names_line(first->outcome, other->outcome->finding.file, other->outcome->finding.line);
}

/*
 * Of one task: with a change all of its cases that were tried are right; or the other one reads what was never written, at
 * a line that the first one names.
 */
static bool is_same_mistake(const struct failure *first, const struct failure *other)
{
    const struct grader_finding *finding = &other->outcome->finding;
    return first->task == other->task &&
           (fact_find(&first->outcome->finding.facts, FACT_TRIED) ||
            (failure_is_unwritten_read(finding) && names_line(first->outcome, finding->file, finding->line)));
}

/* Whether the case is wrong for another reason than what is told first. */
static bool has_own_cause(const struct failure *first, const struct failure *failure)
{
    const struct protocol_hazard *told = failure_hazard(first->outcome),
                                 *own = failure_hazard(failure->outcome);
    if (told && own && are_apart(family_of(told->name), family_of(own->name)))
        return !same_place(told->here.file, told->here.line, own->here.file, own->here.line);
    if ((first->task == failure->task && failure_says_the_same(first, failure)) ||
        is_same_mistake(first, failure))
        return false;
    return failure->outcome->finding.line > 0 && !failure->follows && failure_knows_cause(failure) &&
           !failure_explains(first, failure) && !says_no_more(first, failure);
}

/* A case in which nothing is seen of what is told first is better evidence than one with both. */
static bool is_better(const struct failure *first, const struct failure *a, const struct failure *b)
{
    const bool is_explained = failure_explains(first, a);
    return is_explained == failure_explains(first, b) ? failure_compare(a, b) < 0 : !is_explained;
}

/* Where a task has cases that are explained, another one may be wrong for the same reason, unless its own is known. */
const struct failure *failures_other(const struct failures *failures, const struct grader_task *task)
{
    const struct failure *other = NULL;
    bool shared = task == failures->first->task;
    for (int i = 0; i < failures->count; i++)
        shared |= failures->all[i].task == task && failure_explains(failures->first, &failures->all[i]);
    for (int i = 0; i < failures->count; i++) {
        const struct failure *failure = &failures->all[i];
        if (failure->task == task && (!shared || has_own_cause(failures->first, failure)) &&
            (!other || is_better(failures->first, failure, other)))
            other = failure;
    }
    return other;
}

/* ---- in words ------------------------------------------------------------------------------------------ */

void failure_place(const struct grader *grader, const char *file, int line, char *text, size_t size)
{
    const char *name = text_file_name(file);
    text_set(text, size, "%s", "");
    if (line > 0)
        text_set(text, size, "%s:%d", strcmp(name, text_file_name(grader->build.source)) == 0 ? name : file,
                 line);
}

/* Does the first line of the text name the line already? */
static bool names_number(const char *text, int line)
{
    char number[16];
    text_set(number, sizeof number, "%d", line);
    const size_t length = strlen(number);
    const char *end = text + strcspn(text, "\n");
    for (const char *s = text; (s = strstr(s, number)) && s < end; s += length)
        if (s > text && !isdigit((unsigned char)s[length]) &&
            (s[-1] == ':' || (s >= text + 5 && strncmp(s - 5, "line ", 5) == 0)))
            return true;
    return false;
}

/* A line of the student's with a change of which it is right; 0: none is known. Many changes only silence a race. */
static int tried_line(const struct grader *grader, const struct facts *facts)
{
    for (int i = 0; i < facts->count && !fact_is_racing(facts); i++)
        if (facts->fact[i].kind == FACT_TRIED &&
            !trial_is_given(&grader->build, facts->fact[i].place[0].line))
            return facts->fact[i].place[0].line;
    return 0;
}

void failure_sentence(const struct grader *grader, const struct failure *failure, char *text, size_t size)
{
    const struct grader_finding *finding = &failure->outcome->finding, *at = failure_at(failure);
    const bool is_value = finding->reason == REASON_VALUES;
    const int line = is_value ? tried_line(grader, &finding->facts) : at->line;
    const char *said = finding->cause[0] ? finding->cause : finding->headline;
    char place[256];
    failure_place(grader, is_value ? grader->build.source : at->file, line, place, sizeof place);
    const bool add_place = place[0] && !names_number(said, line);
    text_set(text, size, "%s%s%.*s", add_place ? place : "", add_place ? ": " : "", (int)strcspn(said, "\n"),
             said);
}

/* "'reduce: one element'": the case, as a shell takes it. */
static void append_name(char *text, size_t size, const struct failure *failure)
{
    const char *quote = strchr(failure->name, '\'') ? "\"" : "'";
    text_append(text, size, "%s%s: %s%s", quote, failure->task->task->id, failure->name, quote);
}

/* --only cannot name a run that was timed or counted, nor a size of the user's. */
static void append_only(const struct failure *failure, char *text, size_t size)
{
    if (!failure->is_case || fact_find(&failure->outcome->finding.facts, FACT_AFTER_OTHERS) ||
        strncmp(failure->name, "--size", 6) == 0)
        text_append(text, size, "alone: ./grader --only %s", failure->task->task->id);
    else {
        text_append(text, size, "this case alone: ./grader --only ");
        append_name(text, size, failure);
    }
}

static bool is_used_by_failing(const struct grader *grader, const struct source *source, int line)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].failed > 0 && source_uses_line(source, grader->tasks[i].task->id, line))
            return true;
    return false;
}

int failure_changed(const struct grader *grader, const struct failure *failure, int lines[TRIAL_CHANGED_MOST])
{
    const int at = failure_at(failure)->line, all = trial_find_changed(&grader->build, lines);
    struct source source;
    int count = 0;
    if (all == 0)
        return 0;
    build_read_source(&grader->build, &source);
    for (int i = 0; i < all; i++)
        if (is_used_by_failing(grader, &source, lines[i]))
            lines[count++] = lines[i];
    source_free(&source);
    for (int i = 1; i < count; i++)
        if (abs(lines[i] - at) < abs(lines[0] - at)) {
            const int nearer = lines[i];
            lines[i] = lines[0];
            lines[0] = nearer;
        }
    return count;
}

int failure_line(const struct grader *grader, const struct failure *failure)
{
    const struct grader_finding *at = failure_at(failure);
    const int tried = tried_line(grader, &failure->outcome->finding.facts);
    return failure->open                 ? failure->open->line
           : tried > 0                   ? tried
           : in_student_file(grader, at) ? at->line
                                         : 0;
}

const struct todo *failure_todo(const struct grader *grader, const struct failures *failures,
                                const struct failure *failure)
{
    const struct facts *facts = &failure->outcome->finding.facts;
    const struct fact *few =
        fact_find(facts, FACT_FEW_BLOCKS); /* the grid, not the kernel that stores by it */
    const int line = few && few->place[0].line > 0 ? few->place[0].line : failure_line(grader, failure);
    /* What is read of shared memory should have been stored before. */
    const bool is_before = failure_is_unwritten_read(&failure->outcome->finding) &&
                           fact_find(facts, FACT_HAZARD)->space == SIM_SPACE_SHARED;
    const struct todo *near = NULL, *used = NULL;
    struct source source;
    if (failure->open)
        return failure->open;
    build_read_source(&grader->build, &source);
    for (int i = 0; i < failures->todo_count; i++) {
        const struct todo *todo = &failures->todos[i];
        const bool is_here = line >= todo->line && line <= todo->last;
        if (is_here)
            near = todo;
        if (!source_uses_line(&source, failure->task->task->id, todo->line) || (is_here && is_before))
            continue;
        if (!used || (line > 0 && todo->line < line))
            used = todo;
    }
    source_free(&source);
    return near && !(is_before && used && used->line < line) ? near : used;
}

/* A line only where a change of it was tried: where something shows, the code may be right. */
static void append_task(const struct grader *grader, const struct failure *failure, char *text, size_t size)
{
    const struct lab_task *task = failure->task->task;
    const int tried = tried_line(grader, &failure->outcome->finding.facts);
    if (tried > 0)
        text_append(text, size, "for (%s) %s, look at %s:%d", task->part, task->id,
                    text_file_name(grader->build.source), tried);
    else
        text_append(text, size, "correct (%s) %s", task->part, task->id);
}

void failure_next(const struct grader *grader, const struct failure *failure, char *text, size_t size)
{
    if (failure->open) {
        text_set(text, size, "Next: write TODO %d (%s:%d), then make %s && ./grader. A hint: ./grader --hint",
                 failure->open->number, text_file_name(grader->build.source), failure->open->line,
                 the_lab.name);
        return;
    }
    text_set(text, size, "Next: ");
    append_task(grader, failure, text, size);
    if (grader->only.cases) {
        text_append(text, size, ", make %s, and run the grader again.", the_lab.name);
        return;
    }
    text_append(text, size, "; ");
    append_only(failure, text, size);
    text_append(text, size, " --seed %llu", (unsigned long long)grader->seed);
}
