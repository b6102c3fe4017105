/*
 * saved FILE STAMP: waits until FILE is another one than STAMP tells, and prints its new stamp. STAMP is what the last call
 * printed, or "": then it prints at once. So nothing is missed that is saved while something else is done. Exit: 0; 2 if
 * there is no such folder, or inotify is not to be had.
 */
#include <libgen.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTLED 50   /* milliseconds without an event: editors write in several steps */
#define LONGEST 2000 /* milliseconds: inotify sees nothing on some network file systems */

/* False: there is no such file now, as between an editor's steps. */
static bool stamp_of(const char *file, char stamp[96])
{
    struct stat now;
    if (stat(file, &now) != 0 || !S_ISREG(now.st_mode))
        return false;
    snprintf(stamp, 96, "%lld.%09ld-%lld-%llu", (long long)now.st_mtim.tv_sec, now.st_mtim.tv_nsec,
             (long long)now.st_size, (unsigned long long)now.st_ino);
    return true;
}

/* Events of the folder, until there are none for a while. */
static void wait_for_events(int events)
{
    char read_away[4096];
    struct pollfd poll_one = {.fd = events, .events = POLLIN};
    for (int patience = LONGEST; poll(&poll_one, 1, patience) > 0; patience = SETTLED)
        if (read(events, read_away, sizeof read_away) <= 0)
            return;
}

int main(int argc, char **argv)
{
    char folder[4096], stamp[96];
    if (argc != 3 || strlen(argv[1]) >= sizeof folder)
        return 2;
    strcpy(folder, argv[1]);
    const int events = inotify_init1(IN_CLOEXEC);
    if (events < 0 || inotify_add_watch(events, dirname(folder),
                                        IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB) < 0) {
        perror(argv[1]);
        return 2;
    }
    while (!stamp_of(argv[1], stamp) || strcmp(stamp, argv[2]) == 0)
        wait_for_events(events);
    puts(stamp);
    return 0;
}
