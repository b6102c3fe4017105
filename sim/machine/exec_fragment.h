/*
 * Which elements of a matrix a lane's registers hold: PTX ISA, "Matrix Fragments for mma.m16n8k16" and its neighbors.
 * All are of one form: four lanes share a row of A, a column of B and a row of the sum, in tiles of eight rows or
 * columns. For wmma the PTX ISA leaves it open; here larger shapes go on in the same form.
 */
#pragma once

#include "sim/machine/exec.h"

struct element {
    int row, column;
};

/* The first element of a register; those behind it in the register follow in the column of B, else in the row. */
static inline struct element fragment_element(const struct fragment *f, int reg, int lane)
{
    const int group = lane >> 2, place = lane & 3, each = f->each;
    if (f->matrix == MATRIX_A) {
        const int tiles = f->rows / 8;
        return (struct element){group + 8 * (reg % tiles), each * (place + 4 * (reg / tiles))};
    }
    if (f->matrix == MATRIX_B) {
        const int tiles = f->rows / (4 * each);
        return (struct element){each * (place + 4 * (reg % tiles)), group + 8 * (reg / tiles)};
    }
    const int tiles = f->rows / 8, pair = each == 2 ? reg : reg / 2;
    return (struct element){group + 8 * (pair % tiles),
                            2 * place + (each == 2 ? 0 : reg % 2) + 8 * (pair / tiles)};
}
