/* Control flow: branches, calls, ends, barriers, fences. Source: PTX ISA, "Control Flow Instructions". */
#include <stdarg.h>
#include <stdio.h>

#include "sim/core/address_space.h"
#include "sim/hazard/watch.h"
#include "sim/stream/touched.h"
#include "sim/machine/exec.h"
#include "sim/machine/exec_memory.h"
#include "sim/ptx/ptx.h"
#include "sim/text/place.h"
#include "sim/text/plain_name.h"

/* ---- messages ------------------------------------------------------------------------------------------ */

enum step exec_fault(struct warp *warp, const struct micro *op, uint32_t lanes, enum sim_status status,
                     const char *format, ...)
{
    char what[640], thread[96], place[192] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const struct block_view *view = &warp->block->view;
    struct ptx_loc loc = warp_running_loc(warp, op);
    const char *file = place_file(view->kernel, loc), *slash = strrchr(file, '/');
    if (file[0])
        snprintf(place, sizeof place, "%.160s:%d: ", slash ? slash + 1 : file, loc.line);
    place_thread_name(view, warp->index, __builtin_ctz(lanes), thread, sizeof thread);
    if (status == SIM_TRAP && !view->tracker) /* else it is run again */
        view->sim->trap = (struct sim_hazard_place){.file = file, .line = loc.line};
    block_fault(warp->block, status, "%s%s %s", place, thread, what);
    return STEP_FAULT;
}

/* ---- branches ------------------------------------------------------------------------------------------ */

static enum step jump(struct warp *warp, const struct micro *op, uint32_t active)
{
    (void)active;
    warp->pc = op->target;
    return STEP_JUMP;
}

/* The guard is the condition: active lanes jump, the others of the group go on. */
static enum step bra(struct warp *warp, const struct micro *op, uint32_t active)
{
    if (active == warp->mask) {
        warp->pc = op->target;
        return STEP_JUMP;
    }
    warp->counts[op - warp->ops].divergent++;
    warp_split(warp, active, op->target);
    return STEP_SCHEDULE;
}

/* Each lane its own target: one group a target. An index outside the table is undefined; it takes the
 * last. */
static enum step brx(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct branch_table_detail *table = op->detail;
    const row_u32 *index = row(warp, op->a);
    uint32_t left = active;
    bool first = true;
    while (left) {
        uint32_t wanted = index[__builtin_ctz(left)], same = 0;
        FOR_LANES(lane, left)
        same |= index[lane] == wanted ? 1u << lane : 0;
        int target = table->targets[wanted < (uint32_t)table->count ? wanted : (uint32_t)table->count - 1];
        if (first && same == warp->mask) {
            warp->pc = target;
            return STEP_JUMP;
        }
        first = false;
        warp_split(warp, same, target);
        left &= ~same;
    }
    warp->counts[op - warp->ops].divergent++;
    return STEP_SCHEDULE;
}

/* ---- ends ---------------------------------------------------------------------------------------------- */

static enum step exit_lanes(struct warp *warp, const struct micro *op, uint32_t active)
{
    (void)op;
    return warp_exit(warp, active);
}

static enum step trap(struct warp *warp, const struct micro *op, uint32_t active)
{
    return exec_fault(
        warp, op, active, SIM_TRAP,
        "executed a trap: __trap(), a barrier of the grid in a launch that is not cooperative, or a "
        "place that the compiler takes to be unreachable");
}

/* ---- calls --------------------------------------------------------------------------------------------- */

static unsigned char *thread_bytes(const struct warp *warp, unsigned lane)
{
    const struct block_view *view = &warp->block->view;
    return view->local + (size_t)(warp->index * WARP_LANES + lane) * view->local_size;
}

