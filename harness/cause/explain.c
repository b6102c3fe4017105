/* Ends that are not a result, in words: crashes, exits, CUDA errors, hazards. */
#include "harness/cause/explain.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/judge/compare.h"
#include "harness/result/grader.h"

#define CHECK_EXIT_STATUS 86 /* common/check.h, which needs CUDA's headers */

static const char *const reason_keys[] = {
    [REASON_NONE] = "none",
    [REASON_VALUES] = "wrong-values",
    [REASON_GUARD] = "wrote-outside",
    [REASON_INPUT] = "input-changed",
    [REASON_HAZARD] = "hazard",
    [REASON_LAUNCH] = "launch-error",
    [REASON_EXECUTION] = "kernel-error",
    [REASON_CHECK] = "check-failed",
    [REASON_EXIT] = "exit",
    [REASON_SIGNAL] = "crash",
    [REASON_TIMEOUT] = "timeout",
    [REASON_EXCEEDED] = "exceeded",
    [REASON_NO_WORK] = "no-work",
    [REASON_PROTOCOL] = "protocol",
    [REASON_ENVIRONMENT] = "environment",
};

const char *reason_key(enum grader_reason reason)
{
    return reason_keys[reason];
}

#define HEADLINE(f, ...) text_set((f)->headline, sizeof(f)->headline, __VA_ARGS__)
#define DETAIL(f, ...)   text_append((f)->detail, sizeof(f)->detail, __VA_ARGS__)

/* ---- CUDA errors --------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *advice;
} advice_for_errors[] = {
    {"cudaErrorInvalidConfiguration", "The launch <<<grid, block>>> is impossible: a grid or a block of 0 "
                                      "(return early when there is nothing to "
                                      "do), or more than 1024 threads in a block."},
    {"cudaErrorInvalidValue",
     "An argument is out of range: a null or wrong pointer, a size, more shared memory "
     "than a block may have; or a grid or a block of 0, or more than 1024 threads in a "
     "block."},
    {"cudaErrorIllegalAddress", "A thread read or wrote memory that is not its own: an index past the end "
                                "of an array, or a host pointer in a kernel."},
    {"cudaErrorMisalignedAddress", "An address is not a multiple of the size of what is accessed there, for "
                                   "example a real after an odd number "
                                   "of bytes in one shared buffer."},
    {"cudaErrorLaunchOutOfResources",
     "A block needs more registers or threads than there are: use fewer threads in a block."},
    {"cudaErrorLaunchFailure", "The kernel crashed; --backend sim says at which line."},
    {"cudaErrorLaunchTimeout", "The kernel ran too long, as with a loop that does not end."},
    {"cudaErrorAssert", "An assert in the kernel does not hold."},
    {"cudaErrorIllegalInstruction",
     "The kernel reached an instruction that cannot be executed, such as __trap()."},
    {"cudaErrorMemoryAllocation",
     "No device memory was left: all of it that is allocated must be freed, and sizes are in bytes."},
    {"cudaErrorNoKernelImageForDevice",
     "The program holds no code for this GPU: build again on this machine."},
    {"cudaErrorUnsupportedPtxVersion", "The GPU's driver is older than the toolkit: see docs/setup.md."},
    {"cudaErrorInsufficientDriver", "The GPU's driver is older than the toolkit: see docs/setup.md."},
    {"cudaErrorInvalidDevicePointer", "A pointer that was freed or copied does not point to device memory."},
    {"cudaErrorInvalidSymbol",
     "A symbol is not a __device__ variable of this file; pass it by name, without &."},
};

static const char *advice_for(const char *error_name)
{
    for (size_t i = 0; i < sizeof advice_for_errors / sizeof *advice_for_errors; i++)
        if (strcmp(advice_for_errors[i].name, error_name) == 0)
            return advice_for_errors[i].advice;
    return NULL;
}

/* What the simulator knows about this very failure, or else what the error usually means. */
static void tell_cause(const struct exchange *exchange, const char *error_name,
                       struct grader_finding *finding)
{
    const char *advice = advice_for(error_name);
    if (exchange->mailbox.trapped && exchange->mailbox.launch_status == SIM_TRAP)
        fact_add(&finding->facts, FACT_TRAP, FACT_SEEN, &exchange->mailbox.trap);
    if (exchange->mailbox.launch_error[0])
        DETAIL(finding, "%s\n", exchange->mailbox.launch_error);
    else if (exchange->said[0])
        DETAIL(finding, "%s", exchange->said);
    else if (advice)
        DETAIL(finding, "%s\n", advice);
}

