/* Prints without end. The grader keeps a few kilobytes and counts the rest. */
#include "attack.h"

static void attack(void)
{
    static char line[65536];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < 4096; i++)
        if (write(1, line, sizeof line) < 0)
            return;
}
