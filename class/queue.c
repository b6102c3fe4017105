/*
 * The queue: each submission is copied, built in a folder of its own and graded, then its result is written and its folders go. Several
 * slots work at a time; a grading on a GPU also needs one of the GPUs to itself.
 *
 * What could not be built or graded beside others may have lacked a process, memory, room or time: it is done once more when all others
 * are done, alone. What cannot be built then either does not compile, if the skeleton does right after it, or did shortly before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "class/files.h"
#include "class/result.h"
#include "class/run.h"
#include "class/said.h"
#include "harness/base/clock.h"
#include "harness/base/tree.h"

#define MOST_GPUS       64
#define CONTROL_SECONDS 15 /* that a skeleton's build counts for what is built after it */

enum step { IDLE, BUILD, CONTROL, WAIT_FOR_GPU, GRADE };

struct slot {
    enum step step;
    int submission;
    pid_t pid;
    int gpu;      /* -1: none */
    char *folder; /* copies, logs, temporary files */
    double begun, step_begun, processor_seconds;
    struct outcome unbuilt; /* while the skeleton is built */
};

struct queue {
    struct run *run;
    struct slot *slot;
    const char *skeleton;
    int next, busy, graded, to_grade;
    bool alone; /* one at a time, what could not be done beside others */
    int gpus;
    bool gpu_busy[MOST_GPUS];
    double begun, shown;
    double control; /* when the skeleton was built last */
    bool failed;
};

/* ---- a child ------------------------------------------------------------------------------------------------ */

/* Everything a student's code starts from here belongs to one group of processes, and ends with us. */
static void become_step(const struct run *run, const struct slot *slot, const char *log, pid_t parent)
{
    const struct rlimit no_core = {0, 0};
    sigset_t none;
    char *temporary = text_of("%s/tmp", slot->folder), *output = text_of("%s/%s", slot->folder, log);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(2);
    setrlimit(RLIMIT_CORE, &no_core);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int in = open("/dev/null", O_RDONLY), out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0 || chdir(run->root) != 0 || !(temporary = realpath(temporary, NULL)))
        _exit(2);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    setenv("TMPDIR", temporary, 1);
}

static void exec_build(const struct run *run, const struct slot *slot, const char *file)
{
    const struct rlimit files = {1u << 30, 1u << 30};
    char *key = text_of("class-%s-%d", run->name, slot->submission);
    setrlimit(RLIMIT_FSIZE, &files);
    setenv("SRC", file, 1);
    setenv("SRC_KEY", key, 1);
    setenv("REAL", run->real, 1);
    setenv("BUILD", run->build, 1);
    execlp("make", "make", "-s", "-j1", "--no-print-directory", run_built(run, slot->submission),
           (char *)NULL);
}

static void exec_grader(const struct run *run, const struct slot *slot)
{
    char *grader = text_of("%s/grader", run_built(run, slot->submission)),
         *json = text_of("%s/result.json", slot->folder);
    char *seed = text_of("%" PRIu64, run_seed(run, &run->submissions.all[slot->submission]));
    if (slot->gpu >= 0 && !getenv("CUDA_VISIBLE_DEVICES"))
        setenv("CUDA_VISIBLE_DEVICES", text_of("%d", slot->gpu), 1);
    execl(grader, grader, "--no-color", "--backend", run->backend, "--seed", seed, "--json", json,
          (char *)NULL);
}

static bool begin_step(struct queue *q, struct slot *slot, enum step step, const char *file)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        become_step(q->run, slot, step == GRADE ? "report.txt" : "build.txt", parent);
        if (step == GRADE)
            exec_grader(q->run, slot);
        else
            exec_build(q->run, slot, file);
        _exit(127);
    }
    if (pid < 0) {
        q->failed = q->alone;
        if (q->failed)
            fprintf(stderr, "grade: no process can be started: %s\n", strerror(errno));
        return false;
    }
    setpgid(pid, pid); /* whoever comes first */
    slot->step = step;
    slot->pid = pid;
    slot->step_begun = process_clock();
    return true;
}

/* ---- a submission's way ----------------------------------------------------------------------------------------- */

static char *work_path(const struct slot *slot, const char *name)
{
    return text_of("%s/%s", slot->folder, name);
}

static void remove_built(const struct run *run, const struct slot *slot)
{
    char *built = run_built(run, slot->submission), *source = run_built_source(run, slot->submission);
    tree_remove(built);
    tree_remove(source);
    free(built);
    free(source);
}

static void leave(struct queue *q, struct slot *slot)
{
    remove_built(q->run, slot);
    tree_remove(slot->folder);
    free(slot->folder);
    if (slot->gpu >= 0)
        q->gpu_busy[slot->gpu] = false;
    *slot = (struct slot){.gpu = -1};
    q->busy--;
}

static void finish(struct queue *q, struct slot *slot, struct outcome *outcome)
{
    outcome->seconds = process_clock() - slot->begun;
    outcome->processor_seconds = slot->processor_seconds;
    q->failed |= !result_write(q->run, &q->run->submissions.all[slot->submission], outcome);
    leave(q, slot);
    q->graded++;
}

