/*
 * Pictures of what a kernel did, as SVG. Data goes in, one <svg> element comes out; colors are classes (style.c). What is drawn where is computed by functions of its own, which tests look at.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PICTURE_LANES 32
#define PICTURE_CODE  49 /* bytes of a line of the source that are drawn, and the 0 */
#define PICTURE_BANKS 32

/* ---- style.c: CSS for the page, or the file, that a picture stands in -------------------------------------- */

extern const char picture_style[];

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
double picture_key_width(const char *words);
/* What a color means. Returns where the next one may begin. */
double picture_key(FILE *out, double x, double y, const char *class, const char *words);

/* ---- lanes.c: 32 lanes over the sectors of global memory, or the banks of shared memory ------------------ */

struct picture_access {
    bool is_shared, is_atomic;
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
    int turns;                        /* atomics of global memory: to the word that most lanes update */
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
    int idle;                     /* threads behind them, one for each element that is not there */
};

/* How many elements were not stored, and how many more than once. */
void picture_count_owners(const struct picture_owners *owners, int *missing, int *repeated);
void picture_owners(FILE *out, const struct picture_owners *owners, const char *told);

/* ---- strip.c: which lanes were active, step by step ------------------------------------------------------- */

struct picture_step {
    char text[PICTURE_CODE]; /* of its line of the source */
    uint32_t lanes;
};

void picture_strip(FILE *out, const struct picture_step *steps, int count, const char *told);

/* ---- events of a block: for block.c and tree.c ------------------------------------------------------------- */

#define PICTURE_WARPS 32

enum picture_doing {
    PICTURE_LOAD,
    PICTURE_STORE,
    PICTURE_ATOMIC,
    PICTURE_SHARED_LOAD,
    PICTURE_SHARED_STORE,
    PICTURE_SHARED_ATOMIC,
    PICTURE_SHUFFLE,
    PICTURE_BARRIER,
    PICTURE_DOINGS,
};

struct picture_event {
    int warp, line;
    enum picture_doing what;
    uint32_t lanes;
    int size;                /* accesses: bytes per lane */
    const uint64_t *address; /* accesses: [32] */
};

/*
 * How many barriers the event's lanes have passed before it; `passed`, of the warp's lanes, counts a barrier. A warp
 * whose lanes come to a barrier one after the other, as after a branch, passes it once.
 */
int picture_pass(int passed[PICTURE_LANES], const struct picture_event *event);

/* ---- block.c: what the warps of a block did, in time ------------------------------------------------------- */

#define PICTURE_SPANS  560
#define PICTURE_PHASES 40 /* between barriers */

/* Events of a warp that are alike and follow each other. */
struct picture_span {
    int warp, phase, column; /* of the phase: what several warps do at one line stands in one column */
    int times, line;
    enum picture_doing what;
    uint32_t lanes;
};

struct picture_block {
    int warps, phases, count;
    int barriers[PICTURE_WARPS]; /* that the warp came to */
    int passed[PICTURE_WARPS][PICTURE_LANES];
    int width[PICTURE_PHASES];    /* columns */
    int rows, row[PICTURE_WARPS]; /* of many warps, neighbors that do the same share a row */
    int first[PICTURE_WARPS];     /* a row's first warp */
    struct picture_span span[PICTURE_SPANS];
};

void picture_lay_block(struct picture_block *block, const struct picture_event *events, int count);
void picture_block(FILE *out, const struct picture_block *block, const char *told);

/* ---- tree.c: what was added to what in shared memory ------------------------------------------------------- */

#define PICTURE_PLACES 256
#define PICTURE_EDGES  520
#define PICTURE_LEVELS 12

struct picture_edge {
    int from, to;          /* places: numbers of elements */
    int level, from_level; /* how many stores, one after the other, the sum has behind it */
};

struct picture_tree {
    int places, levels, count;
    int threads[PICTURE_LEVELS]; /* that stored a sum of the level */
    uint32_t warps[PICTURE_LEVELS];
    int first_phase[PICTURE_LEVELS], last_phase[PICTURE_LEVELS]; /* barriers before those stores */
    struct picture_edge edge[PICTURE_EDGES];
};

/* False: what is stored does not go into what is stored later, at least twice. */
bool picture_grow_tree(struct picture_tree *tree, const struct picture_event *events, int count);
/* Does a barrier stand between all stores of the level and all of the next one? */
bool picture_has_barrier(const struct picture_tree *tree, int level);
void picture_tree(FILE *out, const struct picture_tree *tree, const char *told);

/* ---- shuffle.c: who takes whose value ----------------------------------------------------------------------- */

#define PICTURE_SHUFFLES 8

struct picture_shuffle {
    uint32_t lanes;
    uint8_t source[PICTURE_LANES];
};

/*
 * The lanes to which most lanes' values come, as those of tiles; no value to two of them. `cones`: the lanes on the way to
 * them, before each shuffle, and at the end.
 */
uint32_t picture_find_cones(const struct picture_shuffle *shuffles, int count,
                            uint32_t cones[PICTURE_SHUFFLES + 1]);
void picture_shuffles(FILE *out, const struct picture_shuffle *shuffles, int count, const char *told);

/* ---- reach.c: what each block loads of an array, and what it stores ------------------------------------------ */

#define PICTURE_BLOCKS 12

struct picture_range {
    int64_t first, last; /* elements */
    int count;           /* how often any was touched; 0: none */
};

