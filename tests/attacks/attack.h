/*
 * An attack is a program in a worker's place: `--serve 3 4 5 PLACE`. PLACE is a folder of the instructor's with
 *   secret, other.cu, results.json, build/   files that it must not read, list, change
 *   socket, port                             a local server, and the number of the port where another one listens
 * It prints "achieved: what" for each thing that it could do, and ends.
 */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *place;

static inline void achieved(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("achieved: ");
    vprintf(format, list);
    printf("\n");
    fflush(stdout);
    va_end(list);
}

static inline const char *in_place(const char *name)
{
    static char path[4][256];
    static int next;
    char *to = path[next++ % 4];
    snprintf(to, 256, "%s/%s", place, name);
    return to;
}

static inline void try_read(const char *path)
{
    char text[64] = "";
    const int file = open(path, O_RDONLY);
    if (file >= 0 && read(file, text, sizeof text - 1) > 0)
        achieved("read %s", path);
    if (file >= 0)
        close(file);
}

static void attack(void);

int main(int argc, char **argv)
{
    place = argc > 5 ? argv[5] : "/nowhere";
    attack();
    return 0;
}
