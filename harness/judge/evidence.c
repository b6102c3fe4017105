/* Right values are no evidence of a kernel: the host can compute them, too. */
#include "harness/judge/evidence.h"

#include "harness/base/text.h"

#define SECTOR       32u /* bytes that a load of global memory brings at the least */
#define LEAST_BYTES  16384u
#define LEAST_LOADED 0.5 /* every lab's solution and steps load each of these bytes once or more */

/* The largest input in device memory; -1: there is none. */
static int largest_input(const struct call *call)
{
    int largest = -1;
    for (int i = 0; i < call->run.buffer_count; i++)
        if (call->run.buffer[i].role == LAB_IN && !call->run.buffer[i].on_host &&
            (largest < 0 || call->spec[i].bytes > call->spec[largest].bytes))
            largest = i;
    return largest;
}

bool evidence_of_work(const struct call *call, const struct protocol_mailbox *mailbox,
                      struct grader_finding *finding)
{
    const int input = largest_input(call);
    const double bytes = input < 0 ? 0 : (double)call->spec[input].bytes;
    const double loaded = SECTOR * (double)mailbox->counters.load_sectors;
    if (bytes < LEAST_BYTES || loaded >= LEAST_LOADED * bytes)
        return true;
    finding->reason = REASON_NO_WORK;
    text_set(finding->headline, sizeof finding->headline,
             "the results are right, but %s: the work was not done on the device",
             mailbox->counters.launches == 0 ? "no kernel was launched"
                                             : "the kernels did not read the input");
    text_set(
        finding->detail, sizeof finding->detail,
        "%s has %.0f bytes; kernels loaded %.0f bytes of global memory, and whoever computes from all of it loads "
        "each of its bytes at least once.\n",
        call->run.buffer[input].name, bytes, loaded);
    return false;
}
