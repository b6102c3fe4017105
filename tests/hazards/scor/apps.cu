/*
 * The seven applications of the ScoR suite, rebuilt small from what the paper and its artifact say of them (see micro.cu): a kernel
 * with RACE 0 is right, and each other number puts one of the paper's kinds of mistakes in: a scope that is too narrow
 * in a fence, an atomic or a lock.
 */
#include <cuda_runtime.h>

#include "tests/hazards/labelled.h"

#define T       ((int)threadIdx.x)
#define B       ((int)blockIdx.x)
#define BLOCKS  4
#define THREADS 64
#define COUNT   (BLOCKS * THREADS)

/* Global memory of all applications: zeros before each launch, but for input. */
struct memory {
    int input[COUNT], output[COUNT + 8], partial[BLOCKS], cells[2][COUNT + 2], tasks[COUNT];
    int counter, lock, arrived[32], changed[32], progress[BLOCKS + 2], head[BLOCKS], published[BLOCKS];
    int stack[COUNT], top, own_lock[BLOCKS], own_top[BLOCKS], own_stack[BLOCKS][COUNT], outstanding, visited;
};

/* ---- operations whose scope is the block if NARROW, else the device ---- */

template <bool NARROW> static __device__ void fence()
{
    if (NARROW)
        __threadfence_block();
    else
        __threadfence();
}
template <bool NARROW> static __device__ int add(int *p, int value)
{
    return NARROW ? atomicAdd_block(p, value) : atomicAdd(p, value);
}
template <bool NARROW> static __device__ int exchange(int *p, int value)
{
    return NARROW ? atomicExch_block(p, value) : atomicExch(p, value);
}
template <bool NARROW, bool FENCE_NARROW> static __device__ void lock(int *p)
{
    while ((NARROW ? atomicCAS_block(p, 0, 1) : atomicCAS(p, 0, 1)) != 0)
        ;
    fence<FENCE_NARROW>();
}
template <bool NARROW, bool FENCE_NARROW> static __device__ void unlock(int *p)
{
    fence<FENCE_NARROW>();
    exchange<NARROW>(p, 0);
}

/* ---- 1DC: convolution, each thread adds to the elements around its own ---- */

template <int RACE> __global__ void convolution(memory *m)
{
    for (int tap = 0; tap < 3; tap++)
        add<RACE == 1>(&m->output[B * THREADS + T + tap], m->input[B * THREADS + T] * (tap + 1));
}

/* ---- RED: the last block adds the sums of all ---- */

template <int RACE> __global__ void reduction(memory *m)
{
    __shared__ int sum, last;
    if (T == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, m->input[B * THREADS + T]);
    __syncthreads();
    if (T == 0) {
        m->partial[B] = sum;
        fence<RACE == 1>();
        last = add<RACE == 2>(&m->counter, 1) == BLOCKS - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && T == 0)
        for (int b = 0; b < BLOCKS; b++)
            m->output[0] += m->partial[b];
}

/* ---- R110: cellular automaton, the cells at the edges belong to other blocks ---- */

template <int RACE> __global__ void rule_110(memory *m)
{
    int cell = 1 + B * THREADS + T;
    m->cells[0][cell] = m->input[cell - 1] % 2;
    for (int step = 1;; step++) {
        __syncthreads();
        if (T == 0) {
            fence<RACE == 1>();
            exchange<RACE == 2>(&m->progress[B + 1], step);
            while (B > 0 && atomicAdd(&m->progress[B], 0) < step)
                ;
            while (B < BLOCKS - 1 && atomicAdd(&m->progress[B + 2], 0) < step)
                ;
            __threadfence();
        }
        __syncthreads();
        if (step == 5)
            return;
        const int *old = m->cells[(step - 1) % 2] + cell;
        m->cells[step % 2][cell] = 110 >> (4 * old[-1] + 2 * old[0] + old[1]) & 1;
    }
}

/* ---- MM: each block adds its part of the products, under a lock ---- */

template <int RACE> __global__ void matrix_product(memory *m)
{
    int row = T / 8, column = T % 8, part = 0;
    for (int k = 8 * B; k < 8 * B + 8; k++)
        part += m->input[8 * row + k % 8] * m->input[8 * (k % 8) + column];
    if (T == 0)
        lock<RACE == 1, RACE == 2>(&m->lock);
    __syncthreads();
    m->output[T] += part;
    __syncthreads();
    if (T == 0)
        unlock<RACE == 1, RACE == 3>(&m->lock);
}

/* ---- GCON: labels of connected vertices, until none changes; a ring with a few chords ---- */

template <int RACE> static __device__ void wait_for_grid(memory *m, int round)
{
    __syncthreads();
    if (T == 0) {
        fence<RACE == 3>();
        add<RACE == 5>(&m->arrived[round], 1);
        while (atomicAdd(&m->arrived[round], 0) < BLOCKS)
            ;
        fence<RACE == 4>();
    }
    __syncthreads();
}
template <int RACE> __global__ void connectivity(memory *m)
{
    int vertex = B * THREADS + T;
    int neighbors[] = {(vertex + 1) % COUNT, (vertex + COUNT - 1) % COUNT, vertex * 7 % COUNT};
    atomicExch(&m->output[vertex], vertex);
    wait_for_grid<RACE>(m, 0);
    for (int round = 0; round < 30; round++) {
        int label = atomicAdd(&m->output[vertex], 0);
        for (int k = 0; k < 3; k++) {
            int *other = &m->output[neighbors[k]];
            if ((RACE == 1 ? atomicMin_block(other, label) : atomicMin(other, label)) > label)
                exchange<RACE == 2>(&m->changed[round], B + 1);
        }
        wait_for_grid<RACE>(m, round + 1);
        if (!m->changed[round])
            break;
    }
}

