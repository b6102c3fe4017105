/* Kernels whose hazards are known: between the CUDA files that hold them and suite.c, which runs them. */
#ifndef TESTS_HAZARDS_SUITE_H
#define TESTS_HAZARDS_SUITE_H

/*
 * Every kernel has the same parameters:
 *   x      4096 ints, each its own index
 *   zeros  256 ints, all 0
 *   fresh  1024 ints that nobody has written
 *   gone   memory that is freed already
 */
struct hazard_program {
    const char *name;
    const void *kernel;
    unsigned blocks, threads, dynamic_shared;
    int cooperative;
    int hazard; /* enum sim_hazard_class; -1: none, the kernel is right */
};

#endif
