/* --hint: one hint at a time, for the first open TODO; which came last is kept beside the grader. */
#include <stdlib.h>
#include <string.h>

#include "harness/grader.h"
#include "harness/grader_todo.h"

static int hint_count(void)
{
    int count = 0;
    while (the_lab.hints && the_lab.hints[count])
        count++;
    return count;
}

/* Start of level `level` (from 0) of a hint, or NULL; its length in *length. */
static const char *hint_level(const char *hint, int level, int *length)
{
    for (; level > 0; level--) {
        hint = strstr(hint, "\n\n");
        if (!hint)
            return NULL;
        hint += 2;
    }
    const char *end = strstr(hint, "\n\n");
    *length = end ? (int)(end - hint) : (int)strlen(hint);
    return hint;
}

/* The level to show: one more than last time, if the last time was the same TODO. */
static int next_level(const char *path, int todo)
{
    int last_todo = 0, last_level = -1;
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d %d", &last_todo, &last_level) != 2 || last_todo != todo)
            last_level = -1;
        fclose(file);
    }
    return last_level + 1;
}

static void keep_level(const char *path, int todo, int level)
{
    FILE *file = fopen(path, "w"); /* if it cannot be kept, the first hint comes again */
    if (!file)
        return;
    fprintf(file, "%d %d\n", todo, level);
    fclose(file);
}

static void show(const struct grader *grader, int todo, FILE *out)
{
    char path[sizeof grader->build.folder + 16];
    int length;
    text_set(path, sizeof path, "%s/hint.state", grader->build.folder);
    int level = next_level(path, todo);
    const char *text = hint_level(the_lab.hints[todo - 1], level, &length);
    if (!text)
        text = hint_level(the_lab.hints[todo - 1], level = 0, &length); /* from the start again */
    keep_level(path, todo, level);
    fprintf(out, "Hint %d for TODO %d:\n%.*s\n", level + 1, todo, length, text);
    if (hint_level(the_lab.hints[todo - 1], level + 1, &length))
        fprintf(out, "(There is another one: ask again.)\n");
}

int hint_print(const struct grader *grader, FILE *out)
{
    struct todo todos[TODO_MAX];
    int todo = grader->options.hint, count = todo_scan(grader->build.source_path, todos);
    const struct todo *open = todo_first_open(todos, count > 0 ? count : 0);
    if (todo == 0 && !open) {
        fprintf(out,
                "No TODO is open in %s. For a hint to TODO n: ./grader --hint=n; to see what is wrong: "
                "./grader\n",
                grader->build.source);
        return GRADER_PASSED;
    }
    if (todo == 0) {
        todo = open->number;
        fprintf(out, "TODO %d (%s:%d): %s\n\n", todo, grader->build.source, open->line, open->text);
    }
    if (todo < 1 || todo > hint_count()) {
        fprintf(out, "%s has no hint for TODO %d; there are %d.\n", the_lab.name, todo, hint_count());
        return GRADER_USAGE;
    }
    show(grader, todo, out);
    return GRADER_PASSED;
}
