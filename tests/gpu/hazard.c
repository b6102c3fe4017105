/*
 * Runs one kernel of tests/hazards/, as suite.c does: for the tools that watch a real GPU, and for the
 * simulator (tests/gpu/sanitizer compares them).
 *
 *   hazard                    lists the kernels: "wrong NAME CLASS" or "right NAME none"
 *   hazard wrong|right NAME   runs it; what it did is of no interest, so the exit status is 0
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/hazards/launch.h"

#define SECONDS_MAX 30 /* some kernels never end on a GPU */

extern const struct hazard_program wrong_programs[], right_programs[];

/* As enum sim_hazard_class has them. */
static const char *const classes[] = {
    "out of bounds",  "use after free", "misaligned", "uninitialised", "race in shared memory",
    "race in global", "barrier",        "mask",       "deadlock",
};

static void list(const char *set, const struct hazard_program *programs)
{
    for (; programs->name != NULL; programs++)
        printf("%s %s %s\n", set, programs->name, programs->hazard < 0 ? "none" : classes[programs->hazard]);
}

static void run(const struct hazard_program *program)
{
    struct hazard_memory memory = hazard_memory_create();

    printf("%s\n", cudaGetErrorName(hazard_launch(program, &memory)));
}

int main(int count, char **names)
{
    alarm(SECONDS_MAX);
    if (count < 3) {
        list("wrong", wrong_programs);
        list("right", right_programs);
        return 0;
    }
    const struct hazard_program *programs = strcmp(names[1], "wrong") == 0 ? wrong_programs : right_programs;
    for (; programs->name != NULL; programs++) {
        if (strcmp(programs->name, names[2]) == 0) {
            run(programs);
            return 0;
        }
    }
    fprintf(stderr, "hazard: there is no %s kernel %s\n", names[1], names[2]);
    return 2;
}
