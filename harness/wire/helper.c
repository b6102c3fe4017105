/* Small trusted programs whose printed key=value lines are read: calibrate, which answers again and again. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/progress.h"
#include "harness/wire/process.h"

static void exec_helper(const char *path, const char *argument, int in_fd, int out_fd)
{
    setpgid(0, 0);
    dup2(in_fd, 0);
    dup2(out_fd, 1);
    dup2(open("/dev/null", O_RDWR), 2);
    execl(path, path, argument, (char *)NULL);
    _exit(127);
}

/* Is the last line of what was heard "end"? It is then taken off. */
static bool ends(struct capture *out)
{
    static const char mark[] = "end\n";
    const size_t length = sizeof mark - 1;
    if (out->length < length || strcmp(out->text + out->length - length, mark) != 0 ||
        (out->length > length && out->text[out->length - length - 1] != '\n'))
        return false;
    out->length -= length;
    out->text[out->length] = 0;
    return true;
}

/* Until the line "end". False: late, interrupted, or no such line. */
static bool read_answer(int fd, double deadline, struct capture *out)
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
            return false;
        size_t room = CAPTURE_SIZE - 1 - out->length;
        size_t kept = count < 0 ? 0 : (size_t)count < room ? (size_t)count : room;
        memcpy(out->text + out->length, piece, kept);
        out->length += kept;
        out->text[out->length] = 0;
        if (ends(out))
            return true;
    }
    return false;
}

bool helper_start(struct helper *helper, const char *path, const char *argument)
{
    int in[2], out[2];
    if (helper->pid != 0)
        return true;
    if (access(path, X_OK) != 0 || pipe2(in, O_CLOEXEC) != 0)
        return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return false;
    }
    const pid_t pid = fork();
    if (pid == 0)
        exec_helper(path, argument, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    *helper = (struct helper){pid, in[1], out[0]};
    if (pid < 0)
        helper_stop(helper);
    else
        setpgid(pid, pid);
    return pid > 0;
}

bool helper_ask(struct helper *helper, const char *question, double timeout, struct capture *answer)
{
    memset(answer, 0, sizeof *answer);
    if (helper->pid == 0)
        return false;
    bool answered = protocol_write(helper->in, question, strlen(question)) &&
                    protocol_write(helper->in, "\n", 1) &&
                    read_answer(helper->out, process_clock() + timeout, answer);
    if (!answered)
        helper_stop(helper);
    protocol_clean(answer->text, CAPTURE_SIZE);
    return answered;
}

void helper_kill(struct helper *helper)
{
    if (helper->pid > 0) {
        kill(-helper->pid, SIGKILL);
        kill(helper->pid, SIGKILL);
    }
}

void helper_stop(struct helper *helper)
{
    if (helper->pid == 0)
        return;
    helper_kill(helper);
    close(helper->in);
    close(helper->out);
    if (helper->pid > 0) {
        while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    helper->pid = 0;
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
