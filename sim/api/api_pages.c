/* Which pages are closed to the host, and when; see api_pages.h. What the signal handlers do: api_pages_fault.c. */
#include "sim/api/api_pages.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_report.h"
#include "sim/api/api_runner.h"
#include "sim/api/api_state.h"
#include "sim/core/need.h"
#include "sim/hazard/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES ((uintptr_t)4096)

uint64_t api_pages_noted(void)
{
    api.pages.begin = __atomic_load_n(&api.pages.noted, __ATOMIC_RELAXED);
    return __atomic_load_n(&api.pages.noted, __ATOMIC_RELAXED);
}

bool api_pages_wants(const struct api_work *work)
{
    if (work->kind == API_WORK_HOST && api.pages.count > 0)
        return true;
    return api.pages.noted != work->host_accesses ||
           (api.blocks.count > 0 && api.pages.count > 0 && !api.queue.waited_for);
}

static void begin_change(void)
{
    __atomic_add_fetch(&api.pages.changing, 1, __ATOMIC_SEQ_CST);
}

static void end_change(void)
{
    __atomic_add_fetch(&api.pages.changing, 1, __ATOMIC_SEQ_CST);
}

/* ---- ranges -------------------------------------------------------------------------------------------- */

/*
 * Bytes of the host that belong to others may lie on the first and the last page: those of registered memory, and, of a
 * range that has whole pages, the rest of the block. Such a page stays open: a system call fails on closed ones.
 */
/* Weak: a shared library that holds the simulator cannot see them. */
extern char __data_start[] __attribute__((weak)), _end[] __attribute__((weak));

