#include "harness/base/surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/base/text.h"

#define LEAST_STACK                                                                                          \
    (2ul << 20) /* bytes: an exchange with a worker is 0.6 MB, and several lie on it at a time */

/* A descriptor that is closed would become that of a pipe or file of ours. False: it was standard output. */
static bool open_closed(void)
{
    const bool has_output = fcntl(1, F_GETFD) >= 0;
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
            return false; /* open takes the lowest that is free */
    return has_output;
}

bool surroundings_prepare(char message[256])
{
    struct rlimit stack;
    signal(SIGXFSZ, SIG_IGN); /* a file that becomes too large is an error like a full disk */
    if (!open_closed()) {
        text_set(message, 256, "standard output is closed: there is no place for the report");
        return false;
    }
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < LEAST_STACK) {
        text_set(message, 256,
                 "the stack may have %lu KB only (ulimit -s), and the grader needs %lu: ulimit -s 8192",
                 (unsigned long)stack.rlim_cur >> 10, LEAST_STACK >> 10);
        return false;
    }
    return true;
}

bool surroundings_flush(char message[256])
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    text_set(message, 256, "not all of the output could be written%s%s", errno ? ": " : "",
             errno ? strerror(errno) : "");
    return false;
}
