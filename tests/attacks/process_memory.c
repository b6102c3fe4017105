/* Writes to the grader's memory: the verdict lies there. */
#include "attack.h"
#include <sys/ptrace.h>
#include <sys/uio.h>

static void attack(void)
{
    char path[64], byte = 0;
    snprintf(path, sizeof path, "/proc/%d/mem", getppid());
    if (open(path, O_RDWR) >= 0)
        achieved("opened %s", path);
    struct iovec here = {&byte, 1}, there = {(void *)&achieved, 1};
    if (syscall(SYS_process_vm_readv, getppid(), &here, 1, &there, 1, 0) > 0 || errno == EFAULT)
        achieved("read the grader's memory");
    if (ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0)
        achieved("traces the grader");
}
