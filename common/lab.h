/* What a program of these labs includes: CHECK (errors), struct timer (times), real (float or double). */
#ifndef COMMON_LAB_H
#define COMMON_LAB_H

#include "common/check.h"
#include "common/real.h"
#include "common/timer.h"

#endif
