/*
 * Lab 07, step 08: a side path. Step 02 with x fetched through a texture.
 *
 * The change: a texture object describes an array to the texture unit, which fetches elements on its own path,
 * converts formats, interpolates, and has rules for the edges. Kernels can only read it, and its cache is made for
 * neighbors in 2-D. This lab needs none of these. Expected: no gain. The texture unit shares L1 with ordinary loads
 * and answers fewer requests per cycle, and each call must first create the object.
 */
#include "common/check.h"
#include "lab07.h"

#define THREADS 256

__constant__ real c_h[LAB07_TAPS];

/* Textures have no elements of type double: fetch one as two ints and join them. */
#ifdef REAL_DOUBLE
typedef int2 texel;
static __device__ real value_of(texel v)
{
    return __hiloint2double(v.y, v.x);
}
#else
typedef float texel;
static __device__ real value_of(texel v)
{
    return v;
}
#endif

/* x: the texture, or 0 if there is none; then ordinary loads read d_x. */
__global__ void convolve(cudaTextureObject_t x, const real *d_x, int n, real *d_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n + LAB07_TAPS - 1) {
        return;
    }
    real sum = 0;
#pragma unroll
    for (int k = 0; k < LAB07_TAPS; k++) {
        const int j = i - k;
        if (j >= 0 && j < n) {
            sum += c_h[k] * (x != 0 ? value_of(tex1Dfetch<texel>(x, j)) : d_x[j]);
        }
    }
    d_y[i] = sum;
}

/*
 * A texture of d_x, or 0 if that is not possible. A texture must begin at a multiple of 512 bytes, as arrays from
 * cudaMalloc do but parts of arrays may not, and has at most 2^27 or 2^28 elements.
 */
static cudaTextureObject_t texture_of(const real *d_x, int n)
{
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc description = {};
    cudaTextureObject_t texture = 0;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)d_x;
    resource.res.linear.desc = cudaCreateChannelDesc<texel>();
    resource.res.linear.sizeInBytes = n * sizeof(real);
    description.readMode = cudaReadModeElementType; /* the values themselves, not scaled to 0 ... 1 */
    if (cudaCreateTextureObject(&texture, &resource, &description, NULL) != cudaSuccess) {
        cudaGetLastError(); /* this error is expected: clear it */
        return 0;
    }
    return texture;
}

void lab07_convolve(const real *d_x, int n, const real *d_h, real *d_y)
{
    if (n == 0) {
        return;
    }
    CHECK(cudaMemcpyToSymbolAsync(c_h, d_h, sizeof(c_h), 0, cudaMemcpyDeviceToDevice));
    const cudaTextureObject_t x = texture_of(d_x, n);
    const int outputs = n + LAB07_TAPS - 1;
    convolve<<<(outputs + THREADS - 1) / THREADS, THREADS>>>(x, d_x, n, d_y);
    CHECK(cudaGetLastError());
    if (x != 0) {
        CHECK(cudaDeviceSynchronize()); /* the object must live as long as the kernel */
        CHECK(cudaDestroyTextureObject(x));
    }
}
