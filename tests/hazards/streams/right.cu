/*
 * Right programs: kernels in several streams. Nothing may be reported, and the result must be
 * right. The sentence before each says why it is right.
 */
#include "tests/hazards/streams/programs.h"

#include <thread>

/* ---- kernel and kernel ---- */

/* One stream runs its work in order. */
PROGRAM(one_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, 0);
    add<<<GRID(a)>>>(p, 1, 0);
    return differs(q, 7) + differs(p, 8);
}
/* The event is recorded after the kernel, and waited for before the other one. */
PROGRAM(event_between_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* The event stands for all that is before it in its stream, what that stream has waited for included. */
PROGRAM(events_through_three_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t first = new_event(), second = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(first, a);
    cudaStreamWaitEvent(b, first, 0);
    cudaEventRecord(second, b);
    cudaStreamWaitEvent(c, second, 0);
    copy<<<GRID(c)>>>(q, p, 0);
    return differs(q, 7);
}
/* An event may be recorded again once the wait has been called: the wait keeps the first record. */
PROGRAM(event_used_again)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t event = new_event();
    for (int k = 1; k <= 3; k++) {
        fill<<<GRID(a)>>>(p, k, LATE);
        cudaEventRecord(event, a);
        cudaStreamWaitEvent(b, event, 0);
        copy<<<GRID(b)>>>(q, p, 0);
        cudaEventRecord(event, b);
        cudaStreamWaitEvent(a, event, 0);
    }
    return differs(q, 3);
}
/* The host waits in between. */
PROGRAM(stream_synchronize_between)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaStreamSynchronize(a);
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
PROGRAM(device_synchronize_between)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaDeviceSynchronize();
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* The host asks until the stream is done. */
PROGRAM(query_until_done)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    while (cudaStreamQuery(a) == cudaErrorNotReady)
        ;
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* Both streams only read. */
PROGRAM(two_readers)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(0)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, LATE);
    copy<<<GRID(b)>>>(r, p, 0);
    return differs(q, 7) + differs(r, 7);
}
/* Each stream has its own half of the array. */
PROGRAM(half_of_an_array_each)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<2, 256, 0, a>>>(p, 7, LATE);
    fill<<<2, 256, 0, b>>>(p + N / 2, 7, 0);
    return differs(p, 7);
}
/* Each stream has every second element. */
static __global__ void fill_every_second(int *p, int first, int value, long long cycles)
{
    wait_for(cycles);
    if (element() < N / 2)
        p[2 * element() + first] = value;
}
/* The ranges overlap, but no element is touched by both. */
PROGRAM(every_second_element_each)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill_every_second<<<GRID(a)>>>(p, 0, 7, LATE);
    fill_every_second<<<GRID(b)>>>(p, 1, 7, 0);
    return differs(p, 7);
}
/* Atomics of device scope include the threads of both kernels. */
PROGRAM(atomics_in_two_streams)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    count<<<GRID(a)>>>(p, LATE);
    count<<<GRID(b)>>>(p, 0);
    cudaDeviceSynchronize();
    cudaMemcpy(host, p, sizeof(int), cudaMemcpyDeviceToHost);
    return host[0] != 8;
}
/* Each half of a pipeline waits for the other one: full and empty. */
PROGRAM(double_buffer)
{
    int *buffer[2] = {zeros_on_device(), zeros_on_device()}, *q = zeros_on_device(),
        *host[2] = {zeros_pinned(), zeros_pinned()};
    cudaStream_t copies = new_stream(), kernels = new_stream();
    cudaEvent_t full[2] = {new_event(), new_event()}, empty[2] = {new_event(), new_event()};
    for (int k = 0; k < 6; k++) {
        int slot = k % 2;
        cudaStreamWaitEvent(copies, empty[slot], 0);
        cudaEventSynchronize(full[slot]);
        for (int i = 0; i < N; i++)
            host[slot][i] = k;
        cudaMemcpyAsync(buffer[slot], host[slot], BYTES, cudaMemcpyHostToDevice, copies);
        cudaEventRecord(full[slot], copies);
        cudaStreamWaitEvent(kernels, full[slot], 0);
        copy<<<GRID(kernels)>>>(q, buffer[slot], LATE);
        cudaEventRecord(empty[slot], kernels);
    }
    return differs(q, 5);
}

/* ---- the default streams ---- */

/* A stream that was created as usual waits for the legacy stream, and the other way round. */
PROGRAM(legacy_and_blocking_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(0)>>>(p, 7, LATE);
    copy<<<GRID(a)>>>(q, p, LATE);
    add<<<GRID(0)>>>(p, 1, LATE);
    copy<<<GRID(b)>>>(r, p, 0);
    return differs(q, 7) + differs(r, 8);
}
/* The legacy stream between two others orders them. */
PROGRAM(legacy_stream_as_a_barrier)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    fill<<<GRID(0)>>>(r, 1, 0);
    copy<<<GRID(b)>>>(q, p, 0);
    return differs(q, 7);
}
/* A synchronous copy waits for the blocking streams before it. */
PROGRAM(synchronous_copy_after_a_blocking_stream)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost);
    return host[5] != 7;
}
/* A non-blocking stream with an event. */
PROGRAM(non_blocking_stream_with_event)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream_apart();
    cudaEvent_t done = new_event();
    fill<<<GRID(0)>>>(p, 7, LATE);
    cudaEventRecord(done, 0);
    cudaStreamWaitEvent(a, done, 0);
    copy<<<GRID(a)>>>(q, p, 0);
    return differs(q, 7);
}
/* Each host thread works with its own array, and waits for its own default stream. */
PROGRAM(per_thread_streams_apart)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    auto work = [](int *mine) {
        fill<<<GRID(cudaStreamPerThread)>>>(mine, 7, LATE);
        add<<<GRID(cudaStreamPerThread)>>>(mine, 1, 0);
        cudaStreamSynchronize(cudaStreamPerThread);
    };
    std::thread first(work, p), second(work, q);
    first.join();
    second.join();
    return differs(p, 8) + differs(q, 8);
}
/* The host's join comes after the thread's wait. */
PROGRAM(per_thread_streams_joined)
{
    int *p = zeros_on_device();
    std::thread other([p] {
        fill<<<GRID(cudaStreamPerThread)>>>(p, 7, LATE);
        cudaStreamSynchronize(cudaStreamPerThread);
    });
    other.join();
    add<<<GRID(cudaStreamPerThread)>>>(p, 1, 0);
    return differs(p, 8);
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(one_stream),
    ROW(event_between_two_streams),
    ROW(events_through_three_streams),
    ROW(event_used_again),
    ROW(stream_synchronize_between),
    ROW(device_synchronize_between),
    ROW(query_until_done),
    ROW(two_readers),
    ROW(half_of_an_array_each),
    ROW(every_second_element_each),
    ROW(atomics_in_two_streams),
    ROW(double_buffer),
    ROW(legacy_and_blocking_stream),
    ROW(legacy_stream_as_a_barrier),
    ROW(synchronous_copy_after_a_blocking_stream),
    ROW(non_blocking_stream_with_event),
    ROW(per_thread_streams_apart),
    ROW(per_thread_streams_joined),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
