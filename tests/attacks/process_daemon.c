/* A process of a session of its own that outlives the grading, and waits for the next student. */
#include "attack.h"

static void attack(void)
{
    if (fork() != 0) {
        usleep(200000);
        return;
    }
    setsid();
    setpgid(0, 0);
    if (fork() != 0)
        _exit(0);
    printf("left: %d\n", getpid());
    fflush(stdout);
    sleep(600);
}
