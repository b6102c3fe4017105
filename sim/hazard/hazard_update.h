/* Code that reads an element, changes it and stores it back: what has to be one atomic operation among threads. */
#pragma once

#include <stdbool.h>

struct code;

/*
 * Whether both operations, by their pc, belong to such a sequence, the same one or two of one line, at an address that
 * does not depend on the thread's number alone: it comes from data (hist[key]) or is the same for all threads. Where it
 * does (s[2 * k * t] += s[...]), two threads may have their turns one after the other, and a barrier would do. `of_blocks`: the
 * threads are in different blocks, which no barrier orders; there the number of the block counts.
 */
bool update_shared_place(const struct code *code, int pc, int other_pc, bool of_blocks);
