/* Running a graph, node by node. */
#include "sim/api/api_graph.h"
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"

#include <string.h>

static cudaError_t run_fill(const struct api_call *call, const struct api_fill_work *fill,
                            cudaStream_t stream)
{
    struct api_place to = {.role = "destination", .address = fill->side.address, .must_device = true};
    if (fill->element_size == 1)
        return api_fill_box(call, &fill->box, &fill->side, (int)fill->value, stream);
    to.size = (fill->box.height - 1) * fill->side.pitch + fill->box.width;
    cudaError_t error = api_resolve(call, &to);
    for (size_t y = 0; error == cudaSuccess && y < fill->box.height; y++) {
        for (size_t x = 0; x < fill->box.width; x += fill->element_size)
            memcpy(to.bytes + y * fill->side.pitch + x, &fill->value, fill->element_size);
        if (to.on_device)
            sim_mem_mark_written(api.sim, to.address + y * fill->side.pitch, fill->box.width);
    }
    return error;
}

static cudaError_t run_node(const struct api_call *call, struct CUgraphNode_st *node, cudaStream_t stream)
{
    switch (node->type) {
    case cudaGraphNodeTypeKernel: return api_launch(call, node->symbol, &node->launch, stream);
    case cudaGraphNodeTypeMemcpy:
        return api_copy_box(call, &node->copy.box, &node->copy.to, &node->copy.from, node->copy.kind, stream,
                            true);
    case cudaGraphNodeTypeMemset: return run_fill(call, &node->fill, stream);
    case cudaGraphNodeTypeHost:
        api_flush_printf();
        if (api.pending == cudaSuccess) /* as in cudaLaunchHostFunc */
            node->host.fn(node->host.userData);
        return cudaSuccess;
    case cudaGraphNodeTypeGraph: return api_graph_run(call, node->child, stream);
    default: return cudaSuccess;
    }
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

cudaError_t api_graph_run(const struct api_call *call, struct CUgraph_st *graph, cudaStream_t stream)
{
    size_t left = graph->count;
    bool any = true;
    cudaError_t error = cudaSuccess;
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        node->done = false;
    while (left > 0 && any && error == cudaSuccess) {
        any = false;
        for (struct CUgraphNode_st *node = graph->first; node && error == cudaSuccess; node = node->next) {
            if (!is_due(node))
                continue;
            error = run_node(call, node, stream);
            node->done = any = true;
            left--;
        }
    }
    return left > 0 && !any ? api_fail_because(call, cudaErrorInvalidValue, "the nodes depend on one another")
                            : error;
}
