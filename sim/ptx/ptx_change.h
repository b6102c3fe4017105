/*
 * Small changes of PTX, one at a time: what if this comparison counted equality, if this number were one larger, if
 * this index used blockIdx.x? A program that is wrong, and right with such a change, has its mistake there.
 *
 * What one source line became stands in the code more than once: loops are unrolled, templates have instances.
 * Instructions of one line that look alike are changed together; where they are few, each by itself as well.
 */
#ifndef SIM_PTX_CHANGE_H
#define SIM_PTX_CHANGE_H

#include "sim/ptx/ptx.h"

/* In the order in which they are numbered. */
enum ptx_change_kind {
    PTX_CHANGE_OPPOSITE,  /* a comparison becomes its opposite: < for >=, == for != */
    PTX_CHANGE_AXES,      /* x for y and y for x, in the whole function */
    PTX_CHANGE_ARGUMENTS, /* two parameters exchanged, in the whole kernel */
    PTX_CHANGE_EQUAL,     /* equality counts, or no longer: <= for < */
    PTX_CHANGE_SIDES,     /* its two sides change places: > for < */
    PTX_CHANGE_OPERATION, /* another operation: - for +, min for max */
    PTX_CHANGE_CONVERT,   /* no conversion: the same bits, or a number that keeps its fraction */
    PTX_CHANGE_ORDER,     /* the operands change places: b - a for a - b */
    PTX_CHANGE_SIGN,      /* a product goes in with the other sign */
    PTX_CHANGE_EXCHANGE,  /* two variables of a line exchanged */
    PTX_CHANGE_BUILTIN,   /* another special register: %tid.y for %tid.x */
    PTX_CHANGE_PARAMETER, /* another parameter of the kernel, of the same type */
    PTX_CHANGE_NUMBER,    /* another number that stands in the code */
    PTX_CHANGE_PLACE,     /* the element behind, or before, the one that is loaded or stored to */
    PTX_CHANGE_SHIFT,     /* a product with, or division by, a power of two: another one */
    PTX_CHANGE_FACTOR, /* a number of threads, blocks or turns, times a factor that the function has elsewhere */
    PTX_CHANGE_WITHOUT,  /* an addend, factor or divisor is left out */
    PTX_CHANGE_ADD,      /* a store adds to what is there */
    PTX_CHANGE_SKIP,     /* a store or an atomic operation does not take place */
    PTX_CHANGE_VARIABLE, /* another variable of the function, of the same type */
    PTX_CHANGE_ALWAYS,   /* a condition always holds */
    PTX_CHANGE_NEVER,    /* … never holds */
    PTX_CHANGE_CONNECT,  /* && for ||, or the other way round */
    PTX_CHANGE_KINDS
};

struct ptx_change {
    enum ptx_change_kind kind;
    struct ptx_loc site,
        call; /* in func->module->files; call: of the function that was inlined, line 0: none, or several */
    struct ptx_func *func; /* that has the first of the instructions */
    const char *from, *to; /* comparison, operation, special register; or "" */
    double number
        [2]; /* NUMBER; SHIFT: the factor, below 1 for a division; PLACE: 0, and 1 or -1; FACTOR: number[1] is it */
    int parameter[4];  /* PARAMETER, ARGUMENTS; VARIABLE, EXCHANGE: or -1: which of the function's, from 0 */
    int line[4];       /* VARIABLE, EXCHANGE: where it gets its value, in the file of `site`; 0: not known */
    char function[96]; /* its name as in the source; filled by sim_change */
};

#define PTX_CHANGE_LINES 16

/* Functions that may be changed, in instructions of lines of a file whose name (without folders) is `file`. */
struct ptx_change_scope {
    struct ptx_func **funcs;
    int count;
    const char *file;
    int near[PTX_CHANGE_LINES], near_count; /* what is at most a few lines from one of these comes first */
};

/*
 * Makes change number `number`, from 0, for good. False: there is no such change; *count, in any case, is how many
 * there are if number is below 0, else not set. Aborts if memory is short.
 */
bool ptx_change_make(const struct ptx_change_scope *scope, int number, struct ptx_change *out, int *count);

#endif
