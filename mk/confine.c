/*
 * confine NVCC OUTPUT COPY LAB COMMAND...: compiles another's file, which the variable SRC names, in the grader's sandbox
 * (harness/wire/sandbox.h). COMMAND reads the system, the toolkit, NVCC's, the file and its copy, the headers (no sources)
 * beside it and in the folders LAB and common/, and mk/explain; it writes to the folder OUTPUT. So a file cannot include another's, or read
 * a device without end. What takes too long is ended. Exit: the command's, or 2.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/wire/sandbox.h"

#define SECONDS_MOST 900
#define DEPTH_MOST   2 /* folders below the file's own */

static volatile sig_atomic_t compiler, late;

static void stop(int signal_number)
{
    late = signal_number == SIGALRM;
    if (compiler > 0)
        kill(-(pid_t)compiler, SIGKILL);
}

static bool is_header(const char *name)
{
    static const char *const endings[] = {".h", ".cuh", ".hpp", ".hh", ".inl", ".inc"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

/* Files themselves: a link could lead to another's. */
static void grant_headers(struct sandbox *sandbox, const char *path, int depth)
{
    char name[PATH_MAX];
    struct stat info;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        text_set(name, sizeof name, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || lstat(name, &info) != 0)
            continue;
        if (S_ISREG(info.st_mode) && is_header(name))
            sandbox_grant(sandbox, name, SANDBOX_READ);
        else if (S_ISDIR(info.st_mode) && depth > 0)
            grant_headers(sandbox, name, depth - 1);
    }
    if (folder)
        closedir(folder);
}

static struct sandbox *make_sandbox(char **argument, const char *source)
{
    char folder[PATH_MAX];
    struct sandbox *sandbox = sandbox_create(SANDBOX_COMPILER, "");
    sandbox_grant(sandbox, argument[2], SANDBOX_READ | SANDBOX_WRITE);
    sandbox_grant(sandbox, argument[3], SANDBOX_READ);
    sandbox_grant(sandbox, source, SANDBOX_READ);
    sandbox_grant(sandbox, "mk/source", SANDBOX_READ | SANDBOX_EXECUTE);
    sandbox_grant(sandbox, "mk/explain", SANDBOX_READ);
    sandbox_grant(sandbox, "common", SANDBOX_READ);
    grant_headers(sandbox, argument[4], 0);
    text_set(folder, sizeof folder, "%s", source);
    grant_headers(sandbox, dirname(folder), DEPTH_MOST);
    return sandbox;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    kill(-child, SIGKILL);
    if (late)
        fprintf(stderr, "nvcc was stopped after %d seconds: error: the file takes too long to compile\n",
                SECONDS_MOST);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char **argv)
{
    char message[512];
    const char *source = getenv("SRC");
    if (argc < 6 || !source || !sandbox_begin(SANDBOX_AUTO, argv[1], message))
        return 2;
    struct sandbox *sandbox = make_sandbox(argv, source);
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = stop}, NULL);
    const pid_t parent = getpid(), child = sandbox ? fork() : -1;
    if (child == 0) {
        sandbox_enter(sandbox, parent, NULL, 0);
        execvpe(argv[5], argv + 5, sandbox->environment);
        fprintf(stderr, "%s: %s\n", argv[5], strerror(errno));
        _exit(2);
    }
    compiler = child;
    alarm(SECONDS_MOST);
    const int status = child > 0 ? wait_for(child) : 2;
    sandbox_free(sandbox);
    sandbox_end();
    return status;
}
