/*
 * Wrong programs: an order between streams is missing. "// <-" marks the
 * lines that one report must name (../README.md). The sentence before each says why it is wrong.
 */
#include "tests/hazards/streams/programs.h"

#include <thread>

/* ---- kernel against kernel ---- */

/* Nothing orders the two streams. */
PROGRAM(write_and_read_in_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    return differs(q, 7);
}
/* Which of the two values stays is open. */
PROGRAM(two_writes_in_two_streams)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    fill<<<GRID(b)>>>(p, 8, 0);    // <-
    return differs(p, 8);
}
/* The reader is launched first, and may still run when the writer does. */
PROGRAM(read_and_write_in_two_streams)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    copy<<<GRID(a)>>>(q, p, LATE); // <-
    fill<<<GRID(b)>>>(p, 7, 0);    // <-
    return differs(q, 0);
}
/* Plain additions of two kernels to the same elements. */
PROGRAM(sums_in_two_streams)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    add<<<GRID(a)>>>(p, 1, LATE); // <-
    add<<<GRID(b)>>>(p, 2, 0);    // <-
    return differs(p, 3);
}
/* Half of what the first writes is read by the second. */
PROGRAM(halves_overlap)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    fill_half<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);         // <-
    return differs(q, 7);
}
/* Three streams; the event orders the first two only. */
PROGRAM(third_stream_does_not_wait)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(b, done, 0);
    add<<<GRID(b)>>>(p, 1, LATE); // <-
    cudaStreamWaitEvent(c, done, 0);
    copy<<<GRID(c)>>>(q, p, 0); // <-
    return differs(q, 8);
}

/* ---- events ---- */

/* The event is recorded before the kernel that it should stand for. */
PROGRAM(event_recorded_too_early)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    cudaEventRecord(done, a);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The event is recorded in the stream that waits for it. */
PROGRAM(event_recorded_in_the_other_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, b);
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* A wait for an event that was never recorded waits for nothing. */
PROGRAM(event_never_recorded)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The wait takes the event as it is when it is called: recorded later, it does not count. */
PROGRAM(event_recorded_after_the_wait)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    cudaStreamWaitEvent(b, done, 0);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, a);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The event of an earlier kernel is waited for. */
PROGRAM(wait_for_the_wrong_event)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t first = new_event(), second = new_event();
    fill<<<GRID(a)>>>(q, 1, 0);
    cudaEventRecord(first, a);
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(second, a);
    cudaStreamWaitEvent(b, first, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The producer waits for the consumer's event. */
PROGRAM(wait_in_the_wrong_direction)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    cudaEventRecord(done, b);
    cudaStreamWaitEvent(a, done, 0);
    return differs(q, 7);
}
/* An idle stream waits instead of the consumer. */
PROGRAM(wait_in_the_wrong_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, a);
    cudaStreamWaitEvent(c, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* Recorded again before the consumer waits, and in another stream: the first record is forgotten. */
PROGRAM(event_recorded_twice)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream(), c = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    cudaEventRecord(done, a);
    cudaEventRecord(done, c);
    cudaStreamWaitEvent(b, done, 0);
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 7);
}
/* The host waits for an event that comes before the copy. */
PROGRAM(host_waits_for_an_earlier_event)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream();
    cudaEvent_t done = new_event();
    fill<<<GRID(a)>>>(p, 7, LATE);
    cudaEventRecord(done, a);
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, a); // <-
    cudaEventSynchronize(done);
    int seen = host[5]; // <-
    return seen != 7;
}
/* Double buffer: the next copy does not wait until the kernel has read the buffer. */
PROGRAM(buffer_refilled_too_early)
{
    int *buffer = zeros_on_device(), *q = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t copies = new_stream(), kernels = new_stream();
    cudaEvent_t full = new_event();
    for (int k = 0; k < 2; k++) {
        cudaMemcpyAsync(buffer, host, BYTES, cudaMemcpyHostToDevice, copies); // <-
        cudaEventRecord(full, copies);
        cudaStreamWaitEvent(kernels, full, 0);
        copy<<<GRID(kernels)>>>(q, buffer, LATE); // <-
    }
    return differs(q, 0);
}

/* ---- the default streams ---- */

