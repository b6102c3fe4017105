/* --hint: one hint at a time, for the first open TODO; which came last is kept beside the grader. */
#include <errno.h>
#include <string.h>

#include "harness/grader.h"
#include "harness/grader_hint.h"

/* The hint to show, from 0: one more than last time, if the last time was the same TODO. */
static int next_hint(const char *path, int todo)
{
    int last_todo = 0, last = -1;
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d %d", &last_todo, &last) != 2 || last_todo != todo || last < 0 ||
            last >= HINTS_PER_TODO)
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

static void show(const struct grader *grader, const struct hints *hints, int todo, FILE *out)
{
    char path[sizeof grader->build.folder + 16];
    const int count = hints->todo[todo - 1].count;
    text_set(path, sizeof path, "%s/hint.state", grader->build.folder);
    int which = next_hint(path, todo);
    if (which >= count)
        which = 0; /* from the start again */
    keep_hint(path, todo, which);
    fprintf(out, "Hint %d for TODO %d:\n%s\n", which + 1, todo, hints->todo[todo - 1].hint[which]);
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

/* The hints are read: shows one for TODO `todo`, or for `open` if that is 0. */
static int print(const struct grader *grader, const struct hints *hints, int todo, const struct todo *open,
                 FILE *out)
{
    if (todo == 0) {
        todo = open->number;
        fprintf(out, "TODO %d (%s:%d): %s\n\n", todo, grader->build.source, open->line, open->text);
    }
    if (todo < 1 || todo > hints->todo_count) {
        fprintf(out, "%s has no hint for TODO %d; there are %d.\n", the_lab.name, todo, hints->todo_count);
        return GRADER_USAGE;
    }
    show(grader, hints, todo, out);
    return GRADER_PASSED;
}

int hint_print(const struct grader *grader, FILE *out, char message[512])
{
    struct todo todos[TODO_MAX];
    struct hints hints;
    int todo = grader->options.hint, count = todo_scan(grader->build.source_path, todos);
    const struct todo *open = todo_first_open(todos, count > 0 ? count : 0);
    if (todo == 0 && !open) {
        fprintf(out,
                "No TODO is open in %s. For a hint to TODO n: ./grader --hint=n; to see what is wrong: "
                "./grader\n",
                grader->build.source);
        return GRADER_PASSED;
    }
    if (!read_hints(&grader->build, &hints, message))
        return GRADER_USAGE;
    int status = print(grader, &hints, todo, open, out);
    hints_free(&hints);
    return status;
}
