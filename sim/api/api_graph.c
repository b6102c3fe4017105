/*
 * Graphs: work that is noted down once, node by node or by capturing a stream, and run as often as wanted.
 * A node is a kernel, a copy, a fill, a host function, another graph, or nothing; it runs after the nodes
 * that it depends on. Captured nodes run in the order of their capture, which respects every event between
 * streams.
 */
#include "sim/api/api_internal.h"

#include <stdlib.h>
#include <string.h>

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
    const void *symbol; /* kernel */
    struct sim_launch launch;
    struct api_copy_work copy;
    struct api_fill_work fill;
    struct cudaHostNodeParams host;
    struct CUgraph_st *child; /* owned */
    struct CUgraphNode_st **before;
    size_t before_count;
    const struct CUgraphNode_st *origin; /* in an executable graph: the node that this is a copy of */
    struct CUgraphNode_st *copied;       /* while a graph is copied */
    bool done;                           /* while a graph runs */
    struct CUgraphNode_st *next;
};

struct CUgraph_st {
    struct CUgraphNode_st *first, **end;
    size_t count;
    bool spoilt; /* while it was captured */
};

struct CUgraphExec_st {
    struct CUgraph_st *graph;
};

/* ---- nodes --------------------------------------------------------------------------------------------- */

static void *api_need(void *memory)
{
    if (!memory)
        abort(); /* a few bytes */
    return memory;
}

static struct CUgraph_st *api_new_graph(void)
{
    struct CUgraph_st *graph = api_need(calloc(1, sizeof *graph));
    graph->end = &graph->first;
    return graph;
}

static struct CUgraphNode_st *api_new_node(struct CUgraph_st *graph, enum cudaGraphNodeType type)
{
    struct CUgraphNode_st *node = api_need(calloc(1, sizeof *node));
    node->type = type;
    *graph->end = node;
    graph->end = &node->next;
    graph->count++;
    return node;
}

static void api_depend(struct CUgraphNode_st *node, struct CUgraphNode_st *before)
{
    node->before =
        api_need(realloc(node->before, (node->before_count + 1) * sizeof(struct CUgraphNode_st *)));
    node->before[node->before_count++] = before;
}

static void api_free_arguments(struct sim_launch *launch)
{
    if (launch->args)
        free(launch->args[0]);
    free(launch->args);
    launch->args = NULL;
}

/* Copies the values of a kernel's arguments: the caller's may change before the graph runs. */
static void api_keep_arguments(struct sim_launch *launch, void **arguments)
{
    const struct ptx_func *func = sim_kernel_function(launch->kernel);
    size_t size = 16;
    for (int i = 0; i < func->param_count; i++)
        size += func->params[i].var.size;
    launch->args = api_need(calloc((size_t)func->param_count + 1, sizeof(void *)));
    unsigned char *bytes = api_need(malloc(size));
    launch->args[0] = bytes;
    for (int i = 0; i < func->param_count; i++) {
        launch->args[i] = bytes;
        memcpy(bytes, arguments[i], func->params[i].var.size);
        bytes += func->params[i].var.size;
    }
}

static void api_free_graph(struct CUgraph_st *graph)
{
    struct CUgraphNode_st *node = graph->first, *next;
    for (; node; node = next) {
        next = node->next;
        if (node->child)
            api_free_graph(node->child);
        api_free_arguments(&node->launch);
        free(node->before);
        free(node);
    }
    free(graph);
}

static struct CUgraph_st *api_copy_graph(const struct CUgraph_st *graph)
{
    struct CUgraph_st *copy = api_new_graph();
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        struct CUgraphNode_st *twin = api_new_node(copy, node->type), *next = twin->next;
        *twin = *node;
        twin->next = next;
        twin->before = NULL;
        twin->before_count = 0;
        twin->origin = node;
        if (node->child)
            twin->child = api_copy_graph(node->child);
        if (node->launch.args)
            api_keep_arguments(&twin->launch, node->launch.args);
        node->copied = twin;
    }
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->before_count; i++)
            api_depend(node->copied, node->before[i]->copied);
    return copy;
}

/* ---- running ------------------------------------------------------------------------------------------- */

static cudaError_t api_run_graph(const struct api_call *call, struct CUgraph_st *graph, cudaStream_t stream);

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
    case cudaGraphNodeTypeGraph: return api_run_graph(call, node->child, stream);
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

/* In the order in which the nodes were made, as far as their dependencies allow. */
static cudaError_t api_run_graph(const struct api_call *call, struct CUgraph_st *graph, cudaStream_t stream)
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

/* ---- capture ------------------------------------------------------------------------------------------- */

