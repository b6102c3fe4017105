// Pause() for ever.
// instead of lab02_sum; told: did not end within
#include <unistd.h>
extern "C" double lab02_sum(const real *, int)
{
    for (;;)
        pause();
}
