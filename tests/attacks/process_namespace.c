/* A user namespace gives all rights inside it: mounts, packets, a larger part of the kernel to attack. */
#include "attack.h"
#include <sched.h>
#include <sys/mount.h>

static void attack(void)
{
    if (unshare(CLONE_NEWUSER) == 0)
        achieved("a user namespace");
    if (unshare(CLONE_NEWNS) == 0 || mount("none", "/mnt", "tmpfs", 0, NULL) == 0)
        achieved("a mount");
    if (syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, 0) >= 0)
        achieved("a child in new namespaces");
}
