#define _GNU_SOURCE
#include "sim/text/source_line.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The file that holds the code at `address`, and how far from its own addresses it was loaded. */
struct object_file {
    uintptr_t address;
    const char *path;
    uintptr_t base;
};

static int holds_address(struct dl_phdr_info *info, size_t size, void *data)
{
    struct object_file *object = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || object->address < first ||
            object->address - first >= info->dlpi_phdr[i].p_memsz)
            continue;
        object->path = info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
        object->base = info->dlpi_addr;
        return 1;
    }
    return 0;
}

/* Runs addr2line with its output in a pipe; the pipe's end to read from, or NULL. */
static FILE *start_addr2line(const char *path, uintptr_t offset, pid_t *child)
{
    char resolved[4096];
    ssize_t length = readlink(path, resolved, sizeof resolved - 1); /* /proc/self is another one there */
    if (length > 0) {
        resolved[length] = '\0';
        path = resolved;
    }
    char number[32];
    snprintf(number, sizeof number, "0x%lx", (unsigned long)offset);
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (freopen("/dev/null", "w", stderr))
            execlp("addr2line", "addr2line", "-i", "-e", path, number, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "r");
}

static bool is_header_of_toolkit(const char *line)
{
    return strstr(line, "cuda_runtime.h:") || strstr(line, "cuda_runtime_api.h:");
}

/* "/home/a/main.cu:57 (discriminator 2)" becomes "main.cu:57"; false for "??:0" and the like. */
static bool take_line(char *line, char *text, size_t size)
{
    char *slash = strrchr(line, '/'), *name = slash ? slash + 1 : line, *colon = strrchr(line, ':');
    name[strcspn(name, " \n")] = '\0';
    if (!colon || name[0] == '?' || atoi(colon + 1) == 0)
        return false;
    snprintf(text, size, "%s", name);
    return true;
}

bool source_line(const void *address, char *text, size_t size)
{
    struct object_file object = {(uintptr_t)address - 1, NULL, 0}; /* inside the call, not behind it */
    bool found = false;
    if (!address || !dl_iterate_phdr(holds_address, &object))
        return false;
    pid_t child;
    FILE *output = start_addr2line(object.path, object.address - object.base, &child);
    if (!output)
        return false;
    char line[4096];
    /* The innermost inlined call comes first: the first line outside the toolkit is the user's. */
    while (fgets(line, sizeof line, output))
        if (!found && !is_header_of_toolkit(line))
            found = take_line(line, text, size);
    fclose(output);
    waitpid(child, NULL, 0);
    return found;
}
