/* Variables of a kernel as reports name them. */
#ifndef SIM_VARIABLE_NAME_H
#define SIM_VARIABLE_NAME_H

#include "sim/core/kernel.h"

/* "s_y" for _ZZ6kernelPfE3s_y: the last component of a mangled name; other names stay. */
void variable_name(const char *mangled, char *text, size_t size);

/* The variable that lies at the offset, or the one that begins at or below it; NULL if there is none. */
const struct kernel_variable *variable_at(const struct kernel_variable *list, int count, uint64_t offset);
const struct kernel_variable *variable_below(const struct kernel_variable *list, int count, uint64_t offset);

/*
 * "shared array s_y[64]" for the element of `element` bytes at the offset in the variable's space, "shared
 * variable s_y" where that is all of it; "shared memory (byte 256)" if `v` is NULL.
 */
void variable_describe(const struct kernel_variable *v, const char *space, uint64_t offset, int element,
                       char *text, size_t size);

#endif
