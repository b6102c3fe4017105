/*
 * Whether what came back right was computed on the device. On the simulator, which counts what kernels load: whoever computes
 * on the host, or takes the results from elsewhere, lets the kernels load less than the inputs.
 */
#pragma once

#include "harness/judge/call.h"
#include "harness/result/finding.h"
#include "harness/wire/process.h"

/*
 * False, with the finding: less than half of the largest input in device memory was loaded by kernels, again and again or not; or,
 * where there is no input, stored of the largest output.
 * Inputs of less than 16 KiB are not asked for: they may be in constant memory.
 */
bool evidence_of_work(const struct call *call, const struct protocol_mailbox *mailbox,
                      struct grader_finding *finding);

/*
 * The outputs of a call that came to its end: those of the device apart are judged. False, with the finding: what the worker has
 * brought back of buffers in device memory is something else. What it has of host buffers, it alone has: that is put beside.
 */
bool evidence_of_outputs(const struct call *call, const struct process *process,
                         struct grader_finding *finding);
