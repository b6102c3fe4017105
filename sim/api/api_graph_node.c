/* Nodes that a program adds to a graph one by one. */
#include "sim/api/api_graph.h"
#include "sim/api/api_state.h"

/* A node that runs after `count` others; NULL if the arguments are wrong. */
static struct CUgraphNode_st *add_node(const struct api_call *call, cudaGraphNode_t *out, cudaGraph_t graph,
                                       const cudaGraphNode_t *before, size_t count,
                                       enum cudaGraphNodeType type)
{
    if (!out || !graph || (count > 0 && !before))
        return NULL;
    struct CUgraphNode_st *node = api_graph_append(graph, type);
    for (size_t i = 0; i < count; i++)
        api_graph_depend(node, before[i]);
    node->name = call->name;
    node->caller = call->caller;
    node->outer = call->outer;
    *out = node;
    return node;
}

/* The kernel that these parameters name; NULL if they are wrong. */
static struct api_function *check_kernel(const struct api_call *call, const struct cudaKernelNodeParams *p,
                                         cudaError_t *error)
{
    struct api_function *function = api_find_function(call, p->func, error);
    if (function && !p->kernelParams && sim_kernel_function(function->kernel)->param_count > 0) {
        *error = api_fail_because(call, cudaErrorInvalidValue, "no arguments for a kernel with parameters");
        return NULL;
    }
    return function;
}

cudaError_t api_graph_set_kernel(const struct api_call *call, struct CUgraphNode_st *node,
                                 const struct cudaKernelNodeParams *p)
{
    cudaError_t error;
    struct api_function *function = check_kernel(call, p, &error);
    if (!function)
        return api_fail(error);
    api_graph_free_arguments(&node->launch);
    node->symbol = p->func;
    node->launch = (struct sim_launch){function->kernel,
                                       {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                                       {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                       p->sharedMemBytes,
                                       NULL,
                                       false,
                                       {0, 0, 0}};
    api_graph_keep_arguments(&node->launch, p->kernelParams);
    return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaKernelNodeParams *parameters)
{
    API_ENTER(API_PLAIN);
    cudaError_t error;
    if (!parameters)
        return api_fail(cudaErrorInvalidValue);
    if (!check_kernel(&call, parameters, &error)) /* first: what is refused is not added */
        return api_fail(error);
    struct CUgraphNode_st *node = add_node(&call, out, graph, before, count, cudaGraphNodeTypeKernel);
    return node ? api_graph_set_kernel(&call, node, parameters) : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemcpy3DParms *p)
{
    API_ENTER(API_PLAIN);
    if (p && (p->srcArray || p->dstArray))
        return api_fail_because(&call, cudaErrorNotSupported, "the simulator has no arrays in graphs");
    struct CUgraphNode_st *node =
        p ? add_node(&call, out, graph, before, count, cudaGraphNodeTypeMemcpy) : NULL;
    if (!node)
        return api_fail(cudaErrorInvalidValue);
    node->copy.box = (struct api_box){p->extent.width, p->extent.height, p->extent.depth};
    node->copy.to = api_side_3d(&p->dstPtr, &p->dstPos);
    node->copy.from = api_side_3d(&p->srcPtr, &p->srcPos);
    node->copy.kind = p->kind;
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, void *to, const void *from, size_t size,
                                     enum cudaMemcpyKind kind)
{
    API_ENTER(API_PLAIN);
    struct CUgraphNode_st *node = add_node(&call, out, graph, before, count, cudaGraphNodeTypeMemcpy);
    if (!node)
        return api_fail(cudaErrorInvalidValue);
    node->copy = (struct api_copy_work){
        {size, 1, 1}, {(uintptr_t)to, size, size}, {(uintptr_t)from, size, size}, kind};
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemsetParams *p)
{
    API_ENTER(API_PLAIN);
    struct CUgraphNode_st *node = p && (p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4)
                                      ? add_node(&call, out, graph, before, count, cudaGraphNodeTypeMemset)
                                      : NULL;
    if (!node)
        return api_fail(cudaErrorInvalidValue);
    node->fill = (struct api_fill_work){{p->width * p->elementSize, p->height, 1},
                                        {(uintptr_t)p->dst, p->pitch, 0},
                                        p->value,
                                        p->elementSize};
    return cudaSuccess;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                 size_t count, const struct cudaHostNodeParams *parameters)
{
    API_ENTER(API_PLAIN);
    struct CUgraphNode_st *node = parameters && parameters->fn
                                      ? add_node(&call, out, graph, before, count, cudaGraphNodeTypeHost)
                                      : NULL;
    if (!node)
        return api_fail(cudaErrorInvalidValue);
    node->host = *parameters;
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                  size_t count)
{
    API_ENTER(API_PLAIN);
    return add_node(&call, out, graph, before, count, cudaGraphNodeTypeEmpty)
               ? cudaSuccess
               : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child)
{
    API_ENTER(API_PLAIN);
    struct CUgraph_st *copy = child ? api_graph_copy(child) : NULL; /* first: it may be `graph` itself */
    struct CUgraphNode_st *node =
        copy ? add_node(&call, out, graph, before, count, cudaGraphNodeTypeGraph) : NULL;
    if (!node) {
        if (copy)
            api_graph_free(copy);
        return api_fail(cudaErrorInvalidValue);
    }
    node->child = copy;
    return cudaSuccess;
}

static cudaError_t add_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t count)
{
    if (count > 0 && (!from || !to))
        return api_fail(cudaErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        api_graph_depend(to[i], from[i]);
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data, size_t count)
{
    API_ENTER(API_PLAIN);
    (void)graph, (void)data;
    return add_dependencies(from, to, count);
}
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, size_t count)
{
    API_ENTER(API_PLAIN);
    (void)graph;
    return add_dependencies(from, to, count);
}
#endif
