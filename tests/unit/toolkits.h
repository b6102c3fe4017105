/* The CUDA toolkits on this machine, for tests that look at what nvcc really writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct toolkit {
    char folder[512]; /* of nvcc and its tools */
    int version;      /* 118 for 11.8 */
};

/*
 * Those that can be found ($NVCC, PATH, /usr/local/cuda, /usr/bin, toolkit/) and can compile a small kernel,
 * one of each version; at most `most`. Zero where there is no toolkit: tests then skip.
 */
int toolkits_find(struct toolkit *out, int most);

/*
 * Runs nvcc; paths and options are put into the command as they are. What it says goes to the file
 * `log`, or nowhere if that is NULL. False if it fails.
 */
bool toolkit_run(const struct toolkit *toolkit, const char *options, const char *source, const char *output,
                 const char *log);

/* A file, to be freed; NULL if it cannot be read. */
void *read_whole_file(const char *path, size_t *size);
