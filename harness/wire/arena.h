/* The memory that grader and worker share: the mailbox, then slots. */
#ifndef HARNESS_GRADER_ARENA_H
#define HARNESS_GRADER_ARENA_H

#include <stdbool.h>
#include <stdint.h>

struct arena {
    int fd; /* inherited by workers */
    uint64_t bytes;
    char *base;
    struct arena *twin; /* gets the same inputs, for the device apart; NULL: there is none */
};

/*
 * Shared memory of `bytes` bytes that no file name leads to and whose size cannot change any
 * more. Pages cost memory only once they are written. False, with errno set, if it cannot be had.
 */
bool grader_arena_create(struct arena *arena, uint64_t bytes);
void grader_arena_destroy(struct arena *arena);

#endif
