/* A device file of its own for the disk, and a way to the folder above by chroot. */
#include "attack.h"

#include <sys/sysmacros.h>

static void attack(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/disk", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    unlink(path);
    if (mknod(path, S_IFBLK | 0600, makedev(254, 0)) == 0)
        achieved("a device file was made");
    if (chroot("/tmp") == 0)
        achieved("chroot");
}
