/* Copies to and from symbols are captured like any other copy: each run of the graph does them again. */
#include "common/check.h"

__constant__ int factor;
__device__ int result[4];

__global__ void multiply(void)
{
    result[threadIdx.x] = factor * (threadIdx.x + 1);
}

static void exchange_mode(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("mode %d", (int)mode);
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    printf(", then %d\n", (int)mode);
}

static cudaGraph_t capture(const int *in, int *out, cudaStream_t stream)
{
    cudaGraph_t graph;
    size_t nodes;
    out[0] = -1;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyToSymbolAsync(factor, in, sizeof *in, 0, cudaMemcpyHostToDevice, stream));
    multiply<<<1, 4, 0, stream>>>();
    CHECK(cudaMemcpyFromSymbolAsync(out, result, 4 * sizeof *out, 0, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("%d nodes; nothing ran yet: %s\n", (int)nodes, out[0] == -1 ? "yes" : "no");
    return graph;
}

static void run(cudaGraph_t graph, int *in, const int *out, cudaStream_t stream)
{
    cudaGraphExec_t exec;
#if CUDART_VERSION >= 12000
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
#else
    CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
#endif
    for (int i = 2; i < 5; i++) {
        *in = i;
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
    }
    CHECK(cudaGraphExecDestroy(exec));
}

int main(void)
{
    int *in, *out;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&in, sizeof *in));
    CHECK(cudaMallocHost(&out, 4 * sizeof *out));
    CHECK(cudaStreamCreate(&stream));
    exchange_mode();
    cudaGraph_t graph = capture(in, out, stream);
    run(graph, in, out, stream);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return 0;
}
