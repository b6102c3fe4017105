/* Work on long arrays, spread over the cores that this process may use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls part(context, begin, end) for parts that cover 0 <= i < count once, and returns when all of them
 * have returned: at the same time in several threads if count is worth it, else in the caller's. What
 * is written for index i must not depend on how the parts are cut. May be called from several threads.
 */
void parallel_for(int64_t count, void (*part)(void *context, int64_t begin, int64_t end), void *context);

/* The same for work that is worth a thread from `least` elements on; parts begin at multiples of `granule`. */
void parallel_pieces(int64_t count, int64_t least, int64_t granule,
                     void (*part)(void *context, int64_t begin, int64_t end), void *context);

/* memcpy, memset and memcmp(…) == 0 for long blocks. */
void parallel_copy(void *to, const void *from, size_t size);
void parallel_set(void *to, int byte, size_t size);
bool parallel_same(const void *a, const void *b, size_t size);