static void explain_error(const struct exchange *exchange, struct grader_finding *finding)
{
    const struct protocol_reply *reply = &exchange->reply;
    bool launch = reply->status == PROTOCOL_LAUNCH;
    finding->reason = launch ? REASON_LAUNCH : REASON_EXECUTION;
    HEADLINE(finding, "%s: %s (%s)", launch ? "a CUDA call or launch failed" : "the kernel failed",
             reply->error_text, reply->error_name);
    fact_add_error(&finding->facts, reply->error_name);
    tell_cause(exchange, reply->error_name, finding);
    if (launch)
        DETAIL(finding, "CHECK(cudaGetLastError()) after a launch finds this where it happens.\n");
}

/* ---- ends of the process ------------------------------------------------------------------------------- */

static const char *buffer_at(const struct exchange *exchange, const struct protocol_request *request)
{
    uint64_t fault = exchange->mailbox.fault_address;
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        const struct protocol_buffer *spec = &request->buffer[i];
        uint64_t first = exchange->mailbox.buffer_address[i];
        if (!spec->on_host && first != 0 && fault >= first && fault - first < spec->bytes + spec->guard)
            return spec->name;
    }
    return NULL;
}

static void explain_fault(const struct exchange *exchange, const struct protocol_request *request,
                          struct grader_finding *finding)
{
    const char *name = buffer_at(exchange, request);
    uint64_t address = exchange->mailbox.fault_address;
    if (name || exchange->mailbox.fault_in_device_memory)
        text_set(fact_add(&finding->facts, FACT_DEVICE_POINTER, FACT_SEEN, NULL)->name[0], 128, "%s",
                 name ? name : "");
    if (name)
        DETAIL(finding,
               "Host code followed the device pointer %s. The host cannot read device memory: copy it with "
               "cudaMemcpy, or work on it in a kernel.\n",
               name);
    else if (exchange->mailbox.fault_in_device_memory)
        DETAIL(finding,
               "Host code followed a device pointer. The host cannot read device memory: copy it with "
               "cudaMemcpy, or work on it in a kernel.\n");
    else if (exchange->mailbox.fault_seen && address < 4096)
        DETAIL(finding, "Host code followed a null pointer.\n");
    else
        DETAIL(
            finding,
            "Host code touched memory that is not its own, as by an index past the end of an array, a pointer "
            "that was never set or has been written over, or endless recursion.\n");
}

/* What the C library says before it aborts (malloc.c, fortify and assert of glibc), and what that means. */
static const struct {
    const char *words, *means;
} aborts[] = {
    {"double free detected", "memory was freed twice: free() got the same pointer again."},
    {"(fasttop)", "memory was freed twice: free() got the same pointer again."},
    {"double free", "memory was freed twice, or memory that malloc() has returned was written past its end."},
    {"(): invalid pointer",
     "free() or realloc() got an address that malloc() has not returned: a pointer that has been moved on, that points "
     "into an array, or that comes from elsewhere."},
    {"terminate called", "a C++ exception was thrown, and nothing catches it."},
    {"stack smashing detected", "an array among a function's own variables was written past its end."},
    {"buffer overflow detected", "a call of the C library would have written past the end of an array."},
    {"Assertion", "an assert() failed: its condition, as it is printed, does not hold."},
    {"(): invalid", "memory that malloc() has returned was written past its end, or before its start."},
    {"corrupt", "memory that malloc() has returned was written past its end, or before its start."},
    {"", "a failed assert, or heap memory that was freed twice or written past its end."},
};

static void explain_abort(const char *said, struct grader_finding *finding)
{
    int i = 0;
    while (!strstr(said, aborts[i].words))
        i++;
    DETAIL(finding, "The program aborted: %s\n", aborts[i].means);
}

