/* Kernels whose hazards are known: between the CUDA files that hold them and suite.c, which runs them. */
#pragma once

/* What a report must say: hazard_expectations in sets.h has the words. As enum sim_hazard_class, then new ones. */
enum hazard_expected {
    OUT_OF_BOUNDS,
    AFTER_FREE,
    MISALIGNED,
    UNINITIALIZED,
    SHARED, /* race in shared memory */
    GLOBAL, /* race in global memory */
    BARRIER,
    MASK,
    DEADLOCK,
    READ_ONLY,
    SCOPE,        /* a race between operations that would be none with a wider scope */
    VOLATILE,     /* conflicting volatile accesses that nothing else orders */
    NON_COHERENT, /* a load by the non-coherent path of what the same launch wrote */
    ENDLESS,      /* a loop that cannot end */
    DIVISION,     /* by 0, of integers */
    UPDATE,       /* a race of updates that must be atomic */
    TURNS,        /* a race of stores that may be of different turns of a loop */
    ONE_ADDRESS,  /* unsized shared arrays: what one holds is overwritten through another */
};

/*
 * Every kernel has the same parameters:
 *   x      4096 ints, each its own index
 *   zeros  256 ints, all 0
 *   fresh  1024 ints that were never written
 *   gone   memory that is freed already
 */
struct hazard_program {
    const char *name;
    const void *kernel;
    unsigned blocks, threads, dynamic_shared;
    int cooperative;
    int hazard; /* enum hazard_expected; -1: none, the kernel is right */
    int varies; /* right kernels: what they leave in memory depends on the order, as that of atomics does */
};
