/* Small types that all layers use: addresses, sizes of grids, how a launch ended, what an allocation is called. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim;        /* a device: sim/core/device.h */
struct sim_kernel; /* sim/core/kernel.h */

/* An address in device memory; see sim/memory/allocations.h. */
typedef uint64_t sim_addr;

struct sim_dim3 {
    unsigned x, y, z;
};

enum sim_status {
    SIM_OK = 0,
    SIM_OUT_OF_BOUNDS, /* illegal address: global, shared, local, const or a freed allocation */
    SIM_MISALIGNED,
    SIM_TRAP,
    SIM_ASSERT,
    SIM_DEADLOCK, /* no thread of the launch can ever run again */
    SIM_INSTRUCTION_LIMIT,
    SIM_UNSUPPORTED, /* an instruction reached at run time that the simulator cannot execute */
    SIM_OUT_OF_MEMORY,
    SIM_ADDRESS_SPACE,  /* an address of one state space, used where only another one may be */
    SIM_STACK_OVERFLOW, /* calls or alloca need more than a thread's stack has */
};

struct sim_allocation {
    sim_addr address;
    size_t size;
    char name[64];           /* "x", "d_partial", symbol's name; "" if it has no name */
    const void *caller;      /* return address of the cudaMalloc call, or NULL … */
    const void *outer;       /* … and of the function that made it, if that may be a wrapper */
    char kernel_line[48];    /* "main.cu:12", where a kernel has made it; "" if none has */
    uint64_t serial;         /* 1 for the first allocation of the device */
    bool freed;              /* kept for "use after free" messages until the address is used again … */
    const void *freed_by[2]; /* … and by which call, as caller and outer, … */
    const char *freed_call;  /* … its name; NULL: not known */
};
