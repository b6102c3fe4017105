/* Changed copies of the source become a worker: by the command `again`, which make has put beside the grader. */
#define _GNU_SOURCE /* wait4, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/grader_repair_internal.h"

#define TRIES_MOST 4
#define NAME       "student.cu"
#define QUICK                                                                                                \
    "-Xcicc -O1" /* less optimization of kernels: half the time; not all versions of nvcc need to know it */

static void path_with(const struct repair_batch *batch, const char *ending, char path[4224])
{
    snprintf(path, 4224, "%s%s", batch->path, ending);
}

/* In the child: its own group, which dies with us. */
static _Noreturn void compile(const struct grader_build *build, const struct repair_batch *batch,
                              pid_t parent)
{
    char script[sizeof build->folder + 16], log[4224], source[sizeof build->source_path];
    path_with(batch, ".log", log);
    snprintf(script, sizeof script, "%s/again", build->folder);
    snprintf(source, sizeof source, "%s", build->source_path);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (out < 0 || in < 0)
        _exit(127);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    execl("/bin/sh", "sh", script, batch->path, dirname(source), batch->is_plain ? "" : QUICK, (char *)NULL);
    _exit(127);
}

static bool begin(const struct grader_build *build, const struct repair *repair, struct repair_batch *batch)
{
    char path[4224];
    const pid_t parent = getpid();
    path_with(batch, ".cu", path);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    const bool written = repair_write(repair, batch->number, batch->count, NAME, file);
    if (fclose(file) != 0 || !written)
        return false;
    batch->pid = fork();
    if (batch->pid == 0)
        compile(build, batch, parent);
    if (batch->pid > 0)
        setpgid(batch->pid, batch->pid);
    else
        batch->pid = 0;
    return batch->pid > 0;
}

bool repair_batch_begin(const struct grader_build *build, const struct repair *repair, const char *folder,
                        struct repair_batch *batch)
{
    char script[sizeof build->folder + 16];
    snprintf(script, sizeof script, "%s/again", build->folder);
    if (batch->count == 0 || access(script, R_OK) != 0)
        return false;
    snprintf(batch->path, sizeof batch->path, "%s/worker-%d", folder, batch->number[0]);
    return begin(build, repair, batch);
}

/* Takes out the changes that the log has errors of. False: there is none. */
static bool drop_wrong(struct repair_batch *batch)
{
    bool wrong[REPAIR_BATCH] = {false}, any = false;
    char path[4224], line[1024];
    path_with(batch, ".log", path);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        const int number = repair_error_of(line, NAME);
        if (number >= 0 && number < batch->count)
            wrong[number] = any = true;
    }
    if (file)
        fclose(file);
    int kept = 0;
    for (int i = 0; i < batch->count; i++)
        if (!wrong[i])
            batch->number[kept++] = batch->number[i];
    batch->count = kept;
    return any;
}

/* Waits for the compiler, and ends it when the grading is interrupted. */
static bool wait_for(struct repair_batch *batch, double *processor_seconds)
{
    int status = -1;
    struct rusage used = {0};
    pid_t ended;
    while ((ended = wait4(batch->pid, &status, WNOHANG, &used)) == 0) {
        if (process_interrupted())
            kill(-batch->pid, SIGKILL);
        usleep(2000);
    }
    batch->pid = 0;
    *processor_seconds += (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec * 1e-6;
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool repair_batch_end(const struct grader_build *build, const struct repair *repair,
                      struct repair_batch *batch, double *processor_seconds)
{
    if (batch->pid <= 0)
        return false;
    while (!wait_for(batch, processor_seconds)) {
        const bool is_dropped = drop_wrong(batch);
        if (process_interrupted() || (!is_dropped && batch->is_plain) || batch->count == 0 ||
            ++batch->tries == TRIES_MOST)
            return false;
        batch->is_plain |= !is_dropped;
        if (!begin(build, repair, batch))
            return false;
    }
    return true;
}

void repair_batch_drop(struct repair_batch *batch)
{
    static const char *const endings[] = {"", ".cu", ".o", ".log"};
    char path[4224];
    if (batch->pid > 0) {
        kill(-batch->pid, SIGKILL);
        waitpid(batch->pid, NULL, 0);
        batch->pid = 0;
    }
    for (int i = 0; i < 4 && batch->path[0]; i++) {
        path_with(batch, endings[i], path);
        unlink(path);
    }
}
