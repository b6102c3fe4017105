#define _GNU_SOURCE
#include "sim/text/line_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT_MS 10000
#define FILES_MOST 65536 /* that are closed one by one, by a kernel that cannot close all of them */

/* To load a large program's line information takes 15 ms, an answer from it then microseconds: one process answers all. */
static struct line_process {
    pid_t owner; /* the process that started it; 0: there is none */
    int socket;
    dev_t device; /* of the socket: whether the number still means it, whatever the program has closed */
    ino_t inode;
    char path[4096];
    char unread[4096]; /* of this file it gave no answer: it is not installed, or cannot read the file */
} reader;

static void close_from(int first)
{
    if (syscall(SYS_close_range, first, ~0u, 0) == 0)
        return;
    for (int file = first, last = (int)sysconf(_SC_OPEN_MAX); file < last && file < FILES_MOST; file++)
        close(file);
}

/* In the child: a grandchild becomes addr2line, so that the program's own wait() never sees it. */
static void become_addr2line(int end, const char *path)
{
    const pid_t child = fork();
    if (child != 0)
        _exit(child < 0);
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(end, STDIN_FILENO);
    dup2(end, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    /* It lives as long as the program: an end of a pipe that it held would never be closed for whoever reads there. */
    close_from(STDERR_FILENO + 1);
    execlp("addr2line", "addr2line", "-a", "-i", "-e", path, (char *)NULL);
    _exit(127);
}

/* Two ends that take the place of no standard file, though the program may have closed these. */
static bool open_ends(int ends[2])
{
    int low[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(low[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0)
        return true;
    close(ends[0] >= 0 ? ends[0] : ends[1]);
    return false;
}

static bool start(const char *path)
{
    int ends[2];
    struct stat state;
    if (!open_ends(ends))
        return false;
    const pid_t child = fork();
    if (child == 0)
        become_addr2line(ends[1], path);
    close(ends[1]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || fstat(ends[0], &state) != 0) {
        close(ends[0]);
        return false;
    }
    reader.owner = getpid();
    reader.socket = ends[0];
    reader.device = state.st_dev;
    reader.inode = state.st_ino;
    snprintf(reader.path, sizeof reader.path, "%s", path);
    return true;
}

static bool socket_is_ours(void)
{
    struct stat state;
    return fstat(reader.socket, &state) == 0 && state.st_dev == reader.device && state.st_ino == reader.inode;
}

static void stop(void)
{
    if (reader.owner != 0 && socket_is_ours())
        close(reader.socket);
    reader.owner = 0;
}

static bool is_running_for(const char *path)
{
    return reader.owner == getpid() && strcmp(reader.path, path) == 0 && socket_is_ours();
}

/* Where the answer to the second question begins, once it is complete: "0x0000\n??:0\n"; NULL before. */
static char *second_answer(char *text)
{
    for (char *line = text; (line = strchr(line, '\n'));) {
        line++;
        const char *end = line + (strncmp(line, "0x0", 3) == 0 ? 2 : 0);
        end += strspn(end, "0");
        if (end > line && *end == '\n' && strchr(end + 1, '\n'))
            return line;
    }
    return NULL;
}

/*
 * Reads the answers to both questions. The second was about address 0, where no code is: its two lines say that the first
 * question's answer is complete.
 */
static bool read_answer(char *answer, size_t size)
{
    size_t length = 0;
    char *end;
    answer[0] = '\0';
    do {
        struct pollfd socket = {.fd = reader.socket, .events = POLLIN};
        const int ready = poll(&socket, 1, TIMEOUT_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        const ssize_t got = ready > 0 ? read(reader.socket, answer + length, size - 1 - length) : 0;
        if (got <= 0)
            return false; /* it ended, does not answer, or says too much */
        length += (size_t)got;
        answer[length] = '\0';
    } while (!(end = second_answer(answer)));
    *end = '\0';
    const char *begin = strchr(answer, '\n') + 1; /* behind the address, which -a prints first */
    memmove(answer, begin, strlen(begin) + 1);
    return true;
}

bool line_process_ask(const char *path, uintptr_t offset, char *answer, size_t size)
{
    char question[32];
    if (strcmp(reader.unread, path) == 0)
        return false;
    if (!is_running_for(path)) {
        stop();
        if (!start(path))
            return false;
    }
    const int length = snprintf(question, sizeof question, "0x%lx\n0x0\n", (unsigned long)offset);
    if (send(reader.socket, question, (size_t)length, MSG_NOSIGNAL) == length && read_answer(answer, size))
        return true;
    snprintf(reader.unread, sizeof reader.unread, "%s", path);
    stop();
    return false;
}
