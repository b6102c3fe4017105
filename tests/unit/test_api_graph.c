/* Graphs of nodes without kernels: copies, fills, host functions, graphs in graphs; and calls that must fail. */
#include "api_calls.h"
#include "sim/api/api_state.h"
#include "sim/device/sim.h"

/* What the host functions of a graph wrote, one letter each. */
static char story[16];

static void tell(void *letter)
{
    size_t length = strlen(story);
    assert_true(length + 1 < sizeof story);
    story[length] = *(const char *)letter;
}

static cudaGraphNode_t host_node(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, char *letter)
{
    cudaGraphNode_t node;
    struct cudaHostNodeParams p = {.fn = tell, .userData = letter};
    OK(cudaGraphAddHostNode(&node, graph, before, count, &p));
    return node;
}

/* The order in which the graph's host functions ran. */
static const char *run(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    memset(story, 0, sizeof story);
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cudaGraphUpload(exec, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphExecDestroy(exec));
    return story;
}

static size_t node_count(cudaGraph_t graph)
{
    size_t count = 99;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    return count;
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

TEST(test_nodes_run_in_the_order_of_their_edges)
{
    cudaGraph_t graph;
    cudaGraphNode_t nodes[4], empty;
    size_t count = 4;
    enum cudaGraphNodeType type;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = host_node(graph, NULL, 0, "a");
    OK(cudaGraphAddEmptyNode(&empty, graph, &a, 1));
    cudaGraphNode_t b = host_node(graph, &empty, 1, "b");
    assert_string_equal(run(graph), "ab");

    OK(cudaGraphGetRootNodes(graph, nodes, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(nodes[0], a);
    count = 2; /* room for two of three */
    OK(cudaGraphGetNodes(graph, nodes, &count));
    assert_int_equal(count, 2);
    assert_ptr_equal(nodes[1], empty);
    OK(cudaGraphNodeGetType(b, &type));
    assert_int_equal(type, cudaGraphNodeTypeHost);
    OK(cudaGraphNodeGetType(empty, &type));
    assert_int_equal(type, cudaGraphNodeTypeEmpty);
    OK(cudaGraphDestroy(graph));
}

TEST(test_a_box_is_copied)
{
    unsigned char bytes[4][8], back[2][3];
    struct cudaPitchedPtr device;
    cudaGraph_t graph;
    cudaGraphNode_t up, down;
    for (int i = 0; i < 32; i++)
        bytes[i / 8][i % 8] = (unsigned char)i;
    memset(back, 0xEE, sizeof back);
    OK(cudaMallocPitch(&device.ptr, &device.pitch, 8, 4));
    device.xsize = 8, device.ysize = 4;
    struct cudaMemcpy3DParms p = {
        .srcPtr = {bytes, 8, 8, 4}, .dstPtr = device, .extent = {8, 4, 1}, .kind = cudaMemcpyHostToDevice};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemcpyNode(&up, graph, NULL, 0, &p));
    p = (struct cudaMemcpy3DParms){.srcPtr = device,
                                   .srcPos = {2, 1, 0},
                                   .dstPtr = {back, 3, 3, 2},
                                   .extent = {3, 2, 1},
                                   .kind = cudaMemcpyDeviceToHost};
    OK(cudaGraphAddMemcpyNode(&down, graph, &up, 1, &p));
    run(graph);
    const unsigned char wanted[2][3] = {{10, 11, 12}, {18, 19, 20}};
    assert_memory_equal(back, wanted, sizeof wanted);
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(device.ptr));
}

/* The child is copied when it is added: what is added to it later is not run. */
TEST(test_a_graph_in_a_graph)
{
    cudaGraph_t outer, inner, clone;
    cudaGraphNode_t child;
    OK(cudaGraphCreate(&outer, 0));
    OK(cudaGraphCreate(&inner, 0));
    cudaGraphNode_t x = host_node(inner, NULL, 0, "x");
    host_node(inner, &x, 1, "y");
    cudaGraphNode_t a = host_node(outer, NULL, 0, "a");
    OK(cudaGraphAddChildGraphNode(&child, outer, &a, 1, inner));
    host_node(inner, NULL, 0, "z");
    host_node(outer, &child, 1, "b");
    assert_string_equal(run(outer), "axyb");
    OK(cudaGraphDestroy(inner));
    OK(cudaGraphClone(&clone, outer));
    OK(cudaGraphDestroy(outer));
    assert_string_equal(run(clone), "axyb");
    OK(cudaGraphDestroy(clone));
}

/* A graph may become a node of itself: of what it was before. */
TEST(test_a_graph_in_itself)
{
    cudaGraph_t graph;
    cudaGraphNode_t child;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a = host_node(graph, NULL, 0, "a");
    OK(cudaGraphAddChildGraphNode(&child, graph, &a, 1, graph));
    assert_string_equal(run(graph), "aa");
    OK(cudaGraphDestroy(graph));
}

/* ---- an executable graph ------------------------------------------------------------------------------- */

/* CUDA 12 put the result into a structure. */
static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph, enum cudaGraphExecUpdateResult *result)
{
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info = {0};
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    *result = info.result;
    return error;
#else
    cudaGraphNode_t bad;
    return cudaGraphExecUpdate(exec, graph, &bad, result);
#endif
}

