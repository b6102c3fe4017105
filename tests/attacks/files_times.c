/* A source that is older than its object is not built again. Landlock does not see times, rights and owners. */
#include "attack.h"
#include <utime.h>

static void attack(void)
{
    const struct timespec old[2] = {{1, 0}, {1, 0}};
    if (utimensat(AT_FDCWD, in_place("other.cu"), old, 0) == 0 || utime(in_place("other.cu"), NULL) == 0)
        achieved("changed the time of another's file");
}
