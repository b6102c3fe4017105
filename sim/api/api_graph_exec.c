/* Executable graphs: a copy that is launched, and may be changed. */
#include "sim/api/api_graph.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph)
{
    if (!out || !graph)
        return api_fail(cudaErrorInvalidValue);
    *out = sim_need(1, sizeof **out, "an executable graph");
    (*out)->graph = api_graph_copy(graph);
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
    api_graph_free(exec->graph);
    clock_free(&exec->end);
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    return exec ? api_graph_run(&call, exec, stream) : api_fail(cudaErrorInvalidValue);
}
API_PER_THREAD(cudaGraphLaunch, ptsz, (cudaGraphExec_t exec, cudaStream_t handle), (exec, handle))

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t handle)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    (void)stream;
    return exec ? cudaSuccess : api_fail(cudaErrorInvalidValue);
}
API_PER_THREAD(cudaGraphUpload, ptsz, (cudaGraphExec_t exec, cudaStream_t handle), (exec, handle))

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *parameters)
{
    API_ENTER(API_PLAIN);
    if (!exec || !node || !parameters)
        return api_fail(cudaErrorInvalidValue);
    for (struct CUgraphNode_st *twin = exec->graph->first; twin; twin = twin->next)
        if (twin->origin == node && twin->type == cudaGraphNodeTypeKernel)
            return api_graph_set_kernel(&call, twin, parameters);
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
    api_graph_free(exec->graph);
    exec->graph = api_graph_copy(graph);
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
