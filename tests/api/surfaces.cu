/* Surface objects over arrays of all shapes: bytes written by kernels, read by them, by textures and by
 * copies; what happens outside. */
#include <string.h>

#include "common/check.h"

enum { WIDTH = 6, HEIGHT = 4, DEPTH = 3 };

static cudaSurfaceObject_t surface_over(cudaArray_t array)
{
    cudaResourceDesc resource = {}, asked = {};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    CHECK(cudaGetSurfaceObjectResourceDesc(&asked, surface));
    if (asked.res.array.array != array)
        printf("another array\n");
    return surface;
}

static cudaTextureObject_t texture_over(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    description.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    return texture;
}

__global__ void fill_2d(cudaSurfaceObject_t s)
{
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * (int)sizeof(uchar4), y);
}

/* Turns the picture upside down, through registers of the channels. */
__global__ void flip_2d(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;
    uchar4 texel;
    surf2Dread(&texel, from, x * (int)sizeof texel, HEIGHT - 1 - y);
    surf2Dwrite(texel, to, x * (int)sizeof texel, y);
}

__global__ void show_texture(cudaTextureObject_t t, unsigned *sum)
{
    uchar4 texel = tex2D<uchar4>(t, threadIdx.x, threadIdx.y);
    atomicAdd(sum, (texel.x + 10 * texel.y + texel.z) * (threadIdx.x + 1 + 7 * threadIdx.y));
}

static void two_dimensions(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t first, second;
    uchar4 back[HEIGHT][WIDTH];
    unsigned *sum;
    CHECK(cudaMallocManaged(&sum, sizeof *sum));
    CHECK(cudaMallocArray(&first, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&second, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t to = surface_over(second);
    fill_2d<<<1, dim3(WIDTH, HEIGHT)>>>(surface_over(first));
    flip_2d<<<1, dim3(WIDTH, HEIGHT)>>>(surface_over(first), to);
    CHECK(cudaMemcpy2DFromArray(back, sizeof back[0], second, 0, 0, sizeof back[0], HEIGHT,
                                cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            printf("%d,%d,%d,%d%c", back[y][x].x, back[y][x].y, back[y][x].z, back[y][x].w,
                   x == WIDTH - 1 ? '\n' : ' ');
    *sum = 0;
    show_texture<<<1, dim3(WIDTH, HEIGHT)>>>(texture_over(second), sum);
    CHECK(cudaDeviceSynchronize());
    printf("sum through a texture: %u\n", *sum);
    CHECK(cudaDestroySurfaceObject(to));
    printf("destroyed twice: %s\n", cudaGetErrorName(cudaDestroySurfaceObject(to)));
    cudaGetLastError();
}

/* Elements of 1 to 16 bytes at the same bytes. */
__global__ void all_sizes(cudaSurfaceObject_t s)
{
    surf1Dwrite(make_uint4(0x03020100, 0x07060504, 0x0b0a0908, 0x8f0e0d0c), s, 0);
    unsigned char a = surf1Dread<unsigned char>(s, 15);
    short b = surf1Dread<short>(s, 14);
    int c = surf1Dread<int>(s, 4);
    long long d = surf1Dread<long long>(s, 8);
    short2 e = surf1Dread<short2>(s, 4);
    int2 f = surf1Dread<int2>(s, 8);
    longlong2 g = surf1Dread<longlong2>(s, 0);
    printf("%x %d %x %llx %x,%x %x,%x %llx,%llx\n", a, b, c, d, e.x, e.y, f.x, f.y, g.x, g.y);
}

__global__ void outside(cudaSurfaceObject_t s)
{
    for (int x = -2; x < 6; x++) {
        surf1Dwrite(100 + x, s, x * 4, cudaBoundaryModeZero);
        printf(" %d/%d", surf1Dread<int>(s, x * 4, cudaBoundaryModeZero),
               surf1Dread<int>(s, x * 4, cudaBoundaryModeClamp));
    }
    surf1Dwrite(7, s, 400, cudaBoundaryModeClamp);
    printf(", last %d\n", surf1Dread<int>(s, 12));
}

static void one_dimension(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 4, 0, cudaArraySurfaceLoadStore));
    all_sizes<<<1, 1>>>(surface_over(array));
    outside<<<1, 1>>>(surface_over(array));
    CHECK(cudaDeviceSynchronize());
}

__global__ void fill_3d(cudaSurfaceObject_t volume, cudaSurfaceObject_t layers)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    surf3Dwrite((float)(x + 10 * y + 100 * z), volume, x * (int)sizeof(float), y, z);
    __syncthreads();
    float value;
    surf3Dread(&value, volume, (WIDTH - 1 - x) * (int)sizeof(float), y, z);
    surf2DLayeredwrite(value, layers, x * (int)sizeof(float), y, DEPTH - 1 - z);
}

__global__ void show_layers(cudaSurfaceObject_t layers)
{
    for (int z = 0; z < DEPTH; z++) {
        float first, last;
        surf2DLayeredread(&first, layers, 0, 0, z);
        surf2DLayeredread(&last, layers, (WIDTH - 1) * (int)sizeof(float), HEIGHT - 1, z);
        printf("layer %d: %g to %g\n", z, first, last);
    }
}

static void slices(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t volume, layers;
    CHECK(cudaMalloc3DArray(&volume, &format, make_cudaExtent(WIDTH, HEIGHT, DEPTH),
                            cudaArraySurfaceLoadStore));
    CHECK(cudaMalloc3DArray(&layers, &format, make_cudaExtent(WIDTH, HEIGHT, DEPTH),
                            cudaArraySurfaceLoadStore | cudaArrayLayered));
    fill_3d<<<1, dim3(WIDTH, HEIGHT, DEPTH)>>>(surface_over(volume), surface_over(layers));
    show_layers<<<1, 1>>>(surface_over(layers));
    CHECK(cudaDeviceSynchronize());
}

__global__ void beyond(cudaSurfaceObject_t s)
{
    surf2Dwrite(1.0f, s, (int)threadIdx.x * (int)sizeof(float), HEIGHT);
}

static void wrong_uses(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    cudaArray_t plain, good;
    CHECK(cudaMallocArray(&plain, &format, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&good, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = plain;
    printf("without cudaArraySurfaceLoadStore: %s\n",
           cudaGetErrorName(cudaCreateSurfaceObject(&surface, &resource)));
    cudaGetLastError();
    beyond<<<1, 8>>>(surface_over(good));
    printf("below the last row: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

int main(void)
{
    two_dimensions();
    one_dimension();
    slices();
    wrong_uses();
    return 0;
}
