/* A fuzz target, as libFuzzer calls it: `size` bytes, whatever they are. Aborts where a promise is broken. */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
