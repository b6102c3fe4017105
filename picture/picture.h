/*
 * Pictures of what a kernel did, as SVG. Data goes in, one <svg> element comes out; colors are classes that the page
 * defines (harness/html). What is drawn where is computed by functions of its own, which tests look at.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PICTURE_LANES 32
#define PICTURE_BANKS 32

/* ---- svg.c: elements ------------------------------------------------------------------------------------- */

/* As text of HTML, SVG or an attribute in double quotes: nothing in it is taken for markup. */
void picture_escape(FILE *out, const char *text);
/* `told`: what a screen reader says in the picture's place. */
void picture_begin(FILE *out, double width, double height, const char *told);
void picture_end(FILE *out);
void picture_box(FILE *out, double x, double y, double width, double height, const char *class);
void picture_line(FILE *out, double x1, double y1, double x2, double y2, const char *class);
/* `class` also says how it is aligned: "middle", "end". */
void picture_text(FILE *out, double x, double y, const char *class, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- lanes.c: 32 lanes over the sectors of global memory, or the banks of shared memory ------------------ */

struct picture_access {
    bool is_shared;
    int size;                /* bytes per lane, 1 to 16 */
    uint32_t lanes;          /* that take part */
    const uint64_t *address; /* [32] */
    int cost, least;         /* sectors or wavefronts: taken, and enough */
};

/* Where the lanes go. A unit is a sector of 32 bytes, or a word of 4 bytes in a bank. */
struct picture_units {
    int count;
    uint64_t unit[PICTURE_LANES * 4]; /* in ascending order */
    int of_lane[PICTURE_LANES];       /* the first unit of the lane; -1: it does not take part */
    int words[PICTURE_BANKS];         /* shared memory: different words of each bank */
    int most;                         /* of `words` */
};

void picture_find_units(const struct picture_access *access, struct picture_units *units);
/* Does unit number i lie beyond those that were enough: drawn as extra? */
bool picture_is_extra(const struct picture_access *access, const struct picture_units *units, int i);
/* `base`: address of element 0, of `width` bytes. */
void picture_lanes(FILE *out, const struct picture_access *access, uint64_t base, int width,
                   const char *told);

/* ---- owners.c: which thread stored which element --------------------------------------------------------- */

#define PICTURE_ELEMENTS 1024 /* that are drawn at most */

struct picture_owners {
    int count;                    /* elements */
    int block[PICTURE_ELEMENTS];  /* that stored the element last: even or odd */
    int thread[PICTURE_ELEMENTS]; /* its number in the block */
    int stores[PICTURE_ELEMENTS]; /* how often it was stored */
};

/* How many elements were not stored, and how many more than once. */
void picture_count_owners(const struct picture_owners *owners, int *missing, int *repeated);
void picture_owners(FILE *out, const struct picture_owners *owners, const char *told);

/* ---- strip.c: which lanes were active, step by step ------------------------------------------------------- */

struct picture_step {
    int line;         /* of the source */
    int instructions; /* in a row */
    uint32_t lanes;
};

void picture_strip(FILE *out, const struct picture_step *steps, int count, const char *told);

/* ---- race.c: two accesses to one word, in either order ---------------------------------------------------- */

struct picture_party {
    char who[64]; /* "block 0, thread 32" */
    int line;
    bool writes;
};

/* What the word holds, or a party reads, after `first` came before the other one. */
void picture_race_ending(const struct picture_party party[2], int first, char *text, size_t size);
void picture_race(FILE *out, const struct picture_party party[2], const char *word, int first);

/* ---- roof.c: speeds --------------------------------------------------------------------------------------- */

struct picture_speed {
    char name[64];
    double part;              /* of the roof */
    double needed;            /* of the roof; 0: no threshold */
    double intensity, gflops; /* FLOP per byte; 0: no arithmetic */
    bool right;               /* fast enough */
};

#define PICTURE_ROOF_LEFT   70.0
#define PICTURE_ROOF_WIDTH  600.0
#define PICTURE_ROOF_TOP    16.0
#define PICTURE_ROOF_HEIGHT 260.0

struct picture_roof {
    double gflops, gbs;
    double low_intensity, high_intensity, low_rate, high_rate; /* logarithms to base 2 */
};

void picture_fit_roof(struct picture_roof *roof, const struct picture_speed *speeds, int count);
double picture_roof_x(const struct picture_roof *roof, double intensity);
double picture_roof_y(const struct picture_roof *roof, double gflops);
void picture_roofline(FILE *out, const struct picture_roof *roof, const struct picture_speed *speeds,
                      int count, const char *told);
void picture_bars(FILE *out, const struct picture_speed *speeds, int count, const char *told);