/* It has no result, and so it is done once more. */
static void begin_step_or_leave(struct queue *q, struct slot *slot, enum step step, const char *file)
{
    if (!begin_step(q, slot, step, file))
        leave(q, slot);
}

/* Its own folder with the copy that is built; what cannot be built has its result at once. */
static void begin_submission(struct queue *q, struct slot *slot, int submission)
{
    struct submission *s = &q->run->submissions.all[submission];
    char name[80];
    *slot = (struct slot){.submission = submission, .gpu = -1, .begun = process_clock()};
    slot->folder = text_of("%s/%d", q->run->work, submission);
    char *temporary = work_path(slot, "tmp");
    q->busy++;
    const bool room = folder_make(temporary);
    if (room && submission_take(s, slot->folder, name)) {
        char *file = work_path(slot, name);
        begin_step_or_leave(q, slot, BUILD, file);
        free(file);
    } else if (s->refused) {
        finish(q, slot, &(struct outcome){.verdict = VERDICT_NONE, .reason = text_of("%s", s->refused)});
    } else {
        q->failed = true;
    }
    free(temporary);
}

static void begin_grading(struct queue *q, struct slot *slot)
{
    slot->step = WAIT_FOR_GPU;
    for (int i = 0; i < q->gpus && slot->gpu < 0; i++)
        if (!q->gpu_busy[i])
            q->gpu_busy[slot->gpu = i] = true;
    if (slot->gpu >= 0 || q->gpus == 0)
        begin_step_or_leave(q, slot, GRADE, NULL);
}

static char *reason_of_build(const struct queue *q, const struct slot *slot, const char *report,
                             bool too_long)
{
    char *built = run_built(q->run, slot->submission), *object = text_of("%s/student.o", built);
    char *reason = too_long ? text_of("the compiler was ended after %d s", q->run->settings.build_seconds)
                   : access(object, R_OK) == 0 ? text_of("it compiles, but no program can be linked from it")
                   : report && report[0]       ? said_first_line(report)
                                               : text_of("the compiler ended without a message");
    free(built);
    free(object);
    return reason;
}

static void finish_unbuilt(struct queue *q, struct slot *slot)
{
    struct outcome taken = slot->unbuilt;
    finish(q, slot, &taken);
}

static void end_build(struct queue *q, struct slot *slot, int status, bool too_long)
{
    if (status == 0) {
        begin_grading(q, slot);
    } else if (!q->alone) {
        leave(q, slot);
    } else {
        char *report = said_by_build(q->run, slot->submission, slot->folder);
        slot->unbuilt = (struct outcome){
            .verdict = VERDICT_BUILD, .report = report, .reason = reason_of_build(q, slot, report, too_long)};
        remove_built(q->run, slot);
        if (q->control > 0 && process_clock() - q->control < CONTROL_SECONDS)
            finish_unbuilt(q, slot);
        else
            begin_step_or_leave(q, slot, CONTROL, q->skeleton);
    }
}

static void end_control(struct queue *q, struct slot *slot, int status, bool too_long)
{
    struct outcome *outcome = &slot->unbuilt;
    q->control = status == 0 ? process_clock() : 0;
    if (status != 0) {
        char *report = said_by_build(q->run, slot->submission, slot->folder),
             *reason = reason_of_build(q, slot, report, too_long);
        free(outcome->report);
        free(outcome->reason);
        *outcome = (struct outcome){
            .verdict = VERDICT_NONE,
            .report = report,
            .reason = text_of("nothing can be compiled here, not even the skeleton: %s", reason)};
        free(reason);
    }
    finish_unbuilt(q, slot);
}

static void end_grading(struct queue *q, struct slot *slot, int status, bool too_long)
{
    struct outcome outcome = {
        .report = said_by(q->run, slot->submission, slot->folder, "report.txt", SAID_REPORT),
        .grader = said_by(q->run, slot->submission, slot->folder, "result.json", SAID_JSON)};
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome.verdict = code == 0   ? VERDICT_PASSED
                      : code == 1 ? VERDICT_FAILED
                      : code == 3 ? VERDICT_INCONCLUSIVE
                                  : VERDICT_NONE;
    struct value *valid = outcome.grader ? value_read(outcome.grader) : NULL;
    if (!valid)
        outcome.verdict = VERDICT_NONE;
    value_free(valid);
    /* What the model cannot tell, it cannot tell alone either. */
    const bool may_change =
        outcome.verdict > VERDICT_INCONCLUSIVE || (outcome.verdict == VERDICT_INCONCLUSIVE && q->gpus > 0);
    if (may_change && !q->alone && !too_long) {
        free(outcome.report);
        free(outcome.grader);
        leave(q, slot);
        return;
    }
    if (outcome.verdict == VERDICT_NONE) {
        free(outcome.grader);
        outcome.grader = NULL;
        outcome.reason =
            too_long ? text_of("the grading was ended after %d s", q->run->settings.grade_seconds)
            : WIFSIGNALED(status) ? text_of("the grader was ended by signal %d", WTERMSIG(status))
            : outcome.report && outcome.report[0] ? said_first_line(outcome.report)
                                                  : text_of("the grader ended without a report");
    }
    finish(q, slot, &outcome);
}

