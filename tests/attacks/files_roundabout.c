/* The same files by other names: links in the scratch folder, /proc/self/root, a path with dots. */
#include "attack.h"

static void attack(void)
{
    char path[600];
    const char *scratch = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/link", scratch ? scratch : "/tmp");
    unlink(path);
    if (symlink(in_place("secret"), path) == 0)
        try_read(path);
    unlink(path);
    snprintf(path, sizeof path, "/proc/self/root%s", in_place("secret"));
    try_read(path);
    snprintf(path, sizeof path, "/usr/../%s", in_place("secret"));
    try_read(path);
    const int folder = open(place, O_PATH);
    const int file = folder < 0 ? -1 : openat(folder, "secret", O_RDONLY);
    if (file >= 0)
        achieved("read through a folder's descriptor");
}
