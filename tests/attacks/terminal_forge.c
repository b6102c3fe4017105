/* Escapes that clear the screen and write a report of their own, in what a program prints. Judged by what is shown. */
#include "attack.h"

static void attack(void)
{
    printf("\033[2J\033[Hpassed: 100 of 100\r\xc2\x9b"
           "2J\xe2\x80\xae"
           "mirror\a\b\n");
    fflush(stdout);
}
