/* Removes, renames and links what it may not write. */
#include "attack.h"

static void attack(void)
{
    if (rename(in_place("other.cu"), in_place("mine.cu")) == 0)
        achieved("renamed another's file");
    if (link(in_place("secret"), in_place("linked")) == 0)
        achieved("linked the secret");
    if (unlink(in_place("results.json")) == 0)
        achieved("removed the results");
    if (mkdir(in_place("folder"), 0700) == 0)
        achieved("made a folder");
    if (symlink("/dev/zero", in_place("next.cu")) == 0)
        achieved("made a link");
}
