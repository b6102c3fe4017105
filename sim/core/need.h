/*
 * Memory without which nothing can go on: the books of a kernel's decoder, a graph's nodes, what a program
 * registers before main. Where a caller can hand the failure on (an error code, NULL and a message), it calls
 * malloc itself; everything else asks here, so that there is one way to run out of memory:
 *
 *   simulator: out of memory: 65536 bytes for the micro-operations of a kernel
 *
 * on stderr, then abort(), which a grader sees as a crash by SIGABRT.
 */
#pragma once

#include <stddef.h>

/* `count` elements of `size` bytes, all zero, at least one byte; free() releases them. */
void *sim_need(size_t count, size_t size, const char *what) __attribute__((returns_nonnull, malloc));

/* As realloc: `memory`, or nothing where it is NULL, made to hold `count` elements of `size` bytes. */
void *sim_need_resized(void *memory, size_t count, size_t size, const char *what)
    __attribute__((returns_nonnull, warn_unused_result));

/* Says that there are no `bytes` bytes for `what`, and ends the process. */
_Noreturn void sim_out_of_memory(size_t bytes, const char *what);
