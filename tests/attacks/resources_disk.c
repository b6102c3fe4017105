/* Many files in the scratch folder, each of which is small enough: 1.2 GB, and then 12,000 names. */
#include "attack.h"

static void fill(const char *name, int count, off_t bytes)
{
    char path[700];
    int made = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", name, i);
        const int file = open(path, O_CREAT | O_WRONLY, 0600);
        made += file >= 0 && (bytes == 0 || posix_fallocate(file, 0, bytes) == 0);
        close(file);
    }
    sleep(4);
    if (made == count)
        achieved("%d files of %ld bytes, and it still runs", count, (long)bytes);
}

static void attack(void)
{
    const pid_t child = fork();
    if (child == 0)
        fill("name", 12000, 0);
    else
        fill("big", 2, 600 << 20);
}