/* ---- GCOL: each block has a queue of vertices, and takes from the next one when its own is empty ---- */

template <int RACE> static __device__ int take(memory *m, int queue)
{
    if (queue != B) {
        while (atomicAdd(&m->published[queue], 0) == 0)
            ;
        fence<RACE == 5>();
        return add<RACE == 2>(&m->head[queue], 1);
    }
    return add<RACE == 1>(&m->head[queue], 1);
}
template <int RACE> __global__ void coloring(memory *m)
{
    if (T != 0)
        return;
    for (int k = 0; k < THREADS; k++)
        m->tasks[B * THREADS + k] = (B * THREADS + k) * 5 % COUNT;
    fence<RACE == 3>();
    exchange<RACE == 4>(&m->published[B], 1);
    int sum = 0; /* of its colors */
    /* Half of its own queue; the rest is left to the others. */
    for (int victim = 0; victim < BLOCKS; victim++) {
        int queue = (B + victim) % BLOCKS, place;
        for (int k = 0; k < (victim == 0 ? THREADS / 2 : THREADS) && (place = take<RACE>(m, queue)) < THREADS;
             k++) {
            int vertex = m->tasks[queue * THREADS + place];
            m->output[vertex] = vertex % 3 + 1;
            sum += vertex % 3 + 1;
        }
    }
    m->partial[B] = sum;
    fence<RACE == 6>();
    if (atomicAdd(&m->counter, 1) < BLOCKS - 1)
        return;
    __threadfence();
    for (int b = 1; b < BLOCKS; b++)
        m->partial[0] += m->partial[b];
}

/* ---- UTS: tree search; each block has a stack for its warps, and all blocks have one ---- */

/* Takes a node, or -1; from the block's stack, else from that of all. */
template <int RACE> static __device__ int pop(memory *m)
{
    int node = -1;
    while (atomicCAS_block(&m->own_lock[B], 0, 1) != 0)
        ;
    if (RACE != 4)
        __threadfence_block();
    if (m->own_top[B] > 0)
        node = m->own_stack[B][--m->own_top[B]];
    if (RACE != 5)
        __threadfence_block();
    atomicExch_block(&m->own_lock[B], 0);
    if (node >= 0)
        return node;
    lock<RACE == 1, RACE == 2>(&m->lock);
    if (m->top > 0)
        node = m->stack[--m->top];
    unlock<RACE == 1, RACE == 3>(&m->lock);
    return node;
}
template <int RACE> static __device__ void push(memory *m, int node)
{
    if (node % 2) {
        while (atomicCAS_block(&m->own_lock[B], 0, 1) != 0)
            ;
        __threadfence_block();
        m->own_stack[B][m->own_top[B]++] = node;
        __threadfence_block();
        atomicExch_block(&m->own_lock[B], 0);
        return;
    }
    lock<false, false>(&m->lock);
    m->stack[m->top++] = node;
    unlock<false, false>(&m->lock);
}
template <int RACE> __global__ void tree_search(memory *m)
{
    if (T % 32 != 0)
        return;
    if (B == 0 && T == 0) {
        atomicAdd(&m->outstanding, 1);
        push<RACE>(m, 2);
        atomicExch(&m->counter, 1);
    }
    while (atomicAdd(&m->counter, 0) == 0)
        ;
    while (atomicAdd(&m->outstanding, 0) > 0) {
        int node = pop<RACE>(m);
        if (node < 0)
            continue;
        add<RACE == 6>(&m->visited, 1);
        for (int child = 2 * node; child < 2 * node + 2 && child < COUNT / 2; child++) {
            atomicAdd(&m->outstanding, 1);
            push<RACE>(m, child);
        }
        atomicAdd(&m->outstanding, -1);
    }
}

/* ---- the table ---- */

static void launch(void (*kernel)(memory *))
{
    static int input[COUNT];
    memory *m;
    void *arguments[] = {&m};

    for (int i = 0; i < COUNT; i++)
        input[i] = i * 37 % 101;
    cudaMalloc(&m, sizeof *m);
    cudaMemset(m, 0, sizeof *m);
    cudaMemcpy(m->input, input, sizeof input, cudaMemcpyHostToDevice);
    cudaLaunchCooperativeKernel((const void *)kernel, dim3(BLOCKS), dim3(THREADS), arguments, 0, 0);
    cudaDeviceSynchronize();
}

#define ROW(kernel, race)                                                                                    \
    {                                                                                                        \
#kernel " race " #race, #kernel, race != 0, 0, [](int) { launch(kernel<race>); }                     \
    }

extern "C" const struct labelled_kernel scor_apps[];
const struct labelled_kernel scor_apps[] = {
    ROW(convolution, 0),    ROW(convolution, 1),    ROW(reduction, 0),
    ROW(reduction, 1),      ROW(reduction, 2),      ROW(rule_110, 0),
    ROW(rule_110, 1),       ROW(rule_110, 2),       ROW(matrix_product, 0),
    ROW(matrix_product, 1), ROW(matrix_product, 2), ROW(matrix_product, 3),
    ROW(connectivity, 0),   ROW(connectivity, 1),   ROW(connectivity, 2),
    ROW(connectivity, 3),   ROW(connectivity, 4),   ROW(connectivity, 5),
    ROW(coloring, 0),       ROW(coloring, 1),       ROW(coloring, 2),
    ROW(coloring, 3),       ROW(coloring, 4),       ROW(coloring, 5),
    ROW(coloring, 6),       ROW(tree_search, 0),    ROW(tree_search, 1),
    ROW(tree_search, 2),    ROW(tree_search, 3),    ROW(tree_search, 4),
    ROW(tree_search, 5),    ROW(tree_search, 6),    {},
};