struct picture_reach {
    int blocks;
    int64_t elements; /* of the longer array */
    char from[32], to[32];
    struct picture_range loaded[PICTURE_BLOCKS], stored[PICTURE_BLOCKS];
};

/* Elements that the block loads, and the next one as well. */
int picture_overlap(const struct picture_reach *reach, int block);
void picture_reach(FILE *out, const struct picture_reach *reach, const char *told);

/* ---- matrix.c: what one thread, its warp and its block touch -------------------------------------------------- */

#define PICTURE_MATRIX   4096 /* elements, at most */
#define PICTURE_MATRICES 12

enum picture_by { PICTURE_BY_NONE, PICTURE_BY_BLOCK, PICTURE_BY_WARP, PICTURE_BY_THREAD };

struct picture_matrix {
    char name[32];
    bool is_shared; /* words of shared memory, in columns by their banks */
    int columns, count;
    unsigned char by[PICTURE_MATRIX]; /* enum picture_by */
};

void picture_matrices(FILE *out, const struct picture_matrix *matrices, int count, const char *told);

/* ---- waves.c: a grid's blocks, as many at a time as the GPU holds ---------------------------------------------- */

/* How full the last wave is. */
double picture_last_wave(double blocks, double wave);
void picture_waves(FILE *out, double blocks, double wave, const char *told);

/* ---- shelves.c: what one SM has room for ------------------------------------------------------------------------- */

#define PICTURE_SHELVES 4

struct picture_shelf {
    const char *name;  /* "shared memory" */
    const char *unit;  /* "KB"; "" */
    double takes, has; /* a block; the SM */
    bool full;         /* no further block fits */
};

/* Of `shelf`, how many pixels wide a book is, and how far the one sticks out that does not fit; 0: it would fit. */
double picture_book(const struct picture_shelf *shelf);
double picture_sticks_out(const struct picture_shelf *shelf, int blocks);
void picture_shelves(FILE *out, const struct picture_shelf shelf[PICTURE_SHELVES], int blocks,
                     const char *told);

/* ---- moments.c: one SM in time --------------------------------------------------------------------------------------- */

#define PICTURE_MOMENTS 96

enum picture_warps {
    PICTURE_WORK,
    PICTURE_WAIT_RESULT,
    PICTURE_WAIT_BARRIER,
    PICTURE_WAIT_MEMORY,
    PICTURE_STATES
};

struct picture_moments {
    int count, slots;                             /* slots: warps that the SM holds */
    double seconds;                               /* of all */
    float warps[PICTURE_STATES][PICTURE_MOMENTS]; /* on average */
    float issue[PICTURE_MOMENTS];                 /* part of the issue slots */
    float bytes[PICTURE_MOMENTS];                 /* in flight */
    double enough;                                /* bytes in flight to read at full rate */
};

/* y of the top of what lies on row `state` and below it, at moment i. */
double picture_level(const struct picture_moments *moments, int state, int i);
void picture_moments(FILE *out, const struct picture_moments *moments, const char *told);

/* ---- sm.c: what one SM has in flight, and how fast that is ------------------------------------------------------- */

#define PICTURE_SM_BLOCKS 8
#define PICTURE_SM_LOADS  8

struct picture_sm {
    int blocks, warps, loads; /* resident; of a block, at most 8; in flight per thread */
    double rate, roof;        /* GB/s of the whole device */
};

void picture_sm(FILE *out, const struct picture_sm *sm, const char *told);

/* ---- race.c: two accesses to one word, in either order ---------------------------------------------------- */

struct picture_party {
    char who[64];            /* "block 0, thread 32" */
    char text[PICTURE_CODE]; /* of its line of the source */
    bool writes;
};

/* What the word holds, or a party reads, after `first` came before the other one. */
void picture_race_ending(const struct picture_party party[2], int first, char *text, size_t size);
/* `done`: how many of the two accesses have happened, 0 to 2. */
void picture_race(FILE *out, const struct picture_party party[2], const char *word, int first, int done);

/* ---- roof.c: speeds --------------------------------------------------------------------------------------- */

struct picture_speed {
    char name[64];
    double part;              /* of the roof */
    double needed;            /* of the roof; 0: no threshold */
    double best;              /* in bars: of all runs so far; 0: not known */
    double intensity, gflops; /* FLOP per byte; 0: no arithmetic */
    bool right;               /* fast enough */
};

#define PICTURE_NAMES       32 /* in a roofline */
#define PICTURE_ROOF_LEFT   70.0
#define PICTURE_ROOF_WIDTH  600.0
#define PICTURE_ROOF_TOP    28.0
#define PICTURE_ROOF_HEIGHT 260.0

struct picture_roof {
    double gflops, gbs;
    double low_intensity, high_intensity, low_rate, high_rate; /* logarithms to base 2 */
};

void picture_fit_roof(struct picture_roof *roof, const struct picture_speed *speeds, int count);
double picture_roof_x(const struct picture_roof *roof, double intensity);
double picture_roof_y(const struct picture_roof *roof, double gflops);
/* What stands in a picture, from left to right, half of a name's height above and below y. */
struct picture_spot {
    double left, right, y;
};

/* Beside the point (x, y), right or left of it, or as little below as there is room for. */
struct picture_spot picture_place_name(const struct picture_spot *taken, int count, double x, double y,
                                       double width);
void picture_roofline(FILE *out, const struct picture_roof *roof, const struct picture_speed *speeds,
                      int count, const char *told);
/* `scale`: of what these are parts. */
void picture_bars(FILE *out, const struct picture_speed *speeds, int count, const char *scale,
                  const char *told);
