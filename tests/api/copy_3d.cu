/* Boxes in 3-D: cudaMalloc3D, cudaMemset3D and cudaMemcpy3D in all directions, whole and in part. */
#include "common/check.h"

#include <string.h>

enum { WIDTH = 13, HEIGHT = 5, DEPTH = 3 };

typedef unsigned char box[DEPTH][HEIGHT][WIDTH];

__global__ void add_one(cudaPitchedPtr p)
{
    unsigned char *row = (unsigned char *)p.ptr + (blockIdx.y * p.ysize + blockIdx.x) * p.pitch;
    row[threadIdx.x] += 1;
}

static cudaMemcpy3DParms whole(void *to, size_t to_pitch, void *from, size_t from_pitch,
                               enum cudaMemcpyKind kind)
{
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.dstPtr = make_cudaPitchedPtr(to, to_pitch, WIDTH, HEIGHT);
    p.srcPtr = make_cudaPitchedPtr(from, from_pitch, WIDTH, HEIGHT);
    p.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    p.kind = kind;
    return p;
}

static int sum(const box &b)
{
    int total = 0;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                total += b[z][y][x] * (1 + x + 20 * y + 300 * z);
    return total;
}

/* What the kernel has made of it comes back by way of b. */
static void there_and_back(const cudaPitchedPtr &a, const cudaPitchedPtr &b, box &in, box &out,
                           cudaStream_t stream)
{
    cudaMemcpy3DParms p = whole(a.ptr, a.pitch, in, WIDTH, cudaMemcpyHostToDevice);
    CHECK(cudaMemcpy3D(&p));
    add_one<<<dim3(HEIGHT, DEPTH), WIDTH>>>(a);
    p = whole(b.ptr, b.pitch, a.ptr, a.pitch, cudaMemcpyDeviceToDevice);
    CHECK(cudaMemcpy3D(&p));
    p = whole(out, WIDTH, b.ptr, b.pitch, cudaMemcpyDeviceToHost);
    CHECK(cudaMemcpy3DAsync(&p, stream));
    CHECK(cudaStreamSynchronize(stream));
    int wrong = 0;
    for (int i = 0; i < (int)sizeof in; i++)
        wrong += (&out[0][0][0])[i] != (unsigned char)((&in[0][0][0])[i] + 1);
    printf("there and back: %d wrong, sum %d\n", wrong, sum(out));
}

static void fills(const cudaPitchedPtr &b, box &out, cudaStream_t stream)
{
    CHECK(cudaMemset3D(b, 9, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaMemset3DAsync(b, 1, make_cudaExtent(4, 2, 2), stream));
    CHECK(cudaStreamSynchronize(stream));
    cudaMemcpy3DParms p = whole(out, WIDTH, b.ptr, b.pitch, cudaMemcpyDefault);
    CHECK(cudaMemcpy3D(&p));
    printf("9, with a corner of 1: %d, %d %d %d\n", sum(out), out[1][1][3], out[1][1][4], out[2][0][0]);
}

/* A box of 5 x 2 x 2 from (3, 1, 1) of a to (8, 3, 0) of b. */
static void part(const cudaPitchedPtr &a, const cudaPitchedPtr &b, box &in, box &out)
{
    cudaMemcpy3DParms p = whole(b.ptr, b.pitch, a.ptr, a.pitch, cudaMemcpyDeviceToDevice);
    p.srcPos = make_cudaPos(3, 1, 1);
    p.dstPos = make_cudaPos(8, 3, 0);
    p.extent = make_cudaExtent(5, 2, 2);
    CHECK(cudaMemcpy3D(&p));
    p = whole(out, WIDTH, b.ptr, b.pitch, cudaMemcpyDeviceToHost);
    CHECK(cudaMemcpy3D(&p));
    printf("a part: %d, %d %d %d\n", sum(out), out[0][3][8] - in[1][1][3], out[1][4][12] - in[2][2][7],
           out[0][3][7]);
}

/* All of it as a copy between devices, of which there is one. */
static void between_devices(const cudaPitchedPtr &a, const cudaPitchedPtr &b, box &out, cudaStream_t stream)
{
    cudaMemcpy3DPeerParms peer;
    memset(&peer, 0, sizeof peer);
    peer.srcPtr = a;
    peer.dstPtr = b;
    peer.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    CHECK(cudaMemcpy3DPeer(&peer));
    CHECK(cudaMemcpy3DPeerAsync(&peer, stream));
    CHECK(cudaMemcpyPeer(b.ptr, 0, a.ptr, 0, WIDTH));
    cudaMemcpy3DParms p = whole(out, WIDTH, b.ptr, b.pitch, cudaMemcpyDeviceToHost);
    CHECK(cudaMemcpy3D(&p));
    printf("between devices: %d\n", sum(out));
}

int main(void)
{
    cudaPitchedPtr a, b;
    cudaStream_t stream;
    box in, out;

    for (int i = 0; i < (int)sizeof in; i++)
        (&in[0][0][0])[i] = (unsigned char)(i * 7);
    CHECK(cudaMalloc3D(&a, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaMalloc3D(&b, make_cudaExtent(WIDTH, HEIGHT, DEPTH)));
    CHECK(cudaStreamCreate(&stream));
    printf("%d x %d, the pitch is at least the width: %s\n", (int)a.xsize, (int)a.ysize,
           a.pitch >= WIDTH ? "yes" : "no");
    there_and_back(a, b, in, out, stream);
    fills(b, out, stream);
    part(a, b, in, out);
    between_devices(a, b, out, stream);
    CHECK(cudaMemcpy(out, in, sizeof in, cudaMemcpyHostToHost));
    printf("on the host: %d\n", sum(out));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(a.ptr));
    CHECK(cudaFree(b.ptr));
    return 0;
}
