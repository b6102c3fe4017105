#!/bin/bash
# LABS_SIM_REPEATS: launches that repeat others are run unwatched when enough has been watched: what is still told, what is
# not, and what the summary says.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim || exit 1

cat >"$scratch/judge.c" <<'END'
#include "sim/device/sim.h"
void judge(void) { sim_report_at_exit(false); }
int is_unwatched(void) { return sim_last_result()->unwatched; }
END
cat >"$scratch/repeats.cu" <<'END'
#include <cstdio>
#include <cstring>
extern "C" void judge(void);
extern "C" int is_unwatched(void);
__global__ void reverse(int *x)
{
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void scatter(const int *to, int *x)
{
    x[to[threadIdx.x]] = threadIdx.x;
}
__global__ void sometimes(const int *to, int *x)
{
    if (to[0] > 0)
        x[0] = threadIdx.x;
}
__global__ void copy(int *x, const int *y) { x[threadIdx.x] = y[threadIdx.x]; }
__global__ void meet(int *x)
{
    if (threadIdx.x == 0) {
        atomicAdd(x, 1);
        while (atomicAdd(x, 0) % gridDim.x > 0)
            ;
    }
}
static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }
int main(int, char **argv)
{
    const char *what = argv[1];
    int *to, *x, host[64], unwatched = 0;
    cudaMalloc(&to, sizeof host);
    cudaMalloc(&x, 8 * sizeof host);
    if (is(what, "judged"))
        judge();
    for (int k = 0; k < 6; k++) {
        const bool changed = k >= 4;
        for (int i = 0; i < 64; i++)
            host[i] = !changed              ? i
                      : is(what, "meet")    ? (i ^ 32) / 2
                      : is(what, "leave")   ? i << 20
                      : is(what, "further") ? i + 64
                                            : i;
        if (is(what, "sometimes"))
            host[0] = changed;
        cudaMemcpy(to, host, sizeof host, cudaMemcpyHostToDevice);
        if (is(what, "race") || is(what, "judged"))
            reverse<<<1, 64>>>(to);
        else if (is(what, "sometimes"))
            sometimes<<<1, 64>>>(to, x);
        else if (is(what, "wait")) {
            void *arguments[] = {&x};
            cudaMemset(x, 0, 4);
            cudaLaunchCooperativeKernel((const void *)meet, dim3(8), dim3(64), arguments, 0, 0);
        } else
            scatter<<<1, is(what, "wider") ? 8 + k : 64>>>(to, is(what, "elsewhere") ? x + k : x);
        cudaDeviceSynchronize();
        unwatched += is_unwatched();
    }
    if (is(what, "further"))
        copy<<<1, 64>>>(to, x + 64);
    printf("%d unwatched, %s\n", unwatched, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
END
gcc -c -I. "$scratch/judge.c" -o "$scratch/judge.o" || exit 1
expect 0 "" "$BUILD/sim/simcc" "$scratch/repeats.cu" "$scratch/judge.o" -o "$scratch/repeats"

# repeats TEXT HOW-MUCH-IS-WATCHED WHAT
repeats() {
    expect 0 "$1" env SIMCC_SUMMARY=text "LABS_SIM_REPEATS=$2" "$scratch/repeats" "$3"
}

# What the watched ones show is told, and how many they were is said.
repeats "4 unwatched, cudaSuccess" 1 race
contains "race on shared array s" || fail "the race is not told" "$output"
contains "watched: 2 of 6 launches" || fail "how many were watched?" "$output"
repeats "4 unwatched, cudaSuccess" 1 plain
contains "no hazards in the launches that were watched" || fail "of which launches?" "$output"
expect_not "another number of times"
counted() { grep -E '^    [a-z_0-9]+ +[0-9]+$' <<<"$output"; }
few=$(counted)
repeats "0 unwatched, cudaSuccess" 0 plain
expect_not "watched:"
[ "$few" = "$(counted)" ] || fail "the counters differ:" "$few" "$output"

# Without being asked only after much work; never for other arguments or sizes, nor where lines are profiled.
expect 0 "0 unwatched" "$scratch/repeats" plain
repeats "0 unwatched" 1 elsewhere
repeats "0 unwatched" 1 wider
expect 0 "0 unwatched" env LABS_SIM_REPEATS=1 LABS_SIM_PROFILE=1 "$scratch/repeats" plain
# Who judges watches all.
expect 0 "0 unwatched" env LABS_SIM_REPEATS=1 "$scratch/repeats" judged

# A race that comes with other contents of memory is not seen ...
repeats "4 unwatched" 1 meet
expect_not "race in global memory"
repeats "race in global memory" 0 meet
# ... unless other instructions are executed: then the next launch is watched again.
repeats "3 unwatched" 1 sometimes
contains "in the same instruction at line 18" || fail "the race of the sixth launch is not told" "$output"
contains "Of the others, 1 executed their instructions another number of times" || fail "no word of it" "$output"
# Threads that wait for each other take other turns where nothing watches: that is found out once.
repeats "3 unwatched" 1 wait

# What an unwatched launch has written is known; what it must not access stops it.
repeats "no hazards in the launches" 1 further
repeats "cudaErrorIllegalAddress" 1 leave
contains "repeats.cu:13" || fail "at which line?" "$output"
exit 0