/* Copies .param variables between two frames, one by one, as far as both sides go. */
static void copy_parameters(struct warp *warp, uint32_t lanes, const struct ptx_operand *caller,
                            int caller_count, const struct ptx_param *callee, int callee_count,
                            size_t caller_base, size_t callee_base, bool into_callee)
{
    for (int i = 0; i < caller_count && i < callee_count; i++) {
        const struct ptx_var *outer = caller[i].var, *inner = &callee[i].var;
        size_t size = outer->size < inner->size ? outer->size : inner->size;
        FOR_LANES(lane, lanes)
        {
            unsigned char *window = thread_bytes(warp, lane);
            unsigned char *outside = window + caller_base + outer->address;
            unsigned char *inside = window + callee_base + inner->address;
            memcpy(into_callee ? inside : outside, into_callee ? outside : inside, size);
        }
    }
}

/* Those of `lanes` whose stack has not `bytes` left; only alloca makes a difference between them. */
static uint32_t lanes_without_stack(const struct warp *warp, uint32_t lanes, size_t bytes)
{
    uint32_t full = 0;
    if (!warp->block->launch->code->has_alloca)
        return warp_stack_holds(warp, warp_stack_taken(warp, 0) + bytes) ? 0 : lanes;
    FOR_LANES(lane, lanes)
    full |= warp_stack_holds(warp, warp_stack_taken(warp, lane) + bytes) ? 0 : 1u << lane;
    return full;
}

static enum step stack_overflow(struct warp *warp, const struct micro *op, uint32_t lanes,
                                const struct function_layout *callee)
{
    const struct frame *caller = warp->groups[warp->running].frame;
    char name[128];
    plain_name(callee->func->name, name, sizeof name);
    return exec_fault(
        warp, op, lanes, SIM_STACK_OVERFLOW,
        "calls %s too deep: stack overflow at call depth %d. The calls take %zu bytes of stack, %zu for "
        "this one, and a thread has %zu (cudaLimitStackSize). Does the recursion end? If it does, " STACK_ADVICE,
        name, caller->depth + 1, warp_stack_taken(warp, (unsigned)__builtin_ctz(lanes)) + callee->call_bytes,
        callee->call_bytes, warp->block->launch->stack_limit);
}

static enum step enter(struct warp *warp, const struct micro *op, uint32_t active,
                       const struct function_layout *callee)
{
    const struct call_detail *call = op->detail;
    size_t caller_base = warp->local;
    uint32_t full = lanes_without_stack(warp, active, callee->call_bytes);
    if (full)
        return stack_overflow(warp, op, full, callee);
    if (!warp_call(warp, active, callee, call))
        return exec_fault(warp, op, active, SIM_OUT_OF_MEMORY,
                          "calls a function for whose registers the host has not enough memory");
    copy_parameters(warp, active, call->arguments, call->argument_count, callee->func->params,
                    callee->func->param_count, caller_base, caller_base + call->caller->local_size, true);
    return STEP_SCHEDULE;
}

static enum step call(struct warp *warp, const struct micro *op, uint32_t active)
{
    return enter(warp, op, active, ((const struct call_detail *)op->detail)->callee);
}

/* One group a target. The warp's own group keeps the lanes that do not call. */
static enum step call_indirect(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct code *code = warp->block->launch->code;
    const row_u64 *address = row(warp, op->a);
    uint32_t left = active;
    while (left) {
        uint64_t target = address[__builtin_ctz(left)];
        uint32_t same = 0;
        FOR_LANES(lane, left)
        same |= address[lane] == target ? 1u << lane : 0;
        const struct function_layout *callee = NULL;
        uint64_t index = target - FUNCTION_ADDRESS_BASE;
        for (int i = 0; index < (uint64_t)code->module->func_count && i < code->function_count; i++)
            if (code->functions[i].func == code->module->funcs[index])
                callee = &code->functions[i];
        if (!callee)
            return exec_fault(warp, op, same, SIM_OUT_OF_BOUNDS,
                              "calls through a pointer (0x%llx) that is not the address of a device function",
                              (unsigned long long)target);
        if (enter(warp, op, same, callee) == STEP_FAULT)
            return STEP_FAULT;
        address = row(warp, op->a);
        left &= ~same;
    }
    return STEP_SCHEDULE;
}

