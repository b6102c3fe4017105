#!/bin/bash
# Barriers again and again with nothing stored in between, and blocks that store nothing, are told with their lines, whether points
# are lost or not. Programs without them hear nothing of it.
. "$(dirname "$0")/lib"
. "$(dirname "$0")/lib_changed"
make -s SOLUTION=1 lab01 lab02 lab05 lab07 lab08 lab09 || exit 1

again='where once would do'
grade lab09 tile -e '/sum += s_a\[y\]\[i\]/s|$|\n            __syncthreads(); /* each */|'
says '/* each */' "$again"
grade lab09 tile -e '/sum += s_a\[y\]\[i\]/s|^|            __syncthreads(); /* each */\n|'
says '/* each */' "$again"
grade lab08 tile -e '/sum += s_h\[u\]/s|$|\n            if (u % 8 == 7) {\n                __syncthreads(); /* every eighth */\n            }|'
says '/* every eighth */' "$again"
grade lab07 tile -e '/sum += .*s_x\[/s|$|\n            __syncthreads(); /* each */|'
says '/* each */' "$again"
# Two barriers per step of a reduction's tree: one after what all have read, one after what all have stored.
grade lab02 reduce -e '/^__global__ void reduce_shared/,/^}/{s|s_x\[threadIdx.x\] += s_x\[threadIdx.x + offset\];|more = s_x[threadIdx.x + offset];|;s|^        __syncthreads();|&\n        if (threadIdx.x < offset) {\n            s_x[threadIdx.x] += more;\n        }\n        __syncthreads();|;s|^    for (int offset|    real more = 0;\n&|}'
says_nothing
grade lab09 tile -e 's|^        __syncthreads();|        __syncthreads(); /* as it was */|'
says_nothing

blocks='blocks that are needed'
grade lab01 copy -e 's|copy<<<blocks,|copy<<<2 * blocks,|'
says 'copy<<<2' "$blocks"
grade lab05 warp_scan -e 's|scan_warps<<<block_count(n, LAB05_BLOCK_SIZE),|scan_warps<<<3 * block_count(n, LAB05_BLOCK_SIZE),|'
says 'scan_warps<<<3' "$blocks"
grade lab07 naive -e 's|convolve_naive<<<(outputs + THREADS - 1) / THREADS,|convolve_naive<<<(8 * outputs + THREADS - 1) / THREADS,|'
says 'convolve_naive<<<(8' "about 8 times the $blocks"
grade lab09 naive -e 's|multiply_naive<<<blocks,|multiply_naive<<<dim3(blocks.x, 2 * blocks.y),|'
says 'multiply_naive<<<dim3' "$blocks"
# Not all threads of the last blocks have an element: nothing to speak of.
grade lab07 naive -e 's|convolve_naive<<<(outputs + THREADS - 1) / THREADS,|convolve_naive<<<outputs / THREADS + 1,|'
says_nothing
