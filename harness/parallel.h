/* Work on long arrays, spread over the machine's cores. */
#ifndef HARNESS_PARALLEL_H
#define HARNESS_PARALLEL_H

#include <stdint.h>

/*
 * Calls part(context, begin, end) for parts that cover 0 <= i < count once, and returns when all of them
 * have returned: at the same time in several threads if count is worth it, else in the caller's. What
 * is written for index i must not depend on how the parts are cut.
 */
void parallel_for(int64_t count, void (*part)(void *context, int64_t begin, int64_t end), void *context);

#endif
