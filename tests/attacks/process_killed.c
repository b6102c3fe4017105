/* A child that goes on when the grader is killed with `kill -9`: the runner kills it after two seconds. */
#include "attack.h"

static void attack(void)
{
    fork();
    fork();
    for (int i = 0; i < 100; i++)
        usleep(500000);
}
