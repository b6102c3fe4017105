/* Builds a program at run time, and starts it. */
#include "attack.h"

static void attack(void)
{
    if (system(
            "echo 'int main(void){return 7;}' >$TMPDIR/t.c && gcc $TMPDIR/t.c -o $TMPDIR/t && $TMPDIR/t") ==
        7 << 8)
        achieved("gcc built a program, and it ran");
}
