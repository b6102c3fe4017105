/* What a launch does that costs something whatever holds it back: told where it is known for certain, fast or not. */
#pragma once

#include <stdbool.h>

#include "sim/model/waste.h"

struct sim_habit_place {
    const char *file; /* belongs to the kernel's module */
    int line;         /* 0: nothing is known */
    /* In the same file, if the line is in a function that was inlined: its call; of several calls, one in the other, the
       outermost. Else 0. */
    int call_line, from_line;
};

struct sim_habits {
    /* Elements of global memory that the same threads store to with no barrier in between: the line that does it most. */
    struct {
        struct sim_habit_place place;
        double times; /* that each is stored to, on average of all stores of the launch */
    } kept;
    /* Loads from global memory, of the line that warps wait for most often; on average, when its result is needed. */
    struct {
        struct sim_habit_place place;
        double in_flight; /* loads of the warp */
        double behind;    /* instructions with floating-point arithmetic, since it was issued */
    } loads;
    struct sim_waste
        apart; /* the dearest of conflicts and of loads and stores that lie apart, whatever costs more; kind 0: none */
};

struct costing;

void habit_find(const struct costing *costing, struct sim_habits *habits);