/* A non-blocking stream does not wait for the legacy default stream. */
PROGRAM(legacy_stream_then_non_blocking)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t b = new_stream_apart();
    fill<<<GRID(0)>>>(p, 7, LATE); // <-
    copy<<<GRID(b)>>>(q, p, 0);    // <-
    return differs(q, 7);
}
/* Nor the legacy default stream for it. */
PROGRAM(non_blocking_then_legacy_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream_apart();
    fill<<<GRID(a)>>>(p, 7, LATE); // <-
    copy<<<GRID(0)>>>(q, p, 0);    // <-
    return differs(q, 7);
}
/* cudaMemset returns before it is done (API synchronization behavior), and belongs to the legacy stream. */
PROGRAM(memset_then_non_blocking)
{
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t b = new_stream_apart();
    cudaMemset(p, 1, BYTES);    // <-
    copy<<<GRID(b)>>>(q, p, 0); // <-
    return differs(q, 0x01010101);
}
/* So does cudaMemcpy from device to device. */
PROGRAM(device_copy_then_non_blocking)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t b = new_stream_apart();
    cudaMemcpy(p, r, BYTES, cudaMemcpyDeviceToDevice); // <-
    add<<<GRID(b)>>>(p, 1, 0);                         // <-
    return differs(p, 1) + differs(q, 0);
}
/* A synchronous copy waits for the legacy stream and blocking ones, not for a non-blocking one. */
PROGRAM(copied_back_before_a_non_blocking_kernel)
{
    static int host[N];
    int *p = zeros_on_device();
    cudaStream_t a = new_stream_apart();
    fill<<<GRID(a)>>>(p, 7, LATE);                      // <-
    cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost); // <-
    return host[5] != 7;
}
/* Two host threads, each with its own default stream. */
PROGRAM(per_thread_streams_of_two_threads)
{
    int *p = zeros_on_device();
    std::thread other([p] {
        fill<<<GRID(cudaStreamPerThread)>>>(p, 7, LATE); // <-
    });
    other.join();
    add<<<GRID(cudaStreamPerThread)>>>(p, 1, 0); // <-
    return differs(p, 8);
}

/* ---- copies against kernels and copies ---- */

/* The copy is in another stream than the kernel that reads. */
PROGRAM(copy_in_another_stream)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a); // <-
    copy<<<GRID(b)>>>(q, p, 0);                                 // <-
    return differs(q, 0);
}
/* The result is copied in another stream than the kernel that writes it. */
PROGRAM(copied_back_in_another_stream)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);                              // <-
    cudaMemcpyAsync(host, p, BYTES, cudaMemcpyDeviceToHost, b); // <-
    cudaDeviceSynchronize();
    return host[5] != 7;
}
/* Two copies to one place. */
PROGRAM(two_copies_to_one_place)
{
    int *p = zeros_on_device(), *q = zeros_on_device(), *r = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemcpyAsync(p, q, BYTES, cudaMemcpyDeviceToDevice, a);     // <-
    cudaMemcpyAsync(p, r, BYTES / 2, cudaMemcpyDeviceToDevice, b); // <-
    return differs(p, 0);
}
PROGRAM(memset_in_another_stream)
{
    int *p = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemsetAsync(p, 0, BYTES, a); // <-
    add<<<GRID(b)>>>(p, 1, 0);       // <-
    return differs(p, 1);
}
/* A pageable source is staged, but the copy to the device may still be under way in its stream. */
PROGRAM(pageable_copy_in_another_stream)
{
    static int host[N];
    int *p = zeros_on_device(), *q = zeros_on_device();
    cudaStream_t a = new_stream(), b = new_stream();
    cudaMemcpyAsync(p, host, BYTES, cudaMemcpyHostToDevice, a); // <-
    copy<<<GRID(b)>>>(q, p, 0);                                 // <-
    return differs(q, 0);
}
/* A column of a matrix is copied while a kernel fills the matrix. */
PROGRAM(column_copied_in_another_stream)
{
    int *p = zeros_on_device(), *host = zeros_pinned();
    cudaStream_t a = new_stream(), b = new_stream();
    fill<<<GRID(a)>>>(p, 7, LATE);                                               // <-
    cudaMemcpy2DAsync(host, 4, p + 3, 32 * 4, 4, 32, cudaMemcpyDeviceToHost, b); // <-
    cudaDeviceSynchronize();
    return host[5] != 7;
}

#define ROW(name)                                                                                            \
    {                                                                                                        \
#name, name                                                                                          \
    }
static const struct program programs[] = {
    ROW(write_and_read_in_two_streams),
    ROW(two_writes_in_two_streams),
    ROW(read_and_write_in_two_streams),
    ROW(sums_in_two_streams),
    ROW(halves_overlap),
    ROW(third_stream_does_not_wait),
    ROW(event_recorded_too_early),
    ROW(event_recorded_in_the_other_stream),
    ROW(event_never_recorded),
    ROW(event_recorded_after_the_wait),
    ROW(wait_for_the_wrong_event),
    ROW(wait_in_the_wrong_direction),
    ROW(wait_in_the_wrong_stream),
    ROW(event_recorded_twice),
    ROW(host_waits_for_an_earlier_event),
    ROW(buffer_refilled_too_early),
    ROW(legacy_stream_then_non_blocking),
    ROW(non_blocking_then_legacy_stream),
    ROW(memset_then_non_blocking),
    ROW(device_copy_then_non_blocking),
    ROW(copied_back_before_a_non_blocking_kernel),
    ROW(per_thread_streams_of_two_threads),
    ROW(copy_in_another_stream),
    ROW(copied_back_in_another_stream),
    ROW(two_copies_to_one_place),
    ROW(memset_in_another_stream),
    ROW(pageable_copy_in_another_stream),
    ROW(column_copied_in_another_stream),
    {},
};

int main(int count, char **names)
{
    return run_program(programs, count, names);
}
