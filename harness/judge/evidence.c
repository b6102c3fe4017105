/* Right values are no evidence of a kernel: the host can compute them, too. */
#include "harness/judge/evidence.h"

#include <string.h>

#include "harness/base/text.h"
#include "harness/lab/parallel.h"

#define SECTOR      32u /* bytes that a load of global memory brings at the least */
#define LEAST_BYTES 16384u
#define LEAST_MOVED 0.5 /* every lab's solution and steps load or store each of these bytes once or more */

/* A function that gives back an array of the host's has copied its input to the device. */
static bool has_output_on_host(const struct call *call)
{
    bool has = false;
    for (int i = 0; i < call->run.buffer_count; i++)
        has = has || (call->run.buffer[i].role == LAB_OUT && call->run.buffer[i].on_host);
    return has;
}

/* The largest input in device memory, or that has to be copied there; -1: there is none. */
static int largest_input(const struct call *call)
{
    const bool has_to_be_copied = has_output_on_host(call);
    int largest = -1;
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->run.buffer[i].role != LAB_OUT && (!call->run.buffer[i].on_host || has_to_be_copied) &&
            (largest < 0 || call->spec[i].bytes > call->spec[largest].bytes))
            largest = i;
    return largest;
}

/* The largest output in device memory; -1: there is none. */
static int largest_output(const struct call *call)
{
    int largest = -1;
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->run.buffer[i].role == LAB_OUT && !call->run.buffer[i].on_host &&
            (largest < 0 || call->spec[i].bytes > call->spec[largest].bytes))
            largest = i;
    return largest;
}

bool evidence_of_work(const struct call *call, const struct protocol_mailbox *mailbox,
                      struct grader_finding *finding)
{
    const int input = largest_input(call), buffer = input < 0 ? largest_output(call) : input;
    const double bytes = buffer < 0 ? 0 : (double)call->spec[buffer].bytes;
    const struct protocol_counters *c = &mailbox->counters; /* an atomic operation both reads and stores */
    const double moved =
        SECTOR * (double)((input < 0 ? c->store_sectors : c->load_sectors) + c->atomic_sectors);
    if (bytes < LEAST_BYTES || moved >= LEAST_MOVED * bytes)
        return true;
    finding->reason = REASON_NO_WORK;
    text_set(finding->headline, sizeof finding->headline,
             "the results are right, but %s: the work was not done on the device",
             c->launches == 0 ? "no kernel was launched"
             : input < 0      ? "the kernels did not store them"
                              : "the kernels did not read the input");
    text_set(
        finding->detail, sizeof finding->detail,
        "%s has %.0f bytes; kernels %s %.0f bytes of global memory, and whoever computes %s it %s each of its bytes at "
        "least once.\n",
        call->run.buffer[buffer].name, bytes, input < 0 ? "stored" : "loaded", moved,
        input < 0 ? "all of" : "from all of", input < 0 ? "stores" : "loads");
    return false;
}

static bool same_bytes(const struct protocol_buffer *spec, const struct process *process)
{
    const uint64_t at = spec->offset + spec->guard;
    return parallel_same(process->arena->base + at, process->device_apart->arena->base + at, spec->bytes);
}

bool evidence_of_outputs(const struct call *call, const struct process *process,
                         struct grader_finding *finding)
{
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct protocol_buffer *spec = &call->spec[i];
        if (spec->on_host)
            memcpy(process->device_apart->arena->base + spec->offset, process->arena->base + spec->offset,
                   spec->bytes + 2 * spec->guard);
        if (spec->on_host || same_bytes(spec, process))
            continue;
        finding->reason = REASON_NO_WORK;
        text_set(finding->headline, sizeof finding->headline, "%s does not hold what the device has computed",
                 call->run.buffer[i].name);
        text_set(
            finding->detail, sizeof finding->detail,
            "All that a program does with the device is done once more in a process without the program's code. "
            "There, %s holds something else at the end: the program changed it in another way than by kernels, "
            "copies and fills.\n",
            call->run.buffer[i].name);
        return false;
    }
    return true;
}
