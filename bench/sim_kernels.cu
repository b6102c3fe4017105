/* What `make bench-sim` runs on the simulator: arithmetic alone, shared memory, a stream through memory, atomics, a lock. */

/* The address of each kernel, for C. */
extern "C" const void *const bench_kernels[];

static __global__ void arithmetic(float *x, const float *, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 8
    for (int k = 0; k < n; k++) {
        a = a * 0.5f + b;
        b = b * 0.25f + c;
        c = c * 0.5f + d;
        d = d * 0.25f + a;
    }
    x[i] = a + b + c + d;
}

/* c = a * b for n x n matrices; a and b lie behind one another in `in`; blocks of TILE x TILE threads. */
#define PRODUCT(name, TILE)                                                                                  \
    static __global__ void name(float *c, const float *in, int n)                                            \
    {                                                                                                        \
        __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];                                             \
        const float *a = in, *b = in + n * n;                                                                \
        int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;                 \
        float sum = 0;                                                                                       \
        for (int k = 0; k < n; k += TILE) {                                                                  \
            a_tile[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];                                 \
            b_tile[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];                            \
            __syncthreads();                                                                                 \
            for (int j = 0; j < TILE; j++)                                                                   \
                sum += a_tile[threadIdx.y][j] * b_tile[j][threadIdx.x];                                      \
            __syncthreads();                                                                                 \
        }                                                                                                    \
        c[row * n + column] = sum;                                                                           \
    }
PRODUCT(product_32, 32)
PRODUCT(product_16, 16)

static __global__ void stream(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 2 * in[i] + 1;
}

/* Each block counts in shared memory how many of its elements have which last byte, n times, then adds up. */
static __global__ void histogram(float *out, const float *in, int n)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    unsigned random = blockIdx.x * blockDim.x + threadIdx.x + __float_as_uint(in[threadIdx.x]);
    for (int i = 0; i < n; i++) {
        random = random * 1664525 + 1013904223;
        atomicAdd(&bins[random >> 24], 1);
    }
    __syncthreads();
    atomicAdd((unsigned *)out + threadIdx.x, bins[threadIdx.x]);
}

static __device__ int lock;

/* Every thread adds to one number, n times, with a lock. */
static __global__ void spin_lock(float *out, const float *, int n)
{
    for (int i = 0; i < n; i++) {
        bool done = false;
        while (!done) {
            if (atomicCAS(&lock, 0, 1) == 0) {
                __threadfence();
                out[0] += 1;
                __threadfence();
                atomicExch(&lock, 0);
                done = true;
            }
        }
    }
}

const void *const bench_kernels[] = {(const void *)arithmetic, (const void *)product_32,
                                     (const void *)product_16, (const void *)stream,
                                     (const void *)histogram,  (const void *)spin_lock};
