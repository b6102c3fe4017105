/*
 * Runs one kernel of tests/hazards/, as suite.c does: for the tools that watch a real GPU, and for the
 * simulator (tests/gpu/sanitizer compares them).
 *
 *   hazard              lists the kernels: "FILE NAME CLASS"; right ones have the class none, or varies where what
 *                       they leave in memory depends on the order
 *   hazard FILE NAME    runs it, and prints the status and, for a right one, a hash of what it leaves in x and
 *                       zeros (tests/gpu/hazards compares them); the exit status is 0
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/hazards/launch.h"
#include "tests/hazards/sets.h"

#define SECONDS_MAX 30 /* some kernels never end on a GPU */

static void list(const char *set, const struct hazard_program *programs)
{
    for (; programs->name != NULL; programs++)
        printf("%s %s %s\n", set, programs->name,
               programs->hazard >= 0 ? hazard_expectations[programs->hazard].class_has
               : programs->varies    ? "varies"
                                     : "none");
}

static uint64_t hash(uint64_t so_far, const void *device, size_t size)
{
    static unsigned char bytes[X_BYTES];

    cudaMemcpy(bytes, device, size, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < size; i++)
        so_far = (so_far ^ bytes[i]) * 0x100000001b3u;
    return so_far;
}

/* What memory that was never written holds on the simulator: right kernels may copy it, as padding. */
#define UNWRITTEN 0xa5

static void run(const struct hazard_program *program)
{
    struct hazard_memory memory = hazard_memory_create();

    if (program->hazard < 0)
        cudaMemset(memory.fresh, UNWRITTEN, FRESH_BYTES);
    printf("%s", cudaGetErrorName(hazard_launch(program, &memory)));
    if (program->hazard < 0)
        printf(" %016llx", (unsigned long long)hash(hash(0xcbf29ce484222325u, memory.x, X_BYTES),
                                                    memory.zeros, ZEROS_BYTES));
    putchar('\n');
}

int main(int count, char **names)
{
    alarm(SECONDS_MAX);
    for (size_t i = 0; count < 3 && i < HAZARD_SETS; i++)
        list(hazard_sets[i].name, hazard_sets[i].programs);
    if (count < 3)
        return 0;
    for (size_t i = 0; i < HAZARD_SETS; i++) {
        for (const struct hazard_program *p = hazard_sets[i].programs; p->name != NULL; p++) {
            if (strcmp(hazard_sets[i].name, names[1]) == 0 && strcmp(p->name, names[2]) == 0) {
                run(p);
                return 0;
            }
        }
    }
    fprintf(stderr, "hazard: there is no kernel %s in %s\n", names[2], names[1]);
    return 2;
}
