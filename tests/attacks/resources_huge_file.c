/* A file of 8 TB that takes no room, on which every copy and backup stumbles. */
#include "attack.h"

static void attack(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/sparse", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    signal(SIGXFSZ, SIG_IGN);
    const int file = open(path, O_CREAT | O_RDWR, 0600);
    if (file >= 0 && ftruncate(file, 8l << 40) == 0)
        achieved("a file of 8 TB");
}
