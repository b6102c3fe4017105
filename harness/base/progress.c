/* What is printed while the rest is graded: the progress line, and a paragraph that stays. */
#include "harness/base/progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/text.h"

#define PATIENCE 0.5 /* seconds without a word */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* two threads grade */
static bool enabled, shown;
static char what[128];
static double begun; /* of `what` */
static struct {
    double begun; /* when the grading began; 0: nothing is told */
    char text[1024];
    int lines; /* that it took, when it was told */
} telling;

void progress_enable(bool on)
{
    enabled = on;
}

static void clear(void)
{
    if (shown)
        printf("\r\033[K");
    fflush(stdout);
    shown = false;
}

/* Once; on standard error, so that standard output holds the report and nothing else. */
static void tell_if_late(double now)
{
    if (!telling.text[0] || now - telling.begun < PATIENCE)
        return;
    clear();
    telling.lines = text_print(stderr, 0, telling.text, 0);
    telling.text[0] = 0;
}

static void tick(void)
{
    const double now = process_clock();
    tell_if_late(now);
    if (!enabled || !what[0] || now - begun < PATIENCE)
        return;
    printf("\r\033[K%.100s", what);
    fflush(stdout);
    shown = true;
}

void progress_tell(const char *text, double grading_begun)
{
    pthread_mutex_lock(&mutex);
    text_set(telling.text, sizeof telling.text, "%s", text);
    telling.begun = grading_begun;
    if (isatty(STDERR_FILENO))
        tell_if_late(process_clock());
    else
        telling.text[0] = 0;
    pthread_mutex_unlock(&mutex);
}

void progress_begin(const char *format, ...)
{
    va_list list;
    pthread_mutex_lock(&mutex);
    if (!what[0]) /* one thing after another is one wait */
        begun = process_clock();
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    tick();
    pthread_mutex_unlock(&mutex);
}

void progress_tick(void)
{
    pthread_mutex_lock(&mutex);
    tick();
    pthread_mutex_unlock(&mutex);
}

void progress_clear(void)
{
    pthread_mutex_lock(&mutex);
    clear();
    what[0] = 0;
    pthread_mutex_unlock(&mutex);
}

void progress_end(void)
{
    progress_clear();
    pthread_mutex_lock(&mutex);
    telling.text[0] = 0;
    if (enabled && telling.lines > 0)
        fprintf(stderr, "\033[%dA\r\033[J", telling.lines);
    telling.lines = 0;
    pthread_mutex_unlock(&mutex);
}
