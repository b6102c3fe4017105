/* Pull: a vertex adds up its neighbors' values. Push: it lowers theirs. Path compression: it looks for its root. */
#include <cuda/atomic>

#include "tests/hazards/indigo/patterns.h"

struct pull_one : pattern {
    static constexpr const char *name = "pull, one neighbor";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE, CONDITION, BOUNDS_BUG};
    static constexpr bool exists(int)
    {
        return true;
    }
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_one_neighbor<O>(g, v, [&](int other, int) { g.data1[v] += g.data2[other]; });
    }
};

struct pull_all : pattern {
    static constexpr const char *name = "pull, all neighbors";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE, CONDITION, BREAK, BOUNDS_BUG};
    static constexpr bool index_bug = true;
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        int sum = 0;
        for_neighbors<O, 1>(g, v, 0, [&](int other, int) {
            sum += g.data2[other];
            return O & BREAK;
        });
        g.data1[v] += sum;
    }
};

struct pull_warp : pattern {
    static constexpr const char *name = "pull, a warp per vertex";
    static constexpr int threads = 32, options[] = {PERSISTENT, REVERSE, CONDITION};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        int sum = 0, lane = (int)threadIdx.x % 32;
        for_neighbors<O, 32>(g, v, lane, [&](int other, int) {
            sum += g.data2[other];
            return false;
        });
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, d);
        if (lane == 0)
            g.data1[v] += sum;
    }
};

struct pull_block : pattern {
    static constexpr const char *name = "pull, a block per vertex";
    static constexpr int threads = THREADS, options[] = {PERSISTENT, REVERSE, CONDITION, SHUFFLE, SYNC_BUG};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        __shared__ int carry[THREADS];
        int sum = 0, t = (int)threadIdx.x;
        __syncthreads(); /* the vertex before is done */
        for_neighbors<O, THREADS>(g, v, t, [&](int other, int) {
            sum += g.data2[other];
            return false;
        });
        if (O & SHUFFLE)
            for (int d = 16; d > 0; d /= 2)
                sum += __shfl_down_sync(0xffffffffu, sum, d);
        carry[t] = sum;
        if (!(O & SYNC_BUG))
            __syncthreads();
        for (int stride = THREADS / 2; !(O & SHUFFLE) && stride > 0; stride /= 2) {
            if (t < stride)
                carry[t] += carry[t + stride];
            __syncthreads();
        }
        if (t == 0)
            g.data1[v] += O & SHUFFLE ? carry[0] + carry[32] : carry[0];
    }
};

struct push_one : pattern {
    static constexpr const char *name = "push, one neighbor";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE, CONDITION, BOUNDS_BUG, ATOMIC_BUG};
    static constexpr bool exists(int)
    {
        return true;
    }
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_one_neighbor<O>(g, v, [&](int other, int) { lower_to<O>(&g.data1[other], g.data2[v]); });
    }
};

struct push_all : pattern {
    static constexpr const char *name = "push, all neighbors";
    static constexpr int threads = 1,
                         options[] = {PERSISTENT, REVERSE, CONDITION, BREAK, BOUNDS_BUG, ATOMIC_BUG};
    static constexpr bool index_bug = true;
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_neighbors<O, 1>(g, v, 0, [&](int other, int) {
            lower_to<O>(&g.data1[other], g.data2[v]);
            return O & BREAK;
        });
    }
};

template <int THREADS_PER_VERTEX> struct push_group : pattern {
    static constexpr const char *name =
        THREADS_PER_VERTEX == 32 ? "push, a warp per vertex" : "push, a block per vertex";
    static constexpr int threads = THREADS_PER_VERTEX,
                         options[] = {PERSISTENT, REVERSE, CONDITION, ATOMIC_BUG};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_neighbors<O, threads>(g, v, (int)threadIdx.x % threads, [&](int other, int) {
            lower_to<O>(&g.data1[other], g.data2[v]);
            return false;
        });
    }
};

struct path_compression : pattern {
    static constexpr const char *name = "path compression";
    static constexpr int threads = 1, options[] = {PERSISTENT, TRAVERSE, RACE_BUG};
    static constexpr bool forest = true;
    static constexpr bool exists(int o)
    {
        return !(o & TRAVERSE && o & RACE_BUG);
    }
    template <int O> static __device__ int read(int *p)
    {
        return O & (TRAVERSE | RACE_BUG)
                   ? *p
                   : cuda::atomic_ref<int, cuda::thread_scope_device>(*p).load(cuda::memory_order_relaxed);
    }
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        int root = v;
        while (root > read<O>(&g.data1[root]))
            root = read<O>(&g.data1[root]);
        if (O & TRAVERSE)
            g.data2[v] = root;
        else if (O & RACE_BUG)
            g.data1[v] = root;
        else
            cuda::atomic_ref<int, cuda::thread_scope_device>(g.data1[v])
                .store(root, cuda::memory_order_relaxed);
    }
};

void add_pull_and_push_patterns(struct labelled_kernel *table, int *count)
{
    add_pattern<pull_one>(table, count);
    add_pattern<pull_all>(table, count);
    add_pattern<pull_warp>(table, count);
    add_pattern<pull_block>(table, count);
    add_pattern<push_one>(table, count);
    add_pattern<push_all>(table, count);
    add_pattern<push_group<32>>(table, count);
    add_pattern<push_group<THREADS>>(table, count);
    add_pattern<path_compression>(table, count);
}
