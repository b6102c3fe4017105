/* Calls of the kernel that a program of CUDA never needs, and in which holes were found. */
#include "attack.h"

static void attack(void)
{
    char zeros[128] = {0};
    if (syscall(SYS_bpf, 0, zeros, sizeof zeros) >= 0 || errno != EPERM)
        achieved("bpf: %s", strerror(errno));
    if (syscall(SYS_userfaultfd, 0) >= 0 || errno != EPERM)
        achieved("userfaultfd: %s", strerror(errno));
    if (syscall(SYS_perf_event_open, zeros, 0, -1, -1, 0) >= 0 || errno != EPERM)
        achieved("perf_event_open: %s", strerror(errno));
    if (syscall(SYS_keyctl, 0, -3, 1) >= 0)
        achieved("keyctl");
    if (syscall(425, 8, zeros) >= 0 || errno != ENOSYS) /* io_uring_setup */
        achieved("io_uring: %s", strerror(errno));
}
