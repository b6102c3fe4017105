/*
 * Lab 07, step 08: a side path. Step 02 with x fetched through a texture.
 *
 * The change: a texture object describes an array for the texture unit, which fetches elements on its own
 * path, converts formats, interpolates, and knows what to do at the edges. As memory it is for reading only,
 * and cached for neighbors in space. Here nothing of all that is needed. Expected: no gain. The texture unit
 * shares L1 with ordinary loads, answers fewer of them in a cycle, and making the object costs a call by
 * itself.
 */
#include "common/check.h"
#include "lab07.h"

#define THREADS 256

__constant__ real c_h[LAB07_TAPS];

/* There are no texels of type double: one is fetched as two ints, which are put together. */
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

/* x: 0 if there is no texture, then d_x is read as ever. */
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
 * A texture over d_x; 0 if there cannot be one: it begins at a multiple of 512 bytes, where cudaMalloc's
 * results do and parts of arrays may not, and has at most 2^27 or 2^28 elements.
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
    description.readMode = cudaReadModeElementType; /* as they are, not as fractions of the largest */
    if (cudaCreateTextureObject(&texture, &resource, &description, NULL) != cudaSuccess) {
        cudaGetLastError(); /* expected, and dealt with */
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
