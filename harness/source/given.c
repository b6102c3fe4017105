#include "harness/source/given.h"

#include "harness/base/text.h"
#include "harness/lab/lab.h"
#include "harness/source/line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/source/source.h"
#include "harness/source/todo.h"

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

/* What both questions need, read once. */
struct texts {
    struct todo todos[TODO_MAX];
    int count;
    char *file, *skeleton;
};

static void read_texts(const struct grader_build *build, struct texts *texts)
{
    texts->count = todo_scan(build->source_path, texts->todos);
    texts->file = texts->count > 0 ? trial_read_file(build->source_path) : NULL;
    texts->skeleton = texts->file ? read_skeleton(build) : NULL;
}

static void free_texts(struct texts *texts)
{
    free(texts->file);
    free(texts->skeleton);
}

enum line_kind { LINE_OWN, LINE_GIVEN, LINE_IN_TODO };

static enum line_kind kind_of(const struct texts *texts, int line)
{
    char text[TRIAL_LINE];
    for (int i = 0; i < texts->count; i++)
        if (line >= texts->todos[i].line && line <= texts->todos[i].last)
            return LINE_IN_TODO;
    trial_take_line(texts->file, line, text);
    return has_line(texts->skeleton, text) ? LINE_GIVEN : LINE_OWN;
}

static bool says_something(const struct texts *texts, int line)
{
    char text[TRIAL_LINE];
    trial_take_line(texts->file, line, text);
    return text[strcspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] != '\0';
}

/* In a function that has been written anew, what is still as it was may be wrong there. */
static bool is_rewritten(const struct texts *texts, const struct source_function *function)
{
    int own = 0, given = 0;
    for (int line = function->first + 1; line < function->last; line++) {
        const enum line_kind kind = says_something(texts, line) ? kind_of(texts, line) : LINE_IN_TODO;
        own += kind == LINE_OWN;
        given += kind == LINE_GIVEN;
    }
    return own > given;
}

void trial_find_given(const struct grader_build *build, bool *given, int lines)
{
    struct texts texts;
    struct source source = {0};
    int count = 1;
    memset(given, 0, (size_t)lines * sizeof *given);
    read_texts(build, &texts);
    for (const char *at = texts.file; at && (at = strchr(at, '\n')); at++)
        count++;
    for (int line = 1; texts.skeleton && line < lines && line <= count; line++)
        given[line] = kind_of(&texts, line) == LINE_GIVEN;
    if (texts.skeleton)
        source_take(&source, strdup(texts.file), NULL);
    for (int f = 0; f < source.count; f++)
        if (is_rewritten(&texts, &source.function[f]))
            for (int line = source.function[f].first; line <= source.function[f].last && line < lines; line++)
                given[line] = false;
    source_free(&source);
    free_texts(&texts);
}

static bool is_code(const struct texts *texts, int line)
{
    char text[TRIAL_LINE];
    trial_take_line(texts->file, line, text);
    const char *begin = text + strspn(text, " \t");
    return says_something(texts, line) && strncmp(begin, "//", 2) != 0 && *begin != '/' && *begin != '*';
}

int trial_find_changed(const struct grader_build *build, int lines[TRIAL_CHANGED_MOST])
{
    struct texts texts;
    int count = 0, line = 1;
    read_texts(build, &texts);
    for (const char *at = texts.skeleton ? texts.file : NULL; at && count <= TRIAL_CHANGED_MOST; line++) {
        if (kind_of(&texts, line) == LINE_OWN && is_code(&texts, line) && count++ < TRIAL_CHANGED_MOST)
            lines[count - 1] = line;
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    free_texts(&texts);
    return count <= TRIAL_CHANGED_MOST ? count : 0;
}

bool trial_is_given(const struct grader_build *build, int line)
{
    bool given[TRIAL_LINES_MOST];
    trial_find_given(build, given, TRIAL_LINES_MOST);
    return line >= 0 && line < TRIAL_LINES_MOST && given[line];
}