/* ---- the loop ------------------------------------------------------------------------------------------------------- */

static void reap(struct queue *q, struct slot *slot)
{
    struct rusage used;
    int status;
    const int limit = slot->step == GRADE ? q->run->settings.grade_seconds : q->run->settings.build_seconds;
    const bool too_long = process_clock() - slot->step_begun > limit;
    if (too_long)
        kill(-slot->pid, SIGKILL);
    if (wait4(slot->pid, &status, too_long ? 0 : WNOHANG, &used) != slot->pid)
        return;
    kill(-slot->pid, SIGKILL); /* what it left running */
    slot->processor_seconds += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    slot->pid = 0;
    if (slot->step == BUILD)
        end_build(q, slot, status, too_long);
    else if (slot->step == CONTROL)
        end_control(q, slot, status, too_long);
    else
        end_grading(q, slot, status, too_long);
}

static void fill(struct queue *q, struct slot *slot)
{
    struct submissions *all = &q->run->submissions;
    if (q->next == all->count && q->busy == 0 && !q->alone) {
        q->next = 0;
        q->alone = true;
    }
    while (slot->step == IDLE && q->next < all->count && !q->failed && !(q->alone && q->busy > 0)) {
        if (!all->all[q->next].result)
            begin_submission(q, slot, q->next);
        q->next++;
    }
}

static void say_time(char *text, size_t size, double seconds)
{
    if (seconds < 90)
        snprintf(text, size, "%.0f s", seconds);
    else
        snprintf(text, size, "%.0f min", seconds / 60);
}

/* On a terminal once a second in one line; elsewhere ten lines in all. */
static void show_progress(struct queue *q)
{
    const double now = process_clock();
    const bool terminal = isatty(STDERR_FILENO);
    const int tenth = q->to_grade ? 10 * q->graded / q->to_grade : 0;
    if (terminal ? now - q->shown < 1 : tenth <= (int)q->shown)
        return;
    q->shown = terminal ? now : tenth;
    char left[32] = "unknown";
    if (q->graded > 0)
        say_time(left, sizeof left, (now - q->begun) / q->graded * (q->to_grade - q->graded));
    fprintf(stderr, "%s%d of %d graded, %d at work; time left: %s%s", terminal ? "\r" : "", q->graded,
            q->to_grade, q->busy, left, terminal ? "\033[K" : "\n");
}

static void stop_all(struct queue *q)
{
    for (int i = 0; i < q->run->jobs; i++)
        if (q->slot[i].step != IDLE) {
            if (q->slot[i].pid > 0) {
                kill(-q->slot[i].pid, SIGKILL);
                waitpid(q->slot[i].pid, NULL, 0);
            }
            leave(q, &q->slot[i]);
        }
}

/* What a grading on a GPU must have to itself. */
static int count_gpus(const struct run *run)
{
    glob_t found;
    if (strcmp(run->backend, "sim") == 0)
        return 0;
    const int count = glob("/dev/nvidia[0-9]*", 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return getenv("CUDA_VISIBLE_DEVICES") && count > 1 ? 1 : count < MOST_GPUS ? count : MOST_GPUS;
}

/* Signals that end us, and that a child has ended, are waited for: no handler interrupts a write. */
static int wait_a_little(void)
{
    sigset_t awaited;
    const struct timespec most = {0, 200000000};
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGINT);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGHUP);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    const int signal = sigtimedwait(&awaited, NULL, &most);
    return signal == SIGCHLD || signal < 0 ? 0 : signal;
}

bool queue_run(struct run *run, const char *skeleton)
{
    struct queue q = {.run = run,
                      .skeleton = skeleton,
                      .slot = allocate((size_t)run->jobs * sizeof *q.slot),
                      .gpus = count_gpus(run)};
    int signal = wait_a_little();
    for (int i = 0; i < run->submissions.count; i++)
        q.to_grade += !run->submissions.all[i].result;
    q.begun = process_clock();
    while (!signal && !q.failed && q.graded < q.to_grade) {
        for (int i = 0; i < run->jobs; i++) {
            if (q.slot[i].step == WAIT_FOR_GPU)
                begin_grading(&q, &q.slot[i]);
            else if (q.slot[i].step != IDLE)
                reap(&q, &q.slot[i]);
            fill(&q, &q.slot[i]);
        }
        show_progress(&q);
        if (q.graded < q.to_grade)
            signal = wait_a_little();
    }
    stop_all(&q);
    if (q.to_grade > 0 && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (signal)
        fprintf(stderr, "grade: interrupted with %d of %d graded; the same command goes on from there\n",
                q.graded, q.to_grade);
    free(q.slot);
    return !signal && !q.failed;
}
