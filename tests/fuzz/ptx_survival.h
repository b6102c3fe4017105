/*
 * A PTX text through everything that reads it before a kernel runs: lexer, parser, linker, control-flow
 * graph, loader and decoder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sim/ptx/ptx.h"

/* Between the texts of several modules that are linked. */
#define PTX_SEPARATOR "\n//+\n"

struct survival {
    bool parsed;      /* all of its modules */
    int kernels;      /* that the decoder was given */
    int decoded;      /* that it accepted */
    char broken[320]; /* the first promise of a header that was not kept, or "" */
};

/* The first promise of ptx.h that the module breaks, or NULL. Builds the graph of every function as well. */
const char *ptx_broken_promise(const struct ptx_module *module);

/* Takes the text, whatever it is, as far as it goes. It must not crash, hang or leak. */
struct survival ptx_survive(const char *text, size_t length);
