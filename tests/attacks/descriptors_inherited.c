/* Files that the instructor's shell has open are open here as well. */
#include "attack.h"

static void attack(void)
{
    for (int file = 6; file < 4096; file++)
        if (fcntl(file, F_GETFD) >= 0)
            achieved("descriptor %d is open", file);
}
