/*
 * A pattern, again and again, over a part of device memory: what fresh memory holds, or an input whose elements
 * need not all be different. The pattern is in a file without a name, and its pages are mapped for themselves
 * (MAP_PRIVATE) wherever it is to stand. So it takes address space; a page of its own comes with the first store.
 */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/memory/memory.h"

/* Mappings for one allocation, at most: the host grants a process some ten thousand. */
#define MAPPINGS_MAX 2048

/* As many whole periods as are worth one mapping. */
static size_t file_size(size_t size, size_t period)
{
    size_t least = size / MAPPINGS_MAX + ((size_t)1 << 20);
    return (least + period - 1) / period * period;
}

static void repeat_bytes(unsigned char *to, size_t size, const unsigned char *pattern, size_t period,
                         size_t phase)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = period - phase < size - done ? period - phase : size - done;
        memcpy(to + done, pattern + phase, part);
        phase = 0;
    }
}

/* A file of `size` bytes that begins at `phase` of the pattern; -1: there is none to be had. */
static int pattern_file(const unsigned char *pattern, size_t period, size_t phase, size_t size)
{
    int fd = memfd_create("pattern", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    void *bytes = MAP_FAILED;
    if (ftruncate(fd, (off_t)size) == 0)
        bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) {
        close(fd);
        return -1;
    }
    repeat_bytes(bytes, size, pattern, period, phase);
    munmap(bytes, size);
    return fd;
}

static bool map_file(unsigned char *first, unsigned char *end, int fd, size_t size)
{
    for (size_t part; first < end; first += part) {
        part = (size_t)(end - first) < size ? (size_t)(end - first) : size;
        if (mmap(first, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) ==
            MAP_FAILED)
            return false;
        madvise(first, part, MADV_DONTDUMP);
    }
    return true;
}

/* The whole pages inside [begin, begin + size). */
static void whole_pages(unsigned char *begin, size_t size, unsigned char **first, unsigned char **end)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)begin, to = from + size;
    *first = begin + (-from & (page - 1));
    *end = to / page * page > (uintptr_t)*first ? begin + (to / page * page - from) : *first;
}

bool memory_repeat(struct memory *memory, size_t offset, size_t size, const void *pattern, size_t period)
{
    unsigned char *begin = memory->backing + offset, *first, *end;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = -1;
    whole_pages(begin, size, &first, &end);
    size_t before = (size_t)(first - begin), phase = before % period, bytes = file_size(size, period);
    if (period % page == 0 && (size_t)(end - first) > bytes)
        fd = pattern_file(pattern, period, phase, bytes);
    bool mapped = fd >= 0 && map_file(first, end, fd, bytes);
    if (fd >= 0)
        close(fd); /* the mappings keep it */
    if (!mapped) {
        repeat_bytes(begin, size, pattern, period, 0);
        return false;
    }
    repeat_bytes(begin, before, pattern, period, 0);
    repeat_bytes(end, (size_t)(begin + size - end), pattern, period, (size_t)(end - begin) % period);
    return true;
}

void memory_unrepeat(struct memory *memory, size_t offset, size_t size)
{
    unsigned char *first, *end;
    whole_pages(memory->backing + offset, size, &first, &end);
    if (end == first || mmap(first, (size_t)(end - first), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
        return; /* the next allocation fills the pages again, whatever they hold */
    madvise(first, (size_t)(end - first), MADV_DONTDUMP);
    madvise(first, (size_t)(end - first), MADV_HUGEPAGE);
}
