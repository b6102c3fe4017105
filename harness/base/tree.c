/*
 * Folders in folders may have no name that the kernel takes: paths end at 4096 characters, and descriptors are few. So
 * what is in a folder's folders moves up into it, until there are none.
 */
#define _GNU_SOURCE
#include "harness/base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -1: it is no folder that can be opened. Only then its rights are set: those of a link would be another file's. */
static int open_folder(int at, const char *name)
{
    struct stat info;
    if (fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode))
        return -1;
    if (fchmodat(at, name, 0700, 0) != 0 && errno == ENOENT)
        return -1;
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Files are removed and folders moved to `top`, by new names. */
static void empty(int folder, int top, unsigned long *moved)
{
    char name[32];
    DIR *list = fdopendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        if (!is_entry(entry) || unlinkat(folder, entry->d_name, 0) == 0 ||
            unlinkat(folder, entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        do
            snprintf(name, sizeof name, ".%lu", ++*moved);
        while (faccessat(top, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
        close(open_folder(folder, entry->d_name)); /* it must be writable to be moved */
        renameat(folder, entry->d_name, top, name);
    }
    if (list)
        closedir(list);
    else
        close(folder);
}

/* One time through what is in `top`. False: nothing could be removed any more. */
static bool remove_once(int top, unsigned long *moved)
{
    bool any = false;
    DIR *list = fdopendir(openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        if (!is_entry(entry))
            continue;
        const int folder = open_folder(top, entry->d_name);
        if (folder >= 0)
            empty(folder, top, moved);
        any |= unlinkat(top, entry->d_name, folder >= 0 ? AT_REMOVEDIR : 0) == 0;
    }
    if (list)
        closedir(list);
    return any;
}

void tree_remove(const char *path)
{
    unsigned long moved = 0;
    if (unlink(path) == 0)
        return; /* a file */
    const int top = open_folder(AT_FDCWD, path);
    if (top < 0)
        return;
    while (rmdir(path) != 0 && remove_once(top, &moved))
        ;
    close(top);
}