/* Static arrays share pages with other static data only, which the host may touch; not with what the handler needs. */
static bool in_static_data(uintptr_t start, uintptr_t end)
{
    const uintptr_t first = start & ~(PAGE_BYTES - 1), behind = (end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    char *const data = __data_start, *const data_end = _end;
    return data && data_end && start >= (uintptr_t)data && end <= (uintptr_t)data_end &&
           (behind <= (uintptr_t)&api || first >= (uintptr_t)(&api + 1));
}

static void choose_pages(struct api_page_range *range, const struct api_host_block *block)
{
    const uintptr_t start = (uintptr_t)block->start, end = start + block->size;
    const bool whole = block->kind != API_HOST_REGISTERED || in_static_data(start, end);
    uintptr_t up = (range->first + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1), down = range->end & ~(PAGE_BYTES - 1);
    const bool small = up >= down && whole;
    range->page_first = (small || (whole && range->first == start)) ? range->first & ~(PAGE_BYTES - 1) : up;
    range->page_end =
        (small || (whole && range->end == end)) ? (range->end + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1) : down;
    if (range->page_end < range->page_first)
        range->page_end = range->page_first;
}

static struct api_page_range *new_range(void)
{
    struct api_pages *pages = &api.pages;
    begin_change();
    if (pages->count == pages->room) {
        pages->room = pages->room ? 2 * pages->room : 16;
        pages->ranges = sim_need_resized(pages->ranges, pages->room, sizeof *pages->ranges, "closed pages");
    }
    struct api_page_range *range = &pages->ranges[pages->count++];
    memset(range, 0, sizeof *range);
    end_change();
    return range;
}

static void watch(const struct api_work *work, const struct api_host_block *block, uintptr_t first,
                  uintptr_t end, int protection)
{
    for (unsigned i = 0; i < api.pages.count; i++) {
        struct api_page_range *range = &api.pages.ranges[i];
        if (range->first == first && range->end == end && range->protection == protection) {
            clock_join(&range->clock, &work->clock);
            return;
        }
    }
    struct api_page_range *range = new_range();
    range->first = first;
    range->end = end;
    range->protection = protection;
    choose_pages(range, block);
    range->page_accesses = sim_need((range->page_end - range->page_first) / PAGE_BYTES + 1,
                                    sizeof *range->page_accesses, "closed pages");
    clock_join(&range->clock, &work->clock);
}

static void watch_side(const struct api_work *work, const struct api_place *place, int protection)
{
    const struct api_host_block *block =
        place->bytes && !place->on_device ? api_find_host_block((const void *)place->address) : NULL;
    if (block)
        watch(work, block, place->address, place->address + place->size, protection);
}

/* Whether a kernel that finds these bytes, among its arguments or in memory that they point to, may reach the block. */
static bool points_into(const unsigned char *bytes, size_t size, const struct api_host_block *block)
{
    for (size_t i = 0; i + sizeof(uintptr_t) <= size; i += 4) {
        uintptr_t pointer;
        memcpy(&pointer, bytes + i, sizeof pointer);
        if (pointer - (uintptr_t)block->start < block->size)
            return true;
    }
    return false;
}

static bool arguments_point_into(const struct sim_launch *launch, const struct api_host_block *block)
{
    const struct ptx_func *function = sim_kernel_function(launch->kernel);
    for (int i = 0; i < function->param_count; i++)
        if (points_into(launch->args[i], function->params[i].var.size, block))
            return true;
    return false;
}

/* Managed variables need no argument; lists and trees in managed memory are reached through one of their parts. */
static void watch_kernel(const struct api_work *work)
{
    bool managed = false;
    for (int i = 0; i < api.blocks.count; i++)
        managed |= api.blocks.list[i].kind == API_HOST_MANAGED &&
                   arguments_point_into(&work->launch, &api.blocks.list[i]);
    for (int i = 0; i < api.blocks.count; i++) {
        const struct api_host_block *block = &api.blocks.list[i];
        const uintptr_t start = (uintptr_t)block->start;
        const bool variable = block->kind == API_HOST_MANAGED && !block->owned;
        if (variable || (managed && block->kind == API_HOST_MANAGED && block->size <= API_LINKED_BLOCK) ||
            arguments_point_into(&work->launch, block))
            watch(work, block, start, start + block->size, PROT_NONE);
    }
}

void api_pages_watch(const struct api_work *work)
{
    if (api.blocks.count == 0)
        return;
    if (!sim_config(api.sim)->hazards || sim_config(api.sim)->sample_work > 0 || !api_report_sees_faults()) {
        api_runner_start(); /* the host may wait for a word to change */
        return;
    }
    if (work->kind == API_WORK_KERNEL)
        watch_kernel(work);
    if (work->kind == API_WORK_BOX) {
        watch_side(work, &work->from, PROT_READ);
        watch_side(work, &work->to, PROT_NONE);
    }
    if (api.pages.count > 0)
        api_runner_prepare();
}

/* ---- closing and opening ------------------------------------------------------------------------------- */

static void set_protection(const struct api_page_range *range, int protection)
{
    if (range->page_end > range->page_first)
        mprotect((void *)range->page_first, range->page_end - range->page_first, protection);
}

static void close_ranges(int protection)
{
    for (unsigned i = 0; i < api.pages.count; i++) {
        struct api_page_range *range = &api.pages.ranges[i];
        if (range->closed || range->given_up || range->protection != protection)
            continue;
        set_protection(range, protection);
        range->closed = true;
        api.pages.any_closed = true;
    }
}

/* Where a page belongs to several ranges, the one that allows less comes last. */
void api_pages_close(void)
{
    if (api.pages.count == 0)
        return;
    begin_change();
    bool more = false;
    for (unsigned i = 0; i < api.pages.count; i++)
        more |= !api.pages.ranges[i].closed && !api.pages.ranges[i].given_up;
    for (unsigned i = 0; more && i < api.pages.count; i++)
        api.pages.ranges[i].closed = false;
    close_ranges(PROT_READ);
    close_ranges(PROT_NONE);
    end_change();
}

void api_pages_open(void)
{
    if (!api.pages.any_closed)
        return;
    begin_change();
    for (unsigned i = 0; i < api.pages.count; i++) {
        if (api.pages.ranges[i].closed)
            set_protection(&api.pages.ranges[i], PROT_READ | PROT_WRITE);
        api.pages.ranges[i].closed = false;
    }
    api.pages.any_closed = false;
    end_change();
}

static bool overlap(const struct api_page_range *a, const struct api_page_range *b)
{
    return a->page_first < b->page_end && b->page_first < a->page_end;
}

/* A range that is forgotten: its pages are opened, but for those that another range keeps closed. */
static void open_forgotten(const struct api_page_range *range)
{
    bool shared = false;
    set_protection(range, PROT_READ | PROT_WRITE);
    for (unsigned i = 0; i < api.pages.count; i++) {
        struct api_page_range *other = &api.pages.ranges[i];
        if (other->closed && overlap(range, other)) {
            shared = true;
            other->closed = false;
        }
    }
    if (shared) {
        close_ranges(PROT_READ);
        close_ranges(PROT_NONE);
    }
}

/*
 * The other ranges stay closed all the time: a thread of the program that a host function has just told something may
 * touch them at this very moment.
 */
void api_pages_forget(void)
{
    struct api_pages *pages = &api.pages;
    if (pages->count == 0)
        return;
    begin_change();
    for (unsigned i = 0; i < pages->count;) {
        struct api_page_range range = pages->ranges[i];
        if (!clock_covered(&range.clock, &api.queue.host)) {
            i++;
            continue;
        }
        pages->ranges[i] = pages->ranges[--pages->count];
        if (range.closed)
            open_forgotten(&range);
        clock_free(&range.clock);
        free(range.page_accesses);
    }
    end_change();
}

/* ---- hazards ------------------------------------------------------------------------------------------- */

struct api_source api_pages_source_of(const struct api_host_access *access)
{
    struct api_source source = {"", 0};
    for (int i = 0; i < 4 && access->callers[i] && source.line == 0; i++)
        if (api_pages_is_program(access->callers[i]))
            source = api_source_of(access->callers[i]);
    for (int i = 0; i < 4 && access->callers[i] && source.line == 0; i++)
        source = api_source_of(access->callers[i]);
    return source;
}

static void add_hint(struct sim_hazard *hazard, const char *text)
{
    const size_t used = strlen(hazard->message);
    snprintf(hazard->message + used, sizeof hazard->message - used, "%s", text);
}

static void report(const struct api_work *work, const struct api_host_access *access, uintptr_t address,
                   bool work_writes)
{
    const struct api_source here = api_pages_source_of(access), there = api_source_of_work(work);
    char what[192], where[100] = "";
    struct sim_hazard hazard = {.class = SIM_HAZARD_RACE_HOST,
                                .kernel = work->kind == API_WORK_KERNEL ? work->name : "",
                                .here = api_place_of(&here, access->is_write),
                                .there = api_place_of(&there, work_writes),
                                .address = address};
    api_describe_work(work, &there, what, sizeof what);
    api_describe_bytes(address, 1, hazard.object, sizeof hazard.object);
    if (here.line > 0)
        snprintf(where, sizeof where, " in %s:%d", here.file, here.line);
    snprintf(hazard.message, sizeof hazard.message,
             "The host %s %s%s, which %s %s, before it has waited for that: call "
             "cudaStreamSynchronize(stream), or cudaDeviceSynchronize(), before the host %s it",
             access->is_write ? "writes" : "reads", hazard.object, where, what,
             work_writes ? "writes" : "reads", access->is_write ? "writes" : "reads");
    if (work->kind == API_WORK_KERNEL && work_writes && touched_lacks_host_fence(work->touched))
        add_hint(
            &hazard,
            " (a word that the kernel writes for the host, volatile or by an atomic of system scope, says that "
            "other bytes are there only if __threadfence_system() stands before it)");
    hazard_file(api.sim, &hazard);
}

void api_pages_begin_function(struct api_work *work)
{
    if (api.pages.count == 0)
        return;
    api_pages_close(); /* for the program's other threads, too, who may hear of it before it ends */
    if (!work->touched)
        return;
    api.pages.function_begin = api.pages.noted;
    api.pages.in_function = true;
}

void api_pages_end_function(struct api_work *work)
{
    struct api_pages *pages = &api.pages;
    if (!pages->in_function)
        return;
    pages->in_function = false;
    for (uint64_t i = pages->function_begin; i < pages->noted; i++) {
        struct api_host_access *access = &pages->accesses[i % API_HOST_ACCESSES];
        if (!access->in_function)
            continue;
        touched_add(work->touched, access->is_write ? TOUCH_WRITE : TOUCH_READ, access->address,
                    access->last - access->address + 1);
        if (!work->accessed_from && api_pages_source_of(access).line > 0)
            work->accessed_from = access->callers[0];
    }
}

/* Whether the kernel and the host talk by what lies there: what the host does later comes after that. */
static bool check_access(const struct api_work *work, const struct api_host_access *access)
{
    const struct api_host_block *block = api_find_host_block((const void *)access->address);
    uint64_t shift = 0;
    bool work_writes, talk = false;
    if (block && block->device && work->kind == API_WORK_KERNEL)
        shift = block->device - (uintptr_t)block->start;
    for (uintptr_t address = access->address; address <= access->last && !talk; address++)
        if (touched_meets_byte(work->touched, address + shift, access->is_write, &work_writes, &talk)) {
            report(work, access, address, work_writes);
            break;
        }
    return talk;
}

void api_pages_check(struct api_work *work)
{
    const uint64_t noted = api.pages.noted;
    uint64_t i = work->host_accesses;
    if (noted > API_HOST_ACCESSES && i < noted - API_HOST_ACCESSES)
        i = noted - API_HOST_ACCESSES;
    for (; i < noted; i++) {
        const struct api_host_access *access = &api.pages.accesses[i % API_HOST_ACCESSES];
        if (!access->in_function && check_access(work, access))
            return;
    }
}
