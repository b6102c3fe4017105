/* A picture with padded rows: cudaMallocPitch, cudaMemcpy2D, cudaMemset2D. */
#include "common/check.h"

__global__ void flip(const unsigned char *in, size_t in_pitch, unsigned char *out, size_t out_pitch,
                     int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * out_pitch + x] = in[y * in_pitch + width - 1 - x];
}

int main(void)
{
    const int width = 37, height = 21;
    unsigned char h_in[height][width], h_out[height][width];
    unsigned char *d_in, *d_out;
    size_t in_pitch, out_pitch;
    int wrong = 0;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            h_in[y][x] = (unsigned char)(7 * y + x);
    CHECK(cudaMallocPitch(&d_in, &in_pitch, width, height));
    CHECK(cudaMallocPitch(&d_out, &out_pitch, width, height));
    CHECK(cudaMemcpy2D(d_in, in_pitch, h_in, width, width, height, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(d_out, out_pitch, 0xee, width, height));
    flip<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d_in, in_pitch, d_out, out_pitch,
                                                                        width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(h_out, width, d_out, out_pitch, width, height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += h_out[y][x] != h_in[y][width - 1 - x];
    printf("%d wrong, rows of %d bytes lie a multiple of 32 apart: %s\n", wrong, width,
           in_pitch % 32 == 0 ? "yes" : "no");
    printf("pitch too small: %s\n", cudaGetErrorName(cudaMemcpy2D(d_in, in_pitch, h_in, width - 1, width,
                                                                  height, cudaMemcpyHostToDevice)));
    cudaGetLastError();
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return 0;
}
