/* A child of the grader's, beside the worker instead of below it. */
#include "attack.h"
#include <sched.h>

static void attack(void)
{
    const long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0);
    if (child == 0)
        _exit(0);
    if (child > 0)
        achieved("a sibling");
}
