/*
 * A cubin's machine code, and which instruction of the PTX each of its instructions was made from. ptxas -lineinfo
 * leaves that in two sections: .nv_debug_ptx_txt is the PTX without comments, its lines ended by zeros, and
 * .nv_debug_line_sass a line-number program (DWARF 2, section 6.2) from addresses to these lines.
 */
#pragma once

#include <stddef.h>

#include "sim/model/sass.h"

struct cubin_code {
    struct sass *instrs; /* [count], owned; free with cubin_code_release */
    int *ptx_lines;      /* [count], owned: line of the PTX text, from 1; 0: not known */
    int count;
};

/*
 * The kernel's code in the cubin that ptxas made of the PTX `text`, for compute capability `cc`. False: the image is
 * malformed, has no such kernel, or does not belong to the text; or out of memory.
 */
bool cubin_code_read(const void *image, size_t size, const char *kernel, const char *text, size_t text_length,
                     int cc, struct cubin_code *out);
void cubin_code_release(struct cubin_code *code);
