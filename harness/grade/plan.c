/* Which cases of which tasks, with which inputs. */
#define _GNU_SOURCE
#include "harness/grade/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/judge/call.h"
#include "harness/judge/seed.h"
#include "harness/result/grader.h"
#include "harness/source/source.h"
#include "harness/source/todo.h"

/* ---- selection ----------------------------------------------------------------------------------------- */

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncasecmp(name, text, length) == 0;
}

/* Is it called "reduce", or "a", in a list of names: "reduce,sum"? */
static bool names_task(const struct lab_task *task, const char *only)
{
    const size_t length = strcspn(only, ",");
    return is_name(task->id, only, length) || is_name(task->part, only, length) ||
           (only[length] && names_task(task, &only[length + 1]));
}

static bool all_name_tasks(const char *only)
{
    const size_t length = strcspn(only, ",");
    bool any = false;
    for (int i = 0; i < the_lab.task_count; i++)
        any =
            any || is_name(the_lab.tasks[i].id, only, length) || is_name(the_lab.tasks[i].part, only, length);
    return any && (!only[length] || all_name_tasks(&only[length + 1]));
}

static bool any_case_named(const struct only *only)
{
    for (int i = 0; i < the_lab.task_count; i++)
        for (const struct lab_case *c = the_lab.tasks[i].cases; c->name; c++)
            if ((!only->task[0] || names_task(&the_lab.tasks[i], only->task)) &&
                strcasecmp(c->name, only->cases) == 0)
                return true;
    return false;
}

/* "copy", "copy,sum", "one element" or "copy: one element". */
static void read_only(const char *text, struct only *only)
{
    const char *colon = strchr(text, ':');
    text_set(only->task, sizeof only->task, "%.*s", (int)(colon ? colon - text : (ptrdiff_t)strlen(text)),
             text);
    if (!all_name_tasks(only->task)) {
        only->task[0] = 0;
        only->cases = text;
    } else if (colon && colon[1 + strspn(colon + 1, " ")]) {
        only->cases = colon + 1 + strspn(colon + 1, " ");
    }
    only->whole = only->cases && any_case_named(only);
}

static bool wanted(const struct grader *grader, const char *case_name)
{
    const struct only *only = &grader->only;
    return !only->cases || (only->whole ? strcasecmp(case_name, only->cases) == 0
                                        : strcasestr(case_name, only->cases) != NULL);
}

static struct grader_case *add_case(struct grader_task *task, const char *name, const int64_t *arg)
{
    struct grader_case *added = &task->cases[task->case_count++];
    memset(added, 0, sizeof *added);
    text_set(added->name, sizeof added->name, "%s", name);
    memcpy(added->arg, arg, sizeof added->arg);
    added->status = CASE_NOT_RUN;
    return added;
}

/* The last case's numbers, with another size. False: the task's contract does not allow it. */
static bool add_size_case(struct grader *grader, struct grader_task *task)
{
    const struct lab_task *lab_task = task->task;
    if (lab_task->size_arg < 0 || !lab_task->cases[0].name)
        return false;
    const struct lab_case *model = lab_task->cases;
    while (model[1].name)
        model++;
    int64_t arg[LAB_MAX_ARGS];
    char name[96], numbers[80];
    struct call call;
    memcpy(arg, model->arg, sizeof arg);
    arg[lab_task->size_arg] = grader->options.size;
    plan_arguments(lab_task, arg, numbers, sizeof numbers);
    if (!call_shape(&call, lab_task, arg, true))
        return false;
    text_set(name, sizeof name, "--size: %s", numbers);
    add_case(task, name, arg);
    return true;
}

/* The largest case that the simulator runs too is called twice. */
static void choose_repeat(struct grader_task *task)
{
    struct grader_case *chosen = NULL;
    for (int i = 0; i < task->case_count; i++)
        if (!task->cases[i].gpu_only && strncmp(task->cases[i].name, "--size", 6) != 0)
            chosen = &task->cases[i];
    if (chosen)
        chosen->repeat = true;
}

