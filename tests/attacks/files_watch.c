/* Is told when another student's file is read or written: inotify. */
#include "attack.h"

#include <sys/inotify.h>

static void attack(void)
{
    const int watch = inotify_init1(IN_NONBLOCK);
    if (watch >= 0 && inotify_add_watch(watch, in_place("other.cu"), IN_ALL_EVENTS) >= 0)
        achieved("another's file is watched");
    if (watch >= 0 && inotify_add_watch(watch, place, IN_ALL_EVENTS) >= 0)
        achieved("the folder is watched");
}
