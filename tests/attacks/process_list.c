/* What runs on this machine, with which arguments: seeds, names of other submissions. */
#include "attack.h"

static void attack(void)
{
    char path[64], text[4];
    for (int pid = 1; pid < 40000; pid++) {
        snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
        const int file = pid == getpid() ? -1 : open(path, O_RDONLY);
        if (file >= 0 && read(file, text, sizeof text) > 0) {
            achieved("the command line of process %d was read", pid);
            return;
        }
        if (file >= 0)
            close(file);
    }
}
