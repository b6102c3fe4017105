#!/bin/bash
# Programs that forget an order are told so, whichever way they end; messages name the lines; what may not cost time.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim || exit 1
simcc=$BUILD/sim/simcc

cat >"$scratch/ends.cu" <<'END_OF_FILE'
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <unistd.h>
__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
int main(int, char **words)
{
    int *p;
    cudaMallocManaged(&p, 128);
    fill<<<1, 32>>>(p, 7);
    if (p[3] == 7)
        puts("too early");
    switch (atoi(words[1])) {
    case 0: exit(1);
    case 1: abort();
    case 2: _exit(2);
    case 3: throw std::runtime_error("nothing catches it");
    case 4: raise(SIGTERM);
    case 5: *(volatile int *)nullptr = 1;
    case 6: quick_exit(3);
    case 8: cudaDeviceSynchronize(), raise(SIGXCPU);
    }
    return 0;
}
END_OF_FILE
"$simcc" -g "$scratch/ends.cu" -o "$scratch/ends" || exit 1
wanted=(1 134 2 134 143 139 3 0 152)
for way in 0 1 2 3 4 5 6 7 8; do
    expect "${wanted[way]}" "in ends.cu:12, which the kernel fill (launched at ends.cu:11" "$scratch/ends" $way
    expect_not "too early"
done
LABS_SIM_HAZARDS=0 expect 0 "" "$scratch/ends" 7
[ -z "$output" ] || fail "without hazards it should say nothing:" "$output"

# Two host threads with --default-stream per-thread have a stream each; without it they share one.
cat >"$scratch/threads.cu" <<'END_OF_FILE'
#include <thread>
__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
int main()
{
    int *p;
    cudaMalloc(&p, 128);
    std::thread other([p] { fill<<<1, 32>>>(p, 1); });
    other.join();
    fill<<<1, 32>>>(p, 2);
    return cudaDeviceSynchronize();
}
END_OF_FILE
"$simcc" "$scratch/threads.cu" -o "$scratch/threads" || exit 1
expect 0 "" "$scratch/threads"
[ -z "$output" ] || fail "one default stream for both threads, but it says:" "$output"
"$simcc" --default-stream per-thread "$scratch/threads.cu" -o "$scratch/threads" || exit 1
expect 0 "launched at threads.cu:7" "$scratch/threads"
expect 0 "launched at threads.cu:9" "$scratch/threads"

# The host's work on memory that is closed meanwhile: slower at first, but right; read() into the next part of a buffer.
cat >"$scratch/meanwhile.cu" <<'END_OF_FILE'
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
int main()
{
    const int n = 1 << 20, part = 1000000;
    int *p, wrong = 0, zeros = open("/dev/zero", O_RDONLY);
    char *from, *to;
    cudaMallocManaged(&p, n * sizeof(int));
    fill<<<n / 512, 256>>>(p, n / 2);
    for (int i = n / 2; i < n; i++)
        p[i] = i;
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        wrong += p[i] != i;
    cudaMallocHost(&from, 2 * part);
    cudaMalloc(&to, 2 * part);
    for (int k = 0; k < 6; k++) {
        if (k > 1)
            cudaStreamSynchronize(0);
        wrong += read(zeros, from + k % 2 * part, part) != part;
        cudaMemcpyAsync(to + k % 2 * part, from + k % 2 * part, part, cudaMemcpyHostToDevice, 0);
    }
    cudaDeviceSynchronize();
    printf("%d wrong\n", wrong);
    return 0;
}
END_OF_FILE
"$simcc" "$scratch/meanwhile.cu" -o "$scratch/meanwhile" || exit 1
expect 0 "0 wrong" "$scratch/meanwhile"
expect_not "simulator:"

