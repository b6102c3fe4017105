/* Graphs: their nodes, how nodes are made, captured and run. */
#ifndef SIM_API_GRAPH_H
#define SIM_API_GRAPH_H

#include "sim/api/api_copy.h"
#include "sim/stream/clock.h"

struct api_copy_work {
    struct api_box box;
    struct api_box_side to, from;
    enum cudaMemcpyKind kind;
};

struct api_fill_work {
    struct api_box box;
    struct api_box_side side;
    unsigned value;
    unsigned element_size;
};

struct CUgraphNode_st {
    enum cudaGraphNodeType type;
    const char *name;           /* the call that made it … */
    const void *caller, *outer; /* … and where, as in struct api_call */
    const void *symbol;         /* kernel */
    struct sim_launch launch;
    struct api_copy_work copy;
    struct api_fill_work fill;
    struct cudaHostNodeParams host;
    struct CUgraph_st *child; /* owned */
    struct CUgraphNode_st **before;
    size_t before_count;
    const struct CUgraphNode_st *origin; /* in an executable graph: the node that this is a copy of */
    struct CUgraphNode_st *copied;       /* while a graph is copied */
    bool done;                           /* while a graph is launched … */
    unsigned lane;                       /* … where its work goes … */
    bool lane_passed;                    /* … and whether a later node has gone on with that lane */
    struct stream_clock end;             /* … and its clock */
    struct CUgraphNode_st *next;
};

struct CUgraph_st {
    struct CUgraphNode_st *first, **end;
    size_t count;
    bool spoilt;                      /* while it was captured … */
    const struct CUstream_st *origin; /* … which began in this stream */
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
    struct stream_clock end; /* of its last launch: the next one comes after it */
};

/* ---- making and destroying (api_graph.c) --------------------------------------------------------------- */

struct CUgraph_st *api_graph_new(void);
void api_graph_free(struct CUgraph_st *graph);
struct CUgraph_st *api_graph_copy(const struct CUgraph_st *graph);
/* A node at the end of the graph. */
struct CUgraphNode_st *api_graph_append(struct CUgraph_st *graph, enum cudaGraphNodeType type);
/* `node` runs after `before`. */
void api_graph_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before);
/* Copies the values of a kernel's arguments: the caller's may change before the graph runs. */
void api_graph_keep_arguments(struct sim_launch *launch, void **arguments);
void api_graph_free_arguments(struct sim_launch *launch);

/* Queues what a node asks for (api_fill.c). */
cudaError_t api_fill_elements(const struct api_call *call, const struct api_fill_work *fill,
                              struct CUstream_st *stream);

/* A kernel node's launch, as the program describes it (api_graph_node.c). */
cudaError_t api_graph_set_kernel(const struct api_call *call, struct CUgraphNode_st *node,
                                 const struct cudaKernelNodeParams *parameters);
/* Queues its nodes: branches that nothing orders are not ordered by the stream either (api_graph_run.c). */
cudaError_t api_graph_run(const struct api_call *call, struct CUgraphExec_st *exec,
                          struct CUstream_st *stream);

/* Nodes on which the next one that is captured on a stream depends. */
struct api_graph_ends {
    size_t count;
    struct CUgraphNode_st *nodes[];
};

struct api_graph_ends *api_graph_ends_copy(const struct api_graph_ends *ends); /* NULL of NULL */
void api_graph_ends_free(struct api_graph_ends *ends);

/* ---- capture (api_graph_capture.c) --------------------------------------------------------------------- */

/*
 * What is queued on a stream that is being captured becomes a node of a graph. Each of these adds one and
 * returns true if that is so, having put the outcome into *error; else false, and the caller does the work.
 */
bool api_capture_launch(const struct api_call *call, const void *symbol, const struct sim_launch *launch,
                        cudaStream_t stream, cudaError_t *error);
bool api_capture_copy(const struct api_call *call, const struct api_box *box, const struct api_box_side *to,
                      const struct api_box_side *from, enum cudaMemcpyKind kind, cudaStream_t stream,
                      cudaError_t *error);
bool api_capture_fill(const struct api_call *call, const struct api_box *box, const struct api_box_side *side,
                      int value, cudaStream_t stream, cudaError_t *error);
bool api_capture_host(const struct api_call *call, cudaHostFn_t function, void *data, cudaStream_t stream,
                      cudaError_t *error);

/*
 * The stream waits for an event that was recorded in the capture `recorded` behind the nodes `ends` (NULL: outside of
 * captures): a branch of that capture begins, or ends, in the stream; or why it cannot (CUDA C++ Programming Guide,
 * "Cross-stream Dependencies and Events"). For streams and events of which one at least is being captured.
 */
cudaError_t api_capture_wait(const struct api_call *call, struct CUstream_st *stream,
                             struct CUgraph_st *recorded, const struct api_graph_ends *ends);
/* A call that waits for a capture spoils it; cudaStreamEndCapture says so. */
void api_spoil_capture(struct CUgraph_st *graph);
bool api_capture_is_spoilt(const struct CUgraph_st *graph);

#endif
