/* The memory that the grader reads is taken away below its feet: SIGBUS. */
#include "attack.h"

static void attack(void)
{
    if (ftruncate(5, 0) == 0 || ftruncate(5, 1 << 30) == 0)
        achieved("changed the size of the arena");
    if (fallocate(5, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0)
        printf("a hole in the arena: reads as zeros\n");
}
