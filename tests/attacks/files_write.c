/* Changes the results, and what the next student is built from. */
#include "attack.h"

static void attack(void)
{
    const int flags[] = {O_WRONLY, O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND, O_RDWR};
    for (int i = 0; i < 4; i++)
        if (open(in_place("results.json"), flags[i]) >= 0)
            achieved("opened the results to write (%o)", flags[i]);
    if (open(in_place("build/again"), O_WRONLY | O_CREAT, 0700) >= 0)
        achieved("made a file in the build folder");
    if (truncate(in_place("results.json"), 0) == 0)
        achieved("emptied the results");
}
