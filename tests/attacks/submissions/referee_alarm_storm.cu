// A timer interrupts every system call of the worker each 50 microseconds, on an alternate stack, and the handler returns wrong results.
// instead of lab02_sum; told: wrong
#include <signal.h>
#include <sys/time.h>
static void tick(int)
{
}
extern "C" double lab02_sum(const real *, int)
{
    static char alt[65536];
    stack_t s = {alt, 0, sizeof alt};
    sigaltstack(&s, 0);
    struct sigaction a = {};
    a.sa_handler = tick;
    a.sa_flags = SA_ONSTACK;
    sigaction(SIGALRM, &a, 0);
    struct itimerval t = {{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &t, 0);
    return 0;
}
