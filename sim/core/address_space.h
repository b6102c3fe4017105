/* Where the state spaces lie among generic addresses. */
#pragma once

#include <stdint.h>

/*
 * Windows of the generic address space for the spaces that belong to a block or a thread; global
 * addresses are the same in both. Device memory (sim/memory) must not overlap them, and they are not
 * valid host addresses either. Each window is 4 GiB.
 */
#define GENERIC_SHARED_BASE UINT64_C(0x7e01000000000000)
#define GENERIC_LOCAL_BASE  UINT64_C(0x7e02000000000000)
#define GENERIC_PARAM_BASE  UINT64_C(0x7e03000000000000)
#define GENERIC_WINDOW_SIZE UINT64_C(0x0000000100000000)

/*
 * The address in shared memory of a block's first variable. As on compute capability 9.0, where the system
 * keeps the first KiB, it is not 0: an offset that is taken for an address finds nothing. Only registers hold
 * addresses that begin here; in micro-operations and accesses they are offsets from 0 on.
 */
#define SHARED_FIRST_ADDRESS 1024

/* Function pointers: an address that no load or store accepts, by the function's place in the module. */
#define FUNCTION_ADDRESS_BASE UINT64_C(0x7e04000000000000)
