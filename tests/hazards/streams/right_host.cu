/*
 * Right programs: device and host; memory in the order of a stream. Nothing may be reported, and the result must be
 * right. The sentence before each says why it is right.
 */
#include "tests/hazards/streams/programs.h"

#include <condition_variable>
#include <mutex>
#include <thread>

/* ---- the host ---- */

PROGRAM(pinned_read_after_the_wait)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    int seen = host[5];
    host[5] = 0;
    return seen != 7;
}
/* The event is recorded after the copy. */
PROGRAM(pinned_read_after_the_event)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaEventRecord(done, a);
    fill<<<GRID(a)>>>(p, 8, LATE);
    cudaEventSynchronize(done);
    int seen = host[5];
    return (seen != 7) + differs(p, 8);
}
/* Another part of the pinned array is used meanwhile. */
PROGRAM(other_half_of_the_pinned_array)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES / 2, cudaMemcpyDeviceToHost, a);
    for (int i = N / 2; i < N; i++)
        host[i] = i;
    cudaStreamSynchronize(a);
    return host[5] != 7 || host[N - 1] != N - 1;
}
/* The host reads the source of a copy to the device: two reads. */
PROGRAM(pinned_source_read_meanwhile)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    host[5] = 0;
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a);
    int seen = host[5];
    return differs(p, 0) + (seen != 0);
}
/* A copy to pageable memory returns when it is done (API synchronization behavior). */
PROGRAM(pageable_destination)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    return host[5] != 7;
}
/* A copy from pageable memory returns when the source has been staged: it may be changed. */
PROGRAM(pageable_source_changed)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream();
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a);
    for (int i = 0; i < N; i++)
        host[i] = 9;
    return differs(p, 0);
}
PROGRAM(managed_read_after_the_wait)
{
    int *p;
    cudaMallocManaged(&p, BYTES);
    memset(p, 0, BYTES);
    fill<<<GRID(0)>>>(p, 7, LATE);
    cudaDeviceSynchronize();
    p[6] = p[5] + 1;
    add<<<GRID(0)>>>(p, 1, LATE);
    cudaDeviceSynchronize();
    return p[6] != 9;
}
/* Another managed array is used while the kernel runs (concurrentManagedAccess). */
PROGRAM(another_managed_array_meanwhile)
{
    int *p, *q;
    cudaMallocManaged(&p, BYTES);
    cudaMallocManaged(&q, BYTES);
    memset(p, 0, BYTES);
    fill<<<GRID(0)>>>(p, 7, LATE);
    for (int i = 0; i < N; i++)
        q[i] = i;
    cudaDeviceSynchronize();
    return p[5] != 7 || q[5] != 5;
}
PROGRAM(mapped_read_after_the_wait)
{
    int *host, *p;
    cudaHostAlloc(&host, BYTES, cudaHostAllocMapped);
    memset(host, 0, BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    fill<<<GRID(0)>>>(p, 7, LATE);
    cudaDeviceSynchronize();
    return host[5] != 7;
}
/* The host function is in the stream of the copy. */
PROGRAM(host_function_after_the_copy)
{
    static int seen;
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    auto look = [](void *data) {
        seen = ((int *)data)[5];
        ((int *)data)[5] = 9;
    };
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaLaunchHostFunc(a, look, host);
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a);
    cudaStreamSynchronize(a);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost);
    return seen != 7 || host[5] != 9 || host[6] != 7;
}
/* The host function comes after the copy, and the host waits until it says so. */
PROGRAM(host_function_notifies)
{
    static std::mutex mutex;
    static std::condition_variable changed;
    static bool done;
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    auto notify = [](void *) {
        std::lock_guard<std::mutex> guard(mutex);
        done = true;
        changed.notify_one();
    };
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaLaunchHostFunc(a, notify, NULL);
    std::unique_lock<std::mutex> guard(mutex);
    changed.wait(guard, [] { return done; });
    return host[5] != 7;
}
/* The host asks the event until it has happened. */
PROGRAM(event_asked_until_it_has_happened)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    cudaEventRecord(done, a);
    while (cudaEventQuery(done) == cudaErrorNotReady)
        std::this_thread::yield();
    return host[5] != 7;
}
static __global__ void publish(volatile int *data, int *flag, long long cycles)
{
    wait_for(cycles);
    data[element()] = 7;
    __threadfence_system();
    atomicAdd_system(flag, 1);
}
/* The kernel publishes mapped memory with a fence of the system, and the host polls the flag. */
PROGRAM(mapped_flag_polled_by_the_host)
{
    int *host, *p;
    cudaHostAlloc(&host, 2 * BYTES, cudaHostAllocMapped);
    memset(host, 0, 2 * BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    publish<<<GRID(0)>>>(p, p + N, LATE);
    while (__atomic_load_n(&host[N], __ATOMIC_ACQUIRE) < N)
        std::this_thread::yield();
    int seen = host[5];
    cudaDeviceSynchronize();
    return seen != 7;
}
static __global__ void fill_and_tell(int *data, int *flag, long long cycles)
{
    wait_for(cycles);
    data[element()] = 7;
    __threadfence_system();
    atomicAdd_system(flag, 1);
}
static __global__ void count_for_the_host(int *data, int *counter, long long cycles)
{
    wait_for(cycles);
    data[element()] = 7;
    atomicAdd_system(counter, 1);
}
/* The data are plain, and each thread's fence of the system is in front of its part of the flag. */
PROGRAM(plain_data_behind_a_fence_for_the_host)
{
    int *host, *p;
    cudaHostAlloc(&host, 2 * BYTES, cudaHostAllocMapped);
    memset(host, 0, 2 * BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    fill_and_tell<<<GRID(0)>>>(p, p + N, LATE);
    while (__atomic_load_n(&host[N], __ATOMIC_ACQUIRE) < N)
        std::this_thread::yield();
    int seen = host[5];
    cudaDeviceSynchronize();
    return seen != 7;
}
/* A kernel that only counts for the host needs no fence: nothing but the counter is read before the wait. */
PROGRAM(progress_counter_without_a_fence)
{
    int *host, *p, *data = zeros_on_device();
    cudaHostAlloc(&host, BYTES, cudaHostAllocMapped);
    memset(host, 0, BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    count_for_the_host<<<GRID(0)>>>(data, p, LATE);
    while (__atomic_load_n(host, __ATOMIC_RELAXED) < N)
        std::this_thread::yield();
    return differs(data, 7);
}
/* A thread of the host waits for the stream, and another one joins it. */
PROGRAM(another_thread_waits)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a);
    std::thread waiting([a] { cudaStreamSynchronize(a); });
    waiting.join();
    return host[5] != 7;
}
static __device__ int device_total;
static __global__ void add_to_device_total(long long cycles)
{
    wait_for(cycles);
    if (threadIdx.x == 0)
        atomicAdd(&device_total, 1);
}
/* The copy from the symbol is in the kernel's stream, and waited for. */
PROGRAM(symbol_copy_read_after_the_wait)
{
    int *host = zeros_pinned();
    cudaStream_t a = new_stream();
    add_to_device_total<<<GRID(a)>>>(LATE);
    cudaMemcpyFromSymbolAsync(host, device_total, sizeof(int), 0, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    return host[0] != 4;
}

/* ---- memory in the order of a stream ---- */

PROGRAM(allocated_used_and_freed_in_one_stream)
{
    int *p, *q = zeros_on_device();
    cudaStream_t a = new_stream();
    for (int k = 0; k < 3; k++) {
        cudaMallocAsync(&p, BYTES, a);
        fill<<<GRID(a)>>>(p, k, LATE);
        copy<<<GRID(a)>>>(q, p, 0);
        cudaFreeAsync(p, a);
    }
    return differs(q, 2);
}
/* The event says when the other stream is done with it. */
PROGRAM(freed_behind_an_event)
{
    int *p, *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t filled = new_event(), used = new_event();
    cudaMallocAsync(&p, BYTES, a);
    fill<<<GRID(a)>>>(p, 7, 0);
    cudaEventRecord(filled, a);
    cudaStreamWaitEvent(b, filled, 0);
    copy<<<GRID(b)>>>(q, p, LATE);
    cudaEventRecord(used, b);
    cudaStreamWaitEvent(a, used, 0);
    cudaFreeAsync(p, a);
    return differs(q, 7);
}
/* cudaFree waits for the device: the kernel is done with the memory when it goes. */
PROGRAM(freed_at_once)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, 0);
    cudaFree(p);
    p = zeros_on_device();
    return differs(q, 7) + differs(p, 0);
}

