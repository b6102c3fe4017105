/* Where memory ends, the kernel should end this process and not the grader. (It takes none: the machine has others.) */
#include "attack.h"

static void attack(void)
{
    char text[16] = "";
    int file = open("/proc/self/oom_score_adj", O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0 || atoi(text) != 1000)
        achieved("is not the first to be ended: %s", text);
    file = open("/proc/self/oom_score_adj", O_WRONLY);
    if (file >= 0 && write(file, "0", 1) == 1)
        achieved("made itself more important");
}
