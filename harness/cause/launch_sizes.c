/* Wrong values on a GPU, where nothing else is known of a kernel: how it was launched. */
#include <string.h>

#include "harness/cause/launch.h"

static uint64_t product(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

static bool is_never_written(const struct grader_finding *finding)
{
    return finding->reason == REASON_VALUES && finding->buffer >= 0 && !finding->cause[0] &&
           (finding->pattern == PATTERN_UNWRITTEN || finding->pattern == PATTERN_TAIL ||
            finding->pattern == PATTERN_FIRST_BLOCK);
}

void launch_explain_sizes(const struct grader *grader, const struct call *call,
                          const struct protocol_mailbox *mailbox, struct grader_finding *finding)
{
    if (!is_never_written(finding))
        return;
    const struct lab_buffer *buffer = &call->run.buffer[finding->buffer];
    const struct protocol_launch *launch = &mailbox->launch[0];
    const uint64_t blocks = product(launch->grid), threads = product(launch->block);
    if (mailbox->launch_count == 0 && finding->pattern == PATTERN_UNWRITTEN) {
        text_set(fact_add(&finding->facts, FACT_NO_LAUNCH, FACT_SEEN, NULL)->name[0], 128, "%s[%lld]",
                 buffer->name, (long long)finding->element);
        text_set(finding->cause, sizeof finding->cause,
                 "No kernel was launched, and nothing else stores %s[%lld].\n", buffer->name,
                 (long long)finding->element);
        launch_explain_none(grader, call, finding);
        return;
    }
    if (mailbox->launch_count != 1 || blocks == 0 || blocks * threads >= (uint64_t)buffer->count)
        return;
    text_set(
        finding->cause, sizeof finding->cause,
        "The only launch has %llu blocks of %llu threads, %llu in all, but %s has %lld elements: unless each "
        "thread stores several, some have no thread.\n",
        (unsigned long long)blocks, (unsigned long long)threads, (unsigned long long)(blocks * threads),
        buffer->name, (long long)buffer->count);
    fact_add(&finding->facts, FACT_FEW_BLOCKS, FACT_SEEN, NULL);
    finding->line = launch_only_line(grader, call);
    text_set(finding->file, sizeof finding->file, "%s", finding->line > 0 ? grader->build.source : "");
}
