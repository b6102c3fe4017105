/* Machine code for a profile's GPU, from the toolkit's assembler, ptxas, which needs no GPU. */
#pragma once

#include "sim/core/config.h"
#include "sim/core/kernel.h"
#include "sim/model/machine_code.h"

/*
 * The kernel's machine code; kept with the kernel, and made once. NULL: there is none, because ptxas is missing or
 * refuses, its file calls device code of other files, or there is no memory. Sets the kernel's register count to the exact one.
 *
 * Which ptxas: LABS_SIM_PTXAS (empty: none), else that of the toolkit that the simulator was built with, else the
 * one on the PATH.
 */
const struct machine_code *assemble_kernel(struct sim_kernel *kernel, const struct sim_profile *profile);