static enum step ret(struct warp *warp, const struct micro *op, uint32_t active)
{
    (void)op;
    const struct frame *frame = warp->groups[warp->running].frame;
    const struct ptx_func *func = frame->layout->func;
    copy_parameters(warp, active, frame->call->results, frame->call->result_count, func->rets,
                    func->ret_count, frame->parent->local, frame->local, false);
    warp_return(warp, active);
    return STEP_SCHEDULE;
}

/* ---- barriers and fences ------------------------------------------------------------------------------- */

/* The group's lanes at a barrier of the block whose number and count stand in rows. */
static enum step bar(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct barrier_detail *detail = op->detail;
    int first = __builtin_ctz(active);
    uint32_t number = ((const row_u32 *)row(warp, op->a))[first];
    uint32_t expected = detail->has_count ? ((const row_u32 *)row(warp, op->b))[first] : 0;
    if (number >= BARRIER_COUNT)
        return exec_fault(warp, op, active, SIM_TRAP, "uses barrier %u; a block has barriers 0 to %d", number,
                          BARRIER_COUNT - 1);
    if (expected % WARP_LANES != 0)
        return exec_fault(warp, op, active, SIM_TRAP,
                          "waits at barrier %u for %u threads; the count must be a multiple of %d", number,
                          expected, WARP_LANES);
    if (detail->operation == BARRIER_ARRIVE) {
        block_arrive(warp->block, number, expected, warp->index, active);
        return STEP_NEXT;
    }
    uint32_t value = warp->preds[op->q] ^ (detail->negate ? ~0u : 0);
    warp_wait_block(warp, op, active, number, expected, value);
    return STEP_SCHEDULE;
}

static enum step fence(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct launch *launch = warp->block->launch;
    if (launch->touched)
        touched_fence(launch->touched, (int)op->imm);
    if (launch->hazards)
        hazard_fence(&warp->block->view, warp->index, active, (int)op->imm);
    if (!warp->looked_at)
        return STEP_NEXT;
    warp->looked_at = 0;
    return warp_look_away(warp, STEP_NEXT);
}

/* ---- clocks -------------------------------------------------------------------------------------------- */

/* Instructions that read a clock take so long on a device. */
#define CLOCK_CYCLES 20

/*
 * Cycles since the block began: one for each operation that its warps have run, and those that passed in
 * sleep. So time goes on, at about the right pace for a busy block, and is the same in every run.
 */
static uint64_t now(const struct warp *warp)
{
    return warp->block->executed + warp->block->slept + (uint64_t)(warp->turn - warp->budget);
}

/* A warp that sleeps, at most a millisecond (PTX ISA, nanosleep). No host thread waits: the clock goes on. */
static void pass_time(struct warp *warp, uint32_t nanoseconds)
{
    double ghz = warp->block->view.sim->config.profile->clock_ghz;
    warp->block->slept += (uint64_t)((nanoseconds < 1000000 ? nanoseconds : 1000000) * ghz);
}

static uint64_t nanoseconds_now(const struct warp *warp)
{
    return (uint64_t)((double)now(warp) / warp->block->view.sim->config.profile->clock_ghz);
}

static enum step nanosleep_lanes(struct warp *warp, const struct micro *op, uint32_t active)
{
    enum step step = STEP_NEXT;
    const row_u32 *nanoseconds = row(warp, op->a);
    uint32_t longest = 0;
    FOR_LANES(lane, active) longest = nanoseconds[lane] > longest ? nanoseconds[lane] : longest;
    pass_time(warp, longest);
    for (int i = 0; i < 16; i++)
        step = warp_spin(warp);
    return step;
}

/* A store or an atomic that other threads may wait for: they get their turn, and see this value before the next one. */
static enum step publish(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = op->detail; /* of an atomic: the first part of its own */
    const enum step step = detail->inner(warp, op, active);
    return step == STEP_NEXT ? warp_give_way(warp) : step;
}

/* Undisturbed: one lane after the other, each as far as it comes, or those of the same warp would come in between. */
static enum step first_of_two_alone(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = op->detail;
    const uint32_t others = active & (active - 1);
    if (!others)
        return detail->inner(warp, op, active);
    warp_split_later(warp, others, (int)(op - warp->ops));
    const enum step step = detail->inner(warp, op, active & ~others);
    return step == STEP_FAULT ? step : STEP_SCHEDULE;
}

