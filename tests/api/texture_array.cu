/* Textures over arrays and pitched memory: filters, address modes, unit coordinates, layers, copies. */
#include <math.h>
#include <string.h>

#include "common/check.h"

enum { WIDTH = 4, HEIGHT = 3 };

__global__ void show_1d(cudaTextureObject_t t, float first, float step, int count)
{
    for (int i = 0; i < count; i++)
        printf(" %g", tex1D<float>(t, first + i * step));
    printf("\n");
}

__global__ void show_2d(cudaTextureObject_t t, float y, float first, float step, int count)
{
    for (int i = 0; i < count; i++)
        printf(" %g", tex2D<float>(t, first + i * step, y));
    printf("\n");
}

/* Turns a picture by an angle, as textures are good for: 32 x 8 threads, ragged edges. */
__global__ void turn(cudaTextureObject_t in, float *out, int width, int height, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float u = x / (float)width - 0.5f, v = y / (float)height - 0.5f;
    out[y * width + x] =
        tex2D<float>(in, u * cosf(angle) - v * sinf(angle) + 0.5f, v * cosf(angle) + u * sinf(angle) + 0.5f);
}

__global__ void show_layers(cudaTextureObject_t layers, cudaTextureObject_t volume)
{
    printf("layers: %g %g %g, beyond the last: %g\n", tex2DLayered<float>(layers, 1, 1, 0),
           tex2DLayered<float>(layers, 1, 1, 1), tex2DLayered<float>(layers, 2, 0, 1),
           tex2DLayered<float>(layers, 0, 0, 7));
    printf("volume: at a texel's centre %g, between two slices %g\n", tex3D<float>(volume, 1.5f, 1.5f, 0.5f),
           tex3D<float>(volume, 1.5f, 1.5f, 1.0f));
}

struct look {
    cudaTextureAddressMode mode;
    cudaTextureFilterMode filter;
    int unit;
};

static cudaTextureObject_t texture_over(const cudaResourceDesc *resource, look how,
                                        cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    for (int i = 0; i < 3; i++)
        description.addressMode[i] = how.mode;
    description.filterMode = how.filter;
    description.readMode = read;
    description.normalizedCoords = how.unit;
    description.borderColor[0] = -1;
    CHECK(cudaCreateTextureObject(&texture, resource, &description, NULL));
    return texture;
}

static cudaTextureObject_t over_array(cudaArray_t array, look how,
                                      cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return texture_over(&resource, how, read);
}

static void one_dimension(void)
{
    const float texels[WIDTH] = {10, 20, 30, 40};
    const char *modes[] = {"wrap", "clamp", "mirror", "border"};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, WIDTH));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice));
    for (int filter = 0; filter < 2; filter++) {
        for (int mode = 0; mode < 4; mode++) {
            look how = {(cudaTextureAddressMode)mode, (cudaTextureFilterMode)filter, 1};
            printf("%-6s %-6s unit:", filter ? "linear" : "point", modes[mode]);
            fflush(stdout);
            show_1d<<<1, 1>>>(over_array(array, how), -0.375f, 0.25f, 8);
            CHECK(cudaDeviceSynchronize());
        }
        printf("%-6s clamp  texels:", filter ? "linear" : "point");
        fflush(stdout);
        show_1d<<<1, 1>>>(over_array(array, {cudaAddressModeClamp, (cudaTextureFilterMode)filter, 0}), -1,
                          0.75f, 8);
        CHECK(cudaDeviceSynchronize());
    }
    /* Weights have 8 bits behind the point: 1.001 is nearer to 1 than to 1 + 1/256. */
    printf("in steps of 1/256:");
    fflush(stdout);
    show_1d<<<1, 1>>>(over_array(array, {cudaAddressModeClamp, cudaFilterModeLinear, 0}), 1.5f, 0.001f, 4);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeArray(array));
}

