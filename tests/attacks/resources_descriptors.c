/* Opens files until the machine has no more. */
#include "attack.h"

static void attack(void)
{
    int last = 0, count = 0;
    while ((last = open("/dev/null", O_RDONLY)) >= 0 && count < 5000)
        count++;
    if (count > 1100)
        achieved("%d descriptors", count);
}
