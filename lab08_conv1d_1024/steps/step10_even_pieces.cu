/*
 * Lab 08, step 10: pieces whose size suits the length; step 08's sums again, without fast FIR.
 *
 * The change: the number of outputs per thread depends on the length. 2^21 outputs are 124 for each lane of an H100's
 * 132 SMs. In step 08 a lane computes 40 at a time: four times 40 is 160, a quarter too many. Four times 2 x 16 is
 * 128. So there are two kernels, one with two groups of 20 outputs and one with two of 16, and the host calculates
 * which needs fewer per lane. 16 outputs are 4 vectors, an even number, which would cause bank conflicts: after each
 * row of 16 there is a gap of one vector, as in step 04.
 *
 * And ptxas must be made to keep the taps in uniform registers. With 2 x 16 outputs per thread, a thread could have
 * 128 registers, and then ptxas loads the taps into ordinary ones (LDC, not ULDC), a third register to read per
 * multiply-add: 77 % of the rate instead of 87 %. It uses uniform registers when ordinary ones are scarce, and
 * __launch_bounds__ makes them scarce: 7 blocks per SM, 72 registers. Expected: step 08's speed at 2^24, and a fifth
 * more at 2^21.
 */
#include "common/check.h"
#include "lab08.h"

/* 16 bytes, which one instruction can load or store. */
#ifdef REAL_DOUBLE
typedef double2 vector;
#else
typedef float4 vector;
#endif
#define VECTOR_SIZE ((int)(sizeof(vector) / sizeof(real)))

#define THREADS 128
#define GROUPS  2                 /* per thread */
#define RING    (8 * VECTOR_SIZE) /* places of a group's window; divides 1024 */

__constant__ real c_h[LAB08_TAPS];

/*
 * Constants that follow from the number of vectors per group of outputs: 5 or 4. The tile lies in rows, one
 * per group and thread, with a gap after each if the banks need it.
 */
template <int vectors> struct plan {
    static const int OUTPUTS = vectors * VECTOR_SIZE;      /* per group: 20 or 16; half of that in double */
    static const int BLOCKS_PER_SM = vectors == 5 ? 5 : 7; /* so that registers are scarce */
    static const int STRIDE = THREADS * OUTPUTS;           /* from a thread's group to its next */
    static const int TILE = LAB08_TAPS + GROUPS * STRIDE;  /* elements */
    static const int GAP = vectors % 2 == 0 ? VECTOR_SIZE : 0;        /* after each row */
    static const int PITCH = OUTPUTS + GAP;                           /* from a row to the next */
    static const int PLACES = (TILE + OUTPUTS - 1) / OUTPUTS * PITCH; /* with the gaps */
    static const int TURN =
        GAP == 0 ? RING : RING / OUTPUTS * PITCH; /* places that a turn of the ring takes */
    static const int HALO = GAP == 0 ? LAB08_TAPS : LAB08_TAPS / OUTPUTS * PITCH; /* and the halo */
    static const int BYTES = PLACES * (int)sizeof(real);
};

/* Where element j of the tile is; j may be negative if it is known when the kernel is compiled. */
template <int vectors> __device__ int place(int j)
{
    const int outputs = plan<vectors>::OUTPUTS;
    const int row = j >= 0 ? j / outputs : (j - outputs + 1) / outputs;
    return j + row * plan<vectors>::GAP;
}

/* The block's part of x, 1024 elements of halo first, into shared memory; 0 outside of x. */
template <int vectors> __device__ void load_tile(const real *d_x, int n, int first, real *s_x)
{
    const int from = first - LAB08_TAPS; /* of the tile's first element; a multiple of a vector */
    const int count = plan<vectors>::TILE;
    if (from >= 0 && from + count <= n) {
#pragma unroll 4
        for (int j = threadIdx.x * VECTOR_SIZE; j < count; j += THREADS * VECTOR_SIZE) {
            *(vector *)&s_x[place<vectors>(j)] = *(const vector *)&d_x[from + j];
        }
    } else {
        for (int j = threadIdx.x; j < count; j += THREADS) {
            s_x[place<vectors>(j)] = from + j >= 0 && from + j < n ? d_x[from + j] : 0;
        }
    }
}

/* Stores this thread's outputs from y[i] on. */
template <int OUTPUTS> __device__ void store_outputs(const real *sum, real *d_y, int outputs, int i)
{
    if (i + OUTPUTS <= outputs) {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
            *(vector *)&d_y[i + j] = *(const vector *)&sum[j];
        }
    } else {
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            if (i + j < outputs) {
                d_y[i + j] = sum[j];
            }
        }
    }
}

