#!/bin/bash
# What the host does wrong is named with its line: launches, copies, allocations, waiting, state of an earlier call.
. "$(dirname "$0")/lib"
export BUILD=build/test NO_COLOR=1
make -s SOLUTION=1 lab01 lab02 lab04 lab06 lab07 || exit 1

says lab02 sum 'bytes, cudaMemcpyDeviceToHost' 'parts, cudaMemcpyDeviceToHost' 'parts, cudaMemcpyDeviceToHost' \
    'counted in bytes: the number of elements times sizeof of one'
says lab04 'nothing at all' 'LAB04_BINS \* sizeof(unsigned)' LAB04_BINS 'cudaMemsetAsync(d_count, 0, LAB04_BINS)' '256 elements of 4'
short_ends_here
says lab02 sum 'CHECK(cudaMalloc(&d_partial, bytes));' 'CHECK(cudaMalloc(\&d_partial, parts));' 'cudaMemset(d_partial' \
    'cudaMalloc counts in bytes'
says lab01 sum '    CHECK(cudaMemcpy(h_partial, d_partial.*' '' 'cudaMalloc(&d_partial' 'never copied to the host'
says lab02 reduce 'int blocks = (n + .*' 'int blocks = n;' '<<<blocks, LAB02_BLOCK_SIZE>>>(d_x, n, d_partial)' \
    'Too many blocks are launched'
says lab01 copy '<<<blocks, LAB01_COPY_BLOCK_SIZE>>>(d_x, d_y, n)' '<<<blocks, 2048>>>(d_x, d_y, n)' '<<<blocks, 2048>>>' \
    'at most 1024 in all'
# An array that is filled in pieces has no wrong size, whatever else is wrong.
pieces='for (int k = 3; k >= 0; k--) CHECK(cudaMemcpyToSymbol(device_coefficients, h_coefficients + k, sizeof(real), k * sizeof(real)));'
change lab01 student "s/.*cudaMemcpyToSymbol(device_coefficients.*/$pieces/; s/device_scale, &scale, sizeof/device_scale, h_coefficients, sizeof/"
expect 1 'First failure: (c) symbols' "$grader" --backend sim --seed 1 --only symbols
expect_not ' bytes'
expect_not ' address'
# The same from one variable, which holds another number each time.
pieces='for (int k = 0; k < 4; k++) { real one = h_coefficients[k]; CHECK(cudaMemcpyToSymbol(device_coefficients, \&one, sizeof(real), k * sizeof(real))); }'
change lab01 student "s/.*cudaMemcpyToSymbol(device_coefficients.*/$pieces/; s/device_scale, &scale, sizeof/device_scale, h_coefficients, sizeof/"
[ -n "$(line_of student 'real one')" ] || fail "the change does not fit"
expect 1 'First failure: (c) symbols' "$grader" --backend sim --seed 1 --only symbols
expect_not ' bytes'
expect_not ' address'
# Why nothing was launched, and where a number of blocks comes from, is computed from the text.
says lab01 'one element' 'const int blocks = (n + LAB01_COPY_BLOCK_SIZE - 1)' 'if (n < 256) return; const int blocks = (n + 255)' \
    'if (n < 256) return' 'lab01_copy returns here, because n < 256 is true'
says lab02 reduce 'const int blocks = (n + LAB02_BLOCK_SIZE - 1)' 'const int blocks = n' 'const int blocks = n' \
    'blocks, computed here as n / LAB02_BLOCK_SIZE, is 0 in this case'
says lab02 reduce '        reduce_shared<<<.*' '' 'void lab02_reduce_blocks' 'lab02_reduce_blocks has no launch'
says lab07 tile 'cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0,' 'cudaMemcpyAsync(c_h, d_h, sizeof(c_h),' \
    'cudaMemcpyAsync(c_h' 'a variable of the device: on the host its name is not its address'
says lab06 summit '        blocks_done = 0;' '' '__device__ unsigned blocks_done;' 'still holds what an earlier call left'
says lab01 finish 'real sum = 0;' 'static real sum = 0;' 'static real sum' 'still holds what an earlier call left'
says lab02 sum 'CHECK(cudaFree(d_partial));' 'free(d_partial);' 'free(d_partial);' 'freed with cudaFree'
says lab02 sum 'cudaMemcpy(h_partial, d_partial, bytes, cudaMemcpyDeviceToHost)' \
    'cudaMemcpy(d_partial, h_partial, bytes, cudaMemcpyHostToDevice)' 'cudaMemcpyHostToDevice' 'nothing is ever copied to the host'
says lab02 'a single column' ' transpose<<<blocks, threads>>>' ' transpose<<<blocks, 1024>>>' ' transpose<<<blocks, 1024>>>' \
    'threadIdx.y is always 0'
says lab01 finish 'lost = (next - sum) - part' 'lost = part - (next - sum)' 'lost = part - (next - sum)' \
    'The correction, lost, gets its values at lines'
# A given function has no points, but must still work.
change lab01 student 's/column < stride && i < n/column < stride \&\& i < n - 1/'
expect 1 "(a) copy_stride" "$grader" --backend sim --only copy_stride

# Managed memory is watched in the grader's worker, too.
change lab02 student 's/    real \*h_partial = (real \*)malloc(bytes);/    real *h_partial;\n    CHECK(cudaMallocManaged(\&h_partial, bytes));/
    s/lab02_reduce_blocks(d_x, n, d_partial);/lab02_reduce_blocks(d_x, n, h_partial);/
    /CHECK(cudaMemcpy(h_partial/d; /real \*d_partial;/d; /CHECK(cudaMalloc(&d_partial/d; /CHECK(cudaMemset(d_partial/d
    /CHECK(cudaFree(d_partial/d; s/^    free(h_partial);/    CHECK(cudaFree(h_partial));/'
expect 1 "before it has waited for" "$grader" --backend sim --only sum
sed -i 's/^    const double sum = add_on_host/    CHECK(cudaDeviceSynchronize());\n&/' "$scratch/student.cu"
compile lab02 student
# Its addresses are free in the device's process, too, wherever the two have been put.
for _ in 1 2 3 4; do expect 0 "" "$grader" --backend sim --only sum; done
# Why the C library has stopped the program follows from what it prints.
says lab02 sum '    free(h_partial);' '    free(h_partial + 1);' 'free(h_partial + 1);' 'an address that malloc() has not returned'
says lab02 sum '    free(h_partial);' '    free(h_partial); free(h_partial);' 'free(h_partial); free' 'h_partial may be freed twice'
says lab02 sum '    free(h_partial);' '    real *own = h_partial; free(h_partial); free(own);' 'free(own);' 'freed twice'
says lab02 sum '    free(h_partial);' '    for (int i = 0; i <= 64 + parts; i++) h_partial[i] = -1; free(h_partial);' 'h_partial[i] = -1' \
    'written past its end'
