/* What addr2line said, in memory that several processes share: each line is looked up by only one of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From now on, answers are kept in `bytes` of `memory`, which was zeroed when it was made and outlives this process and its
 * copies (fork). What is in it is believed as far as it is text: any process that shares it may have changed it.
 */
void line_memory_use(void *memory, size_t bytes);

/* The answer of `line_process_ask` for `offset` in the file `path`, if it is kept. */
bool line_memory_find(const char *path, uintptr_t offset, char *answer, size_t size);

/* Keeps an answer, unless there is no memory to use, no room in it, or the answer is long. */
void line_memory_keep(const char *path, uintptr_t offset, const char *answer);
