/* Work on bytes: text, images, checksums, a cellular automaton. */
#include <stddef.h>

#include "tests/gpu/kernels/kernels.h"

/* How often a word of four letters occurs in a text of bytes. */
static __global__ void find_word(const unsigned char *text, unsigned *y, int n)
{
    const int i = INDEX;
    if (i + 4 <= n && text[i] == 17 && text[i + 1] % 2 == 0 && text[i + 2] > 8 && text[i + 3] != 0) {
        atomicAdd(y, 1u);
    }
}

static __global__ void upper_case(const uchar4 *text, uchar4 *y)
{
    uchar4 v = text[INDEX];
    v.x -= v.x >= 'a' && v.x <= 'z' ? 32 : 0;
    v.y -= v.y >= 'a' && v.y <= 'z' ? 32 : 0;
    v.z -= v.z >= 'a' && v.z <= 'z' ? 32 : 0;
    v.w -= v.w >= 'a' && v.w <= 'z' ? 32 : 0;
    y[INDEX] = v;
}

/* FNV-1a of 64 bytes per thread. */
static __global__ void hash_records(const unsigned char *text, unsigned *y)
{
    const unsigned char *mine = text + INDEX * 64;
    unsigned hash = 2166136261u;
    for (int k = 0; k < 64; k++) {
        hash = (hash ^ mine[k]) * 16777619u;
    }
    y[INDEX] = hash;
}

/* CRC-32 by a table in shared memory. */
static __global__ void crc_records(const unsigned *u, unsigned *y, int words)
{
    __shared__ unsigned table[256];
    unsigned entry = threadIdx.x;
    for (int k = 0; k < 8; k++) {
        entry = entry >> 1 ^ (entry & 1 ? 0xedb88320u : 0);
    }
    table[threadIdx.x] = entry;
    __syncthreads();
    unsigned crc = ~0u;
    for (int k = 0; k < words; k++) {
        unsigned v = u[k * gridDim.x * blockDim.x + INDEX];
        for (int byte = 0; byte < 4; byte++, v >>= 8) {
            crc = crc >> 8 ^ table[(crc ^ v) & 255];
        }
    }
    y[INDEX] = ~crc;
}

static __global__ void gray_image(const uchar4 *image, unsigned char *y)
{
    const uchar4 v = image[INDEX];
    y[INDEX] = (unsigned char)(0.299f * v.x + 0.587f * v.y + 0.114f * v.z);
}

/* The game of life on bytes. */
static __global__ void life(const unsigned char *x, unsigned char *y, int n)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    int neighbors = 0;
    if (c > 0 && c < n - 1 && r > 0 && r < n - 1) {
        for (int k = 0; k < 9; k++) {
            neighbors += k == 4 ? 0 : x[(r + k / 3 - 1) * n + c + k % 3 - 1] & 1;
        }
        y[r * n + c] = neighbors == 3 || (neighbors == 2 && (x[r * n + c] & 1));
    }
}

#define U(T)  ((const T *)b->u)
#define Y(T)  ((T *)b->y)
#define PLANE <<<dim3(n / 32, n / 8), dim3(32, 8)>>>

const struct model_kernel model_bytes[] = {
    {"find_word",
     "bytes",
     {1 << 21, 1 << 24, 1 << 26},
     RUN(find_word<<<n / 256, 256>>>(U(unsigned char), Y(unsigned), n))},
    {"upper_case",
     "bytes",
     {1 << 21, 1 << 23, 1 << 24},
     RUN(upper_case<<<n / 256, 256>>>(U(uchar4), Y(uchar4)))},
    {"hash_records",
     "bytes",
     {1 << 16, 1 << 18, 1 << 20},
     RUN(hash_records<<<n / 128, 128>>>(U(unsigned char), Y(unsigned)))},
    {"crc_records", "bytes", {8, 16, 48}, RUN(crc_records<<<b->sms * 8, 256>>>(b->u, Y(unsigned), n))},
    {"gray_image",
     "bytes",
     {1 << 21, 1 << 23, 1 << 24},
     RUN(gray_image<<<n / 256, 256>>>(U(uchar4), Y(unsigned char)))},
    {"life", "bytes", {1024, 2048, 4096}, RUN(life PLANE(U(unsigned char), Y(unsigned char), n))},
    END,
};
