/* --hint: one hint at a time, for what fails, or else for the first open TODO; which came last is kept beside the grader. */
#include "harness/report/hint.h"

#include <errno.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/report/failure.h"
#include "harness/report/report.h"
#include "harness/result/grader.h"
#include "harness/source/source.h"

/* The change that was tried of what fails, if it makes that right; NULL: there is none. It is the second hint. */
static const char *change_of(const struct failures *failures)
{
    const struct grader_finding *finding =
        failures && failures->first ? &failures->first->outcome->finding : NULL;
    return finding && fact_find(&finding->facts, FACT_TRIED) ? finding->change : NULL;
}

/* The hint to show, from 0: one more than last time, if the last time was the same TODO. */
static int next_hint(const char *path, int todo)
{
    int last_todo = 0, last = -1;
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d %d", &last_todo, &last) != 2 || last_todo != todo || last < 0 ||
            last > HINTS_PER_TODO)
            last = -1;
        fclose(file);
    }
    return last + 1;
}

static void keep_hint(const char *path, int todo, int which)
{
    FILE *file = fopen(path, "w"); /* if it cannot be kept, the first hint comes again */
    if (!file)
        return;
    fprintf(file, "%d %d\n", todo, which);
    fclose(file);
}

static void show(const struct grader *grader, const struct hints *hints, int todo, const char *change,
                 FILE *out)
{
    char path[sizeof grader->build.folder + 16];
    const int count = hints->todo[todo - 1].count + (change != NULL);
    text_set(path, sizeof path, "%s/hint.state", grader->build.folder);
    int which = next_hint(path, todo);
    if (which >= count)
        which = 0; /* from the start again */
    keep_hint(path, todo, which);
    fprintf(out, "Hint %d for TODO %d:\n", which + 1, todo);
    const int own = which - (change && which > 0);
    text_print(out, 0, change && which == 1 ? change : hints->todo[todo - 1].hint[own], 0);
    if (which + 1 < count)
        fprintf(out, "(There is another one: ask again.)\n");
}

/* hints.txt of the lab's folder. */
static bool read_hints(const struct grader_build *build, struct hints *hints, char message[512])
{
    char name[128], root[sizeof build->root], path[sizeof root + sizeof name];
    text_set(name, sizeof name, "%s/hints.txt", the_lab.folder);
    FILE *file = NULL;
    if (build_find(build, name, root)) {
        text_set(path, sizeof path, "%s/%s", root, name);
        file = fopen(path, "r");
    }
    if (!file) {
        text_set(message, 512, "%s: %s; it belongs to the lab: git checkout %s", name, strerror(errno), name);
        return false;
    }
    bool read = hints_read(hints, file, name, message);
    fclose(file);
    return read;
}

/* What the hint is about: what fails, in a sentence, and the TODO that it belongs to. */
static void introduce(const struct grader *grader, const struct failures *failures, const struct todo *todo,
                      FILE *out)
{
    char sentence[1700], text[2000];
    const struct failure *first = failures ? failures->first : NULL;
    if (first && !first->open) {
        failure_sentence(grader, first, sentence, sizeof sentence);
        text_set(text, sizeof text, "(%s) %s fails: %s", first->task->task->part, first->task->task->id,
                 sentence);
        text_print(out, 0, text, 0);
    }
    if (todo) {
        text_set(text, sizeof text, "TODO %d%s (%.600s:%d): %s", todo->number, todo->open ? " is open" : "",
                 grader->build.source, todo->line, todo->text);
        text_print(out, 0, text, 0);
    }
    fputc('\n', out);
}

/* Does one of the tasks that --only names need the TODO? */
static bool is_asked_for(const struct grader *grader, const struct source *source, const struct todo *todo)
{
    for (int i = 0; i < the_lab.task_count && grader->options.only; i++)
        if (grader->tasks[i].selected && source_uses_line(source, the_lab.tasks[i].id, todo->line))
            return true;
    return !grader->options.only;
}

/* The TODO to give a hint for; NULL: there is none. */
static const struct todo *choose(const struct grader *grader, const struct failures *failures,
                                 const struct todo *todos, int count)
{
    const struct todo *first = NULL;
    struct source source;
    if (failures && failures->first)
        return failure_todo(grader, failures, failures->first);
    build_read_source(&grader->build, &source);
    for (int i = count; i-- > 0;)
        if (todos[i].open && is_asked_for(grader, &source, &todos[i]))
            first = &todos[i];
    source_free(&source);
    return first;
}

static void nothing_to_hint_at(const struct grader *grader, bool graded, FILE *out)
{
    const char *only = grader->options.only;
    char text[4352];
    text_set(text, sizeof text, "%s in %s%s%s. %sFor a hint to TODO n: ./grader --hint=n",
             graded ? "No case is wrong, and no TODO is open," : "No TODO is open", grader->build.source,
             only ? " for " : "", only ? only : "",
             graded ? "Speed and memory traffic: ./grader --explain. " : "");
    text_print(out, 0, text, 0);
}

/* Without --hint=N. Returns the number of the TODO to give a hint for, 0: none. */
static int choose_and_introduce(const struct grader *grader, const struct failures *failures, FILE *out)
{
    struct todo todos[TODO_MAX];
    const int count = todo_scan(grader->build.source_path, todos);
    const struct todo *todo = choose(grader, failures, todos, count);
    if (todo || (failures && failures->first))
        introduce(grader, failures, todo, out);
    if (todo)
        return todo->number;
    if (failures && failures->first)
        fprintf(out, "It belongs to no TODO. The whole story: ./grader --explain\n");
    else
        nothing_to_hint_at(grader, failures != NULL, out);
    return 0;
}

int hint_print(const struct grader *grader, const struct failures *failures, FILE *out, char message[512])
{
    struct hints hints;
    int todo = (int)grader->options.hint, status = GRADER_PASSED;
    if (todo == 0)
        todo = choose_and_introduce(grader, failures, out);
    if (todo == 0)
        return GRADER_PASSED;
    if (!read_hints(&grader->build, &hints, message))
        return GRADER_USAGE;
    if (todo <= hints.todo_count) {
        show(grader, &hints, todo, change_of(failures), out);
    } else {
        fprintf(out, "%s has no hint for TODO %d; there are %d.\n", the_lab.name, todo, hints.todo_count);
        status = GRADER_USAGE;
    }
    hints_free(&hints);
    return status;
}
