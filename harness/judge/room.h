/* How much memory a grading shares with its workers. */
#pragma once

#include "harness/result/grader.h"

/* Bytes that a worker's arena must hold for every planned call. */
uint64_t plan_arena_bytes(const struct grader *grader, enum grader_backend backend);
