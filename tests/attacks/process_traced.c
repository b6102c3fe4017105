/* A child traces its parent's parent, after it has said that it may be traced by all. */
#include "attack.h"

#include <sys/prctl.h>
#include <sys/ptrace.h>

static void attack(void)
{
    const pid_t grader = getppid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_DUMPABLE, 1);
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
        _exit(ptrace(PTRACE_SEIZE, grader, NULL, NULL) == 0 ? 7 : 0);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7)
        achieved("the grader was traced");
}
