#define _GNU_SOURCE /* environ, nftw */
#include "harness/change/recompile.h"

#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/wire/process.h"
#include "harness/wire/sandbox.h"

static void find_script(const struct grader_build *build, char script[sizeof build->folder + 16])
{
    snprintf(script, sizeof build->folder + 16, "%s/again", build->folder);
}

bool recompile_is_possible(const struct grader_build *build)
{
    char object[sizeof build->folder + 16], script[sizeof build->folder + 16];
    struct stat source, compiled;
    find_script(build, script);
    text_set(object, sizeof object, "%s/student.o", build->folder);
    return access(script, R_OK) == 0 && stat(build->source_path, &source) == 0 &&
           stat(object, &compiled) == 0 && source.st_mtim.tv_sec <= compiled.st_mtim.tv_sec;
}

bool recompile_make_folder(char folder[RECOMPILE_FOLDER])
{
    const char *base = sandbox_folder()[0] ? sandbox_folder() : getenv("TMPDIR");
    char place[RECOMPILE_FOLDER], whole[PATH_MAX];
    text_set(place, sizeof place, "%.400s/grader-XXXXXX", base && base[0] ? base : "/tmp");
    folder[0] = '\0';
    if (!mkdtemp(place))
        return false;
    if (!realpath(place, whole) || strlen(whole) >= RECOMPILE_FOLDER) {
        rmdir(place);
        return false;
    }
    text_set(folder, RECOMPILE_FOLDER, "%s", whole);
    return true;
}

void recompile_name(const char *path, const char *ending, char name[RECOMPILE_PATH + 8])
{
    snprintf(name, RECOMPILE_PATH + 8, "%s%s", path, ending);
}

/* What the command `again` reads and writes. */
static struct sandbox *make_sandbox(const struct grader_build *build, const char *path)
{
    static const char *const parts[] = {"again", "../binding.o", "../binding-steps.o", "../../../harness",
                                        "../../../sim"};
    char name[RECOMPILE_PATH + 64];
    struct sandbox *sandbox = sandbox_create(SANDBOX_COMPILER, "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        text_set(name, sizeof name, "%s/%s", build->folder, parts[i]);
        sandbox_grant(sandbox, name, SANDBOX_READ);
    }
    text_set(name, sizeof name, "%s", path);
    sandbox_grant(sandbox, dirname(name), SANDBOX_WRITE);
    return sandbox;
}

static _Noreturn void compile(const struct grader_build *build, const struct sandbox *sandbox,
                              const char *path, const char *options, enum recompile_to to, pid_t parent)
{
    char script[sizeof build->folder + 16], log[RECOMPILE_PATH + 8], folder[RECOMPILE_PATH + 8];
    char source[sizeof build->source_path];
    find_script(build, script);
    recompile_name(path, ".log", log);
    snprintf(source, sizeof source, "%s", build->source_path);
    recompile_name(path, ".tmp",
                   folder); /* nvcc that is killed leaves its files there; a sandbox has its own */
    if (!sandbox && (mkdir(folder, 0700) != 0 || setenv("TMPDIR", folder, 1) != 0))
        _exit(127);
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (out < 0 || in < 0)
        _exit(127);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    sandbox_enter(sandbox, parent, NULL, 0);
    char *const arguments[] = {
        "sh", script, (char *)path, dirname(source), (char *)options, to == RECOMPILE_PTX ? "-ptx" : "-c",
        NULL};
    execve("/bin/sh", arguments, sandbox ? sandbox->environment : environ);
    _exit(127);
}

pid_t recompile_begin(const struct grader_build *build, const char *path, const char *options,
                      enum recompile_to to)
{
    struct sandbox *sandbox = make_sandbox(build, path);
    const bool can = sandbox || !sandbox_is_on();
    const pid_t parent = getpid(), compiler = can ? fork() : -1;
    if (compiler == 0)
        compile(build, sandbox, path, options, to, parent);
    sandbox_free(sandbox);
    return compiler < 0 ? 0 : compiler;
}

bool recompile_wait(pid_t compiler)
{
    int status = -1;
    pid_t ended;
    while ((ended = waitpid(compiler, &status, WNOHANG)) == 0) {
        if (process_interrupted())
            kill(-compiler, SIGKILL);
        usleep(2000);
    }
    return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    remove(path);
    return 0;
}

void recompile_drop(pid_t compiler, const char *path)
{
    static const char *const endings[] = {"", ".cu", ".o", ".log"};
    char name[RECOMPILE_PATH + 8];
    if (compiler > 0) {
        kill(-compiler, SIGKILL);
        waitpid(compiler, NULL, 0);
    }
    for (int i = 0; i < 4 && path[0]; i++) {
        recompile_name(path, endings[i], name);
        unlink(name);
    }
    if (!path[0])
        return;
    recompile_name(path, ".tmp", name);
    nftw(name, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
