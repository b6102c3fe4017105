/* The calls of 32-bit programs have other numbers: getpid by int 0x80 answers, where a filter looks at numbers alone. */
#include "attack.h"

static void attack(void)
{
#ifdef __x86_64__
    long answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    if (answer == getpid())
        achieved("a call of 32-bit programs");
#endif
}
