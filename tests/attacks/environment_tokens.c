/* The instructor's tokens stand in his environment. */
#include "attack.h"

extern char **environ;

static void attack(void)
{
    for (char **entry = environ; *entry; entry++)
        if (strstr(*entry, "TOKEN") || strstr(*entry, "SSH_") || strncmp(*entry, "USER=", 5) == 0)
            achieved("environment: %s", *entry);
    const char *home = getenv("HOME");
    if (home && strcmp(home, in_place("home")) == 0)
        achieved("the instructor's home: %s", home);
}
