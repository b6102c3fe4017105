/*
 * FOR_VECTORS before a function with a plain loop: the compiler turns the loop into vector instructions, and into
 * those of newer processors as well, of which the program takes what it finds. Results are the same.
 */
#pragma once

#if defined __x86_64__ && defined __GLIBC__ && __has_attribute(target_clones)
#define VECTORS_CLONES __attribute__((target_clones("avx2", "default"))) /* without fused multiply-adds */
#else
#define VECTORS_CLONES
#endif
#if __has_attribute(optimize) /* gcc's; clang uses vectors at -O2 as well */
#define FOR_VECTORS VECTORS_CLONES __attribute__((optimize("O3")))
#else
#define FOR_VECTORS VECTORS_CLONES
#endif
