/*
 * Kernels that go wrong. The launch succeeds; the next call that waits returns the error, and so does
 * every call after it: the process has lost its device. So each case has a process of its own.
 */
#include "common/check.h"

#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void beyond_the_end(int *x)
{
    x[1 << 28] = 1;
}

__global__ void null_pointer(int *x)
{
    int *nothing = x - ((size_t)x / 4);
    *nothing = 1;
}

__global__ void misaligned(int *x)
{
    *(int *)((char *)x + 1) = 1;
}

__global__ void traps(int *x)
{
    if (x != NULL)
        asm volatile("trap;");
}

__global__ void asserts(int *x)
{
    assert(x == NULL);
}

typedef void (*kernel_type)(int *);

static void run(const char *name, kernel_type kernel)
{
    int *x, h = 0;

    CHECK(cudaMalloc(&x, 4));
    kernel<<<1, 1>>>(x);
    printf("%-14s launch: %s", name, cudaGetErrorName(cudaGetLastError()));
    printf("; wait: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("; copy: %s", cudaGetErrorName(cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost)));
    kernel<<<1, 1>>>(NULL);
    printf("; last: %s", cudaGetErrorName(cudaGetLastError()));
    printf("; last again: %s\n", cudaGetErrorName(cudaGetLastError()));
}

static void run_in_child(const char *name, kernel_type kernel)
{
    fflush(stdout);
    if (fork() == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL) /* a failed assertion names its line there */
            exit(1);
        run(name, kernel);
        exit(0);
    }
    wait(NULL);
}

int main(void)
{
    run_in_child("beyond the end", beyond_the_end);
    run_in_child("null pointer", null_pointer);
    run_in_child("misaligned", misaligned);
    run_in_child("trap", traps);
    run_in_child("assert", asserts);
    return 0;
}
