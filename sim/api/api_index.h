/*
 * Host addresses and what they stand for: a table that is open-addressed by the address, since programs that
 * use a template library register thousands of kernels.
 */
#ifndef SIM_API_INDEX_H
#define SIM_API_INDEX_H

#include <stddef.h>

struct api_index {
    const void **keys;
    int *values;
    size_t room; /* a power of two, or 0 */
    size_t used;
};

void api_index_add(struct api_index *index, const void *key, int value);
/* The value of a key, -1 if there is none. */
int api_index_find(const struct api_index *index, const void *key);

#endif