/* The first of two atomics on a word, which together are not atomic: others come in between, where hazards are looked for. */
static enum step first_of_two(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = op->detail;
    if (warp->block->view.sim->config.undisturbed)
        return first_of_two_alone(warp, op, active);
    const enum step step = detail->inner(warp, op, active);
    if (step != STEP_NEXT || !warp_may_stop_between(warp))
        return step;
    struct sim *sim = warp->block->view.sim;
    if (sim->two_steps.line == 0) {
        sim->two_steps =
            place_of_lane(&warp->block->view, warp->index, __builtin_ctz(active), warp_loc(warp, op), NULL);
        sim->second_step = detail->again_line;
    }
    return warp_give_way(warp);
}

/*
 * A look at a word that a loop waits for. If another value stands there than at the last look, others may get their turn
 * before this warp acts on it. What the first look finds may not be what the loop waits for: if it is, a fence mostly
 * follows, and they get their turn there.
 */
static enum step look(struct warp *warp, const struct micro *op, uint32_t active)
{
    const struct memory_detail *detail = op->detail;
    uint64_t where = (uint64_t)(op - warp->ops) + 1, seen = 0, address[WARP_LANES];
    exec_fill_addresses(warp, detail, address);
    const enum step step = detail->inner(warp, op, active);
    FOR_LANES(lane, active)
    {
        const uint64_t value = detail->element_size == 8 ? ((const row_u64 *)row(warp, op->dst))[lane]
                                                         : ((const row_u32 *)row(warp, op->dst))[lane];
        where = (where ^ address[lane]) * UINT64_C(0x9e3779b97f4a7c15);
        seen = (seen ^ value) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    const bool is_first = where != warp->looked_at, is_new = seen != warp->seen;
    warp->looked_at = where;
    warp->seen = seen;
    return step == STEP_FAULT || is_first || !is_new ? step : warp_look_away(warp, step);
}

static enum step nothing(struct warp *warp, const struct micro *op, uint32_t active)
{
    (void)warp;
    (void)op;
    (void)active;
    return STEP_NEXT;
}

#define DEFINE_CLOCK(name, T, unit, value)                                                                   \
    static enum step name(struct warp *warp, const struct micro *op, uint32_t active)                        \
    {                                                                                                        \
        row_##T *d = row(warp, op->dst);                                                                     \
        const uint64_t time = (unit);                                                                        \
        warp->block->slept += CLOCK_CYCLES;                                                                  \
        FOR_LANES(lane, active) d[lane] = (row_##T)(value);                                                  \
        return STEP_NEXT;                                                                                    \
    }
DEFINE_CLOCK(clock_low, u32, now(warp), time)
DEFINE_CLOCK(clock_high, u32, now(warp), time >> 32)
DEFINE_CLOCK(clock_64, u64, now(warp), time)
DEFINE_CLOCK(timer_low, u32, nanoseconds_now(warp), time)
DEFINE_CLOCK(timer_high, u32, nanoseconds_now(warp), time >> 32)
DEFINE_CLOCK(timer_64, u64, nanoseconds_now(warp), time)

const struct handler exec_control_handlers[] = {
    {"jump", jump},
    {"bra", bra},
    {"brx", brx},
    {"exit", exit_lanes},
    {"ret", ret},
    {"trap", trap},
    {"call", call},
    {"call.indirect", call_indirect},
    {"bar", bar},
    {"fence", fence},
    {"nanosleep", nanosleep_lanes},
    {"nothing", nothing},
    {"publish", publish},
    {"first_of_two", first_of_two},
    {"look", look},
    {"mov.clock", clock_low},
    {"mov.clock_hi", clock_high},
    {"mov.clock64", clock_64},
    {"mov.globaltimer", timer_64},
    {"mov.globaltimer_lo", timer_low},
    {"mov.globaltimer_hi", timer_high},
    {NULL, NULL},
};
