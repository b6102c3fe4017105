#define _GNU_SOURCE
#include "harness/wire/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/wire/sandbox.h"

#define MOST_GROUPS 64

static int to_keeper = -1;
static pid_t keeper;

/* A positive number is a group that begins, a negative one has ended. */
static void take(pid_t group[MOST_GROUPS], pid_t number)
{
    const pid_t old = number > 0 ? 0 : -number, new = number > 0 ? number : 0;
    for (int i = 0; i < MOST_GROUPS; i++)
        if (group[i] == old) {
            group[i] = new;
            return;
        }
}

/* Until the other end is closed: only the grader holds it. */
static void keep(int from)
{
    pid_t group[MOST_GROUPS] = {0}, number = 0;
    ssize_t got;
    while ((got = read(from, &number, sizeof number)) != 0)
        if (got == sizeof number)
            take(group, number);
        else if (errno != EINTR)
            break;
    for (int i = 0; i < MOST_GROUPS; i++)
        if (group[i] > 0)
            kill(-group[i], SIGKILL);
    sandbox_end();
    _exit(0);
}

static void become_keeper(int from, int other_end)
{
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_NAME, "grader-keeper");
    close(other_end);
    dup2(from, 0);
    close(1);
    close(2);
    syscall(SYS_close_range, 3, ~0u, 0);
    keep(0);
}

void keeper_start(void)
{
    int ends[2];
    if (keeper > 0 || pipe2(ends, O_CLOEXEC) != 0)
        return;
    keeper = fork();
    if (keeper == 0)
        become_keeper(ends[0], ends[1]);
    close(ends[0]);
    if (keeper < 0)
        close(ends[1]);
    to_keeper = keeper > 0 ? ends[1] : -1;
}

void keeper_stop(void)
{
    if (keeper <= 0)
        return;
    close(to_keeper);
    while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    to_keeper = -1;
    keeper = 0;
}

static void tell(pid_t number)
{
    if (to_keeper >= 0 && write(to_keeper, &number, sizeof number) != sizeof number)
        to_keeper = -1;
}

void keeper_add(pid_t group)
{
    tell(group);
}

void keeper_remove(pid_t group)
{
    tell(-group);
}
