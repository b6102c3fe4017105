/* Takes back what ends it with the grader, or with the processor time that it may use. */
#include "attack.h"
#include <sys/prctl.h>
#include <sys/resource.h>

static void attack(void)
{
    if (prctl(PR_SET_PDEATHSIG, 0) == 0)
        achieved("does not end with the grader");
    static const int limits[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_CORE};
    for (int i = 0; i < 3; i++) {
        struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
        if (setrlimit(limits[i], &all) == 0)
            achieved("limit %d is gone", limits[i]);
    }
    if (getsid(0) == getsid(getppid()))
        achieved("is in the grader's session");
}
