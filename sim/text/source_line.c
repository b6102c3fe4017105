#define _GNU_SOURCE
#include "sim/text/source_line.h"

#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/text/line_memory.h"
#include "sim/text/line_process.h"

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

/* Of the toolkit, or of the system, such as the memcpy of glibc with _FORTIFY_SOURCE and what C++ has in headers. */
static bool is_header(const char *line)
{
    return strstr(line, "cuda_runtime.h:") || strstr(line, "cuda_runtime_api.h:") ||
           strncmp(line, "/usr/include/", strlen("/usr/include/")) == 0 || strstr(line, "/include/c++/");
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

/*
 * Asks addr2line; the innermost inlined call comes first: the first line outside headers of toolkit and system is the user's. `all`:
 * those behind it, too.
 */
static bool look_up(const struct object_file *object, bool all, char *text, size_t size)
{
    static char answer[16384]; /* under the lock */
    char resolved[4096], *rest = answer, *line;
    const char *path = object->path;
    const ssize_t length =
        readlink(path, resolved, sizeof resolved - 1); /* /proc/self is another one there */
    if (length > 0) {
        resolved[length] = '\0';
        path = resolved;
    }
    const uintptr_t offset = object->address - object->base;
    if (!line_memory_find(path, offset, answer, sizeof answer)) {
        if (!line_process_ask(path, offset, answer, sizeof answer))
            return false;
        line_memory_keep(path, offset, answer);
    }
    size_t used = 0;
    while ((line = strsep(&rest, "\n")) && used + 1 < size) {
        if (is_header(line) || !take_line(line, text + used, size - used))
            continue;
        if (!all)
            return true;
        used += strlen(text + used);
        used += (size_t)snprintf(text + used, size - used, "\n");
    }
    return used > 0;
}

static const char *other_program; /* NULL: there is none */

void source_line_of(const char *path)
{
    other_program = path;
}

static bool find_object(struct object_file *object)
{
    if (dl_iterate_phdr(holds_address, object))
        return true;
    object->path = other_program;
    object->base = SOURCE_LINE_BASE;
    return other_program && object->address - SOURCE_LINE_BASE < SOURCE_LINE_MOST;
}

static bool find_lines(const void *address, bool all, char *text, size_t size)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct object_file object = {(uintptr_t)address - 1, NULL, 0}; /* inside the call, not behind it */
    struct timespec end;
    if (!address || !find_object(&object))
        return false;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 2; /* a signal handler may have interrupted who holds it */
    if (pthread_mutex_timedlock(&lock, &end) != 0)
        return false;
    const bool found = look_up(&object, all, text, size);
    pthread_mutex_unlock(&lock);
    return found;
}

bool source_line(const void *address, char *text, size_t size)
{
    return find_lines(address, false, text, size);
}

bool source_calls(const void *address, char *text, size_t size)
{
    return find_lines(address, true, text, size);
}
