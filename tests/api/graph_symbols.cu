/* Copies to and from symbols are captured like any other copy: each run of the graph does them again. */
#include "common/check.h"

__constant__ int factor;
__device__ int result[4];

__global__ void multiply(void)
{
    result[threadIdx.x] = factor * (threadIdx.x + 1);
}

int main(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    int *in, *out;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t nodes;

    CHECK(cudaMallocHost(&in, sizeof *in));
    CHECK(cudaMallocHost(&out, 4 * sizeof *out));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("mode %d", (int)mode);
    CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
    printf(", then %d\n", (int)mode);

    out[0] = -1;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemcpyToSymbolAsync(factor, in, sizeof *in, 0, cudaMemcpyHostToDevice, stream));
    multiply<<<1, 4, 0, stream>>>();
    CHECK(cudaMemcpyFromSymbolAsync(out, result, 4 * sizeof *out, 0, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("%d nodes; nothing ran yet: %s\n", (int)nodes, out[0] == -1 ? "yes" : "no");
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
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return 0;
}
