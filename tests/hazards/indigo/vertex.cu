/* Conditional vertex: the number of edges to greater vertices. Populate worklist: the list of these edges. */
#include "tests/hazards/indigo/patterns.h"

struct vertex_one : pattern {
    static constexpr const char *name = "vertex, one neighbor";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE, BOUNDS_BUG, ATOMIC_BUG};
    static constexpr bool exists(int)
    {
        return true;
    }
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_one_neighbor<O | CONDITION>(g, v, [&](int, int) { add_to<O>(g.data1, 1); });
    }
};

struct vertex_all : pattern {
    static constexpr const char *name = "vertex, all neighbors";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE, BREAK, BOUNDS_BUG, ATOMIC_BUG};
    static constexpr bool index_bug = true;
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        int count = 0;
        for_neighbors<O | CONDITION, 1>(g, v, 0, [&](int, int) {
            count++;
            return O & BREAK;
        });
        if (count > 0)
            add_to<O>(g.data1, count);
    }
};

struct vertex_warp : pattern {
    static constexpr const char *name = "vertex, a warp per vertex";
    static constexpr int threads = 32, options[] = {PERSISTENT, REVERSE, ATOMIC_BUG};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        int mine = 0, lane = (int)threadIdx.x % 32, count = 0;
        for_neighbors<O | CONDITION, 32>(g, v, lane, [&](int, int) {
            mine++;
            return false;
        });
        for (; __any_sync(0xffffffffu, mine > 0); mine--)
            count += __popc(__ballot_sync(0xffffffffu, mine > 0));
        if (lane == 0)
            add_to<O>(g.data1, count);
    }
};

struct vertex_block : pattern {
    static constexpr const char *name = "vertex, a block per vertex";
    static constexpr int threads = THREADS, options[] = {PERSISTENT, REVERSE, ATOMIC_BUG};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        int mine = 0, count = 0;
        for_neighbors<O | CONDITION, THREADS>(g, v, (int)threadIdx.x, [&](int, int) {
            mine++;
            return false;
        });
        for (; __syncthreads_or(mine > 0); mine--)
            count += __syncthreads_count(mine > 0);
        if (threadIdx.x == 0)
            add_to<O>(g.data1, count);
    }
};

struct worklist_one : pattern {
    static constexpr const char *name = "worklist, one neighbor";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE, BOUNDS_BUG, ATOMIC_BUG};
    static constexpr bool exists(int)
    {
        return true;
    }
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_one_neighbor<O | CONDITION>(g, v, [&](int, int place) { append<O>(g, place); });
    }
};

struct worklist_all : pattern {
    static constexpr const char *name = "worklist, all neighbors";
    static constexpr int threads = 1, options[] = {PERSISTENT, REVERSE, BREAK, BOUNDS_BUG, ATOMIC_BUG};
    static constexpr bool index_bug = true;
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_neighbors<O | CONDITION, 1>(g, v, 0, [&](int, int place) {
            append<O>(g, place);
            return O & BREAK;
        });
    }
};

template <int THREADS_PER_VERTEX> struct worklist_group : pattern {
    static constexpr const char *name =
        THREADS_PER_VERTEX == 32 ? "worklist, a warp per vertex" : "worklist, a block per vertex";
    static constexpr int threads = THREADS_PER_VERTEX, options[] = {PERSISTENT, REVERSE, ATOMIC_BUG};
    template <int O> static __device__ void visit(const struct graph &g, int v)
    {
        for_neighbors<O | CONDITION, threads>(g, v, (int)threadIdx.x % threads, [&](int, int place) {
            append<O>(g, place);
            return false;
        });
    }
};

void add_vertex_patterns(struct labelled_kernel *table, int *count)
{
    add_pattern<vertex_one>(table, count);
    add_pattern<vertex_all>(table, count);
    add_pattern<vertex_warp>(table, count);
    add_pattern<vertex_block>(table, count);
    add_pattern<worklist_one>(table, count);
    add_pattern<worklist_all>(table, count);
    add_pattern<worklist_group<32>>(table, count);
    add_pattern<worklist_group<THREADS>>(table, count);
}
