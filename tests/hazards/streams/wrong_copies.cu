/*
 * Wrong programs: copies of what is not there; reports of programs that end early. "// <-" marks the
 * lines that one report must name (../README.md). The sentence before each says why it is wrong.
 */
#include "tests/hazards/streams/programs.h"

#include <csignal>
#include <stdexcept>
#include <unistd.h>

/* ---- copies of what is not there ---- */

/* No kernel and no copy has written the array. */
PROGRAM(never_written_copied_back)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* The kernel writes half of what is copied. */
PROGRAM(half_written_copied_back)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    fill_half<<<GRID(0)>>>(p, 7, 0);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* Elements are counted where bytes are wanted: a quarter is set. */
PROGRAM(memset_of_too_few_bytes)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemset(p, 0, N);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* Elements are counted where bytes are wanted: a quarter is copied to the device, and all of it back. */
PROGRAM(copy_of_too_few_bytes)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemcpy(p, host, N, cudaMemcpyHostToDevice);
    add<<<1, 256>>>(p, 1, 0);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* The left half of each row is written, and whole rows are copied. */
PROGRAM(rows_never_written_copied_back)
{
    static int host[N];
    int *p;
    cudaMalloc(&p, BYTES);
    cudaMemset2D(p, 256, 1, 128, 16);
    cudaMemcpy2D(host, 256, p, 256, 256, 16, cudaMemcpyDeviceToHost); // <-
    return 0;
}
/* Fresh memory is copied within the device, then to the host: one of the two copies is named. */
PROGRAM(never_written_copied_twice)
{
    static int host[N];
    int *p, *q;
    cudaMalloc(&p, BYTES);
    cudaMalloc(&q, BYTES);
    cudaMemcpy(q, p, BYTES, cudaMemcpyDeviceToDevice);  // <- or
    cudaMemcpy(host, q, BYTES, cudaMemcpyDeviceToHost); // <- or
    return 0;
}

/* ---- sizes that do not fit ---- */

static __constant__ int factor;

PROGRAM(copy_past_the_end)
{
    static int host[2 * N];
    int *p;
    cudaMalloc(&p, BYTES);
    return cudaMemcpy(p, host, 2 * BYTES, cudaMemcpyHostToDevice) == cudaSuccess; // <-
}
PROGRAM(copied_back_past_the_end)
{
    static int host[2 * N];
    int *p = zeros_on_device();
    return cudaMemcpy(host, p + 8, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess; // <-
}
PROGRAM(memset_past_the_end)
{
    int *p;
    cudaMalloc(&p, BYTES);
    return cudaMemset(p, 0, BYTES + 4) == cudaSuccess; // <-
}
PROGRAM(rows_past_the_end)
{
    static int host[2 * N];
    int *p = zeros_on_device();
    return cudaMemcpy2D(host, 256, p, 256, 256, 17, cudaMemcpyDeviceToHost) == cudaSuccess; // <-
}
/* The pinned array is smaller than what is copied into it. */
PROGRAM(pinned_array_too_small)
{
    int *host, *p = zeros_on_device();
    cudaMallocHost(&host, BYTES / 2);
    return cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess; // <-
}
PROGRAM(symbol_too_small)
{
    int two[2] = {1, 2};
    return cudaMemcpyToSymbol(factor, two, sizeof two) == cudaSuccess; // <-
}
PROGRAM(asynchronous_copy_past_the_end)
{
    int *p, *host;
    cudaStream_t a = new_stream();
    cudaMalloc(&p, BYTES);
    cudaMallocHost(&host, 2 * BYTES);
    memset(host, 0, 2 * BYTES);
    return cudaMemcpyAsync(p, host, 2 * BYTES, cudaMemcpyHostToDevice, a) == cudaSuccess; // <-
}

/* ---- programs that do not end in the usual way: what was found is said all the same ---- */

PROGRAM(ends_by_abort)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    abort();
}
PROGRAM(ends_by_exit_at_once)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    _exit(3);
}
PROGRAM(ends_by_an_exception)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    throw std::runtime_error("nothing catches this");
}
PROGRAM(ends_by_a_fault_of_the_host)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    return p[0]; /* memory of the device */
}
PROGRAM(ends_by_a_signal)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaDeviceSynchronize();
    raise(SIGTERM);
    return 0;
}
/* The program ends, and waits for nothing. */
PROGRAM(ends_without_a_wait)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    return 0;
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(never_written_copied_back),
    ROW(half_written_copied_back),
    ROW(memset_of_too_few_bytes),
    ROW(copy_of_too_few_bytes),
    ROW(rows_never_written_copied_back),
    ROW(never_written_copied_twice),
    ROW(copy_past_the_end),
    ROW(copied_back_past_the_end),
    ROW(memset_past_the_end),
    ROW(rows_past_the_end),
    ROW(pinned_array_too_small),
    ROW(symbol_too_small),
    ROW(asynchronous_copy_past_the_end),
    ROW(ends_by_abort),
    ROW(ends_by_exit_at_once),
    ROW(ends_by_an_exception),
    ROW(ends_by_a_fault_of_the_host),
    ROW(ends_by_a_signal),
    ROW(ends_without_a_wait),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
