/* The process addr2line, which answers from one executable file's line information for as long as this process asks it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes to `answer` (up to `size` bytes with the terminating zero) what addr2line -i says of `offset` in the file
 * `path`:
 * a line "FILE:LINE" for each call, the innermost inlined one first, each with its "\n". False if there is no
 * addr2line, or it ended. The first question about a file starts a process, which ends when this one does; a copy of
 * this process (fork) starts its own. Not for two threads at once. Allocates nothing, and may be called in a signal
 * handler.
 */
bool line_process_ask(const char *path, uintptr_t offset, char *answer, size_t size);
