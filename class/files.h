/* Files of the class: read whole, written so that a reader, or the next start after a power cut, never sees half of one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* As printf; ends the program if there is no memory, as all that allocates here. Free the text. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *allocate(size_t size); /* of zeros */

/* The file's bytes and a zero behind them, at most `most`; NULL: it cannot be read (errno). Neither follows a link nor waits for a FIFO. */
char *file_read(const char *path, size_t most, size_t *size);

/* A text that is printed into `out` first. file_end writes it to path.tmp, waits until the disk has it, and gives it its name. */
struct new_file {
    FILE *out;
    char *text, *path;
    size_t size;
};
void file_begin(struct new_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool file_end(struct new_file *file); /* false: a message was printed */

bool folder_make(const char *path); /* and those above it; false: a message was printed */
