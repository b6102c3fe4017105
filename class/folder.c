/* The folder of a run below build/class/, and what killed runs have left there. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "class/files.h"
#include "class/run.h"
#include "harness/base/tree.h"

char *run_built(const struct run *run, int i)
{
    return text_of("%s/%s/%s/src-class-%s-%d", run->build, run->lab, run->real, run->name, i);
}

char *run_built_source(const struct run *run, int i)
{
    return text_of("%s/src/src-class-%s-%d", run->build, run->name, i);
}

/* All that belongs to the run of that name; its lock goes last. */
static void remove_run(const char *build, const char *name)
{
    static const char *const where[] = {"%s/lab*/*/src-class-%s-*", "%s/src/src-class-%s-*", "%s/class/%s/*",
                                        "%s/class/%s"};
    for (int i = 0; i < 4; i++) {
        glob_t found;
        char *pattern;
        if (asprintf(&pattern, where[i], build, name) < 0)
            return;
        if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
            for (size_t j = 0; j < found.gl_pathc; j++)
                tree_remove(found.gl_pathv[j]);
        globfree(&found);
        free(pattern);
    }
}

/* The lock of a process that has ended, in whatever way, can be taken. */
static int lock(const char *folder)
{
    char *path = text_of("%s/.lock", folder);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    free(path);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void remove_dead_runs(const char *build)
{
    char *all = text_of("%s/class", build);
    DIR *folder = opendir(all);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char *path = text_of("%s/%s", all, entry->d_name);
        const int fd = strncmp(entry->d_name, "run", 3) == 0 ? lock(path) : -1;
        if (fd >= 0) {
            remove_run(build, entry->d_name);
            close(fd);
        }
        free(path);
    }
    if (folder)
        closedir(folder);
    free(all);
}

bool run_folder_begin(struct run *run)
{
    remove_dead_runs(run->build);
    run->name = text_of("run%ld", (long)getpid());
    run->work = text_of("%s/class/%s", run->build, run->name);
    return folder_make(run->work) && lock(run->work) >= 0;
}

void run_folder_end(struct run *run)
{
    remove_run(run->build, run->name);
}
