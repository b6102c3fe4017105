/* Who else handed something in? */
#include "attack.h"
#include <dirent.h>

static void attack(void)
{
    const char *const folders[] = {place, "/", "/home", "/tmp", "/proc", in_place("build")};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        DIR *folder = opendir(folders[i]);
        if (folder && readdir(folder))
            achieved("listed %s", folders[i]);
    }
}
