/* A program of the system by a link in the scratch folder, and a copy of it there. */
#include "attack.h"

static void attack(void)
{
    char link[600], copy[1200];
    snprintf(link, sizeof link, "%s/link", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    unlink(link);
    if (symlink("/bin/true", link) != 0)
        return;
    snprintf(copy, sizeof copy, "exec %s", link);
    const pid_t child = fork();
    int status = 1;
    if (child == 0) {
        execl(link, "true", (char *)NULL);
        _exit(99);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
        achieved("a program was started by a link");
    unlink(link);
}
