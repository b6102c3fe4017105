/* What the API says on stderr while the program runs, and the last error of each host thread. */
#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"
#include "sim/text/plain_name.h"

#include <stdarg.h>
#include <string.h>

static _Thread_local cudaError_t last_error;

/* True the first time that it sees a text: the same mistake in a loop is said once. */
static bool api_is_new(const char *text)
{
    struct api_said *said = &api.said;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = text; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    for (int i = 0; i < said->count; i++)
        if (said->texts[i] == hash)
            return false;
    if (said->count == 256)
        return false;
    said->texts[said->count++] = hash;
    return true;
}

static void say(const char *name, const char *format, va_list arguments)
{
    char text[1600], whole[1900];
    vsnprintf(text, sizeof text, format, arguments);
    snprintf(whole, sizeof whole, "%s: %s", name, text);
    if (!api_is_new(whole))
        return;
    fflush(stdout);
    fprintf(stderr, "simulator: %s: %s\n", name, text);
}

void api_note(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(name, format, arguments);
    va_end(arguments);
}

cudaError_t api_fail(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

/* With the place of the call, if the program carries line information. */
cudaError_t api_fail_because(const struct api_call *call, cudaError_t error, const char *format, ...)
{
    va_list arguments;
    char text[1600], name[256];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct api_source source = api_source_of_call(call);
    snprintf(name, sizeof name, source.line > 0 ? "%s (%s:%d)" : "%s", call->name, source.file, source.line);
    api_note(name, "%s", text);
    api_remark_failed(call, text);
    return api_fail(error);
}

/* For api_unsupported.c, which does not include the toolkit's header. */
int api_unsupported(const char *name);

/* "cudaGraphLaunch_ptsz" is what a program calls cudaGraphLaunch when it is compiled for per-thread streams. */
int api_unsupported(const char *name)
{
    const char *suffix = strstr(name, "_pt");
    int length = (int)(suffix ? (size_t)(suffix - name) : strlen(name));
    api_lock();
    if (api_is_new(name))
        fprintf(stderr, "simulator: %.*s: the simulator does not support this call\n", length, name);
    api_unlock();
    return (int)api_fail(cudaErrorNotSupported);
}

/* ---- cudaGetLastError and its kin ---------------------------------------------------------------------- */

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess; /* after a fault the next call that fails brings it back */
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

static cudaError_t fault_code(enum sim_status status)
{
    switch (status) {
    case SIM_OK: return cudaSuccess;
    case SIM_OUT_OF_BOUNDS: return cudaErrorIllegalAddress;
    case SIM_MISALIGNED: return cudaErrorMisalignedAddress;
    case SIM_TRAP:
    case SIM_STACK_OVERFLOW: return cudaErrorLaunchFailure;
    case SIM_ASSERT: return cudaErrorAssert;
    case SIM_DEADLOCK:
    case SIM_INSTRUCTION_LIMIT: return cudaErrorLaunchTimeout;
    case SIM_UNSUPPORTED: return cudaErrorNotSupported;
    case SIM_OUT_OF_MEMORY: return cudaErrorMemoryAllocation;
    case SIM_ADDRESS_SPACE: return cudaErrorInvalidAddressSpace;
    }
    return cudaErrorUnknown;
}

/* Where the launch was, and where the memory was freed that it touched: "(launched at main.cu:12; …)". */
static void describe_launch(const struct sim_result *result, char *text, size_t size)
{
    const struct sim_hazard *hazards;
    const int count = sim_hazards(api.sim, &hazards);
    struct api_source launched = {"", 0}, freed = {"", 0};
    if (api.queue.running)
        launched = api_source_of_work(api.queue.running);
    for (int i = 0; i < count; i++) {
        if (hazards[i].class != SIM_HAZARD_USE_AFTER_FREE || strcmp(hazards[i].message, result->message) != 0)
            continue;
        const struct sim_allocation *found = sim_mem_find(api.sim, hazards[i].address);
        struct api_call call = {"", cudaSuccess, found ? found->freed_by[0] : NULL, NULL, NULL};
        call.outer = found ? found->freed_by[1] : NULL;
        freed = api_source_of_call(&call);
    }
    text[0] = '\0';
    if (launched.line > 0)
        snprintf(text, size,
                 api_runs_children() ? " (launched by a kernel of the launch at %s:%d)"
                                     : " (launched at %s:%d)",
                 launched.file, launched.line);
    if (freed.line > 0)
        snprintf(text + strlen(text), size - strlen(text), " (the memory was freed at %s:%d)", freed.file,
                 freed.line);
}

void api_set_fault(const struct sim_kernel_info *kernel, const struct sim_result *result)
{
    if (result->status == SIM_OK || api.pending != cudaSuccess || api.sticky != cudaSuccess)
        return;
    api.pending = fault_code(result->status);
    snprintf(api.fault, sizeof api.fault, "%s", result->message);
    char name[128];
    plain_name(kernel->name, name, sizeof name);
    api_remark_stopped();
    if (!api.reports)
        return;
    char where[256];
    describe_launch(result, where, sizeof where);
    api_note(name, "the kernel stopped%s: %s", where, result->message);
}