/* A node for what is queued on the stream; NULL if it is not being captured. */
static struct CUgraphNode_st *capture_node(cudaStream_t stream, enum cudaGraphNodeType type,
                                           cudaError_t *error)
{
    struct CUgraph_st *graph = api_stream_capture(stream);
    *error = cudaSuccess;
    return graph ? api_new_node(graph, type) : NULL;
}

bool api_capture_launch(const struct api_call *call, const void *symbol, const struct sim_launch *launch,
                        cudaStream_t stream, cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(stream, cudaGraphNodeTypeKernel, error);
    (void)call;
    if (!node)
        return false;
    node->symbol = symbol;
    node->launch = *launch;
    api_keep_arguments(&node->launch, launch->args);
    return true;
}

bool api_capture_copy(const struct api_box *box, const struct api_box_side *to,
                      const struct api_box_side *from, enum cudaMemcpyKind kind, cudaStream_t stream,
                      cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(stream, cudaGraphNodeTypeMemcpy, error);
    if (node)
        node->copy = (struct api_copy_work){*box, *to, *from, kind};
    return node != NULL;
}

bool api_capture_fill(const struct api_box *box, const struct api_box_side *side, int value,
                      cudaStream_t stream, cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(stream, cudaGraphNodeTypeMemset, error);
    if (node)
        node->fill = (struct api_fill_work){*box, *side, (unsigned)value, 1};
    return node != NULL;
}

bool api_capture_host(cudaHostFn_t function, void *data, cudaStream_t stream, cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(stream, cudaGraphNodeTypeHost, error);
    if (node)
        node->host = (struct cudaHostNodeParams){function, data};
    return node != NULL;
}

void api_spoil_capture(struct CUgraph_st *graph)
{
    graph->spoilt = true;
}

bool api_capture_is_spoilt(const struct CUgraph_st *graph)
{
    return graph->spoilt;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    (void)mode, (void)stream;
    if (!handle || handle == cudaStreamLegacy)
        return api_fail_because(&call, cudaErrorStreamCaptureUnsupported,
                                "the default stream cannot be captured: make one with cudaStreamCreate");
    if (api_stream_capture(handle))
        return api_fail_because(&call, cudaErrorIllegalState, "the stream is being captured already");
    api_stream_set_capture(handle, api_new_graph());
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamBeginCapture, ptsz);

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    struct CUgraph_st *captured = api_stream_capture(handle);
    (void)stream;
    if (!graph)
        return api_fail(cudaErrorInvalidValue);
    *graph = NULL;
    if (!captured)
        return api_fail_because(&call, cudaErrorIllegalState, "the stream is not being captured");
    api_streams_end_capture(captured);
    api_events_end_capture(captured);
    if (captured->spoilt) {
        api_free_graph(captured);
        return api_fail_because(&call, cudaErrorStreamCaptureInvalidated,
                                "a call that waits, such as cudaStreamSynchronize, came during the capture");
    }
    *graph = captured;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamEndCapture, ptsz);

/* ---- graphs by hand ------------------------------------------------------------------------------------ */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags)
{
    API_ENTER(API_PLAIN);
    if (!graph || flags != 0)
        return api_fail(cudaErrorInvalidValue);
    *graph = api_new_graph();
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    API_ENTER(API_PLAIN);
    if (!graph)
        return api_fail(cudaErrorInvalidValue);
    api_free_graph(graph);
    return cudaSuccess;
}

