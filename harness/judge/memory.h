/*
 * Memory for inputs and outputs. Large blocks are used again, since the system takes as long to clear new ones as
 * filling them takes. From any thread.
 */
#pragma once

#include <stdint.h>

void *memory_take(uint64_t bytes); /* what it holds is not defined; NULL: there is none */
void memory_give_back(void *block, uint64_t bytes);
void memory_forget(void); /* frees what was given back */
