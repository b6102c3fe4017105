/* Runs the system's programs. */
#include "attack.h"

static void attack(void)
{
    static char *const none[] = {NULL};
    static const char *const programs[] = {"/bin/sh", "/usr/bin/env", "/usr/bin/perl", "/usr/bin/curl"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        int status = 0;
        char *const arguments[] = {(char *)programs[i], "--version", NULL};
        const pid_t child = fork();
        if (child == 0) {
            close(1);
            close(2);
            execve(programs[i], arguments, none);
            _exit(99);
        }
        if (child > 0 && waitpid(child, &status, 0) == child &&
            !(WIFEXITED(status) && WEXITSTATUS(status) == 99))
            achieved("started %s", programs[i]);
    }
}
