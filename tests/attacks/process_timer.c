/* A timer of the kernel that sends its signal to another process. */
#include "attack.h"

#include <time.h>

static void attack(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL | 4 /* SIGEV_THREAD_ID */, .sigev_signo = SIGKILL};
    int timer;
    ((int *)&event)[4] = getppid(); /* sigev_notify_thread_id */
    if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0)
        achieved("a timer for the grader");
}
