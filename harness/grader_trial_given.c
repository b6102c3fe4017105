/* Lines that are given: they stand in the lab's skeleton as well, outside of all TODOs. They are right. */
#include "harness/grader_trial_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/grader_todo.h"

static char *read_skeleton(const struct grader_build *build)
{
    char name[128], root[sizeof build->root], path[sizeof root + sizeof name];
    text_set(name, sizeof name, "%s/skeleton.cu", the_lab.folder);
    if (!build_find(build, name, root))
        return NULL;
    text_set(path, sizeof path, "%s/%s", root, name);
    return trial_read_file(path);
}

/* Comments at its end do not count; `line` has none. */
static bool has_line(const char *text, const char *line)
{
    size_t length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    for (const char *at = text; at && length > 0; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, line, length) != 0)
            continue;
        const char *end = at + length + strspn(at + length, " \t\r");
        if (*end == '\n' || *end == '\0' || strncmp(end, "//", 2) == 0 || strncmp(end, "/*", 2) == 0)
            return true;
    }
    return false;
}

bool trial_is_given(const struct grader_build *build, int line)
{
    struct todo todos[TODO_MAX];
    char text[TRIAL_LINE];
    const int count = todo_scan(build->source_path, todos);
    for (int i = 0; i < count; i++)
        if (line >= todos[i].line && line <= todos[i].last)
            return false;
    if (count <= 0)
        return false;
    char *file = trial_read_file(build->source_path), *skeleton = read_skeleton(build);
    trial_take_line(file, line, text);
    const bool given = file && skeleton && has_line(skeleton, text);
    free(file);
    free(skeleton);
    return given;
}