/* There and back, by way of another array; the array that remains. */
static cudaArray_t copied_array(const cudaChannelFormatDesc *format, unsigned char texels[HEIGHT][WIDTH])
{
    unsigned char back[HEIGHT][WIDTH];
    cudaChannelFormatDesc asked;
    cudaExtent extent;
    unsigned flags;
    cudaArray_t array, copy;
    CHECK(cudaMallocArray(&array, format, WIDTH, HEIGHT));
    CHECK(cudaMallocArray(&copy, format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DArrayToArray(copy, 0, 0, array, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DFromArray(back, WIDTH, copy, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    CHECK(cudaArrayGetInfo(&asked, &extent, &flags, copy));
    printf("array of %zu x %zu, %d bits, copied there and back: %s\n", extent.width, extent.height, asked.x,
           memcmp(texels, back, sizeof back) == 0 ? "equal" : "different");
    printf("too many rows: %s\n", cudaGetErrorName(cudaMemcpy2DToArray(array, 0, 1, texels, WIDTH, WIDTH,
                                                                       HEIGHT, cudaMemcpyHostToDevice)));
    cudaGetLastError();
    return array;
}

static cudaResourceDesc pitched(const cudaChannelFormatDesc *format, const void *texels)
{
    unsigned char *d_texels;
    size_t pitch;
    CHECK(cudaMallocPitch(&d_texels, &pitch, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2D(d_texels, pitch, texels, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = d_texels;
    resource.res.pitch2D.desc = *format;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    return resource;
}

static void two_dimensions(void)
{
    unsigned char texels[HEIGHT][WIDTH];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i / WIDTH][i % WIDTH] = i * 17;
    cudaArray_t array = copied_array(&format, texels);
    cudaResourceDesc resource = pitched(&format, texels);
    look how = {cudaAddressModeBorder, cudaFilterModeLinear, 0};
    printf("array:");
    fflush(stdout);
    show_2d<<<1, 1>>>(over_array(array, how, cudaReadModeNormalizedFloat), 1.0f, 0, 0.5f, 9);
    CHECK(cudaDeviceSynchronize());
    printf("pitch:");
    fflush(stdout);
    show_2d<<<1, 1>>>(texture_over(&resource, how, cudaReadModeNormalizedFloat), 1.0f, 0, 0.5f, 9);
    CHECK(cudaDeviceSynchronize());
}

static void turned_picture(void)
{
    const int width = 40, height = 27;
    static float picture[height][width], out[height][width];
    float *d_out;
    double largest = 0;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            picture[y][x] = (float)(x + 2 * y);
    CHECK(cudaMallocArray(&array, &format, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, picture, sizeof picture[0], sizeof picture[0], height,
                              cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&d_out, sizeof out));
    turn<<<dim3(2, 4), dim3(32, 8)>>>(over_array(array, {cudaAddressModeClamp, cudaFilterModeLinear, 1}),
                                      d_out, width, height, 0.2f);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int y = 8; y < height - 8; y++) { /* a plane stays one under interpolation */
        for (int x = 8; x < width - 8; x++) {
            double u = x / (double)width - 0.5, v = y / (double)height - 0.5;
            double tu = (u * cos(0.2) - v * sin(0.2) + 0.5) * width - 0.5;
            double tv = (v * cos(0.2) + u * sin(0.2) + 0.5) * height - 0.5;
            largest = fmax(largest, fabs(out[y][x] - (tu + 2 * tv)));
        }
    }
    printf("turned: %s\n", largest <= 3.0 / 512 + 1e-4 ? "right" : "wrong");
}

static void slices(void)
{
    float texels[2][2][2] = {{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t layers, volume;
    cudaMemcpy3DParms copy = {};
    CHECK(cudaMalloc3DArray(&layers, &format, make_cudaExtent(2, 2, 2), cudaArrayLayered));
    CHECK(cudaMalloc3DArray(&volume, &format, make_cudaExtent(2, 2, 2)));
    copy.srcPtr = make_cudaPitchedPtr(texels, 2 * sizeof(float), 2, 2);
    copy.dstArray = layers;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    copy.dstArray = volume;
    CHECK(cudaMemcpy3D(&copy));
    show_layers<<<1, 1>>>(over_array(layers, {cudaAddressModeClamp, cudaFilterModePoint, 0}),
                          over_array(volume, {cudaAddressModeClamp, cudaFilterModeLinear, 0}));
    CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    one_dimension();
    two_dimensions();
    turned_picture();
    slices();
    return 0;
}
