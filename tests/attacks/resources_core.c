/* A core dump of all that it allocated. */
#include "attack.h"
#include <sys/resource.h>

static void attack(void)
{
    struct rlimit core;
    if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_max != 0)
        achieved("may leave a core dump");
}
