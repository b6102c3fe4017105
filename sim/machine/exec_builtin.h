/* Between the functions that device code calls and the simulator provides: their arguments and results. */
#pragma once

#include "sim/machine/exec_memory.h"

/* Argument `index` of one lane, as a number or as its first `size` bytes; 0 where there is none. */
uint64_t exec_argument(const struct warp *warp, const struct call_detail *call, unsigned lane, int index);
void exec_argument_bytes(const struct warp *warp, const struct call_detail *call, unsigned lane, int index,
                         void *out, size_t size);
void exec_set_result(struct warp *warp, const struct call_detail *call, unsigned lane, uint64_t value);

/* The line of `op` is where the kernel has made the allocation. */
void exec_made_at(const struct warp *warp, const struct micro *op, uint64_t address);

/* Carries out call_detail.device_call for one lane. */
enum step exec_device_call(struct warp *warp, const struct micro *op, unsigned lane);
