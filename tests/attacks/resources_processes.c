/* Processes that start processes. The runner counts those that are there, and that none is left. */
#include "attack.h"

static void attack(void)
{
    for (int i = 0; i < 12; i++)
        if (fork() < 0)
            break;
    sleep(30);
}