static bool plan_task(struct grader *grader, struct grader_task *task)
{
    int count = 0;
    while (task->task->cases[count].name)
        count++;
    task->cases = calloc((size_t)count + 1, sizeof *task->cases);
    if (!task->cases)
        return false;
    if (!task->selected)
        return true;
    for (int i = 0; i < count; i++) {
        const struct lab_case *from = &task->task->cases[i];
        if (wanted(grader, from->name))
            add_case(task, from->name, from->arg)->gpu_only = from->gpu_only;
    }
    choose_repeat(task);
    return true;
}

/* Does a task that is not optional need this line of the student's file, too? */
static bool needed_anyway(const struct source *source, int line)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (!the_lab.tasks[i].optional && source_uses_line(source, the_lab.tasks[i].id, line))
            return true;
    return false;
}

/* An optional task is begun when its function and the TODOs that only it needs have code, as far as its functions are used by now. */
static bool is_begun(const struct grader *grader, const struct lab_task *task)
{
    struct todo todo[TODO_MAX];
    struct source source;
    bool open;
    const int count = todo_scan(grader->build.source_path, todo);
    build_read_source(&grader->build, &source);
    const struct source_function *entry = source_entry(&source, task->id);
    open = entry && source_is_empty(entry);
    for (int i = 0; i < count; i++)
        open = open || (todo[i].open && source_uses_line(&source, task->id, todo[i].line) &&
                        !needed_anyway(&source, todo[i].line));
    source_free(&source);
    return !open;
}

static bool is_selected(const struct grader *grader, const struct lab_task *task)
{
    if (grader->only.task[0])
        return names_task(task, grader->only.task);
    return !task->optional || is_begun(grader, task);
}

static int count_cases(const struct grader *grader)
{
    int cases = 0;
    for (int i = 0; i < the_lab.task_count; i++)
        cases += grader->tasks[i].case_count;
    return cases;
}

/* Some task that was chosen must take the size. */
static bool add_size_cases(struct grader *grader, char message[512])
{
    int added = 0;
    for (int i = 0; i < the_lab.task_count; i++)
        added += grader->tasks[i].selected && add_size_case(grader, &grader->tasks[i]);
    if (added == 0)
        text_set(message, 512, "--size %lld: no task takes this size; %s.h says what is allowed",
                 (long long)grader->options.size, the_lab.name);
    return added > 0;
}

bool plan_make(struct grader *grader, char message[512])
{
    const char *only = grader->options.only;
    if (only)
        read_only(only, &grader->only);
    assert(the_lab.task_count > 0);
    grader->tasks = calloc((size_t)the_lab.task_count, sizeof *grader->tasks);
    if (!grader->tasks)
        return false;
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        task->task = &the_lab.tasks[i];
        task->selected = is_selected(grader, task->task);
        if (!plan_task(grader, task))
            return false;
    }
    if (count_cases(grader) == 0) {
        text_set(message, 512, "--only %s: no task and no case of %s has that name; see --list",
                 only ? only : "", the_lab.name);
        return false;
    }
    return grader->options.size < 0 || add_size_cases(grader, message);
}

void plan_free(struct grader *grader)
{
    for (int i = 0; grader->tasks && i < the_lab.task_count; i++)
        free(grader->tasks[i].cases);
    free(grader->tasks);
    grader->tasks = NULL;
}

/* ---- --list -------------------------------------------------------------------------------------------- */

void plan_list(FILE *out)
{
    fprintf(out, "%s: %s\n", the_lab.name, the_lab.title);
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct lab_task *task = &the_lab.tasks[i];
        fprintf(out, "\n(%s) %s: %s", task->part, task->id, task->title);
        fprintf(out,
                task->shown_only ? " (given, no points)\n"
                : task->optional ? " (no points)\n"
                                 : ", %d points\n",
                task->points);
        for (const struct lab_case *c = task->cases; c->name; c++) {
            char numbers[128];
            plan_arguments(task, c->arg, numbers, sizeof numbers);
            fprintf(out, "    %-36s %s%s\n", c->name, numbers, c->gpu_only ? "   (on a GPU only)" : "");
        }
    }
}
