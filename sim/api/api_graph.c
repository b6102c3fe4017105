/*
 * Graphs: work that is noted down once, node by node (api_graph_node.c) or by capturing a stream
 * (api_graph_capture.c), and run as often as wanted (api_graph_exec.c, api_graph_run.c). A node is a kernel, a
 * copy, a fill, a host function, another graph, or nothing; it runs after the nodes that it depends on.
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st *api_graph_new(void)
{
    struct CUgraph_st *graph = sim_need(1, sizeof *graph, "a graph");
    graph->end = &graph->first;
    return graph;
}

struct CUgraphNode_st *api_graph_append(struct CUgraph_st *graph, enum cudaGraphNodeType type)
{
    struct CUgraphNode_st *node = sim_need(1, sizeof *node, "a node of a graph");
    node->type = type;
    *graph->end = node;
    graph->end = &node->next;
    graph->count++;
    return node;
}

void api_graph_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before)
{
    node->before = sim_need_resized(node->before, node->before_count + 1, sizeof(struct CUgraphNode_st *),
                                    "the dependencies of a graph's node");
    node->before[node->before_count++] = before;
}

void api_graph_free_arguments(struct sim_launch *launch)
{
    if (launch->args)
        free(launch->args[0]);
    free(launch->args);
    launch->args = NULL;
}

void api_graph_keep_arguments(struct sim_launch *launch, void **arguments)
{
    const struct ptx_func *func = sim_kernel_function(launch->kernel);
    size_t size = 16;
    for (int i = 0; i < func->param_count; i++)
        size += func->params[i].var.size;
    launch->args =
        sim_need((size_t)func->param_count + 1, sizeof(void *), "the arguments of a graph's kernel");
    unsigned char *bytes = sim_need(size, 1, "the arguments of a graph's kernel");
    launch->args[0] = bytes;
    for (int i = 0; i < func->param_count; i++) {
        launch->args[i] = bytes;
        memcpy(bytes, arguments[i], func->params[i].var.size);
        bytes += func->params[i].var.size;
    }
}

void api_graph_free(struct CUgraph_st *graph)
{
    struct CUgraphNode_st *node = graph->first, *next;
    for (; node; node = next) {
        next = node->next;
        if (node->child)
            api_graph_free(node->child);
        api_graph_free_arguments(&node->launch);
        free(node->before);
        free(node);
    }
    free(graph);
}

struct CUgraph_st *api_graph_copy(const struct CUgraph_st *graph)
{
    struct CUgraph_st *copy = api_graph_new();
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        struct CUgraphNode_st *twin = api_graph_append(copy, node->type), *next = twin->next;
        *twin = *node;
        twin->next = next;
        twin->before = NULL;
        twin->before_count = 0;
        twin->origin = node;
        if (node->child)
            twin->child = api_graph_copy(node->child);
        if (node->launch.args)
            api_graph_keep_arguments(&twin->launch, node->launch.args);
        node->copied = twin;
    }
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->before_count; i++)
            api_graph_depend(node->copied, node->before[i]->copied);
    return copy;
}

/* ---- the API ------------------------------------------------------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (!graph || flags != 0)
        return api_fail(cudaErrorInvalidValue);
    *graph = api_graph_new();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    API_ENTER(API_PLAIN);
    if (!graph)
        return api_fail(cudaErrorInvalidValue);
    api_graph_free(graph);
    return cudaSuccess;
}

/* ---- questions ----------------------------------------------------------------------------------------- */

/* As the API lists things: into `out` unless it is NULL, at most *count; then *count is their number. */
static cudaError_t list_nodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *count, bool roots)
{
    size_t found = 0;
    if (!graph || !count)
        return api_fail(cudaErrorInvalidValue);
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        if (roots && node->before_count > 0)
            continue;
        if (out && found < *count)
            out[found] = node;
        found++;
    }
    *count = out && found > *count ? *count : found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *count)
{
    API_ENTER(API_PLAIN);
    return list_nodes(graph, out, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *out, size_t *count)
{
    API_ENTER(API_PLAIN);
    return list_nodes(graph, out, count, true);
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    API_ENTER(API_PLAIN);
    if (!node || !type)
        return api_fail(cudaErrorInvalidValue);
    *type = node->type;
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph)
{
    API_ENTER(API_PLAIN);
    if (!out || !graph)
        return api_fail(cudaErrorInvalidValue);
    *out = api_graph_copy(graph);
    return cudaSuccess;
}
