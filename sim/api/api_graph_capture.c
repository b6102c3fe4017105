/*
 * Capture: what is queued on a stream becomes nodes of a graph. They run in the order of their capture, which
 * respects every event between streams.
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_state.h"

/* A node for what is queued on the stream; NULL if it is not being captured. */
static struct CUgraphNode_st *capture_node(cudaStream_t stream, enum cudaGraphNodeType type,
                                           cudaError_t *error)
{
    struct CUgraph_st *graph = api_stream_capture(stream);
    *error = cudaSuccess;
    return graph ? api_graph_append(graph, type) : NULL;
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
    api_graph_keep_arguments(&node->launch, launch->args);
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
    api_stream_set_capture(handle, api_graph_new());
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
        api_graph_free(captured);
        return api_fail_because(&call, cudaErrorStreamCaptureInvalidated,
                                "a call that waits, such as cudaStreamSynchronize, came during the capture");
    }
    *graph = captured;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamEndCapture, ptsz);