/* Loads the elements with the numbers of a group's outputs into its ring, and sets its sums to 0. */
template <int OUTPUTS> __device__ void begin_group(const real *mine, real *ring, real *sum)
{
#pragma unroll
    for (int j = 0; j < OUTPUTS; j += VECTOR_SIZE) {
        *(vector *)&ring[j] = *(const vector *)&mine[j];
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        sum[j] = 0;
    }
}

/* Adds VECTOR_SIZE taps, from number k + t on, to all outputs of a group, as in step 07. */
template <int OUTPUTS> __device__ void add_taps(const real *ring, int k, int t, real *sum)
{
#pragma unroll
    for (int i = 1 - VECTOR_SIZE; i < OUTPUTS; i++) {
#pragma unroll
        for (int u = t; u < t + VECTOR_SIZE; u++) {
            const int j = i + u - t;
            if (j >= 0 && j < OUTPUTS) {
                sum[j] += c_h[k + u] * ring[(RING + i - t) % RING];
            }
        }
    }
}

template <int vectors>
__global__ void __launch_bounds__(THREADS, plan<vectors>::BLOCKS_PER_SM)
    convolve(const real *d_x, int n, real *d_y)
{
    constexpr int OUTPUTS = plan<vectors>::OUTPUTS, STRIDE = plan<vectors>::STRIDE;
    constexpr int PITCH = plan<vectors>::PITCH;
    extern __shared__ vector shared_memory[];
    real *s_x = (real *)shared_memory;
    const int first = blockIdx.x * (GROUPS * STRIDE);
    load_tile<vectors>(d_x, n, first, s_x);
    __syncthreads();

    /* As in step 08. */
    __align__(16) real ring[GROUPS][RING];
    __align__(16) real sum[GROUPS][OUTPUTS];
    const real *mine = &s_x[plan<vectors>::HALO + threadIdx.x * PITCH];
#pragma unroll
    for (int group = 0; group < GROUPS; group++) {
        begin_group<OUTPUTS>(&mine[group * THREADS * PITCH], ring[group], sum[group]);
    }
#pragma unroll 1
    for (int k = 0; k < LAB08_TAPS; k += RING) {
#pragma unroll
        for (int t = 0; t < RING; t += VECTOR_SIZE) {
#pragma unroll
            for (int group = 0; group < GROUPS; group++) {
                *(vector *)&ring[group][RING - VECTOR_SIZE - t] =
                    *(const vector *)&mine[group * THREADS * PITCH + place<vectors>(-VECTOR_SIZE - t)];
            }
#pragma unroll
            for (int group = 0; group < GROUPS; group++) {
                add_taps<OUTPUTS>(ring[group], k, t, sum[group]);
            }
        }
        mine -= plan<vectors>::TURN;
    }
#pragma unroll
    for (int group = 0; group < GROUPS; group++) {
        store_outputs<OUTPUTS>(sum[group], d_y, n + LAB08_TAPS - 1,
                               first + group * STRIDE + threadIdx.x * OUTPUTS);
    }
}

template <int vectors> static int count_blocks(int outputs)
{
    const int of_block = GROUPS * plan<vectors>::STRIDE;
    return (outputs + of_block - 1) / of_block;
}

/* How many outputs each lane computes on the SM that has the most blocks. */
template <int vectors> static int count_of_lane(int outputs, int sm_count)
{
    return (count_blocks<vectors>(outputs) + sm_count - 1) / sm_count * GROUPS * plan<vectors>::OUTPUTS;
}

template <int vectors> static void launch(const real *d_x, int n, real *d_y)
{
    const int blocks = count_blocks<vectors>(n + LAB08_TAPS - 1);
    convolve<vectors><<<blocks, THREADS, plan<vectors>::BYTES>>>(d_x, n, d_y);
    CHECK(cudaGetLastError());
}

void lab08_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    static int sm_count = 0; /* queried once */
    if (sm_count == 0) {
        int device = 0;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device));
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const int outputs = n + LAB08_TAPS - 1;
    /* With groups of 16, an output takes 3 % longer, because there are more loads per output. */
    if (count_of_lane<5>(outputs, sm_count) <= 1.03 * count_of_lane<4>(outputs, sm_count)) {
        launch<5>(d_x, n, d_y);
    } else {
        launch<4>(d_x, n, d_y);
    }
}
