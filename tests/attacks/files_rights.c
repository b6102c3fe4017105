/* Takes the instructor's files away from him. */
#include "attack.h"
#include <sys/xattr.h>

static void attack(void)
{
    if (chmod(in_place("other.cu"), 0) == 0 || fchmodat(AT_FDCWD, in_place("other.cu"), 0, 0) == 0 ||
        syscall(452, AT_FDCWD, in_place("other.cu"), 0, 0) == 0)
        achieved("changed the rights of another's file");
    if (chown(in_place("other.cu"), getuid(), getgid()) == 0)
        achieved("changed the owner of another's file");
    if (setxattr(in_place("other.cu"), "user.note", "x", 1, 0) == 0)
        achieved("changed an attribute of another's file");
}
