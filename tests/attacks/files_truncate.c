/* truncate() opens nothing: another student's file is empty afterwards. */
#include "attack.h"

static void attack(void)
{
    if (truncate(in_place("other.cu"), 0) == 0)
        achieved("another's file was cut");
}
