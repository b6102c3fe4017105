/* What changed since the last run, from one small file. */
#include "harness/report/kept.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/lab/real.h"
#include "harness/result/score.h"

#define WORTH_TELLING 1.05 /* a time that differs by less is the same: measured times vary by some per cent */

static bool parse(const char *line, struct kept *kept)
{
    char lab[32], type[16], task[96];
    memset(kept, 0, sizeof *kept);
    if (sscanf(
            line,
            "%31[^\t]\t%15[^\t]\t%95[^\t]\t%d\t%d\t%d\t%d\t%lf\t%lf\t%15[^\t]\t%15[^\t]\t%159[^\t\n]\t%lf\t%lf\t%lf",
            lab, type, task, &kept->passed, &kept->cases, &kept->points, &kept->maximum, &kept->ms,
            &kept->best_ms, kept->best_day, kept->day, kept->device, &kept->part, &kept->best_part,
            &kept->needed) < 12)
        return false;
    text_set(kept->key, sizeof kept->key, "%s\t%s\t%s", lab, type, task);
    return true;
}

static void print(FILE *out, const struct kept *kept)
{
    fprintf(out, "%s\t%d\t%d\t%d\t%d\t%.6g\t%.6g\t%s\t%s\t%s\t%.6g\t%.6g\t%.6g\n", kept->key, kept->passed,
            kept->cases, kept->points, kept->maximum, kept->ms, kept->best_ms, kept->best_day, kept->day,
            kept->device, kept->part, kept->best_part, kept->needed);
}

static bool same(const struct kept *a, const struct kept *b)
{
    return strcmp(a->key, b->key) == 0 && strcmp(a->device, b->device) == 0;
}

int kept_read(struct kept **list)
{
    const char *path = getenv("GRADER_KEEPS");
    struct kept *kept = *list = path && path[0] ? malloc(KEPT_MOST * sizeof *kept) : NULL;
    char line[1024];
    int count = 0;
    FILE *in = kept ? fopen(path, "re") : NULL;
    while (in && count < KEPT_MOST && fgets(line, sizeof line, in))
        if (parse(line, &kept[count])) {
            kept[count].place = count;
            count++;
        }
    if (in)
        fclose(in);
    return count;
}

/* Into a file beside, which then takes the name. */
static void write_kept(const char *path, const struct kept *kept, int count)
{
    char beside[4096];
    text_set(beside, sizeof beside, "%.4000s.%ld.tmp", path, (long)getpid());
    FILE *out = fopen(beside, "we");
    if (!out)
        return;
    for (int i = 0; i < count; i++)
        print(out, &kept[i]);
    const bool written = fflush(out) == 0 && !ferror(out);
    if (fclose(out) != 0 || !written || rename(beside, path) != 0)
        unlink(beside);
}

static void take(const struct grader *grader, const struct grader_task *task, struct kept *now)
{
    const time_t clock = time(NULL);
    struct tm local;
    memset(now, 0, sizeof *now);
    text_set(now->key, sizeof now->key, "%s\t%s\t%s", the_lab.name,
             sizeof(real) == sizeof(double) ? "double" : "float", task->task->id);
    text_set(now->device, sizeof now->device, "%s", grader->device);
    strftime(now->day, sizeof now->day, "%Y-%m-%d", localtime_r(&clock, &local));
    text_set(now->best_day, sizeof now->best_day, "-");
    now->passed = task->passed;
    now->cases = task->passed + task->failed;
    now->points = task->points + task->extra_points;
    now->maximum = task->task->shown_only ? 0 : task->task->points;
    if (!task_is_right(task) || !task->task->speed || task->speed.time.count == 0 ||
        speed_seconds(&task->speed) <= 0)
        return;
    now->ms = now->best_ms = speed_seconds(&task->speed) * 1e3;
    now->part = now->best_part = task->speed.roof / speed_seconds(&task->speed);
    now->needed = task->speed.limit > 0 ? task->speed.roof / task->speed.limit : 0;
    memcpy(now->best_day, now->day, sizeof now->day);
}

/* What is better or worse than before; false: nothing. */
static bool changed(const struct kept *was, const struct kept *now, char *text, size_t size)
{
    const char *task = strrchr(now->key, '\t') + 1;
    if (was->passed != now->passed)
        text_set(text, size, "%s: %d of %d cases now, %d before", task, now->passed, now->cases, was->passed);
    else if (was->ms > 0 && now->ms > 0 && was->ms / now->ms >= WORTH_TELLING)
        text_set(text, size, "%s: %.3g times as fast", task, was->ms / now->ms);
    else if (was->ms > 0 && now->ms > 0 && now->ms / was->ms >= WORTH_TELLING)
        text_set(text, size, "%s: takes %.3g times as long", task, now->ms / was->ms);
    else
        return false;
    return true;
}

/* The task's line; what was before it, if anything was, is told. */
static void update_task(const struct grader *grader, const struct grader_task *task, struct kept *kept,
                        int *count, FILE *out)
{
    struct kept now;
    char text[256];
    int i = 0;
    take(grader, task, &now);
    while (i < *count && !same(&kept[i], &now))
        i++;
    if (i == KEPT_MOST)
        return;
    if (i == *count) {
        kept[(*count)++] = now;
        return;
    }
    if (changed(&kept[i], &now, text, sizeof text))
        fprintf(out, "Since the last run: %s\n", text);
    if (kept[i].best_ms > 0 &&
        (now.best_ms <= 0 || kept[i].best_ms <= now.best_ms * 1.0001)) { /* as it was rounded */
        now.best_ms = kept[i].best_ms;
        now.best_part = kept[i].best_part;
        memcpy(now.best_day, kept[i].best_day, sizeof now.best_day);
    }
    kept[i] = now;
}

void kept_update(const struct grader *grader, FILE *out)
{
    const char *path = getenv("GRADER_KEEPS"), *name = strrchr(grader->build.source, '/');
    if (!path || !path[0] || grader->only.cases || grader->options.size >= 0 || !name ||
        strcmp(name, "/skeleton.cu") != 0 ||
        strncmp(grader->build.source, the_lab.folder, strlen(the_lab.folder)) != 0)
        return;
    struct kept *kept;
    int count = kept_read(&kept);
    if (!kept)
        return;
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].selected && grader->tasks[i].case_count > 0 && !the_lab.tasks[i].shown_only)
            update_task(grader, &grader->tasks[i], kept, &count, out);
    write_kept(path, kept, count);
    free(kept);
}
