/*
 * `real` for the harness. Most of its files are compiled once for both precisions, with REAL_EITHER: in them `real` is a
 * type of unknown size, so that the compiler refuses what depends on it. A file that needs its size includes this header
 * by itself, by which make finds it and compiles it once for each (mk/harness.mk).
 */
#pragma once

/*
 * lab_wide is what a reference adds up in: in it a sum of `real` numbers has far less rounding than in `real`. Sums of
 * up to 1e8 of the grader's random floats, which are multiples of 2^-23, have none at all in double.
 */
#ifdef REAL_EITHER
typedef struct this_file_must_include_harness_real_h real, lab_wide;
#else
#include "common/real.h"
#ifdef REAL_DOUBLE
typedef long double lab_wide;
#else
typedef double lab_wide;
#endif
#endif
