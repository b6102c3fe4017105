/* Takes more memory than it may, and touches it: the runner allows 600 MB (ulimit -m), which the kernel does not see to. */
#include "attack.h"

static void attack(void)
{
    const size_t size = (size_t)1 << 30;
    char *block = malloc(size);
    if (!block)
        return;
    memset(block, 1, size);
    sleep(4);
    achieved("1 GiB was taken, and it still runs");
}
