/* The numbers of x32: bit 30 is set, and a filter that knows only the others lets them pass. */
#include "attack.h"

static void attack(void)
{
    const long answer = syscall(0x40000000 + 41, 2, 1, 0); /* socket */
    if (answer >= 0)
        achieved("a socket by its number of x32");
}