/* A node that runs after `count` others; NULL if the arguments are wrong. */
static struct CUgraphNode_st *add_node(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, enum cudaGraphNodeType type)
{
    if (!out || !graph || (count > 0 && !before))
        return NULL;
    struct CUgraphNode_st *node = api_new_node(graph, type);
    for (size_t i = 0; i < count; i++)
        api_depend(node, before[i]);
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

static cudaError_t set_kernel(const struct api_call *call, struct CUgraphNode_st *node,
                              const struct cudaKernelNodeParams *p)
{
    cudaError_t error;
    struct api_function *function = check_kernel(call, p, &error);
    if (!function)
        return api_fail(error);
    api_free_arguments(&node->launch);
    node->symbol = p->func;
    node->launch = (struct sim_launch){function->kernel,
                                       {p->gridDim.x, p->gridDim.y, p->gridDim.z},
                                       {p->blockDim.x, p->blockDim.y, p->blockDim.z},
                                       p->sharedMemBytes,
                                       NULL,
                                       false};
    api_keep_arguments(&node->launch, p->kernelParams);
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
    struct CUgraphNode_st *node = add_node(out, graph, before, count, cudaGraphNodeTypeKernel);
    return node ? set_kernel(&call, node, parameters) : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemcpy3DParms *p)
{
    API_ENTER(API_PLAIN);
    if (p && (p->srcArray || p->dstArray))
        return api_fail_because(&call, cudaErrorNotSupported, "the simulator has no arrays in graphs");
    struct CUgraphNode_st *node = p ? add_node(out, graph, before, count, cudaGraphNodeTypeMemcpy) : NULL;
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
    struct CUgraphNode_st *node = add_node(out, graph, before, count, cudaGraphNodeTypeMemcpy);
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
                                      ? add_node(out, graph, before, count, cudaGraphNodeTypeMemset)
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
    struct CUgraphNode_st *node =
        parameters && parameters->fn ? add_node(out, graph, before, count, cudaGraphNodeTypeHost) : NULL;
    if (!node)
        return api_fail(cudaErrorInvalidValue);
    node->host = *parameters;
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                  size_t count)
{
    API_ENTER(API_PLAIN);
    return add_node(out, graph, before, count, cudaGraphNodeTypeEmpty) ? cudaSuccess
                                                                       : api_fail(cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child)
{
    API_ENTER(API_PLAIN);
    struct CUgraph_st *copy = child ? api_copy_graph(child) : NULL; /* first: it may be `graph` itself */
    struct CUgraphNode_st *node = copy ? add_node(out, graph, before, count, cudaGraphNodeTypeGraph) : NULL;
    if (!node) {
        if (copy)
            api_free_graph(copy);
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
        api_depend(to[i], from[i]);
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

/* ---- questions ----------------------------------------------------------------------------------------- */

/* As the API lists things: into `out` unless it is NULL, at most *count; then *count is how many there are.
 */
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
    *out = api_copy_graph(graph);
    return cudaSuccess;
}

/* ---- executable graphs --------------------------------------------------------------------------------- */

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph)
{
    if (!out || !graph)
        return api_fail(cudaErrorInvalidValue);
    *out = api_need(calloc(1, sizeof **out));
    (*out)->graph = api_copy_graph(graph);
    return cudaSuccess;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    API_ENTER(API_PLAIN);
    (void)flags;
    return instantiate(out, graph);
}
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *bad, char *log,
                                 size_t size)
{
    API_ENTER(API_PLAIN);
    (void)bad;
    if (log && size > 0)
        log[0] = '\0';
    return instantiate(out, graph);
}
#endif

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    API_ENTER(API_PLAIN);
    (void)flags;
    return instantiate(out, graph);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    API_ENTER(API_PLAIN);
    if (!exec)
        return api_fail(cudaErrorInvalidValue);
    api_free_graph(exec->graph);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    (void)stream;
    return exec ? api_run_graph(&call, exec->graph, handle) : api_fail(cudaErrorInvalidValue);
}
API_PER_THREAD(cudaGraphLaunch, ptsz);

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t handle)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    (void)stream;
    return exec ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}
API_PER_THREAD(cudaGraphUpload, ptsz);

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *parameters)
{
    API_ENTER(API_PLAIN);
    if (!exec || !node || !parameters)
        return api_fail(cudaErrorInvalidValue);
    for (struct CUgraphNode_st *twin = exec->graph->first; twin; twin = twin->next)
        if (twin->origin == node && twin->type == cudaGraphNodeTypeKernel)
            return set_kernel(&call, twin, parameters);
    return api_fail_because(&call, cudaErrorInvalidValue, "the executable graph has no kernel for that node");
}

/* Whether both have the same nodes, in kind and number: then one can take the place of the other. */
static bool same_shape(const struct CUgraph_st *a, const struct CUgraph_st *b)
{
    const struct CUgraphNode_st *x = a->first, *y = b->first;
    while (x && y && x->type == y->type) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

static bool update_exec(cudaGraphExec_t exec, cudaGraph_t graph)
{
    if (!same_shape(exec->graph, graph))
        return false;
    api_free_graph(exec->graph);
    exec->graph = api_copy_graph(graph);
    return true;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info)
{
    API_ENTER(API_PLAIN);
    if (!exec || !graph || !info)
        return api_fail(cudaErrorInvalidValue);
    bool good = update_exec(exec, graph);
    memset(info, 0, sizeof *info);
    info->result = good ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    return good ? cudaSuccess : api_fail(cudaErrorGraphExecUpdateFailure);
}
#else
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *bad,
                                enum cudaGraphExecUpdateResult *result)
{
    API_ENTER(API_PLAIN);
    if (!exec || !graph || !result)
        return api_fail(cudaErrorInvalidValue);
    bool good = update_exec(exec, graph);
    if (bad)
        *bad = NULL;
    *result = good ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    return good ? cudaSuccess : api_fail(cudaErrorGraphExecUpdateFailure);
}
#endif
