/* Holds the lock of the results, so that the grader waits for ever. */
#include "attack.h"

#include <sys/file.h>

static void attack(void)
{
    const int file = open(in_place("results.json"), O_RDONLY);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        achieved("the results are locked");
}
