/* What CUDA's driver does when it starts, and fails without: a worker for a GPU may do it, and no other (read off an H100). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/wire/sandbox.h"
#include "test.h"

enum { LISTENS = 1, NAMES_THREAD = 2, REACHES_NETWORK = 4, CONNECTS = 8, FAILED = 64 };

static bool listens(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int length = snprintf(name.sun_path + 1, 64, "labs-test-%d", (int)getpid());
    const int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return file >= 0 &&
           bind(file, (void *)&name,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0 &&
           listen(file, 16) == 0;
}

static bool names_thread(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/comm", syscall(SYS_gettid));
    const int file = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    return file >= 0 && write(file, "cuda", 4) == 4;
}

static bool connects(void)
{
    const struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/dev/log"};
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return file >= 0 && (connect(file, (const void *)&name, sizeof name) == 0 || errno != EPERM);
}

/* What a process in the sandbox of this program can do. */
static int can(const char *program)
{
    const pid_t parent = getpid();
    struct sandbox *sandbox = sandbox_create(SANDBOX_WORKER, program);
    assert_non_null(sandbox);
    const pid_t child = fork();
    if (child == 0) {
        const int kept[] = {0};
        sandbox_enter(sandbox, parent, kept, 1);
        _exit((listens() ? LISTENS : 0) | (names_thread() ? NAMES_THREAD : 0) |
              (socket(AF_INET, SOCK_STREAM, 0) >= 0 ? REACHES_NETWORK : 0) | (connects() ? CONNECTS : 0));
    }
    int status = 0;
    waitpid(child, &status, 0);
    sandbox_free(sandbox);
    return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

TEST(test_gpu_starts)
{
    assert_int_equal(can("build/worker-gpu"), LISTENS | NAMES_THREAD);
}

TEST(test_simulator_does_not)
{
    assert_int_equal(can("build/worker-sim") & ~(sandbox_landlock_version() ? 0 : NAMES_THREAD), 0);
}

int main(void)
{
    char message[512];
    if (!sandbox_begin(SANDBOX_AUTO, "", message))
        return 1;
    const int failed = RUN_WITH(NULL, NULL);
    sandbox_end();
    return failed;
}
