/* Cube maps, plain and layered; gathered texels; levels and gradients, of textures that have no mipmaps. */
#include "common/check.h"

enum { SIDE = 2, FACES = 6 };

static cudaTextureObject_t texture_over(cudaArray_t array, int unit)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (int i = 0; i < 3; i++)
        description.addressMode[i] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    description.normalizedCoords = unit;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    return texture;
}

/* Texels are 1000 * layer + 100 * face + 10 * row + column. */
static cudaArray_t cube(int layers, unsigned flags)
{
    static float texels[2 * FACES][SIDE][SIDE];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms copy = {};
    cudaArray_t array;
    for (int f = 0; f < layers * FACES; f++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                texels[f][y][x] = 1000 * (f / FACES) + 100 * (f % FACES) + 10 * y + x;
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(SIDE, SIDE, layers * FACES), flags));
    copy.srcPtr = make_cudaPitchedPtr(texels, SIDE * sizeof(float), SIDE, SIDE);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(SIDE, SIDE, layers * FACES);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

__global__ void look_around(cudaTextureObject_t plain, cudaTextureObject_t layered)
{
    const float3 directions[] = {{1, 0.5f, 0.25f},  {-1, 0.5f, 0.25f}, {0.5f, 1, 0.25f},
                                 {0.5f, -1, 0.25f}, {0.5f, 0.25f, 1},  {0.5f, 0.25f, -1}};
    for (int i = 0; i < 6; i++) {
        float3 d = directions[i];
        printf(" %g/%g", texCubemap<float>(plain, d.x, d.y, d.z),
               texCubemapLayered<float>(layered, 3 * d.x, 3 * d.y, 3 * d.z, 1));
    }
    printf("\n");
}

__global__ void gather(cudaTextureObject_t t)
{
    float4 first = tex2Dgather<float4>(t, 1.0f, 1.0f, 0), second = tex2Dgather<float4>(t, 2.0f, 1.0f, 1);
    printf("gathered: %g %g %g %g, %g %g %g %g\n", first.x, first.y, first.z, first.w, second.x, second.y,
           second.z, second.w);
    printf("levels: %g %g\n", tex2DLod<float2>(t, 1.5f, 0.5f, 0).x,
           tex2DGrad<float2>(t, 1.5f, 0.5f, make_float2(0.5f, 0), make_float2(0, 0.5f)).y);
}

int main(void)
{
    float2 texels[3][4];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
    cudaArray_t flat, none;
    look_around<<<1, 1>>>(texture_over(cube(1, cudaArrayCubemap), 1),
                          texture_over(cube(2, cudaArrayCubemap | cudaArrayLayered), 1));
    CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            texels[y][x] = make_float2(10 * y + x, 100 + 10 * y + x);
    CHECK(cudaMallocArray(&flat, &format, 4, 3, cudaArrayTextureGather));
    CHECK(cudaMemcpy2DToArray(flat, 0, 0, texels, sizeof texels[0], sizeof texels[0], 3,
                              cudaMemcpyHostToDevice));
    gather<<<1, 1>>>(texture_over(flat, 0));
    CHECK(cudaDeviceSynchronize());
    printf("five faces: %s\n",
           cudaGetErrorName(cudaMalloc3DArray(&none, &format, make_cudaExtent(2, 2, 5), cudaArrayCubemap)));
    return 0;
}
