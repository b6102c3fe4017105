#!/bin/bash
# Launches by the hundred from one line, and more arithmetic than the task needs, are told with their lines.
. "$(dirname "$0")/lib"
. "$(dirname "$0")/lib_changed"
make -s SOLUTION=1 lab02 lab05 lab07 || exit 1

many='times from this line'
grade lab02 reduce -e 's|^        reduce_shared<<<blocks, LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);|        const int most = blocks > 4096 ? blocks - 4096 : 0;\n        if (most > 0)\n            reduce_shared<<<most, LAB02_BLOCK_SIZE>>>(d_x, n, d_partial);\n        for (int b = most; b < blocks; b += 64)\n            reduce_shared<<<blocks - b < 64 ? blocks - b : 64 + (b == most \&\& b + 64 < blocks), LAB02_BLOCK_SIZE>>>(d_x + b * LAB02_BLOCK_SIZE, n - b * LAB02_BLOCK_SIZE, d_partial + b);|'
says 'reduce_shared<<<blocks - b' "$many"
says 'reduce_shared<<<blocks - b' "one launch after another, with 64 to 65 blocks. Each launch costs"
excess='times the arithmetic that the task needs'
between='/^__global__ void diverge_between/,/^}/'
grade lab05 between -e "$between"'{/TODO 7/,/end of TODO 7/{/TODO 7/!d}}' -e "$between"'s|^    // end of TODO 7|    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n        const real even = even_formula(d_x[i]), odd = odd_formula(d_x[i]);\n        d_y[i] = i % 2 == 0 ? even : odd; /* one of both */\n    }\n&|'
number=$(grep -nF 'const real even = even_formula' "$scratch/student.cu" | cut -d: -f1)
case $flat in *"$excess"*", called at line $number "*) ;; *) fail "not said: $excess" "The report:" "$output" ;; esac
expect_not 'A warp with elements of both kinds runs both formulas'
grade lab07 naive -e '/^__global__ void convolve_naive/,/^}/s|^    d_y\[i\] = sum;|    real again = 0;\n    for (int k = LAB07_TAPS - 1; k >= 0; k--) {\n        if (i - k >= 0 \&\& i - k < n) {\n            again += d_h[k] * d_x[i - k];\n        }\n    }\n    d_y[i] = (sum + again) / 2;|'
case $flat in *"$excess"*) ;; *) fail "not said: $excess" "The report:" "$output" ;; esac
