/*
 * printf in a kernel. The compiler turns it into vprintf(format, arguments): two generic addresses, the
 * arguments packed one after the other, each at its natural alignment, after C's promotions.
 * Source: CUDA C++ Programming Guide, "Formatted Output".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Copies `size` bytes at a thread's generic address to `out`; false if they cannot be read. */
typedef bool kernel_printf_read(void *context, uint64_t address, void *out, size_t size);

/*
 * Prints one thread's call to `output` and returns what it returns in the kernel: the number of
 * arguments that the format used; -1 if `format` is 0 or cannot be read. A conversion that printf does
 * not know appears as it stands; a string that cannot be read appears as a remark with its address.
 * Formats and strings are cut after 65,535 characters, widths and precisions are at most 4,096.
 */
int kernel_printf(FILE *output, uint64_t format, uint64_t arguments, kernel_printf_read *read, void *context);
