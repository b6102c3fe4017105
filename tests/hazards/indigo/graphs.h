/* The graphs that the patterns of indigo/ run on, as adjacency lists on the device. */
#pragma once

struct graph {
    int vertices, edges;
    const int
        *begin; /* vertices + 1: the neighbors of v are neighbor[begin[v]] to neighbor[begin[v + 1] - 1] */
    const int *neighbor; /* edges */
    int *data1, *data2;  /* what the patterns read and write: edges + 1 elements each */
};

/*
 * Number 0: random neighbors, 100 vertices; 1: power law, 150; 2: directed and acyclic with neighbors in both
 * directions of the numbering, 120; 3: a grid of 12 by 12; 4: a star with a ring around it, 130. All have an order
 * in which several vertices share their first, their last and most other neighbors.
 */
#define GRAPHS 5
struct graph graph_create(int number);
