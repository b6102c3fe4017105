/* The products that a sum is made of, as numbers of a replay, against those that it should be made of. */
#pragma once

#include "sim/origin/origin_bisect.h"
#include "sim/origin/origin_replay.h"

/* A product that was computed: of which [0] belongs to the first factors, [1] to the second, as far as that is known. */
struct term {
    uint64_t value[2];
    uint32_t hop[2];
    uint32_t entry;
    uint8_t lane;
};

struct terms {
    const struct sim_origin_factors *factors;
    int factor_count;
    struct term *list; /* in the order in which they were computed */
    size_t count;
};

/* What is wrong: term `list[at]` has factor `wrong` that should be the element at `wanted`; `count` are wrong in this way. */
struct term_wrong {
    size_t at;
    int wrong;
    sim_addr wanted;
    uint32_t count;
};

/* The element that a number stands for, by its last hop; 0: none. */
sim_addr terms_element(const struct replay *r, uint64_t value, uint32_t hop);
/* Is it one of the elements of side 0 or 1 that are needed? */
bool terms_need(const struct terms *t, int side, uint64_t value);
/* How many products there should be. */
int64_t terms_count(const struct terms *t);
/* The number of the sum that it should be. */
uint64_t terms_expected(const struct terms *t);
bool terms_find_wrong(const struct terms *t, struct term_wrong *out);