# Calls that fail, and copies of what nothing has written, name their line; padding does not count.
cat >"$scratch/copies.cu" <<'END_OF_FILE'
struct padded { double d; char c; };
__global__ void fill(padded *p) { p[threadIdx.x].d = 1; p[threadIdx.x].c = 1; }
__global__ void half(int *p) { p[threadIdx.x] = 1; }
int main()
{
    static padded host[256];
    padded *p;
    int *q, *r;
    cudaMalloc(&p, sizeof host);
    cudaMalloc(&q, 2048), cudaMalloc(&r, 64);
    fill<<<1, 256>>>(p);
    cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
    half<<<1, 256>>>(q);
    cudaMemcpy(host, q, 2048, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, q, 2049, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, r, 64, cudaMemcpyDeviceToHost);
    return 0;
}
END_OF_FILE
"$simcc" "$scratch/copies.cu" -o "$scratch/copies" || exit 1
expect 0 "cudaMemcpy (copies.cu:14, in the default stream) copies bytes to the host that were never written: bytes 1024 to 2047 of the allocation of copies.cu:10; in all 1024 of the 2048 bytes copied. No kernel, copy or cudaMemset wrote them before. Sizes are in bytes: does the kernel, or the copy to the device, reach the end?" "$scratch/copies"
expect 0 "cudaMemcpy (copies.cu:15): source: 2049 bytes from byte 0 on, which is 1 beyond the end" "$scratch/copies"
expect 0 "in all 64 of the 64 bytes copied. No kernel, copy or cudaMemset wrote them before." "$scratch/copies"
[ "$(tr '\n' ' ' <<<"$output" | grep -o "reach the *end" | wc -l)" = 1 ] || fail "only the copy that is written in part asks about its end:" "$output"
expect_not "copies.cu:12"

# A warp that sums without __syncwarp() is told once, not for each pair of lines.
cat >"$scratch/warp.cu" <<'END_OF_FILE'
__device__ void last_warp(volatile int *s, int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void sum(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 32)
        last_warp(s, threadIdx.x);
    if (threadIdx.x == 0)
        *out = s[0];
}
int main()
{
    int *out;
    cudaMalloc(&out, 4);
    sum<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
END_OF_FILE
"$simcc" "$scratch/warp.cu" -o "$scratch/warp" || exit 1
expect 0 "__syncwarp() must stand between them. (and 15 more pairs of lines like these two, from line 4 to line 8)" "$scratch/warp"
[ "$(grep -c "simulator:" <<<"$output")" = 1 ] || fail "one report is enough:" "$output"

# The limits of printf's buffer and of malloc in kernels.
cat >"$scratch/limits.cu" <<'END_OF_FILE'
#include <cstdio>
__global__ void print(int n) { for (int i = 0; i < n; i++) printf("line %d\n", i); }
__global__ void ask(size_t bytes) { void *p = malloc(bytes); printf("%s\n", p ? "there is room" : "no room"); free(p); }
int main()
{
    ask<<<1, 1>>>(16 << 20);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    ask<<<1, 1>>>(16 << 20);
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4096);
    print<<<1, 1>>>(1000);
    cudaDeviceSynchronize();
    return 0;
}
END_OF_FILE
"$simcc" "$scratch/limits.cu" -o "$scratch/limits" || exit 1
expect 0 "$(printf 'no room\nthere is room')" "$scratch/limits"
expect 0 "line 999" "$scratch/limits"
expect 0 "cudaLimitPrintfFifoSize" "$scratch/limits"
expect_not "line 1
"

# 100,000 empty launches, and 1,000 that touch both ends of 8 GB, take less than 2 s of a processor.
cat >"$scratch/launches.cu" <<'END_OF_FILE'
#include <cstdio>
#include <ctime>
__global__ void nothing() {}
__global__ void both_ends(char *x, size_t size) { x[threadIdx.x] = x[size - 1 - threadIdx.x] = 1; }
int main()
{
    const size_t size = 8ull << 30;
    char *x;
    for (int i = 0; i < 100000; i++)
        nothing<<<1, 32>>>();
    cudaMalloc(&x, size);
    for (int i = 0; i < 1000; i++)
        both_ends<<<1, 32>>>(x, size);
    cudaDeviceSynchronize();
    double seconds = (double)clock() / CLOCKS_PER_SEC;
    printf("%.2f s\n", seconds);
    return seconds >= 2;
}
END_OF_FILE
"$simcc" "$scratch/launches.cu" -o "$scratch/launches" || exit 1
expect 0 " s" "$scratch/launches"
