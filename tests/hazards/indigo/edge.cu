/* Conditional edge: the greatest of the neighbors' values, over all edges. */
#include "tests/hazards/indigo/patterns.h"

struct edge_one : pattern {
    static constexpr const char *name = "edge, one neighbor";
    static constexpr int threads = 1,
                         options[] = {PERSISTENT, REVERSE, CONDITION, BOUNDS_BUG, GUARD_BUG, ATOMIC_BUG};
    static constexpr bool exists(int)
    {
        return true;
    }
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_one_neighbor<O>(g, v, [&](int other, int) { raise_to<O>(g.data1, g.data2[other]); });
    }
};

struct edge_all : pattern {
    static constexpr const char *name = "edge, all neighbors";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE,   CONDITION, BREAK,
                                                   BOUNDS_BUG, GUARD_BUG, ATOMIC_BUG};
    static constexpr bool index_bug = true;
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_neighbors<O, 1>(g, v, 0, [&](int other, int) {
            raise_to<O>(g.data1, g.data2[other]);
            return O & BREAK;
        });
    }
};

struct edge_warp : pattern {
    static constexpr const char *name = "edge, a warp per vertex";
    static constexpr int threads = 32, options[] = {PERSISTENT, REVERSE, CONDITION, GUARD_BUG, ATOMIC_BUG};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        int greatest = 0, lane = (int)threadIdx.x % 32;
        for_neighbors<O, 32>(g, v, lane, [&](int other, int) {
            greatest = max(greatest, g.data2[other]);
            return false;
        });
        for (int d = 1; d < 32; d *= 2)
            greatest = max(greatest, __shfl_xor_sync(0xffffffffu, greatest, d));
        if (lane == 0)
            raise_to<O>(g.data1, greatest);
    }
};

struct edge_block : pattern {
    static constexpr const char *name = "edge, a block per vertex";
    static constexpr int threads = THREADS, options[] = {PERSISTENT, REVERSE,   CONDITION, SHUFFLE,
                                                         SYNC_BUG,   GUARD_BUG, ATOMIC_BUG};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        __shared__ int carry[THREADS];
        int greatest = 0, t = (int)threadIdx.x;
        __syncthreads(); /* the vertex before is done */
        for_neighbors<O, THREADS>(g, v, t, [&](int other, int) {
            greatest = max(greatest, g.data2[other]);
            return false;
        });
        if (O & SHUFFLE) {
            for (int d = 1; d < 32; d *= 2)
                greatest = max(greatest, __shfl_xor_sync(0xffffffffu, greatest, d));
            if (t % 32 == 0)
                carry[t / 32] = greatest;
            __syncthreads();
            greatest = max(carry[0], carry[1]);
        } else {
            carry[t] = greatest;
            if (!(O & SYNC_BUG))
                __syncthreads();
            for (int stride = THREADS / 2; stride > 0; stride /= 2) {
                if (t < stride)
                    carry[t] = max(carry[t], carry[t + stride]);
                __syncthreads();
            }
            greatest = carry[0];
        }
        if (t == 0)
            raise_to<O>(g.data1, greatest);
    }
};

void add_edge_patterns(struct labelled_kernel *table, int *count)
{
    add_pattern<edge_one>(table, count);
    add_pattern<edge_all>(table, count);
    add_pattern<edge_warp>(table, count);
    add_pattern<edge_block>(table, count);
}
