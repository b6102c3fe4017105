/* Slows the grader down: its clock measures the student. */
#include "attack.h"
#include <sched.h>
#include <sys/resource.h>

static void attack(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (setpriority(PRIO_PROCESS, (id_t)getppid(), 19) == 0)
        achieved("the grader's priority is lower");
    if (sched_setaffinity(getppid(), sizeof one, &one) == 0)
        achieved("the grader runs on one processor");
    struct rlimit limit = {1, 1};
    if (prlimit(getppid(), RLIMIT_CPU, &limit, NULL) == 0)
        achieved("the grader's processor time is limited");
}
