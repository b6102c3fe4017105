/* Finding TODO regions, and whether there is code in them. */
#include "harness/source/todo.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/text.h"

/* Scans the lines of one file. */
struct scan {
    struct todo *todo;
    int count;
    bool inside;     /* between "TODO n:" and "end of TODO n" */
    bool in_text;    /* still in the comment that says what to do */
    bool in_comment; /* of the other kind, over several lines */
};

static const char *skip_space(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

/* What stands behind "//", or NULL. */
static const char *line_comment(const char *line)
{
    line = skip_space(line);
    return line[0] == '/' && line[1] == '/' ? skip_space(line + 2) : NULL;
}

/* Is there anything but comments and blanks? */
static bool has_code(struct scan *scan, const char *s)
{
    while (*(s = skip_space(s))) {
        if (scan->in_comment) {
            const char *end = strstr(s, "*/");
            if (!end)
                return false;
            scan->in_comment = false;
            s = end + 2;
        } else if (s[0] == '/' && s[1] == '/') {
            return false;
        } else if (s[0] == '/' && s[1] == '*') {
            scan->in_comment = true;
            s += 2;
        } else {
            return true;
        }
    }
    return false;
}

static void add_text(struct todo *todo, const char *text)
{
    size_t length = strcspn(text, "\r\n");
    text_append(todo->text, sizeof todo->text, "%s%.*s", todo->text[0] && length ? " " : "", (int)length,
                text);
}

static bool begin_region(struct scan *scan, const char *comment, int line)
{
    int number, length = 0;
    if (!comment || scan->count == TODO_MAX || sscanf(comment, "TODO %d:%n", &number, &length) != 1 ||
        length == 0)
        return false;
    struct todo *todo = &scan->todo[scan->count++];
    memset(todo, 0, sizeof *todo);
    todo->number = number;
    todo->line = line;
    todo->open = true;
    add_text(todo, skip_space(comment + length));
    scan->inside = scan->in_text = true;
    return true;
}

static void take_line(struct scan *scan, const char *text, int line)
{
    const char *comment = scan->in_comment ? NULL : line_comment(text);
    if (begin_region(scan, comment, line) || !scan->inside)
        return;
    struct todo *todo = &scan->todo[scan->count - 1];
    if (comment && strncmp(comment, "end of TODO", 11) == 0) {
        scan->inside = false;
        todo->last = line;
        return;
    }
    scan->in_text = scan->in_text && comment;
    if (scan->in_text)
        add_text(todo, comment);
    else if (has_code(scan, text))
        todo->open = false;
}

int todo_scan(const char *path, struct todo todo[TODO_MAX])
{
    struct scan scan = {.todo = todo};
    char line[1024];
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    for (int number = 1; fgets(line, sizeof line, file);) {
        take_line(&scan, line, number);
        number += strchr(line, '\n') != NULL;
    }
    fclose(file);
    return scan.count;
}

const struct todo *todo_first_open(const struct todo *todo, int count)
{
    const struct todo *first = NULL;
    for (int i = 0; i < count; i++)
        if (todo[i].open && (!first || todo[i].number < first->number))
            first = &todo[i];
    return first;
}
