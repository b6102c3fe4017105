/* C1 controls, bidirectional marks, links and the clipboard in what a program prints. Judged by what is shown. */
#include "attack.h"

static void attack(void)
{
    printf("\302\2332J \2332J \033]52;c;cm0gLXJm\a \033]8;;http://x\a\r\b\b\n");
    printf("\342\200\256passed\342\200\254 \342\201\2464\342\201\251 \357\273\277\n");
    fflush(stdout);
}
