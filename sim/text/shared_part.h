/*
 * What a line of source calls a place in shared memory: the array itself, or a pointer to a part that was carved from
 * it. From the text, for reports: only pointers of the function that get their value once, outside of all loops and
 * conditions, and that does not depend on the thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shared_part {
    char name[64];
    char expression[64]; /* "s_label[tid + 1]"; "an element of s_label" */
    int line;            /* where the pointer gets its value; 0: it is the array itself */
    bool is_first;       /* it begins where the array begins */
    /* The index is known, a number, threadIdx.x, or one more or less than that; of an element that is a number itself. */
    bool has_index;
    int64_t index;
};

/*
 * The part of shared array `array` that the statement at `line` stores to, or, if !is_write, reads. `thread`:
 * threadIdx.x of the one that does. False: none or several come into question.
 */
bool shared_part_at(const char *file, int line, const char *array, bool is_write, unsigned thread,
                    struct shared_part *part);

/*
 * Whether the file declares shared variable `array` with elements of one byte, "unsigned char s_buffer[]", or made of
 * structs, wherever it declares it: then its element 25 is no number of 4 bytes. False as well if it declares none or
 * cannot be read.
 */
bool shared_array_of_bytes(const char *file, const char *array);

/* Whether the file declares a shared array of that name with rows, "real tile[8][9]": then tile[12] is no element. */
bool shared_array_of_rows(const char *file, const char *array);
