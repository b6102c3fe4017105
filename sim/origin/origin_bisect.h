/*
 * Of an element that should be a sum of products, and is another one: at which step it went wrong. Whether the right
 * sum was computed and something else was stored; or which factor is the wrong one, and where the right one was when
 * it was read.
 */
#pragma once

#include "sim/origin/origin.h"

/* Factors: the k-th of [0] is multiplied by the k-th of [1]. */
struct sim_origin_factors {
    sim_addr first[2];
    int64_t stride[2], count;
    sim_addr array[2]; /* that they are elements of; two arrays */
    size_t bytes[2];
};

enum sim_origin_step_wrong {
    SIM_ORIGIN_STEP_UNKNOWN,
    /* The right sum was computed at `at`, by `by`, and … */
    SIM_ORIGIN_STORED_AGAIN, /* … stored, at `at`; `count` stores by `last` at `stored`, the last one of another value */
    SIM_ORIGIN_STORED_ELSEWHERE, /* … stored at `put`, in `there` */
    SIM_ORIGIN_NOT_STORED, /* … not stored at all; `last` stores another value at `stored`. anew: computed later, by the same instruction */
    /* For `count` products, as at `at` by `by`: `right` is multiplied by `got` (0: by zero), not by `wanted`, which was then … */
    SIM_ORIGIN_OTHER_VARIABLE, /* … in another variable of the thread, to which it had come at `loaded` */
    SIM_ORIGIN_OTHER_PLACE, /* … in the memory that `read` reads by `reader` in `here`: in `there`, stored at `put` by `putter` */
    SIM_ORIGIN_REPLACED, /* … no longer there: `put` had put it in `there`, and `replaced` stored something else there */
    SIM_ORIGIN_NOT_PUT, /* … not there: it was loaded at `loaded` by `loader`, and not stored */
    SIM_ORIGIN_NOT_LOADED, /* … not there: no thread of the block had loaded it. `loaded`: where `got` was, by `loader` */
};

struct sim_origin_bisect {
    enum sim_origin_step_wrong what;
    struct sim_origin_place at, stored, put, read, replaced, loaded;
    struct sim_origin_thread by, last, putter, reader, loader, replacer;
    uint32_t count;
    sim_addr right, got, wanted;
    bool outside;             /* got: not 0, where it is no element */
    char here[80], there[80]; /* "s_a[8]"; "": it has no name */
    /*
     * STORED_ELSEWHERE: where. A wrong factor: another element to which `last`, which stores the value at `stored`,
     * stores it as well; 0: none.
     */
    sim_addr there_address;
    bool anew;
    uint32_t index_uses, put_uses; /* of the read's, and of the put's index: SIM_ORIGIN_TID_X … */
    bool index_known, put_known;
};

/* Of `size` bytes. False: nothing is known. */
bool sim_origin_bisect(struct sim *sim, sim_addr address, size_t size,
                       const struct sim_origin_factors *factors, int factor_count,
                       struct sim_origin_bisect *out);
/*
 * Of an element that should be a copy of the one at `wanted`, and is one of another: where that one was read, and where
 * `wanted` was then: OTHER_PLACE and what follows, with a count of 0, for it is no product. False: nothing is known.
 */
bool sim_origin_misread(struct sim *sim, sim_addr address, size_t size, sim_addr wanted,
                        struct sim_origin_bisect *out);
