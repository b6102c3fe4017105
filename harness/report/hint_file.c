/* Reading hints.txt. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/report/hint.h"

struct reader {
    struct hints *hints;
    const char *name;
    int line;
    bool inside; /* the line before belongs to a hint, and this one goes on with it */
    char *message;
};

static bool complain(const struct reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool complain(const struct reader *reader, int line, const char *format, ...)
{
    va_list list;
    text_set(reader->message, 512, "%.200s:%d: ", reader->name, line);
    size_t length = strlen(reader->message);
    va_start(list, format);
    vsnprintf(reader->message + length, 512 - length, format, list);
    va_end(list);
    return false;
}

/* Without blanks at both ends; `line` is changed. */
static char *trimmed(char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    size_t length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        line[--length] = 0;
    return line;
}

/* What was read so far ends here: has its last TODO a hint? */
static bool end_todo(const struct reader *reader)
{
    const struct hints *hints = reader->hints;
    const int last = hints->todo_count - 1;
    if (last >= 0 && hints->todo[last].count == 0)
        return complain(reader, hints->todo[last].line, "there is no hint for TODO %d", last + 1);
    return true;
}

static bool begin_todo(struct reader *reader, const char *line)
{
    struct hints *hints = reader->hints;
    int number = 0, length = 0;
    if (sscanf(line, "TODO %9d:%n", &number, &length) != 1 || length == 0 || line[length])
        return complain(reader, reader->line,
                        "a line that starts with TODO must read \"TODO %d:\" and no more",
                        hints->todo_count + 1);
    if (number >= 1 && number <= hints->todo_count)
        return complain(reader, reader->line, "TODO %d a second time; the first is in line %d", number,
                        hints->todo[number - 1].line);
    if (number != hints->todo_count + 1)
        return complain(reader, reader->line, "expected TODO %d, found TODO %d", hints->todo_count + 1,
                        number);
    if (hints->todo_count == TODO_MAX)
        return complain(reader, reader->line, "more than %d TODOs", TODO_MAX);
    if (!end_todo(reader))
        return false;
    hints->todo[hints->todo_count++].line = reader->line;
    reader->inside = false;
    return true;
}

/* One more line of text: begins a hint, or goes on with the one before. */
static bool add_line(struct reader *reader, const char *line)
{
    struct hints *hints = reader->hints;
    if (hints->todo_count == 0)
        return complain(reader, reader->line, "expected \"TODO 1:\" before the first hint");
    const int todo = hints->todo_count - 1, count = hints->todo[todo].count;
    if (!reader->inside && count == HINTS_PER_TODO)
        return complain(reader, reader->line, "more than %d hints for TODO %d", HINTS_PER_TODO, todo + 1);
    char **last = &hints->todo[todo].hint[reader->inside ? count - 1 : count], *text = NULL;
    if (asprintf(&text, "%s%s%s", reader->inside ? *last : "", reader->inside ? " " : "", line) < 0)
        return complain(reader, reader->line, "no memory for this hint");
    if (reader->inside)
        free(*last);
    else
        hints->todo[todo].count++;
    *last = text;
    reader->inside = true;
    return true;
}

static bool take_line(struct reader *reader, char *line, size_t length)
{
    if (strlen(line) != length)
        return complain(reader, reader->line, "a byte 0 in the text");
    if (reader->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) /* byte-order mark */
        line += 3;
    line = trimmed(line);
    if (line[0] == '#' && (line[1] == ' ' || line[1] == 0))
        return true;
    if (line[0] == 0) {
        reader->inside = false;
        return true;
    }
    return strncmp(line, "TODO", 4) == 0 ? begin_todo(reader, line) : add_line(reader, line);
}

bool hints_read(struct hints *hints, FILE *file, const char *name, char message[512])
{
    struct reader reader = {.hints = hints, .name = name, .message = message};
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    memset(hints, 0, sizeof *hints);
    for (ssize_t length; good && (length = getline(&line, &size, file)) >= 0;) {
        reader.line++;
        good = take_line(&reader, line, (size_t)length);
    }
    free(line);
    if (good && ferror(file))
        good = complain(&reader, reader.line + 1, "the file cannot be read any further");
    if (good && hints->todo_count == 0)
        good = complain(&reader, reader.line > 0 ? reader.line : 1, "the file ends without \"TODO 1:\"");
    good = good && end_todo(&reader);
    if (!good)
        hints_free(hints);
    return good;
}

void hints_free(struct hints *hints)
{
    for (int i = 0; i < hints->todo_count; i++)
        for (int k = 0; k < hints->todo[i].count; k++)
            free(hints->todo[i].hint[k]);
    memset(hints, 0, sizeof *hints);
}
