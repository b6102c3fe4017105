/* A loaded module: its PTX, its variables in device memory, its kernels as far as they were asked for. */
#ifndef SIM_MODULE_H
#define SIM_MODULE_H

#include "sim/core/device.h"
#include "sim/core/kernel.h"
#include "sim/ptx/ptx.h"

struct sim_module {
    struct sim *sim;
    struct ptx_module *ptx;
    struct sim_kernel *kernels; /* decoded ones */
    size_t const_bytes;
    struct sim_module *next;
};

#endif
