/* Leaves something for the next student: in /tmp, in shared memory. */
#include "attack.h"

static void attack(void)
{
    static const char *const paths[] = {"/tmp/attack-left", "/dev/shm/attack-left", "/var/tmp/attack-left"};
    for (int i = 0; i < 3; i++)
        if (open(paths[i], O_WRONLY | O_CREAT, 0600) >= 0) {
            achieved("left %s", paths[i]);
            unlink(paths[i]);
        }
}