static void explain_signal(int number, const struct exchange *exchange, const char *said,
                           const struct protocol_request *request, struct grader_finding *finding)
{
    if (number == SIGKILL) {
        finding->reason = REASON_ENVIRONMENT;
        HEADLINE(finding, "something outside killed the program: the system may have run out of memory");
        return;
    }
    finding->reason = REASON_SIGNAL;
    HEADLINE(finding, "the program crashed (%s)", strsignal(number));
    if (exchange->mailbox.fault_place.line > 0) {
        text_set(finding->file, sizeof finding->file, "%.190s", exchange->mailbox.fault_place.file);
        finding->line = exchange->mailbox.fault_place.line;
        DETAIL(finding, "%s:%d: ", finding->file, finding->line);
    }
    if (number == SIGSEGV || number == SIGBUS)
        explain_fault(exchange, request, finding);
    else if (number == SIGFPE)
        DETAIL(finding, "Host code divided an integer by zero.\n");
    else if (number == SIGABRT)
        explain_abort(said, finding);
    else if (number == SIGILL)
        DETAIL(finding, "A function that should return a value may end without a return.\n");
}

static const char *last_line(const char *text, char *line, size_t size)
{
    const char *end = text + strlen(text);
    while (end > text && end[-1] == '\n')
        end--;
    const char *start = end;
    while (start > text && start[-1] != '\n')
        start--;
    snprintf(line, size, "%.*s", (int)(end - start), start);
    return line;
}

/* "file.cu:12: call failed: …", as CHECK prints it: takes the place. */
static void place_of_check(const char *line, struct grader_finding *finding)
{
    const char *colon = strchr(line, ':');
    int number = 0;
    if (colon && sscanf(colon, ":%d:", &number) == 1 && (size_t)(colon - line) < sizeof finding->file) {
        snprintf(finding->file, sizeof finding->file, "%.*s", (int)(colon - line), line);
        finding->line = number;
    }
}

/* The name in the last parentheses. */
static const char *error_in(const char *line, char *name, size_t size)
{
    const char *open = strrchr(line, '(');
    snprintf(name, size, "%.*s", open ? (int)strcspn(open + 1, ")") : 0, open ? open + 1 : "");
    return name;
}

static void explain_exit(int status, const struct exchange *exchange, const struct process *process,
                         struct grader_finding *finding)
{
    char line[400], name[64];
    if (status != CHECK_EXIT_STATUS) {
        finding->reason = REASON_EXIT;
        HEADLINE(finding, "the program ended with exit status %d in the middle of the case", status);
        DETAIL(finding, "A graded function must return to its caller, not call exit.\n");
        return;
    }
    finding->reason = REASON_CHECK;
    last_line(process->err.text, line, sizeof line);
    HEADLINE(finding, "%s", line);
    place_of_check(line, finding);
    fact_add_error(&finding->facts, error_in(line, name, sizeof name));
    tell_cause(exchange, name, finding);
}

static void explain_death(const struct exchange *exchange, const struct process *process,
                          const struct protocol_request *request, struct grader_finding *finding)
{
    if (WIFSIGNALED(exchange->wait_status))
        explain_signal(WTERMSIG(exchange->wait_status), exchange, process->err.text, request, finding);
    else
        explain_exit(WEXITSTATUS(exchange->wait_status), exchange, process, finding);
}

/* ---- all together -------------------------------------------------------------------------------------- */

static void explain_reply(const struct exchange *exchange, const struct protocol_request *request,
                          struct grader_finding *finding)
{
    switch (exchange->reply.status) {
    case PROTOCOL_OK: break;
    case PROTOCOL_NO_TASK:
        finding->reason = REASON_ENVIRONMENT;
        HEADLINE(finding, "the lab's binding.c has no row for task %s", request->task);
        break;
    case PROTOCOL_NO_MEMORY:
        finding->reason = REASON_ENVIRONMENT;
        fact_add(&finding->facts, FACT_NO_MEMORY, FACT_SEEN, NULL);
        HEADLINE(finding, "the buffers could not be allocated: %s (%s)", exchange->reply.error_text,
                 exchange->reply.error_name);
        break;
    default: explain_error(exchange, finding);
    }
}

