#!/bin/bash
# What costs something in a kernel that is right, fast or not, is told with its line and figures: one thread that stores or adds
# alone, loads that nothing overlaps with. Right programs hear nothing of it.
# shellcheck disable=SC2016 # $ and ` of other languages
. "$(dirname "$0")/lib"
. "$(dirname "$0")/lib_changed"
make -s SOLUTION=1 lab02 lab03 lab04 lab06 lab07 lab08 lab09 || exit 1

# One thread executes all atomics, in a loop or unrolled; or clears all counters.
todo5='/^__global__ void histogram_shared/,/^}/{/TODO 5/,/end of TODO 5/{/TODO 5/!d}}'
body() { # LINE...: TODO 5
    printf '%s' "/^__global__ void histogram_shared/,/^}/s|^    // end of TODO 5|    __syncthreads();\n$1\n&|"
}
grade lab04 histogram -e "$todo5" -e "$(body '    if (threadIdx.x == 0) {\n        for (int k = 0; k < LAB04_BINS; k++) {\n            atomicAdd(\&d_count[k], s_count[k]); /* alone */\n        }\n    }')"
says '/* alone */' 'one thread of each block executes this atomic operation 256 times, one after another, while the other 511 wait'
grade lab04 histogram -e "$todo5" -e "$(body '    if (threadIdx.x == 0) {\n        #pragma unroll\n        for (int k = 0; k < LAB04_BINS; k++) {\n            atomicAdd(\&d_count[k], s_count[k]); /* alone */\n        }\n    }')"
says '/* alone */' 'one thread of each block executes this atomic operation 256 times'
short_ends_here
# All threads share it: in steps of the block, or those that have a key.
grade lab04 histogram -e "$todo5" -e "$(body '    for (int k = threadIdx.x; k < LAB04_BINS; k += blockDim.x) {\n        atomicAdd(\&d_count[k], s_count[k]); /* shared */\n    }')"
says_nothing
# Loads: one in flight, where several are asked for; needed at once, where products should be between.
todo6='/real streamed_sum(/,/^}/{/TODO 6/,/end of TODO 6/{/TODO 6/!d}}'
grade lab06 summit -e "$todo6" -e '/real streamed_sum(/,/^}/s|^    // end of TODO 6|    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {\n        sum += sum_of(load<fits_in_l2>(\&x[i]));\n    }\n&|'
says 'return fits_in_l2 ?' 'when a thread needs the result of this load, it has 1 load in flight on average'
grade lab06 summit -e "$todo6" -e '/real streamed_sum(/,/^}/s|^    // end of TODO 6|    const int all = gridDim.x * blockDim.x;\n    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += 2 * all) {\n        const vector zero = {};\n        const vector v = load<fits_in_l2>(\&x[i]), w = i + all < count ? load<fits_in_l2>(\&x[i + all]) : zero;\n        sum += sum_of(v) + sum_of(w);\n    }\n&|'
says_nothing
grade lab09 matmul -e '/multiply_overlapped(matrix a/,/^}/{/^        if (more) {/,/^        }/d;s|^        add_vectors(sum, &pair\[now\], y, x);|&\n        if (more) {\n            fetch(\&carried, a, b, tile + DEPTH); /* late */\n            put(\&pair[1 - now], \&carried);\n        }|}'
number=$(grep -nF '/* late */' "$scratch/student.cu" | cut -d: -f1)
case $flat in *"the result of this load is needed at once"*"line $number)"*) ;; *) fail "not said: needed at once" "The report:" "$output" ;; esac
# The model's time says too little there: without a GPU, the order decides.
case $flat in *"the next tiles during the products 22 of 22 10/15 too slow"*"so what is counted decides"*) ;; *) fail "not decided by what is counted" "The report:" "$output" ;; esac

# Bank conflicts of a kernel that is fast enough all the same; but not where the stage is there to show them.
grade lab09 registers -e '{s|a\[i\] = s_a\[y + i \* SIDE\]\[d\]|a[i] = s_a[y * EACH + i][d]|;s|b\[i\] = s_b\[d\]\[x + i \* SIDE\]|b[i] = s_b[d][x * EACH + i]|;s|first_row + y + i \* SIDE|first_row + y * EACH + i|;s|first_column + x + j \* SIDE|first_column + x * EACH + j|;}'
says 's_b[d][x * EACH + i]' 'bank conflicts: a warp'"'"'s request to shared memory takes 4 times as'
grade lab08 registers -e '$a// the same'
says_nothing
grade lab07 window -e '$a// the same'
says_nothing

# A sum that is kept in global memory.
grade lab09 naive -e '/multiply_naive(/,/^}/{s|^            sum += |            d_c[row * ldc + column] += |;s|^        real sum = 0;|        d_c[row * ldc + column] = 0;|;/= sum;/d;}'
says 'd_c[row * ldc + column] +=' 'a thread stores to the same element of global memory again and again'
