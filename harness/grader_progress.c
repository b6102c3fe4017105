/* The progress line. */
#include "harness/grader_progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "harness/grader_process.h"

static bool enabled, shown;
static char what[128];
static double begun;

void progress_enable(bool on)
{
    enabled = on;
}

void progress_begin(const char *format, ...)
{
    if (!what[0]) /* one thing after another is one wait */
        begun = process_clock();
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    progress_tick();
}

void progress_tick(void)
{
    double elapsed = process_clock() - begun;
    if (!enabled || !what[0] || elapsed < 0.5)
        return;
    printf("\r\033[K%.100s", what);
    fflush(stdout);
    shown = true;
}

void progress_clear(void)
{
    if (shown)
        printf("\r\033[K");
    fflush(stdout);
    shown = false;
    what[0] = 0;
}