bool explain_is_host_loop(const struct exchange *exchange)
{
    return exchange->outcome == EXCHANGE_TIMEOUT && exchange->mailbox.fault_place.line > 0;
}

static void explain_timeout(const struct exchange *exchange, double timeout, struct grader_finding *finding)
{
    const struct protocol_place *at = &exchange->mailbox.fault_place;
    finding->reason = REASON_TIMEOUT;
    HEADLINE(finding, "did not end within %.3g seconds and was stopped", timeout);
    if (explain_is_host_loop(exchange)) {
        text_set(finding->file, sizeof finding->file, "%.190s", at->file);
        finding->line = at->line;
        DETAIL(finding, "The host was at %s:%d then, in no call, as it is in a loop that does not end.\n",
               at->file, at->line);
        return;
    }
}

/* The device apart could not do what the worker says that was done. */
static void explain_no_device(const struct exchange *exchange, struct grader_finding *finding)
{
    if (!exchange->no_device[0] || finding->reason != REASON_NONE)
        return;
    finding->reason = REASON_NO_WORK;
    HEADLINE(
        finding,
        "right or not, this cannot be judged: there is no evidence that the work was done on the device");
    DETAIL(
        finding,
        "All that a program does with the device is done once more in a process without the program's code; only "
        "what comes of that counts. Here nothing came of it: %s.\n",
        exchange->no_device);
}

void explain_exchange(const struct exchange *exchange, const struct process *process,
                      const struct protocol_request *request, double timeout, struct grader_finding *finding)
{
    switch (exchange->outcome) {
    case EXCHANGE_REPLY: explain_reply(exchange, request, finding); break;
    case EXCHANGE_DIED: explain_death(exchange, process, request, finding); break;
    case EXCHANGE_TIMEOUT: explain_timeout(exchange, timeout, finding); break;
    case EXCHANGE_EXCEEDED:
        finding->reason = REASON_EXCEEDED;
        HEADLINE(finding, "it was stopped: %.300s", exchange->text);
        break;
    case EXCHANGE_GARBLED:
        finding->reason = REASON_PROTOCOL;
        HEADLINE(finding, "the answer makes no sense: %s", exchange->text);
        DETAIL(finding, "The program overwrote memory of the process that it runs in.\n");
        break;
    case EXCHANGE_NO_START:
        finding->reason = REASON_ENVIRONMENT;
        HEADLINE(finding, "%s could not be started: %.300s", process->path, exchange->text);
        break;
    }
    explain_no_device(exchange, finding);
}

static bool takes_part(const struct protocol_hazard *hazard, int line)
{
    return line != 0 && (hazard->here.line == line || hazard->there.line == line);
}

/* Of two hazards that one missing barrier shows, `other` is the better explanation. */
static bool explains(const struct protocol_hazard *other, const struct protocol_hazard *first)
{
    if (!fact_is_race(other->class))
        return false;
    if (fact_is_unwritten(first->class))
        return takes_part(other, first->here.line);
    return first->within_warp && !other->within_warp &&
           (takes_part(other, first->here.line) || takes_part(other, first->there.line));
}

/* What is in no order, or not written yet, because threads of the kernel went past a barrier at which others wait. */
static bool parts(const struct protocol_hazard *other, const struct protocol_hazard *first)
{
    return other->parts_threads && strcmp(other->kernel, first->kernel) == 0 &&
           (fact_is_race(first->class) || first->class == SIM_HAZARD_UNINITIALIZED);
}

/* A line of the race goes past the end of an array. */
static bool leaves_array(const struct protocol_hazard *other, const struct protocol_hazard *first)
{
    return other->class == SIM_HAZARD_OUT_OF_BOUNDS && fact_is_race(first->class) &&
           takes_part(first, other->here.line);
}

/*
 * The hazard to tell: the first one. Only a barrier that threads of the same kernel went past is told before a race or
 * a read of what nothing has written, and an access past an array's end before a race of its line. Where the same line
 * takes part in a race as well, that race is told instead of a read that found nothing written yet; and a race between
 * warps instead of one within a warp, which __syncwarp() alone would silence.
 */
