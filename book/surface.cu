/*
 * A surface object: a CUDA array that a kernel reads and writes, texel by texel. One step of heat spreading through a
 * plate, from one array to another and back. book/memories.md explains it.
 *
 *     make book-surface ARGS="100 60"       width and height
 */
#include "common/play.h"

#define SIDE 16

/* A row or column outside the plate is replaced by the one at its edge. */
static __host__ __device__ int inside(int i, int count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

__device__ float texel(cudaSurfaceObject_t plate, int column, int row, int width, int height)
{
    float value;
    surf2Dread(&value, plate, inside(column, width) * (int)sizeof(float), inside(row, height));
    return value;
}

__global__ void spread(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    const int c = blockIdx.x * SIDE + threadIdx.x, r = blockIdx.y * SIDE + threadIdx.y;
    if (c < width && r < height) {
        const float sum = (texel(from, c - 1, r, width, height) + texel(from, c + 1, r, width, height)) +
                          (texel(from, c, r - 1, width, height) + texel(from, c, r + 1, width, height));
        surf2Dwrite(sum / 4, to, c * (int)sizeof(float), r); /* the column is given in bytes */
    }
}

struct plate {
    cudaArray_t array;
    cudaSurfaceObject_t surface;
};

static struct plate new_plate(int width, int height)
{
    struct plate plate;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&plate.array, &format, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = plate.array;
    CHECK(cudaCreateSurfaceObject(&plate.surface, &resource));
    return plate;
}

static void spread_on_host(const float *from, float *to, int width, int height)
{
    for (int r = 0; r < height; r++)
        for (int c = 0; c < width; c++) {
            const float beside =
                from[r * width + inside(c - 1, width)] + from[r * width + inside(c + 1, width)];
            const float above =
                from[inside(r - 1, height) * width + c] + from[inside(r + 1, height) * width + c];
            to[r * width + c] = (beside + above) / 4;
        }
}

int main(int argc, char **argv)
{
    struct play play = play_begin();
    const int width = play_size(&play, argc, argv, 1, "width", 8000, 100, 1);
    const int height = play_size(&play, argc, argv, 2, "height", 6000, 60, 1);
    const size_t row = width * sizeof(float), bytes = row * height;
    float *h_x = (float *)play_host(bytes), *want = (float *)play_host(bytes),
          *found = (float *)play_host(bytes);
    for (size_t i = 0; i < bytes / sizeof(float); i++)
        h_x[i] = (float)(play_random((unsigned)i) % 1000);
    struct plate first = new_plate(width, height), second = new_plate(width, height);
    CHECK(cudaMemcpy2DToArray(first.array, 0, 0, h_x, row, row, height, cudaMemcpyHostToDevice));
    const dim3 grid((width + SIDE - 1) / SIDE, (height + SIDE - 1) / SIDE), block(SIDE, SIDE);
    spread<<<grid, block>>>(first.surface, second.surface, width, height);
    CHECK(cudaGetLastError());
    spread<<<grid, block>>>(second.surface, first.surface, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2DFromArray(found, row, first.array, 0, 0, row, height, cudaMemcpyDeviceToHost));
    spread_on_host(h_x, want, width, height);
    spread_on_host(want, h_x, width, height);
    const bool right = memcmp(found, h_x, bytes) == 0;
    printf("  two steps of %d x %d through surfaces: %s\n", width, height, right ? "right" : "WRONG");
    CHECK(cudaDestroySurfaceObject(first.surface));
    CHECK(cudaDestroySurfaceObject(second.surface));
    CHECK(cudaFreeArray(first.array));
    CHECK(cudaFreeArray(second.array));
    CHECK(cudaFree(play.d_flush));
    free(h_x), free(want), free(found);
    return !right;
}
