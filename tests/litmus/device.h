/* Between the kernels of the litmus tests (C++) and what launches them (C). */
#pragma once

/* Arguments of every kernel. */
struct litmus_arguments {
    unsigned *memory;  /* the locations: [location][instance], `stride` words apart */
    unsigned *results; /* [register, then location][instance] */
    unsigned *meeting; /* a counter for each group of blocks; NULL: they do not wait for each other */
    unsigned *busy;    /* busy_words of them, a power of two, for blocks that play no part */
    unsigned groups, instances, stride;
    unsigned factor[4]; /* odd */
    unsigned seed, delay_most, delay_step;
    unsigned busy_words, busy_rounds;
};

/* One row for each test, in the order in which the files give them; the last name is NULL. */
struct litmus_kernel {
    const char *name;
    const void *kernel;
};

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const struct litmus_kernel litmus_kernels[];