static const struct protocol_hazard *hazard_to_tell(const struct protocol_mailbox *mailbox)
{
    const struct protocol_hazard *first = &mailbox->hazard[0];
    const uint32_t count =
        mailbox->hazard_count < PROTOCOL_MAX_HAZARDS ? mailbox->hazard_count : PROTOCOL_MAX_HAZARDS;
    for (uint32_t i = 1; i < count; i++)
        if (parts(&mailbox->hazard[i], first) || leaves_array(&mailbox->hazard[i], first))
            return &mailbox->hazard[i];
    for (uint32_t i = 1; i < count; i++)
        if (explains(&mailbox->hazard[i], first))
            return &mailbox->hazard[i];
    return first;
}

bool explain_is_hazard(const struct protocol_mailbox *mailbox)
{
    for (uint32_t i = 0; i < mailbox->hazard_count && i < PROTOCOL_MAX_HAZARDS; i++)
        if (mailbox->hazard[i].detail != SIM_DETAIL_MAYBE_INDEX)
            return true;
    return false;
}

/* The hazard's words; `advice`: instead of the part of them that asks or advises; NULL: that one. */
static void tell_hazard(const struct protocol_hazard *hazard, const char *advice,
                        struct grader_finding *finding)
{
    finding->detail[0] = 0;
    if (hazard->advice > 0 && advice)
        DETAIL(finding, "%.*s%s%s\n", hazard->advice, hazard->message, advice,
               hazard->message + hazard->advice + hazard->advice_bytes);
    else
        DETAIL(finding, "%s\n", hazard->message);
}

void explain_owner(const struct call *call, const struct protocol_mailbox *mailbox,
                   struct grader_finding *finding)
{
    const struct protocol_hazard *told = hazard_to_tell(mailbox);
    char owner[96] = "", advice[sizeof told->message];
    if (finding->reason != REASON_HAZARD || told->detail != SIM_DETAIL_STORES || !call->task->owner)
        return;
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct lab_buffer *buffer = &call->run.buffer[i];
        const uint64_t inside = told->address - mailbox->buffer_address[i],
                       index = inside / lab_type_size(buffer->type);
        if (buffer->role == LAB_IN || buffer->on_host || index >= (uint64_t)buffer->count)
            continue;
        call->task->owner(&call->run, i, (int64_t)index, owner, sizeof owner);
        text_set(advice, sizeof advice, "%.*s %s[%llu] is the element of %s.", told->advice_bytes,
                 told->message + told->advice, buffer->name, (unsigned long long)index, owner);
    }
    if (owner[0])
        explain_with(mailbox, advice, finding);
}

void explain_with(const struct protocol_mailbox *mailbox, const char *advice, struct grader_finding *finding)
{
    char rest[sizeof finding->detail];
    text_set(rest, sizeof rest, "%s", finding->detail + strcspn(finding->detail, "\n"));
    tell_hazard(hazard_to_tell(mailbox), advice, finding);
    finding->consequence = strlen(finding->detail);
    DETAIL(finding, "%s", rest[0] ? rest + 1 : "");
}

bool explain_hazards(const struct protocol_mailbox *mailbox, struct grader_finding *finding)
{
    if (mailbox->hazard_count == 0)
        return false;
    const struct protocol_hazard *first = hazard_to_tell(mailbox);
    const bool alone = finding->reason == REASON_NONE, of_values = finding->reason == REASON_VALUES;
    char followed[sizeof finding->headline];
    text_set(followed, sizeof followed, "%s", finding->headline);
    finding->reason = REASON_HAZARD;
    snprintf(finding->file, sizeof finding->file, "%s", first->here.file);
    finding->line = first->here.line;
    finding->call_line = first->here.call_line;
    fact_add_hazard(&finding->facts, first);
    HEADLINE(finding, "%s%s", first->name, alone ? "; the result is right only by luck" : "");
    tell_hazard(first, NULL, finding);
    finding->consequence = strlen(finding->detail);
    if (!alone) /* wrong values may come of another mistake */
        DETAIL(finding, "%s: %s\n",
               of_values                                                       ? "Also wrong in this case"
               : fact_is_race(first->class) || fact_is_unwritten(first->class) ? "Later in this case"
                                                                               : "After that",
               followed);
    return true;
}
