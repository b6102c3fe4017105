/* Shared memory without a name, sealed against a worker that would shrink it under our feet. */
#define _GNU_SOURCE
#include "harness/wire/arena.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* For kernels without memfd_create: a temporary file that is unlinked at once. */
static int temporary_file(void)
{
    char path[256];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/grader-XXXXXX", folder ? folder : "/tmp");
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

bool grader_arena_create(struct arena *arena, uint64_t bytes)
{
    memset(arena, 0, sizeof *arena);
    arena->bytes = bytes;
    arena->fd = (int)syscall(SYS_memfd_create, "grader-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (arena->fd < 0)
        arena->fd = temporary_file();
    if (arena->fd < 0 || ftruncate(arena->fd, (off_t)bytes) != 0)
        return false;
    fcntl(arena->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    arena->base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd, 0);
    if (arena->base == MAP_FAILED)
        return false;
    madvise(arena->base, bytes, MADV_HUGEPAGE); /* where the system has such pages for shared memory */
    return true;
}

void grader_arena_destroy(struct arena *arena)
{
    if (arena->base && arena->base != MAP_FAILED)
        munmap(arena->base, arena->bytes);
    if (arena->fd > 0)
        close(arena->fd);
    memset(arena, 0, sizeof *arena);
}
