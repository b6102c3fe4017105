// #pragma GCC poison of names that the binding uses.
// instead of all; told: lab02_reduce_blocks is missing
#include "lab02.h"
#pragma GCC poison printf
int x = 1;
