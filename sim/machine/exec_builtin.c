/*
 * Functions that device code calls and the driver provides: vprintf, __assertfail, malloc, free.
 * Source: CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory Allocation".
 */
#include <stdio.h>

#include "sim/core/device.h"
#include "sim/core/need.h"
#include "sim/hazard/watch.h"
#include "sim/machine/exec_builtin.h"
#include "sim/machine/kernel_printf.h"
#include "sim/memory/allocations.h"
#include "sim/memory/tracker.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"

/* The bytes of a .param variable of the caller, in one lane. */
static unsigned char *variable_bytes(const struct warp *warp, unsigned lane, const struct ptx_var *var)
{
    const struct block_view *view = &warp->block->view;
    return view->local + (size_t)(warp->index * WARP_LANES + lane) * view->local_size + warp->local +
           var->address;
}

void exec_argument_bytes(const struct warp *warp, const struct call_detail *call, unsigned lane, int index,
                         void *out, size_t size)
{
    memset(out, 0, size);
    if (index >= call->argument_count)
        return;
    const struct ptx_var *var = call->arguments[index].var;
    memcpy(out, variable_bytes(warp, lane, var), var->size < size ? var->size : size);
}

uint64_t exec_argument(const struct warp *warp, const struct call_detail *call, unsigned lane, int index)
{
    uint64_t value;
    exec_argument_bytes(warp, call, lane, index, &value, sizeof value);
    return value;
}

void exec_set_result(struct warp *warp, const struct call_detail *call, unsigned lane, uint64_t value)
{
    if (call->result_count == 0)
        return;
    const struct ptx_var *var = call->results[0].var;
    memcpy(variable_bytes(warp, lane, var), &value, var->size < 8 ? var->size : 8);
}

/* One thread, for reading what its pointers point to. */
struct reader {
    struct warp *warp;
    const struct micro *op;
    int lane;
};

static bool read_bytes(void *context, uint64_t address, void *out, size_t size)
{
    const struct reader *reader = context;
    const void *bytes = exec_thread_pointer(reader->warp, reader->op, reader->lane, address, size);
    if (!bytes)
        return false;
    memcpy(out, bytes, size);
    return true;
}

/* As much as a device keeps of a call: the format's address, the number of arguments, and eight bytes for each. */
static void count_line(struct sim *sim, FILE *output, int arguments)
{
    const size_t bytes = 16 + 8 * (size_t)(arguments > 0 ? arguments : 0);
    if (sim->config.printf_limit == 0)
        return;
    if (sim->printed_count == sim->printed_room) {
        sim->printed_room = sim->printed_room ? 2 * sim->printed_room : 256;
        sim->printed = sim_need_resized(sim->printed, sim->printed_room, sizeof *sim->printed,
                                        "the lines that a kernel prints");
    }
    sim->printed[sim->printed_count++] = (struct printed_line){ftell(output), bytes};
}

static void print(struct warp *warp, const struct micro *op, unsigned lane)
{
    const struct call_detail *call = op->detail;
    struct reader reader = {warp, op, (int)lane};
    struct sim *sim = warp->block->view.sim;
    FILE *output = sim->config.kernel_output ? sim->config.kernel_output : stdout;
    int written = kernel_printf(output, exec_argument(warp, call, lane, 0),
                                exec_argument(warp, call, lane, 1), read_bytes, &reader);
    count_line(sim, output, written);
    if (sim->print_count++ == 0)
        sim->first_print =
            place_of_lane(&warp->block->view, warp->index, (int)lane, warp_loc(warp, op), NULL);
    exec_set_result(warp, call, lane, (uint64_t)(uint32_t)written);
}

static void read_string(struct warp *warp, const struct micro *op, unsigned lane, uint64_t address,
                        char *text, size_t size)
{
    struct reader reader = {warp, op, (int)lane};
    size_t length = 0;
    while (length + 1 < size && read_bytes(&reader, address + length, &text[length], 1) && text[length])
        length++;
    text[length] = '\0';
}

/*
 * __assertfail(condition, file, line, function, size of a character): each thread says so on stderr, in the
 * words of a device; the lowest one's place is the launch's fault.
 */
static enum step assert_fail(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct call_detail *call = op->detail;
    const struct block_view *view = &warp->block->view;
    const struct sim_dim3 *b = &view->block_index;
    char condition[160], file[256], function[160];
    FOR_LANES(lane, active)
    {
        struct sim_hazard_place place = place_of_lane(view, warp->index, (int)lane, warp_loc(warp, op), NULL);
        const struct sim_dim3 *t = &place.thread;
        read_string(warp, op, lane, exec_argument(warp, call, lane, 0), condition, sizeof condition);
        read_string(warp, op, lane, exec_argument(warp, call, lane, 1), file, sizeof file);
        read_string(warp, op, lane, exec_argument(warp, call, lane, 3), function, sizeof function);
        fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                (unsigned)exec_argument(warp, call, lane, 2), function, b->x, b->y, b->z, t->x, t->y, t->z,
                condition);
    }
    unsigned lowest = (unsigned)__builtin_ctz(active);
    read_string(warp, op, lowest, exec_argument(warp, call, lowest, 0), condition, sizeof condition);
    read_string(warp, op, lowest, exec_argument(warp, call, lowest, 1), file, sizeof file);
    return exec_fault(warp, op, active, SIM_ASSERT, "found its assertion false: %s (%.128s:%u)", condition,
                      file, (unsigned)exec_argument(warp, call, lowest, 2));
}

