#define _GNU_SOURCE
#include "class/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class/files.h"

static bool number(const char *text, double least, double most, double *value)
{
    char *end;
    *value = strtod(text, &end);
    end += strspn(end, " %");
    return end != text && *end == 0 && *value >= least && *value <= most;
}

static bool whole(const char *text, int least, int most, int *value)
{
    double read;
    if (!number(text, least, most, &read) || read != (int)read)
        return false;
    *value = (int)read;
    return true;
}

static bool word(const char *text, const char *const *words, int *which)
{
    for (*which = 0; words[*which]; ++*which)
        if (strcmp(text, words[*which]) == 0)
            return true;
    return false;
}

static bool date(const char *text, time_t *time)
{
    struct tm parts = {.tm_isdst = -1};
    const char *end = strptime(text, "%Y-%m-%d %H:%M", &parts);
    *time = mktime(&parts);
    return end && *end == 0 && *time > 0;
}

/* False: there is no such name, or not such a value; `expected` says which there are. */
static bool take(struct settings *s, const char *name, const char *value, const char **expected)
{
    static const char *const sees[] = {"score", "tasks", "report", NULL};
    static const char *const visibilities[] = {"visible", "hidden", "after_due_date", "after_published",
                                               NULL};
    int which;
    double percent;
    if (strcmp(name, "open_points") == 0) {
        *expected = "a percentage";
        return number(value, 0, 100, &percent) && (s->open_points = percent / 100, true);
    }
    if (strcmp(name, "deadline") == 0)
        return *expected = "a date such as 2026-12-01 23:59", date(value, &s->deadline);
    if (strcmp(name, "late_percent") == 0)
        return *expected = "a percentage", number(value, 0, 100, &s->late_percent);
    if (strcmp(name, "late_free") == 0)
        return *expected = "a number of days", whole(value, 0, 1000, &s->late_free);
    if (strcmp(name, "late_last") == 0)
        return *expected = "a number of days", whole(value, 0, 1000, &s->late_last);
    if (strcmp(name, "late_file") == 0)
        return *expected = "a file",
               snprintf(s->late_file, sizeof s->late_file, "%s", value) < (int)sizeof s->late_file;
    if (strcmp(name, "student_sees") == 0)
        return *expected = "score, tasks or report",
               word(value, sees, &which) && (s->student_sees = (enum sees)which, true);
    if (strcmp(name, "visibility") == 0)
        return *expected = "visible, hidden, after_due_date or after_published",
               word(value, visibilities, &which) &&
                   snprintf(s->visibility, sizeof s->visibility, "%s", value) > 0;
    if (strcmp(name, "build_seconds") == 0)
        return *expected = "seconds", whole(value, 1, 86400, &s->build_seconds);
    if (strcmp(name, "grade_seconds") == 0)
        return *expected = "seconds", whole(value, 1, 86400, &s->grade_seconds);
    if (strcmp(name, "similar_percent") == 0)
        return *expected = "a percentage", number(value, 1, 100, &s->similar_percent);
    return false;
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    for (char *end = text + strlen(text); end > text && strchr(" \t\r", end[-1]);)
        *--end = 0;
    return text;
}

/* One line, which is taken apart. */
static bool take_line(struct settings *s, char *line, const char *path, int number, char message[512])
{
    const char *expected = NULL;
    line = trim(line);
    if (line[0] == 0 || line[0] == '#')
        return true;
    char *equals = strchr(line, '=');
    if (equals)
        *equals = 0;
    char *name = trim(line), *value = equals ? trim(equals + 1) : "";
    if (equals && take(s, name, value, &expected))
        return true;
    if (expected)
        snprintf(message, 512, "%.200s:%d: %.60s = %.100s: expected %s", path, number, name, value, expected);
    else
        snprintf(message, 512, "%.200s:%d: there is no setting \"%.60s\"; docs/grading.md lists them", path,
                 number, name);
    return false;
}

bool settings_read(struct settings *s, const char *path, char message[512])
{
    *s = (struct settings){.late_last = -1,
                           .student_sees = SEES_REPORT,
                           .visibility = "visible",
                           .build_seconds = 300,
                           .grade_seconds = 900,
                           .similar_percent = 60};
    if (!path)
        return true;
    char *text = file_read(path, 1 << 20, NULL), *rest = text, *line;
    if (!text) {
        snprintf(message, 512, "the settings %.400s cannot be read", path);
        return false;
    }
    bool right = true;
    for (int number = 1; right && (line = strsep(&rest, "\n")); number++)
        right = take_line(s, line, path, number, message);
    free(text);
    return right;
}

int settings_days(const struct settings *s, time_t date, int given)
{
    if (given >= 0)
        return given;
    return s->deadline && date > s->deadline ? (int)((date - s->deadline + 86399) / 86400) : 0;
}

double settings_factor(const struct settings *s, int days)
{
    if (s->late_last >= 0 && days > s->late_last)
        return 0;
    const double factor = 1 - s->late_percent / 100 * (days > s->late_free ? days - s->late_free : 0);
    return factor > 0 ? factor : 0;
}
