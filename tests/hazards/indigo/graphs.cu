/* Graphs for the patterns: built on the host, copied to the device. */
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "tests/hazards/indigo/graphs.h"

typedef std::vector<std::vector<int>> adjacency;

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static adjacency random_neighbors(int vertices)
{
    adjacency lists(vertices);
    unsigned state = 1;
    for (int v = 0; v < vertices - 1; v++)
        for (int k = 0; k < 4; k++)
            lists[v].push_back((int)(next_random(&state) % vertices));
    return lists; /* the last vertex has no neighbors */
}

/* Vertex v is chosen the more often the smaller it is. */
static adjacency power_law(int vertices)
{
    adjacency lists(vertices);
    unsigned state = 2;
    for (int v = 0; v < vertices - 1; v++) {
        for (int k = 0; k < 1 + v % 7; k++) {
            int other = (int)(next_random(&state) % vertices);
            other = other * other / vertices * other / vertices;
            lists[v].push_back(other);
            lists[other].push_back(v);
        }
    }
    lists[vertices - 1].clear();
    return lists;
}

/* Edges go from layer to layer; the layers are numbered in a changed order. */
static adjacency acyclic(int vertices)
{
    static const int order[] = {2, 0, 5, 3, 1, 4};
    adjacency lists(vertices);
    const int size = vertices / 6;
    for (int layer = 0; layer + 1 < 6; layer++)
        for (int k = 0; k < size; k++)
            for (int step = 0; step < 3; step++)
                lists[order[layer] * size + k].push_back(order[layer + 1] * size + (k / 4 + 5 * step) % size);
    return lists;
}

/* Neighbors to the right and below, before them a corner of 2 by 2, after them one of 4 by 4 vertices. */
static adjacency grid(int side)
{
    adjacency lists(side * side);
    for (int v = 0; v < side * side - 1; v++) {
        int row = v / side, column = v % side;
        lists[v].push_back((row | 1) * side + (column | 1));
        if (column + 1 < side)
            lists[v].push_back(v + 1);
        if (row + 1 < side)
            lists[v].push_back(v + side);
        lists[v].push_back((row | 3) * side + (column | 3));
    }
    return lists;
}

static adjacency star(int vertices)
{
    adjacency lists(vertices);
    for (int v = 1; v < vertices - 1; v++) {
        lists[v].push_back(v < vertices / 2 ? vertices - 2 : 0);
        lists[v].push_back(v % (vertices - 2) + 1);
        lists[v].push_back(v < vertices / 2 ? vertices - 3 : 1);
        lists[0].push_back(v);
    }
    return lists;
}

static int *to_device(const std::vector<int> &values)
{
    int *p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

struct graph graph_create(int number)
{
    adjacency lists = number == 0   ? random_neighbors(100)
                      : number == 1 ? power_law(150)
                      : number == 2 ? acyclic(120)
                      : number == 3 ? grid(12)
                                    : star(130);
    std::vector<int> begin(1, 0), neighbor;
    for (const std::vector<int> &list : lists) {
        neighbor.insert(neighbor.end(), list.begin(), list.end());
        begin.push_back((int)neighbor.size());
    }
    const int elements = std::max(neighbor.size(), lists.size()) + 1;
    std::vector<int> first(elements), second(elements);
    for (int i = 0; i < elements; i++)
        second[i] = (i * 37 + 11) % 1009;
    return {(int)lists.size(),   (int)neighbor.size(), to_device(begin),
            to_device(neighbor), to_device(first),     to_device(second)};
}
