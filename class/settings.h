/* What the instructor decides, from a file of lines "name = value"; docs/grading.md ("A class") lists them. */
#pragma once

#include <stdbool.h>
#include <time.h>

enum sees { SEES_SCORE, SEES_TASKS, SEES_REPORT };

struct settings {
    double open_points;     /* which part of open points counts: 0 to 1 */
    time_t deadline;        /* 0: there is none */
    double late_percent;    /* taken off per day begun */
    int late_free;          /* days that cost nothing */
    int late_last;          /* after so many days the mark is 0; -1: never */
    char late_file[4096];   /* lines "name or id,days", which count instead of a file's date; "": none */
    enum sees student_sees; /* in the text, and in the files for Gradescope and GitHub Classroom */
    char visibility[24];    /* Gradescope's word */
    int build_seconds, grade_seconds; /* after which a build, or a grading, is ended */
    double similar_percent;           /* pairs from here on are listed */
};

/* NULL for the settings that hold without a file. False: `message` says what is wrong. */
bool settings_read(struct settings *settings, const char *path, char message[512]);

/* Days late, of a file of that date; `given` days (-1: unknown) go before. And the factor by which they multiply the mark. */
int settings_days(const struct settings *settings, time_t date, int given);
double settings_factor(const struct settings *settings, int days);
