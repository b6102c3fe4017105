/* Devices beside the usual ones: the kernel's messages, memory, virtual machines, file systems of its own. */
#include "attack.h"

static void attack(void)
{
    static const char *const device[] = {"/dev/kmsg", "/dev/mem",     "/dev/kvm",       "/dev/fuse",
                                         "/dev/ppp",  "/dev/net/tun", "/dev/loop0",     "/dev/sda",
                                         "/dev/vda",  "/dev/ptmx",    "/dev/vhost-net", "/dev/uinput"};
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        if (open(device[i], O_RDWR) >= 0)
            achieved("%s was opened", device[i]);
}
