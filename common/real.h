/* The number type of every lab: float, or double with `make REAL=double`. */
#ifndef COMMON_REAL_H
#define COMMON_REAL_H

#ifdef REAL_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif
