/*
 * Wide accesses that begin in the middle of a 32-byte sector, for tests/gpu/traffic: the labs' own kernels
 * have few.
 */
#include <cuda_pipeline.h>

/* How much of the input stays unread at its beginning: less than a sector. */
#define OFFSET 8

__global__ void load_float2(const char *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float2 v = ((const float2 *)(in + OFFSET))[i];
    if (v.x + v.y == 1) {
        out[0] = v.x;
    }
}

__global__ void load_float4(const char *in, float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = ((const float4 *)(in + 2 * OFFSET))[i];
    if (v.x + v.y + v.z + v.w == 1) {
        out[0] = v.x;
    }
}

__global__ void store_float2(char *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((float2 *)(out + OFFSET))[i] = make_float2(1, 2);
}

__global__ void store_float4(char *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    ((float4 *)(out + 2 * OFFSET))[i] = make_float4(1, 2, 3, 4);
}

template <int bytes> __global__ void copy_async(const char *in, float *out, int offset)
{
    __shared__ __align__(16) char tile[128 * bytes];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __pipeline_memcpy_async(&tile[threadIdx.x * bytes], in + offset + i * bytes, bytes);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    const float v = *(const float *)&tile[(threadIdx.x ^ 1) * bytes];
    if (v == 1) {
        out[0] = v;
    }
}

/* d_x holds at least 4 n + 8 floats; n is a multiple of 128. */
extern "C" void offset_load_float2(float *d_x, int n, float *d_y)
{
    load_float2<<<n / 128, 128>>>((const char *)d_x, d_y);
}

extern "C" void offset_load_float4(float *d_x, int n, float *d_y)
{
    load_float4<<<n / 128, 128>>>((const char *)d_x, d_y);
}

extern "C" void offset_store_float2(float *d_x, int n, float *d_y)
{
    (void)d_y;
    store_float2<<<n / 128, 128>>>((char *)d_x);
}

extern "C" void offset_store_float4(float *d_x, int n, float *d_y)
{
    (void)d_y;
    store_float4<<<n / 128, 128>>>((char *)d_x);
}

extern "C" void offset_copy_async_4(float *d_x, int n, float *d_y)
{
    copy_async<4><<<n / 128, 128>>>((const char *)d_x, d_y, 4);
}

extern "C" void offset_copy_async_8(float *d_x, int n, float *d_y)
{
    copy_async<8><<<n / 128, 128>>>((const char *)d_x, d_y, 8);
}

extern "C" void offset_copy_async_16(float *d_x, int n, float *d_y)
{
    copy_async<16><<<n / 128, 128>>>((const char *)d_x, d_y, 16);
}
