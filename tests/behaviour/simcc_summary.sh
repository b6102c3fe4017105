#!/bin/bash
# At the end of a program that simcc compiled: SIMCC_SUMMARY, SIMCC_ERROR_EXITCODE, SIMCC_SUPPRESSIONS; which model times
# are from.
. "$(dirname "$0")/lib"
export BUILD=build/test
make -s sim || exit 1

cat >"$scratch/race.cu" <<'END'
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
template <int N> __global__ void reverse(int *x)
{
    __shared__ int s[N];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[N - 1 - threadIdx.x];
}
__global__ void twice(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
struct last { ~last() { puts("destructor"); } } last;
int main(int argc, char **argv)
{
    int *x;
    float ms = 0;
    cudaEvent_t begin, end;
    cudaMallocManaged(&x, 6400 * sizeof(int));
    if (argc > 2) {
        cudaEventCreate(&begin);
        cudaEventCreate(&end);
        cudaEventRecord(begin);
    }
    for (int i = 0; i < 3; i++)
        twice<<<100, 64>>>(x);
    if (argc > 2) {
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        printf("%.5f ms\n", ms);
    }
    if (argv[1][0] != 'r')
        reverse<64><<<1, 64>>>(x);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    if (argv[1][0] == '_')
        _exit(3);
    if (argv[1][0] == 'q')
        quick_exit(3);
    return 3;
}
END
race=$scratch/race
expect 0 "" "$BUILD/sim/simcc" "$race.cu" -o "$race"

# Only on request.
expect 3 "race on shared array s" "$race" wrong
expect_not "simulator: summary"
expect 3 "summary, NVIDIA H100" env SIMCC_SUMMARY=text "$race" wrong
contains "race in shared memory 2" || fail "no race in the summary" "$output"
contains "race.cu:7" || contains "race.cu:8" || fail "no line of the race" "$output"
contains "global_load_requests 602" || fail "the counters are not those of 301 blocks of 2 warps" "$output"
grep -Eq '^    twice +3 +0\.0[0-9]+  -[0-9]+% \+[0-9]+% ' <<<"$output" || fail "no time with a margin" "$output"
contains "machine code that ptxas made" || fail "which model?" "$output"
expect 3 "from the PTX alone" env SIMCC_SUMMARY=text LABS_SIM_PTXAS= "$race" wrong
grep -Eq '^    twice +3 +0\.0[0-9]+  not known ' <<<"$output" || fail "a margin without machine code" "$output"
expect 3 "no hazards" env SIMCC_SUMMARY=text "$race" right
expect 3 "hazards were not looked for" env SIMCC_SUMMARY=text LABS_SIM_HAZARDS=0 "$race" wrong

# JSON, read by another program.
expect 3 "destructor" env "SIMCC_SUMMARY=json:$scratch/race.json" "$race" wrong
if command -v python3 >/dev/null; then
    expect 0 "reverse 7 3 6400" python3 - "$scratch/race.json" <<'END'
import json, sys
run = json.load(open(sys.argv[1]))
race = [h for h in run["hazards"] if h["kind"] == "race in shared memory"][0]
twice = [k for k in run["kernels"] if k["name"] == "twice"][0]
assert twice["model"] == "machine code" and twice["least_seconds"] < twice["modeled_seconds"] < twice["most_seconds"]
assert not race["suppressed"] and run["stopped"] == "" and run["counters"]["launches"] == 4
print(race["kernel"], race["here"]["line"], twice["launches"], run["counters"]["blocks"] * 64 // 301 * 100)
END
fi
expect 2 "expected text, json" env SIMCC_SUMMARY=html "$race" wrong
expect 3 "cannot be written" env SIMCC_SUMMARY="text:$scratch/none/file" "$race" right

# The exit status: of a program that returns, with its destructors, and of one that ends at once.
for way in wrong _exit quick; do
    expect 9 "race on shared array s" env SIMCC_ERROR_EXITCODE=9 "$race" $way
    [ $way != wrong ] || contains destructor || fail "the destructor was not called" "$output"
done
expect 3 "destructor" env SIMCC_ERROR_EXITCODE=9 "$race" right
expect 2 "an exit status" env SIMCC_ERROR_EXITCODE=256 "$race" right

# What is known is neither told nor counted.
cat >"$scratch/known" <<'END'
# a comment
race in shared*: race.cu:8
read of uninitialized memory: rev*
END
expect 3 "suppressed: 2" env SIMCC_SUPPRESSIONS="$scratch/known" SIMCC_SUMMARY=text SIMCC_ERROR_EXITCODE=9 "$race" wrong
expect_not "shared array s"
echo "race in shared memory: other.cu:8" >"$scratch/known"
expect 9 "race on shared array s" env SIMCC_SUPPRESSIONS="$scratch/known" SIMCC_ERROR_EXITCODE=9 "$race" wrong
echo "race" >"$scratch/known"
expect 2 "in its line 1" env SIMCC_SUPPRESSIONS="$scratch/known" "$race" wrong
expect 2 "a file that can be read" env SIMCC_SUPPRESSIONS="$scratch/none" "$race" wrong

# Device code of several files: a kernel whose file has all that it calls.
cat >"$scratch/other.cu" <<'END'
__device__ int elsewhere(int i) { return i + 1; }
__global__ void unused(int *x) { *x = elsewhere(*x); }
END
cat >"$scratch/one.cu" <<'END'
extern __device__ int elsewhere(int i);
__device__ __noinline__ int here(int i) { return i * i; }
__global__ void alone(int *x) { x[threadIdx.x] = here(threadIdx.x); }
int main()
{
    int *x;
    cudaMalloc(&x, 128);
    alone<<<1, 32>>>(x);
    return cudaDeviceSynchronize();
}
END
expect 0 "" "$BUILD/sim/simcc" -rdc=true "$scratch/one.cu" "$scratch/other.cu" -o "$scratch/both"
expect 0 "machine code that ptxas made" env SIMCC_SUMMARY=text "$scratch/both"
echo '__global__ void across(int *x) { *x = elsewhere(*x); }' >>"$scratch/one.cu"
sed -i 's/alone<<<1, 32>>>/extern __global__ void across(int *); &/; s/alone<<<1, 32>>>(x)/across<<<1, 1>>>(x)/; s/cudaMalloc(&x, 128);/& cudaMemset(x, 0, 128);/' "$scratch/one.cu"
expect 0 "" "$BUILD/sim/simcc" -rdc=true "$scratch/one.cu" "$scratch/other.cu" -o "$scratch/both"
expect 0 "from the PTX alone" env SIMCC_SUMMARY=text "$scratch/both"

# Times of events are from machine code, where there is a ptxas.
time_of() {
    env "$@" "$race" right events | sed -n 's/ ms$//p'
}
[ "$(time_of A=)" != "$(time_of LABS_SIM_MACHINE_CODE=0)" ] || fail "events do not use machine code: $(time_of A=) ms"
[ "$(time_of LABS_SIM_PTXAS=)" = "$(time_of LABS_SIM_MACHINE_CODE=0)" ] || fail "without ptxas: not the time from the PTX"
exit 0