static __global__ void post(int *slots, long long cycles)
{
    wait_for(cycles);
    if (threadIdx.x != 0)
        return;
    slots[64 * blockIdx.x] = 7;
    __threadfence_system();
    atomicExch_system(&slots[64 * blockIdx.x + 32], 1);
}
/* Each block has a mailbox of its own; the host looks at one after the other while the kernel runs. */
PROGRAM(mailboxes_read_one_after_the_other)
{
    int *host, *p, sum = 0;
    cudaHostAlloc(&host, BYTES, cudaHostAllocMapped);
    memset(host, 0, BYTES);
    cudaHostGetDevicePointer(&p, host, 0);
    post<<<GRID(0)>>>(p, LATE);
    for (int b = 0; b < 4; b++) {
        while (__atomic_load_n(&host[64 * b + 32], __ATOMIC_ACQUIRE) == 0)
            std::this_thread::yield();
        sum += host[64 * b];
    }
    cudaDeviceSynchronize();
    return sum != 4 * 7;
}
/* Allocated in one stream, used in a second one, freed in a third one: an event each time. */
PROGRAM(freed_in_a_third_stream_behind_an_event)
{
    int *sum = zeros_on_device();
    cudaStream_t a = new_stream_apart(), b = new_stream_apart(), c = new_stream_apart();
    cudaEvent_t allocated = new_event(), used = new_event();
    for (int round = 0; round < 3; round++) {
        int *p = NULL;
        cudaMallocAsync(&p, BYTES, a);
        cudaEventRecord(allocated, a);
        cudaStreamWaitEvent(b, allocated, 0);
        fill<<<GRID(b)>>>(p, 5 + round, LATE);
        copy<<<GRID(b)>>>(sum, p, 0);
        cudaEventRecord(used, b);
        cudaStreamWaitEvent(c, used, 0);
        cudaFreeAsync(p, c);
    }
    return differs(sum, 7);
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(pinned_read_after_the_wait),
    ROW(pinned_read_after_the_event),
    ROW(other_half_of_the_pinned_array),
    ROW(pinned_source_read_meanwhile),
    ROW(pageable_destination),
    ROW(pageable_source_changed),
    ROW(managed_read_after_the_wait),
    ROW(another_managed_array_meanwhile),
    ROW(mapped_read_after_the_wait),
    ROW(host_function_after_the_copy),
    ROW(host_function_notifies),
    ROW(event_asked_until_it_has_happened),
    ROW(mapped_flag_polled_by_the_host),
    ROW(plain_data_behind_a_fence_for_the_host),
    ROW(progress_counter_without_a_fence),
    ROW(another_thread_waits),
    ROW(symbol_copy_read_after_the_wait),
    ROW(allocated_used_and_freed_in_one_stream),
    ROW(freed_behind_an_event),
    ROW(freed_at_once),
    ROW(mailboxes_read_one_after_the_other),
    ROW(freed_in_a_third_stream_behind_an_event),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
