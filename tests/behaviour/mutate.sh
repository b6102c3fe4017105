#!/bin/bash
# tests/mutate: which changes it makes.
. "$(dirname "$0")/lib"

cat >"$scratch/example.cu" <<'END'
__global__ void sum(int n, const real *d_x, real *d_y)
{
    __shared__ real s_x[256];               /* s_x[i] = x[first + i] */
    const int i = blockIdx.x * 256 + threadIdx.x; // of x - and of y
    s_x[threadIdx.x] = i < n ? d_x[i] : 0; /* d_x[i + 1] would be the next */
    __syncthreads(); /* not __syncwarp(); */
    if (i < n) {     /* if (i + 1 < n) */
        d_y[i] = s_x[threadIdx.x];
    }
}

void host(int n)
{
    if (n > 0) {
        const int blocks = n + 255;
    }
}
END
expect 0 "" tests/mutate "$scratch/example.cu"
[ "$(printf '%s\n' "$output" | cut -f2,5)" = "term	const int i = threadIdx.x; // of x - and of y
term	const int i = blockIdx.x * 256; // of x - and of y
barrier	; /* not __syncwarp(); */
guard	if (true) {     /* if (i + 1 < n) */" ] || fail "the changes are:" "$output"
expect 0 "    ; /* not __syncwarp(); */" tests/mutate "$scratch/example.cu" 3
expect 2 "there are only 4 changes" tests/mutate "$scratch/example.cu" 5
