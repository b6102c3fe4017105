/* Texture objects over linear memory: tex1Dfetch of every texel type, what lies outside, and mistakes. */
#include <string.h>

#include "common/check.h"

__global__ void gather(cudaTextureObject_t in, const int *index, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<float>(in, index[i]);
}

__global__ void fetch_types(cudaTextureObject_t bytes, cudaTextureObject_t fractions,
                            cudaTextureObject_t pairs, cudaTextureObject_t quads, int n)
{
    for (int i = 0; i < n; i++) {
        float4 q = tex1Dfetch<float4>(quads, i);
        short2 p = tex1Dfetch<short2>(pairs, i);
        printf("%d: %d %.4f (%d %d) (%g %g %g %g)\n", i, tex1Dfetch<signed char>(bytes, i),
               tex1Dfetch<float>(fractions, i), p.x, p.y, q.x, q.y, q.z, q.w);
    }
}

static cudaTextureObject_t over(const void *memory, size_t bytes, cudaChannelFormatDesc format,
                                cudaTextureReadMode mode = cudaReadModeElementType)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)memory;
    resource.res.linear.sizeInBytes = bytes;
    resource.res.linear.desc = format;
    description.readMode = mode;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    return texture;
}

static void *upload(const void *from, size_t bytes)
{
    void *to;
    CHECK(cudaMalloc(&to, bytes));
    CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    return to;
}

static void gathers(void)
{
    const int n = 1000;
    float h_in[n], h_out[n];
    int h_index[n], wrong = 0;
    for (int i = 0; i < n; i++) {
        h_in[i] = i * 0.5f;
        h_index[i] = i % 10 == 9 ? (i % 20 == 9 ? -1 - i : n + i) : i * 37 % n; /* some lie outside */
    }
    float *d_in = (float *)upload(h_in, sizeof h_in), *d_out;
    int *d_index = (int *)upload(h_index, sizeof h_index);
    CHECK(cudaMalloc(&d_out, sizeof h_out));
    cudaTextureObject_t in = over(d_in, sizeof h_in, cudaCreateChannelDesc<float>());
    gather<<<(n + 127) / 128, 128>>>(in, d_index, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += h_out[i] != (h_index[i] < 0 || h_index[i] >= n ? 0 : h_in[h_index[i]]);
    printf("%d of %d gathered are wrong\n", wrong, n);
    cudaResourceDesc resource;
    CHECK(cudaGetTextureObjectResourceDesc(&resource, in));
    printf("the same memory: %s\n", resource.res.linear.devPtr == d_in ? "yes" : "no");
    CHECK(cudaDestroyTextureObject(in));
    printf("destroyed twice: %s\n", cudaGetErrorName(cudaDestroyTextureObject(in)));
    cudaGetLastError();
    gather<<<1, 32>>>(in, d_index, d_out, 32);
    printf("used after that: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    CHECK(cudaDeviceReset());
}

static void types(void)
{
    const signed char bytes[] = {-128, -127, 0, 127};
    const short pairs[] = {-1, 1, -2, 2, -3, 3, -4, 4};
    float quads[16];
    for (int i = 0; i < 16; i++)
        quads[i] = i;
    void *d_bytes = upload(bytes, sizeof bytes), *d_pairs = upload(pairs, sizeof pairs),
         *d_quads = upload(quads, sizeof quads);
    fetch_types<<<1, 1>>>(
        over(d_bytes, sizeof bytes, cudaCreateChannelDesc<signed char>()),
        over(d_bytes, sizeof bytes, cudaCreateChannelDesc<signed char>(), cudaReadModeNormalizedFloat),
        over(d_pairs, sizeof pairs, cudaCreateChannelDesc<short2>()),
        over(d_quads, sizeof quads, cudaCreateChannelDesc<float4>()), 4);
    CHECK(cudaDeviceSynchronize());
}

static void mistakes(void)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    float *d_x, host[4];
    CHECK(cudaMalloc(&d_x, 4096));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_x;
    resource.res.linear.sizeInBytes = 8192;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    printf("longer than its memory: %s\n",
           cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &description, NULL)));
    resource.res.linear.sizeInBytes = 64;
    resource.res.linear.devPtr = d_x + 1;
    printf("not aligned: %s\n",
           cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &description, NULL)));
    resource.res.linear.devPtr = host;
    printf("host memory: %s\n",
           cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &description, NULL)));
    resource.res.linear.devPtr = d_x;
    resource.res.linear.desc = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    printf("three channels: %s\n",
           cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &description, NULL)));
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    description.readMode = cudaReadModeNormalizedFloat;
    printf("32-bit integers as fractions: %s\n",
           cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &description, NULL)));
    cudaGetLastError();
    CHECK(cudaFree(d_x));
}

int main(void)
{
    gathers();
    types();
    mistakes();
    return 0;
}
