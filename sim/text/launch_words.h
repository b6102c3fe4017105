/*
 * Why a launch is impossible, whatever the kernel: its grid and block, in words. For the simulator, and for who runs
 * on a GPU.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* x, y and z of each; `most`: threads that a block of the device may have. False: the sizes are possible. */
bool launch_words(const uint32_t grid[3], const uint32_t block[3], int most, char *text, size_t size);
