/*
 * The code patterns of the Indigo suite with its options and mistakes, rebuilt from Y. Liu, N. Azami, C. Walters, M.
 * Burtscher, "The Indigo Program-Verification Microbenchmark Suite of Irregular Parallel Code Patterns", ISPASS 2022.
 * A pattern is a struct with the number of threads that share a vertex, its options, and what it does at a vertex.
 */
#pragma once

#include <cuda_runtime.h>

#include <cstring>
#include <utility>

#include "tests/hazards/indigo/graphs.h"
#include "tests/hazards/labelled.h"

enum {
    PERSISTENT = 1,   /* few threads, a loop over the vertices */
    REVERSE = 2,      /* neighbors from the last to the first; of one neighbor, the last */
    CONDITION = 4,    /* only neighbors with a greater number */
    BREAK = 8,        /* up to the first such neighbor */
    SHUFFLE = 16,     /* sums within warps by shuffles */
    TRAVERSE = 32,    /* the result goes to another array */
    BOUNDS_BUG = 64,  /* a guard is missing: out of bounds */
    SYNC_BUG = 128,   /* a barrier is missing */
    GUARD_BUG = 256,  /* a plain look at the value before the atomic operation */
    ATOMIC_BUG = 512, /* a plain operation instead of an atomic one */
    RACE_BUG = 1024,  /* plain accesses instead of atomic ones */
    RACY = SYNC_BUG | GUARD_BUG | ATOMIC_BUG | RACE_BUG,
};
#define THREADS 64 /* per block */

/* ---- one kernel: a pattern with options --------------------------------------------------------------------- */

template <class Pattern, int O> __global__ void visit_vertices(struct graph g)
{
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x), group = thread / Pattern::threads;
    if (O & PERSISTENT) {
        for (int v = group; v < g.vertices; v += (int)(gridDim.x * blockDim.x) / Pattern::threads)
            Pattern::template visit<O>(g, v);
    } else if ((O & BOUNDS_BUG && Pattern::index_bug) || group < g.vertices) {
        Pattern::template visit<O>(g, group);
    }
}

template <class Pattern, int O> static void launch(int input)
{
    struct graph g = graph_create(input);
    int blocks = O & PERSISTENT ? 3 : (g.vertices * Pattern::threads + THREADS - 1) / THREADS;
    if (O & TRAVERSE || Pattern::forest) {
        static int parents[4096];
        for (int v = 0; v < g.vertices; v++)
            parents[v] = v / 2;
        cudaMemcpy(g.data1, parents, g.vertices * sizeof(int), cudaMemcpyHostToDevice);
    }
    visit_vertices<Pattern, O><<<blocks, THREADS>>>(g);
    cudaDeviceSynchronize();
}

/* ---- the tables: all combinations of a pattern's options ---------------------------------------------------- */

static const char *write_name(const char *pattern, int options)
{
    static const struct {
        int option;
        const char *word;
    } words[] = {{PERSISTENT, " persistent"}, {REVERSE, " reverse"},   {CONDITION, " condition"},
                 {BREAK, " break"},           {SHUFFLE, " shuffle"},   {TRAVERSE, " traverse"},
                 {BOUNDS_BUG, " bounds-bug"}, {SYNC_BUG, " sync-bug"}, {GUARD_BUG, " guard-bug"},
                 {ATOMIC_BUG, " atomic-bug"}, {RACE_BUG, " race-bug"}};
    char text[256];
    strcpy(text, pattern);
    for (const auto &word : words)
        if (options & word.option)
            strcat(text, word.word);
    return strdup(text);
}

static const char *group_of(int options)
{
    return options & RACE_BUG     ? "race bug"
           : options & SYNC_BUG   ? "sync bug"
           : options & ATOMIC_BUG ? "atomic bug"
           : options & GUARD_BUG  ? "guard bug"
           : options & BOUNDS_BUG ? "bounds bug only"
                                  : "none";
}

/* The options of a subset of Pattern::options, given as a number. */
template <class Pattern> constexpr int options_of(size_t subset)
{
    int chosen = 0, k = 0;
    for (int option : Pattern::options)
        chosen |= subset >> k++ & 1 ? option : 0;
    return chosen;
}

template <class Pattern, size_t... Subset>
static void add_subsets(struct labelled_kernel *table, int *count, std::index_sequence<Subset...>)
{
    auto add = [&](auto options) {
        constexpr int o = decltype(options)::value;
        if constexpr (Pattern::exists(o))
            table[(*count)++] = {write_name(Pattern::name, o), group_of(o), (o & RACY) != 0,
                                 (o & BOUNDS_BUG) != 0, launch<Pattern, o>};
    };
    (add(std::integral_constant<int, options_of<Pattern>(Subset)>()), ...);
}

/* Adds all kernels of a pattern. */
template <class Pattern> static void add_pattern(struct labelled_kernel *table, int *count)
{
    constexpr size_t options = sizeof Pattern::options / sizeof Pattern::options[0];
    add_subsets<Pattern>(table, count, std::make_index_sequence<size_t(1) << options>());
}

/* ---- what patterns share ------------------------------------------------------------------------------------ */

struct pattern {
    static constexpr bool forest = false; /* data1 holds parents */
    static constexpr bool index_bug =
        false; /* BOUNDS_BUG: the vertex is not compared with the number of vertices */
    static constexpr bool exists(int o)
    {
        /* A loop over the vertices has no guard that could be missing; shuffles have no barrier to lose. */
        return !(o & PERSISTENT && o & BOUNDS_BUG) && !(o & SHUFFLE && o & SYNC_BUG);
    }
};

/* Calls at(neighbor, place) for the neighbors of v that belong to this thread, one of STEP; at returns true to stop. */
template <int O, int STEP, class At>
static __device__ void for_neighbors(const struct graph &g, int v, int lane, At at)
{
    const int begin = g.begin[v], end = g.begin[v + 1];
    for (int k = lane; k < end - begin; k += STEP) {
        const int place = O & REVERSE ? end - 1 - k : begin + k, other = g.neighbor[place];
        if ((!(O & CONDITION) || v < other) && at(other, place))
            break;
    }
}

/* Calls at(neighbor, place) for one neighbor, the first or the last; BOUNDS_BUG: even if there is none. */
template <int O, class At> static __device__ void for_one_neighbor(const struct graph &g, int v, At at)
{
    const int begin = g.begin[v], end = g.begin[v + 1];
    if (O & BOUNDS_BUG || begin < end) {
        const int place = O & REVERSE ? end - 1 : begin, other = g.neighbor[place];
        if (!(O & CONDITION) || v < other)
            at(other, place);
    }
}

template <int O> static __device__ void add_to(int *p, int value)
{
    if (O & ATOMIC_BUG)
        *p += value;
    else
        atomicAdd(p, value);
}
template <int O> static __device__ void raise_to(int *p, int value)
{
    if (O & GUARD_BUG && *p >= value)
        return;
    if (O & ATOMIC_BUG)
        *p = max(*p, value);
    else
        atomicMax(p, value);
}
template <int O> static __device__ void lower_to(int *p, int value)
{
    if (O & ATOMIC_BUG)
        *p = min(*p, value);
    else
        atomicMin(p, value);
}
template <int O> static __device__ void append(const struct graph &g, int place)
{
    int position;
    if (O & ATOMIC_BUG)
        position = g.data2[0]++;
    else
        position = atomicAdd(g.data2, 1);
    g.data1[position % g.edges] = place;
}
