/*
 * Launching a graph: its nodes are queued. Nodes that follow one another share a lane, the others get one each, so that
 * branches are not in order with each other (sim/stream/clock.h).
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_launch.h"
#include "sim/api/api_queue.h"
#include "sim/api/api_state.h"

#include <string.h>

static cudaError_t queue_node(const struct api_call *launch, struct CUgraphNode_st *node,
                              struct CUstream_st *stream)
{
    const struct api_call made = {node->name, cudaSuccess, node->caller, node->outer, NULL},
                          *call = node->name ? &made : launch;
    switch (node->type) {
    case cudaGraphNodeTypeKernel: return api_launch(call, node->symbol, &node->launch, stream);
    case cudaGraphNodeTypeMemcpy:
        return api_copy_box(call, &node->copy.box, &node->copy.to, &node->copy.from, node->copy.kind, stream,
                            API_COPY_OF_GRAPH);
    case cudaGraphNodeTypeMemset: return api_fill_elements(call, &node->fill, stream);
    case cudaGraphNodeTypeHost:
        api_queue_host(call, stream, node->host.fn, node->host.userData);
        return cudaSuccess;
    default: return cudaSuccess;
    }
}

/* A lane of its own, or that of the first node before it that no other has gone on with. */
static void choose_lane(struct CUgraphNode_st *node)
{
    for (size_t i = 0; i < node->before_count; i++) {
        if (node->before[i]->lane_passed)
            continue;
        node->before[i]->lane_passed = true;
        node->lane = node->before[i]->lane;
        return;
    }
    node->lane = api_lane_take();
}

static cudaError_t queue_nodes(const struct api_call *call, struct CUgraph_st *graph,
                               struct CUstream_st *stream, const struct stream_clock *begin,
                               struct stream_clock *end);

static cudaError_t queue_in_branch(const struct api_call *call, struct CUgraphNode_st *node,
                                   struct CUstream_st *stream, const struct stream_clock *begin)
{
    struct api_branch branch = {0}, *outer = api.queue.branch;
    cudaError_t error;
    clock_join(&branch.clock, begin);
    for (size_t i = 0; i < node->before_count; i++)
        clock_join(&branch.clock, &node->before[i]->end);
    choose_lane(node);
    branch.lane = node->lane;
    if (node->child) {
        struct stream_clock inside = {NULL, 0};
        error = queue_nodes(call, node->child, stream, &branch.clock, &inside);
        clock_join(&branch.clock, &inside);
        clock_free(&inside);
    } else {
        api.queue.branch = &branch;
        error = queue_node(call, node, stream);
        api.queue.branch = outer;
    }
    node->end = branch.clock;
    return error;
}

static bool is_due(const struct CUgraphNode_st *node)
{
    if (node->done)
        return false;
    for (size_t i = 0; i < node->before_count; i++)
        if (!node->before[i]->done)
            return false;
    return true;
}

/* In the order in which the nodes were made, as far as their dependencies allow. */
static cudaError_t queue_due_nodes(const struct api_call *call, struct CUgraph_st *graph,
                                   struct CUstream_st *stream, const struct stream_clock *begin)
{
    size_t left = graph->count;
    bool any = true;
    cudaError_t error = cudaSuccess;
    while (left > 0 && any && error == cudaSuccess) {
        any = false;
        for (struct CUgraphNode_st *node = graph->first; node && error == cudaSuccess; node = node->next) {
            if (!is_due(node))
                continue;
            error = queue_in_branch(call, node, stream, begin);
            node->done = any = true;
            left--;
        }
    }
    return left > 0 && !any ? api_fail_because(call, cudaErrorInvalidValue, "the nodes depend on one another")
                            : error;
}

static cudaError_t queue_nodes(const struct api_call *call, struct CUgraph_st *graph,
                               struct CUstream_st *stream, const struct stream_clock *begin,
                               struct stream_clock *end)
{
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        node->done = node->lane_passed = false;
    cudaError_t error = queue_due_nodes(call, graph, stream, begin);
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        if (!node->done)
            continue;
        clock_join(end, &node->end);
        clock_free(&node->end);
        if (!node->lane_passed)
            api_lane_give_back(node->lane);
    }
    return error;
}

cudaError_t api_graph_run(const struct api_call *call, struct CUgraphExec_st *exec,
                          struct CUstream_st *stream)
{
    struct stream_clock begin = {NULL, 0}, end = {NULL, 0};
    api_queue_stream_clock(stream, &begin);
    clock_join(&begin, &api.queue.host);
    clock_join(&begin, &exec->end);
    cudaError_t error = queue_nodes(call, exec->graph, stream, &begin, &end);
    clock_join(&end, &begin);
    clock_join(&stream->clock, &end);
    clock_join(&exec->end, &end);
    clock_free(&begin);
    clock_free(&end);
    return error;
}