/* What an allocation takes of the heap: 16 bytes more, in units of 16. */
static size_t heap_bytes(uint64_t size)
{
    return (size_t)(size + 31) / 16 * 16;
}

void exec_made_at(const struct warp *warp, const struct micro *op, uint64_t address)
{
    const struct block_view *view = &warp->block->view;
    const struct ptx_loc loc = warp_running_loc(warp, op);
    sim_mem_made_at(view->sim, address, place_file(view->kernel, loc), loc.line);
}

static void allocate(struct warp *warp, const struct micro *op, unsigned lane)
{
    const struct call_detail *call = op->detail;
    struct sim *sim = warp->block->view.sim;
    const uint64_t size = exec_argument(warp, call, lane, 0);
    const size_t limit = sim->config.heap_limit;
    sim_addr address = 0;
    if (limit == 0 || (size <= limit && heap_bytes(size) <= limit - sim->heap_used))
        address = sim_mem_alloc(sim, size, NULL);
    if (address) {
        exec_made_at(warp, op, address);
        sim->heap_used += heap_bytes(size);
    }
    exec_set_result(warp, call, lane, address);
}

static void report_release(struct warp *warp, const struct micro *op, unsigned lane, uint64_t address)
{
    const struct block_view *view = &warp->block->view;
    const struct sim_allocation *found = sim_mem_find(view->sim, address);
    bool freed = found && found->freed && found->address == address;
    struct sim_hazard hazard = {.class = freed ? SIM_HAZARD_USE_AFTER_FREE : SIM_HAZARD_OUT_OF_BOUNDS,
                                .kernel = view->kernel->info.name,
                                .address = address};
    char thread[96];
    hazard.here = place_of_lane(view, warp->index, (int)lane, warp_loc(warp, op), NULL);
    place_thread_name(view, warp->index, (int)lane, thread, sizeof thread);
    snprintf(hazard.message, sizeof hazard.message, "%.200s:%d: %s frees 0x%llx, which %s", hazard.here.file,
             hazard.here.line, thread, (unsigned long long)address,
             freed ? "was freed already" : "malloc did not return");
    hazard_file(view->sim, &hazard);
}

static enum step release(struct warp *warp, const struct micro *op, unsigned lane)
{
    uint64_t address = exec_argument(warp, op->detail, lane, 0);
    struct sim *sim = warp->block->view.sim;
    const struct sim_allocation *found = address ? sim_mem_find(sim, address) : NULL;
    const size_t bytes = found ? heap_bytes(found->size) : 0;
    if (!address)
        return STEP_NEXT;
    if (sim_mem_free(sim, address)) {
        sim->heap_used -= bytes < sim->heap_used ? bytes : sim->heap_used;
        return STEP_NEXT;
    }
    report_release(warp, op, lane, address);
    return exec_fault(warp, op, 1u << lane, SIM_OUT_OF_BOUNDS,
                      "frees 0x%llx, which malloc did not return or which was freed already",
                      (unsigned long long)address);
}

static enum step call_builtin(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct call_detail *call = op->detail;
    enum step step = STEP_NEXT;
    warp->block->acts = true;
    if (warp->block->view.tracker) { /* printed lines and allocations have an order */
        tracker_stop(warp->block->view.tracker, STOP_ORDER);
        return exec_fault(warp, op, active, SIM_TRAP, "needs the blocks in their order");
    }
    if (call->builtin == BUILTIN_ASSERTFAIL)
        return assert_fail(warp, op, active);
    FOR_LANES(lane, active)
    {
        switch (call->builtin) {
        case BUILTIN_VPRINTF: print(warp, op, lane); break;
        case BUILTIN_MALLOC: allocate(warp, op, lane); break;
        case BUILTIN_FREE: step = release(warp, op, lane); break;
        case BUILTIN_DEVICE_RUNTIME: step = exec_device_call(warp, op, lane); break;
        case BUILTIN_ASSERTFAIL:
        case BUILTIN_NONE: break;
        }
        if (step == STEP_FAULT)
            return STEP_FAULT;
    }
    return STEP_NEXT;
}

const struct handler exec_builtin_handlers[] = {
    {"call.builtin", call_builtin},
    {NULL, NULL},
};
