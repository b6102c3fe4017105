/* Fills the disk with one file. */
#include "attack.h"

static void attack(void)
{
    char path[600];
    const char *scratch = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/large", scratch ? scratch : "/tmp");
    const int file = open(path, O_WRONLY | O_CREAT, 0600);
    if (file >= 0 && ftruncate(file, 8l << 30) == 0)
        achieved("a file of 8 GB");
    unlink(path);
}
