/* From an address in the program's code to its source line, for reports: where was this allocated? */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * "main.cu:57" for the call that returns to `address`. Calls that were inlined from the toolkit's headers are named
 * by the line that they were inlined into. False if the program carries no line information (-g) or the tool
 * addr2line is not installed. The first call starts a process (line_process.h), which takes milliseconds: for reports
 * only. Safe to call from several threads.
 */
bool source_line(const void *address, char *text, size_t size);

/*
 * All the lines of that call, one a line of text: that of the call itself, and where functions of the host were
 * inlined, those of the calls that they were inlined into. False as above.
 */
bool source_calls(const void *address, char *text, size_t size);

/*
 * Addresses from SOURCE_LINE_BASE on, which no process has, stand for those of another program: of the file `path`, which is
 * kept by the caller.
 */
#define SOURCE_LINE_BASE UINT64_C(0x700000000000000)
#define SOURCE_LINE_MOST (UINT64_C(1) << 40)
void source_line_of(const char *path);
