/* A descriptor's owner gets signals: F_SETOWN names the grader, the kernel sends SIGKILL for us. */
#include "attack.h"

static void attack(void)
{
    int ends[2];
    if (pipe(ends) == 0 && fcntl(ends[0], F_SETOWN, getppid()) == 0)
        achieved("the grader owns a descriptor's signals");
}
