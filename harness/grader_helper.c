/* Small trusted programs whose printed key=value lines are read: the probes and calibrate. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/grader_process.h"
#include "harness/grader_progress.h"

static void exec_helper(const char *path, const char *argument, int out_fd)
{
    setpgid(0, 0);
    dup2(open("/dev/null", O_RDWR), 0);
    dup2(out_fd, 1);
    dup2(open("/dev/null", O_RDWR), 2);
    execl(path, path, argument, (char *)NULL);
    _exit(127);
}

/* Until the end of the stream. False: late or interrupted. */
static bool read_all(int fd, double deadline, struct capture *out)
{
    while (process_clock() < deadline && !process_interrupted()) {
        struct pollfd watched = {.fd = fd, .events = POLLIN};
        int ready = poll(&watched, 1, 100);
        progress_tick();
        if (ready <= 0)
            continue;
        char piece[1024];
        ssize_t count = read(fd, piece, sizeof piece);
        if (count == 0)
            return true;
        size_t room = CAPTURE_SIZE - 1 - out->length;
        size_t kept = count < 0 ? 0 : (size_t)count < room ? (size_t)count : room;
        memcpy(out->text + out->length, piece, kept);
        out->length += kept;
    }
    return false;
}

int process_run(const char *path, const char *argument, double timeout, struct capture *out)
{
    int fd[2], status = -1;
    memset(out, 0, sizeof *out);
    if (pipe2(fd, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0)
        exec_helper(path, argument, fd[1]);
    close(fd[1]);
    bool ended = pid > 0 && read_all(fd[0], process_clock() + timeout, out);
    close(fd[0]);
    if (pid > 0) {
        setpgid(pid, pid);
        if (!ended)
            kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    protocol_clean(out->text, CAPTURE_SIZE);
    return ended ? status : -1;
}

bool process_value(const char *text, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, key, length) != 0 || line[length] != '=')
            continue;
        snprintf(value, size, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
        return true;
    }
    return false;
}