TEST(test_update_takes_a_graph_of_the_same_shape)
{
    cudaGraph_t first, second, longer;
    cudaGraphExec_t exec;
    enum cudaGraphExecUpdateResult result;
    OK(cudaGraphCreate(&first, 0));
    OK(cudaGraphCreate(&second, 0));
    OK(cudaGraphCreate(&longer, 0));
    host_node(first, NULL, 0, "1");
    host_node(second, NULL, 0, "2");
    host_node(longer, NULL, 0, "3");
    host_node(longer, NULL, 0, "4");
    OK(cudaGraphInstantiateWithFlags(&exec, first, 0));
    OK(update(exec, second, &result));
    assert_int_equal(result, cudaGraphExecUpdateSuccess);
    FAILS(cudaErrorGraphExecUpdateFailure, update(exec, longer, &result));
    assert_int_equal(result, cudaGraphExecUpdateErrorTopologyChanged);
    memset(story, 0, sizeof story);
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaStreamSynchronize(0));
    assert_string_equal(story, "2"); /* the refused update has changed nothing */
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(first));
    OK(cudaGraphDestroy(second));
    OK(cudaGraphDestroy(longer));
}

/* ---- calls that must fail ------------------------------------------------------------------------------ */

TEST(test_a_node_that_is_refused_is_not_added)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    static const char no_kernel = 0;
    struct cudaKernelNodeParams kernel = {
        .func = (void *)(uintptr_t)&no_kernel, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}};
    struct cudaHostNodeParams nothing = {0};
    struct cudaMemcpy3DParms with_array = {.srcArray = (cudaArray_t)(uintptr_t)&no_kernel};
    OK(cudaGraphCreate(&graph, 0));
    FAILS(API_NO_KERNEL, cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    FAILS(cudaErrorInvalidValue, cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    FAILS(cudaErrorInvalidValue, cudaGraphAddHostNode(&node, graph, NULL, 0, &nothing));
    FAILS(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&node, graph, NULL, 0, NULL));
    FAILS(cudaErrorNotSupported, cudaGraphAddMemcpyNode(&node, graph, NULL, 0, &with_array));
    FAILS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, graph, NULL, 2)); /* which two? */
    FAILS(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&node, graph, NULL, 0, NULL));
    assert_int_equal(node_count(graph), 0);
    host_node(graph, NULL, 0, "a");
    assert_string_equal(run(graph), "a");
    OK(cudaGraphDestroy(graph));
}

TEST(test_no_graph_at_all)
{
    cudaGraphNode_t node;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    enum cudaGraphExecUpdateResult result;
    size_t count;
    FAILS(cudaErrorInvalidValue, cudaGraphCreate(NULL, 0));
    FAILS(cudaErrorInvalidValue, cudaGraphDestroy(NULL));
    FAILS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&node, NULL, NULL, 0));
    FAILS(cudaErrorInvalidValue, cudaGraphClone(&graph, NULL));
    FAILS(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&exec, NULL, 0));
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch(NULL, 0));
    FAILS(cudaErrorInvalidValue, cudaGraphUpload(NULL, 0));
    FAILS(cudaErrorInvalidValue, cudaGraphExecDestroy(NULL));
    FAILS(cudaErrorInvalidValue, update(NULL, NULL, &result));
    FAILS(cudaErrorInvalidValue, cudaGraphGetNodes(NULL, NULL, &count));
    FAILS(cudaErrorInvalidValue, cudaGraphNodeGetType(NULL, NULL));
}

