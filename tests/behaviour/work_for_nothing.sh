#!/bin/bash
# Blocks that store nothing are told with their lines, whether points are lost or not. Programs without them hear nothing of it.
. "$(dirname "$0")/lib"
. "$(dirname "$0")/lib_changed"
make -s SOLUTION=1 lab01 lab02 lab03 lab07 lab08 lab09 || exit 1

# Two barriers per step of a reduction's tree: one after what all have read, one after what all have stored.
grade lab02 reduce -e '/^__global__ void reduce_shared/,/^}/{s|s_x\[threadIdx.x\] += s_x\[threadIdx.x + offset\];|more = s_x[threadIdx.x + offset];|;s|^        __syncthreads();|&\n        if (threadIdx.x < offset) {\n            s_x[threadIdx.x] += more;\n        }\n        __syncthreads();|;s|^    for (int offset|    real more = 0;\n&|}'
says_nothing
blocks='in global memory (estimated from the blocks that were run)'
grade lab01 copy -e 's|copy<<<blocks,|copy<<<2 * blocks,|'
says 'copy<<<2' "$blocks"
short_ends_here

grade lab07 naive -e 's|convolve_naive<<<(outputs + THREADS - 1) / THREADS,|convolve_naive<<<(8 * outputs + THREADS - 1) / THREADS,|'
says 'convolve_naive<<<(8' "$blocks"
# Blocks that still read the taps, from constant or from global memory, and store nothing.
grade lab07 convolve -e 's|^    convolve<<<(outputs + per_block - 1) / per_block,|    convolve<<<(outputs + THREADS - 1) / THREADS,|'
says 'convolve<<<(outputs + THREADS' "$blocks"
# Traffic is told first, the blocks all the same.
grade lab08 registers -e 's|const int of_block = THREADS \* WINDOW;|const int of_block = THREADS;|'
says 'convolve_registers<<<' "$blocks"
# Not all threads of the last blocks have an element: nothing to speak of.
grade lab07 naive -e 's|convolve_naive<<<(outputs + THREADS - 1) / THREADS,|convolve_naive<<<outputs / THREADS + 1,|'
says_nothing

# One lane loads again and again while the others wait: thread 0 of a block, in a loop or unrolled; lane 0 of each warp.
halves='/^    for (int offset = blockDim.x \/ 2;/,/^    }/d'
serial='s|d_partial\[blockIdx.x\] = s_x\[0\];|real sum = 0;\n        for (int k = 0; k < LAB02_BLOCK_SIZE; k++) {\n            sum += s_x[k]; /* alone */\n        }\n        d_partial[blockIdx.x] = sum;|'
grade lab02 reduce -e "$halves" -e "$serial"
says '/* alone */' 'one thread of each block executes this load 128 times, one after another, while the other 127 wait'
grade lab02 reduce -e "$halves" -e "$serial" -e 's|^        real sum = 0;|&\n        #pragma unroll|'
says '/* alone */' 'one thread of each block executes this load 128 times'
grade lab02 reduce -e '/^    for (int offset = blockDim.x \/ 2;/,/^    }/c\
    if (threadIdx.x % 32 == 0) {\
        for (int k = 1; k < 32; k++) {\
            s_x[threadIdx.x] += s_x[threadIdx.x + k]; /* of its warp */\
        }\
    }\
    __syncthreads();\
    if (threadIdx.x == 0) {\
        s_x[0] += s_x[32] + s_x[64] + s_x[96];\
    }'
says '/* of its warp */' 'one thread of each warp executes this load'
# A few sums of warps, added by one thread: no matter.
grade lab02 reduce -e '/^    for (int offset = blockDim.x \/ 2;/,/^    }/c\
    for (int offset = 64; offset >= 4; offset /= 2) {\
        if (threadIdx.x < offset) {\
            s_x[threadIdx.x] += s_x[threadIdx.x + offset];\
        }\
        __syncthreads();\
    }\
    if (threadIdx.x == 0) {\
        for (int k = 1; k < 4; k++) {\
            s_x[0] += s_x[k];\
        }\
    }'
says_nothing

# Two bytes per lane, where the elements have four.
grade lab01 copy -e '/^__global__ void copy(/,/^}/{s|d_y\[i\] = d_x\[i\];|((short *)d_y)[i] = ((const short *)d_x)[i]; /* narrow */|;s|if (i < n)|if (i < n * (int)(sizeof(real) / sizeof(short)))|;}' \
    -e 's|copy<<<blocks,|copy<<<(n * (int)(sizeof(real) / sizeof(short)) + 255) / 256,|'
says '/* narrow */' 'each lane of a warp loads or stores only 2 bytes here at a time'

# The launch provides shared memory, and the kernel takes an array of its own.
grade lab03 reduce -e '/^__global__ void reduce_dynamic(/,/^}/s/extern __shared__ real s_x\[\];/__shared__ real s_x[1024];/'
says 'reduce_dynamic<<<' 'bytes of dynamic shared memory, the third launch parameter, and never uses them'

# Barriers make it too slow, and what is to be done next is something else, which is wrong: the note is there all the same.
change lab01 student -e '/^__global__ void copy(/,/^}/s|^    const int i = .*|&\n    for (int k = 0; k < 400; k++) {\n        __syncthreads(); /* in vain */\n    }|' \
    -e '/^__global__ void number_elements(/,/^}/s|blockIdx.x \* blockDim.x + threadIdx.x|threadIdx.x|'
output=$("$grader" --backend sim --seed 1 2>&1)
flatten
case $flat in *'First failure: (w) number'*'too slow'* | *'too slow'*'First failure: (w) number'*) ;; *) fail "number should be wrong, and copy too slow" "The report:" "$output" ;; esac
says '/* in vain */' 'this barrier orders nothing here'
