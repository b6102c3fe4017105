// The worker stops itself with SIGSTOP, a process that waits for it waits for ever.
// instead of lab02_sum; told: did not end within
#include <signal.h>
extern "C" double lab02_sum(const real *, int)
{
    raise(SIGSTOP);
    return 0;
}