/* ---- capture ------------------------------------------------------------------------------------------- */

static void called(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream, (void)status;
    tell(data);
}

TEST(test_a_callback_cannot_be_captured)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    memset(story, 0, sizeof story);
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamAddCallback(stream, called, "c", 0));
    OK(cudaStreamSynchronize(stream));
    assert_string_equal(story, "c");
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(stream, called, "c", 1));
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(stream, NULL, NULL, 0));

    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamAddCallback(stream, called, "d", 0));
    assert_string_equal(story, "c"); /* it has not been called */
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
    assert_null(graph);
    OK(cudaStreamDestroy(stream));
}

TEST(test_capture_begins_and_ends_once)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    OK(cudaStreamCreate(&stream));
    FAILS(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorIllegalState, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaLaunchHostFunc(stream, tell, "h"));
    OK(cudaStreamEndCapture(stream, &graph));
    assert_string_equal(run(graph), "h");
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

/* Two streams, of which the first is being captured, and an event. */
struct capture {
    cudaStream_t first, second;
    cudaEvent_t event;
};

static struct capture begin_capture(void)
{
    struct capture c;
    OK(cudaStreamCreate(&c.first));
    OK(cudaStreamCreate(&c.second));
    OK(cudaEventCreate(&c.event));
    OK(cudaEventRecord(c.event, c.second)); /* outside */
    OK(cudaStreamBeginCapture(c.first, cudaStreamCaptureModeGlobal));
    return c;
}

/* cudaStreamEndCapture(on), which fails so. */
static void end_capture(struct capture *c, cudaStream_t on, cudaError_t expected)
{
    cudaGraph_t graph;
    FAILS(expected, cudaStreamEndCapture(on, &graph));
    assert_null(graph);
    OK(cudaEventDestroy(c->event));
    OK(cudaStreamDestroy(c->first));
    OK(cudaStreamDestroy(c->second));
}

TEST(test_a_capture_waits_for_nothing_outside)
{
    struct capture c = begin_capture();
    FAILS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(c.first, c.event, 0));
    end_capture(&c, c.first, cudaErrorStreamCaptureInvalidated);

    c = begin_capture();
    OK(cudaStreamBeginCapture(c.second, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(c.event, c.second));
    FAILS(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(c.first, c.event, 0));
    cudaGraph_t graph;
    FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(c.second, &graph));
    end_capture(&c, c.first, cudaErrorStreamCaptureInvalidated);
}

TEST(test_a_captured_event_cannot_be_waited_for)
{
    struct capture c = begin_capture();
    OK(cudaEventRecord(c.event, c.first));
    FAILS(cudaErrorCapturedEvent, cudaEventSynchronize(c.event));
    end_capture(&c, c.first, cudaErrorStreamCaptureInvalidated);

    c = begin_capture();
    OK(cudaEventRecord(c.event, c.first));
    FAILS(cudaErrorCapturedEvent, cudaEventQuery(c.event));
    end_capture(&c, c.first, cudaErrorStreamCaptureInvalidated);
}

TEST(test_branches_of_a_capture_meet_where_it_began)
{
    struct capture c = begin_capture();
    OK(cudaEventRecord(c.event, c.first));
    OK(cudaStreamWaitEvent(c.second, c.event, 0));
    OK(cudaLaunchHostFunc(c.second, tell, "h"));
    end_capture(&c, c.first, cudaErrorStreamCaptureUnjoined);

    c = begin_capture();
    OK(cudaEventRecord(c.event, c.first));
    OK(cudaStreamWaitEvent(c.second, c.event, 0));
    end_capture(&c, c.second, cudaErrorStreamCaptureUnmatched);
}

int main(void)
{
    sim_report_at_exit(false);
    return RUN_WITH(NULL, NULL);
}
