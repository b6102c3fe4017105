/*
 * Capture: what is queued on a stream becomes nodes of a graph. Each depends on the one before it on its stream, and on
 * what the events stand for that the stream was told to wait for.
 */
#include "sim/api/api_graph.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the next node depends on --------------------------------------------------------------------- */

static size_t ends_bytes(size_t count)
{
    return sizeof(struct api_graph_ends) + count * sizeof(struct CUgraphNode_st *);
}

void api_graph_ends_free(struct api_graph_ends *ends)
{
    free(ends);
}

/* Adds what `more` has to *ends. */
static void api_graph_ends_join(struct api_graph_ends **ends, const struct api_graph_ends *more)
{
    size_t have = *ends ? (*ends)->count : 0;
    for (size_t i = 0; more && i < more->count; i++) {
        size_t k = 0;
        while (k < have && (*ends)->nodes[k] != more->nodes[i])
            k++;
        if (k < have)
            continue;
        *ends = sim_need_resized(*ends, 1, ends_bytes(have + 1), "the ends of a graph");
        (*ends)->nodes[have++] = more->nodes[i];
        (*ends)->count = have;
    }
}

struct api_graph_ends *api_graph_ends_copy(const struct api_graph_ends *ends)
{
    struct api_graph_ends *copy = NULL;
    api_graph_ends_join(&copy, ends);
    return copy;
}

static void depend_on_ends(struct CUgraphNode_st *node, struct CUstream_st *stream)
{
    for (size_t i = 0; stream->capture_ends && i < stream->capture_ends->count; i++)
        api_graph_depend(node, stream->capture_ends->nodes[i]);
    stream->capture_ends = sim_need_resized(stream->capture_ends, 1, ends_bytes(1), "the ends of a graph");
    stream->capture_ends->count = 1;
    stream->capture_ends->nodes[0] = node;
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

/* A node for what is queued on the stream; NULL if it is not being captured. */
static struct CUgraphNode_st *capture_node(const struct api_call *call, cudaStream_t stream,
                                           enum cudaGraphNodeType type, cudaError_t *error)
{
    struct CUgraph_st *graph = api_stream_capture(stream);
    *error = cudaSuccess;
    if (!graph)
        return NULL;
    struct CUgraphNode_st *node = api_graph_append(graph, type);
    node->name = call->name;
    node->caller = call->caller;
    node->outer = call->outer;
    depend_on_ends(node, api_find_stream(stream));
    return node;
}

bool api_capture_launch(const struct api_call *call, const void *symbol, const struct sim_launch *launch,
                        cudaStream_t stream, cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(call, stream, cudaGraphNodeTypeKernel, error);
    if (!node)
        return false;
    node->symbol = symbol;
    node->launch = *launch;
    api_graph_keep_arguments(&node->launch, launch->args);
    return true;
}

bool api_capture_copy(const struct api_call *call, const struct api_box *box, const struct api_box_side *to,
                      const struct api_box_side *from, enum cudaMemcpyKind kind, cudaStream_t stream,
                      cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(call, stream, cudaGraphNodeTypeMemcpy, error);
    if (node)
        node->copy = (struct api_copy_work){*box, *to, *from, kind};
    return node != NULL;
}

bool api_capture_fill(const struct api_call *call, const struct api_box *box, const struct api_box_side *side,
                      int value, cudaStream_t stream, cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(call, stream, cudaGraphNodeTypeMemset, error);
    if (node)
        node->fill = (struct api_fill_work){*box, *side, (unsigned)value, 1};
    return node != NULL;
}

bool api_capture_host(const struct api_call *call, cudaHostFn_t function, void *data, cudaStream_t stream,
                      cudaError_t *error)
{
    struct CUgraphNode_st *node = capture_node(call, stream, cudaGraphNodeTypeHost, error);
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
    (void)mode;
    if (!handle || handle == cudaStreamLegacy)
        return api_fail_because(&call, cudaErrorStreamCaptureUnsupported,
                                "the default stream cannot be captured: make one with cudaStreamCreate");
    if (api_stream_capture(handle))
        return api_fail_because(&call, cudaErrorIllegalState, "the stream is being captured already");
    api_stream_set_capture(handle, api_graph_new());
    api_stream_capture(handle)->origin = stream;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamBeginCapture, ptsz, (cudaStream_t handle, enum cudaStreamCaptureMode mode),
               (handle, mode))

cudaError_t api_capture_wait(const struct api_call *call, struct CUstream_st *stream,
                             struct CUgraph_st *recorded, const struct api_graph_ends *ends)
{
    if (stream->capture && recorded && stream->capture != recorded) {
        api_spoil_capture(stream->capture);
        api_spoil_capture(recorded);
        return api_fail_because(
            call, cudaErrorStreamCaptureMerge,
            "the stream is being captured, and the event was recorded in another capture");
    }
    if (stream->capture && !recorded) {
        api_spoil_capture(stream->capture);
        return api_fail_because(
            call, cudaErrorStreamCaptureIsolation,
            "the stream is being captured, and the event was recorded in a stream that is not: "
            "let that stream wait for an event of this capture first (cudaStreamWaitEvent)");
    }
    stream->capture = recorded;
    api_graph_ends_join(&stream->capture_ends, ends);
    return cudaSuccess;
}

static bool is_end(const struct CUgraphNode_st *node, const struct api_graph_ends *ends)
{
    for (size_t i = 0; ends && i < ends->count; i++)
        if (ends->nodes[i] == node)
            return true;
    return false;
}

/* Whether a node is the last of a branch that the stream in which the capture began has not waited for. */
static bool has_unjoined(const struct CUgraph_st *graph, const struct api_graph_ends *ends)
{
    bool unjoined = false;
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next)
        for (size_t i = 0; i < node->before_count; i++)
            node->before[i]->done = true; /* another one comes after it */
    for (struct CUgraphNode_st *node = graph->first; node; node = node->next) {
        unjoined |= !node->done && !is_end(node, ends);
        node->done = false;
    }
    return unjoined;
}

/* Why the capture cannot end here; NULL: it can. */
static const char *find_objection(const struct CUgraph_st *graph, const struct CUstream_st *stream,
                                  cudaError_t *error)
{
    *error = cudaErrorStreamCaptureInvalidated;
    if (graph->spoilt)
        return "a call that waits, such as cudaStreamSynchronize, came during the capture, or an earlier call of it failed";
    *error = cudaErrorStreamCaptureUnmatched;
    if (graph->origin != stream)
        return "the capture began in another stream, and must end there";
    *error = cudaErrorStreamCaptureUnjoined;
    if (has_unjoined(graph, stream->capture_ends))
        return "another stream has work in the capture that this one has not waited for: record an event behind it "
               "(cudaEventRecord), and let this stream wait for it (cudaStreamWaitEvent)";
    *error = cudaSuccess;
    return NULL;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph)
{
    API_ENTER_STREAM(API_PLAIN, handle);
    struct CUgraph_st *captured = api_stream_capture(handle);
    cudaError_t error;
    if (!graph)
        return api_fail(cudaErrorInvalidValue);
    *graph = NULL;
    if (!captured)
        return api_fail_because(&call, cudaErrorIllegalState, "the stream is not being captured");
    const char *objection = find_objection(captured, stream, &error);
    api_streams_end_capture(captured);
    api_events_end_capture(captured);
    if (objection) {
        api_graph_free(captured);
        return api_fail_because(&call, error, "%s", objection);
    }
    *graph = captured;
    return cudaSuccess;
}
API_PER_THREAD(cudaStreamEndCapture, ptsz, (cudaStream_t handle, cudaGraph_t *graph), (handle, graph))
