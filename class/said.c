#include "class/said.h"

#include <stdlib.h>
#include <string.h>

#include "class/clean.h"
#include "class/files.h"

static void remove_all(char *text, const char *part)
{
    const size_t length = strlen(part);
    for (char *at = text; (at = strstr(at, part));)
        memmove(at, at + length, strlen(at + length) + 1);
}

char *said_by(const struct run *run, int submission, const char *folder, const char *name, size_t most)
{
    char *path = text_of("%s/%s", folder, name), *text = file_read(path, SAID_JSON, NULL), *shown = NULL;
    char *built = run_built(run, submission);
    char *own[] = {text_of("%s/", run->root), text_of("%s/", folder), text_of("%s/", built)};
    if (text && strlen(text) > most)
        text[most] = 0;
    for (int i = 0; i < 3; i++) {
        if (text)
            remove_all(text, own[i]);
        free(own[i]);
    }
    if (text)
        shown = clean(text, true);
    free(built);
    free(path);
    free(text);
    return shown;
}

/* Lines of make's, and the name of a file that is gone when the report is read. */
static void remove_words_for_builders(char *report)
{
    static const char make[] = "make: ";
    remove_all(report, "Everything that the compiler says: student.log");
    for (char *line = report, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (strncmp(line, make, sizeof make - 1) == 0) {
            memmove(line, next, strlen(next) + 1);
            next = line;
        }
    }
}

char *said_by_build(const struct run *run, int submission, const char *folder)
{
    char *report = said_by(run, submission, folder, "build.txt", SAID_REPORT);
    if (report)
        remove_words_for_builders(report);
    return report;
}

char *said_first_line(const char *text)
{
    text += strspn(text, "\n ");
    size_t length = strcspn(text, "\n");
    while (length > 0 && strchr(".: ", text[length - 1]))
        length--;
    return text_of("%.*s", (int)(length < 500 ? length : 500), text);
}
