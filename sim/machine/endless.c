#include "sim/machine/endless.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/machine/block_report.h"
#include "sim/machine/exec.h"
#include "sim/ptx/loop.h"
#include "sim/text/place.h"

/* A group of lanes that runs, and the loop that it is in. */
struct runner {
    const struct block *block;
    const struct warp *warp;
    const struct group *group;
    struct loop_view loop;
};

static struct loop_view loop_of(const struct block *block, int pc)
{
    const struct code *code = block->launch->code;
    const struct ptx_instr *instr = code->instrs[pc];
    for (int i = 0; instr && i < code->function_count; i++) {
        const struct ptx_func *func = code->functions[i].func;
        if (instr >= func->instrs && instr < func->instrs + func->instr_count)
            return loop_view(func, (int)(instr - func->instrs));
    }
    return (struct loop_view){0};
}

/* Whether the loop compares, as a floating-point number, what a compare-and-swap returned, and that is NaN in a lane. */
static bool compares_nan(const struct runner *r)
{
    const struct ptx_instr *test =
        r->block && !r->loop.swap && r->loop.as_number ? r->loop.number_test : NULL;
    const struct code *code = test ? r->block->launch->code : NULL;
    const int lane = test ? __builtin_ctz(r->group->lanes) : 0;
    for (int pc = 0; test && pc < code->count; pc++) {
        if (code->instrs[pc] != test || code->ops[pc].a == 0)
            continue;
        const void *values = row(r->warp, code->ops[pc].a);
        const char *type = test->mods[test->mod_count - 1];
        return strcmp(type, "f64") == 0 ? isnan(((const row_f64 *)values)[lane])
                                        : strcmp(type, "f32") == 0 && isnan(((const row_f32 *)values)[lane]);
    }
    return false;
}

/* Whether the loop cannot end, whatever other threads do. */
static bool is_endless(const struct runner *r)
{
    const struct loop_view *loop = &r->loop;
    return loop->found &&
           (!loop->has_exit || loop->swap || (!loop->looks && !loop->counts) || compares_nan(r));
}

/* A jump that is not in the PTX stands for the operation that it leads to. */
static int place_of_group(const struct block *block, const struct group *group)
{
    const struct code *code = block->launch->code;
    return code->instrs[group->pc] ? group->pc : code->ops[group->pc].target;
}

/* The first group that runs; one in an endless loop before others. */
static struct runner find_runner(struct block *const *blocks, unsigned count)
{
    struct runner found = {0};
    int left = 64; /* graphs are built anew each time */
    for (unsigned b = 0; b < count; b++)
        for (unsigned w = 0; w < blocks[b]->launch->warp_count; w++) {
            const struct warp *warp = &blocks[b]->warps[w];
            for (int g = 0; g < warp->group_count && left > 0; g++) {
                struct runner runner = {.block = blocks[b], .warp = warp, .group = &warp->groups[g]};
                if (runner.group->state != GROUP_READY)
                    continue;
                left--;
                runner.loop = loop_of(blocks[b], place_of_group(blocks[b], runner.group));
                if (!found.block || is_endless(&runner))
                    found = runner;
                if (is_endless(&found))
                    return found;
            }
        }
    return found;
}

static void name_line(const struct block *block, struct ptx_loc loc, char *text, size_t size)
{
    const char *file = place_file(block->launch->kernel, loc), *slash = strrchr(file, '/');
    snprintf(text, size, "%.100s:%d", slash ? slash + 1 : file, loc.line);
}

/* "thread (0,0,0) of block (0,0,0) is at x.cu:12"; and its place. */
static void describe_runner(const struct runner *r, struct ptx_loc loc, char *text, size_t size,
                            struct sim_hazard *h)
{
    char place[128], thread[96];
    const int lane = __builtin_ctz(r->group->lanes);
    name_line(r->block, loc, place, sizeof place);
    place_thread_name(&r->block->view, r->warp->index, lane, thread, sizeof thread);
    snprintf(text, size, "%s is at %s", thread, place);
    h->here = place_of_lane(&r->block->view, r->warp->index, lane, loc, NULL);
}

static void describe_swap(const struct runner *r, struct sim_hazard *h)
{
    char where[256], read[160] = "was set before the loop and";
    describe_runner(r, r->loop.swap->site, where, sizeof where, h);
    if (r->loop.compared.line)
        snprintf(read, sizeof read, "was read once, at line %d, before the loop, and", r->loop.compared.line);
    snprintf(
        h->message, sizeof h->message,
        "%s, where a compare-and-swap is tried again and again. The value that it compares with "
        "%s never changes in the loop; the word in memory has changed since, so the comparison fails forever. "
        "The next time, compare with the value that the last atomicCAS returned",
        where, read);
}

static void describe_number(const struct runner *r, struct sim_hazard *h)
{
    char where[256], test[128];
    describe_runner(r, r->loop.as_number->site, where, sizeof where, h);
    name_line(r->block, r->loop.test, test, sizeof test);
    snprintf(
        h->message, sizeof h->message,
        "%s, where a compare-and-swap is tried again and again. It compares bits, but the condition at %s compares "
        "what it returned as a floating-point number: the value is NaN, which is not equal to itself, so the loop "
        "never ends. Compare the integers, as the compare-and-swap does",
        where, test);
}

static void describe_endless(const struct runner *r, struct sim_hazard *h)
{
    char where[256], test[128];
    if (r->loop.swap) {
        describe_swap(r, h);
        return;
    }
    if (compares_nan(r)) {
        describe_number(r, h);
        return;
    }
    describe_runner(r, r->block->launch->code->locs[place_of_group(r->block, r->group)], where, sizeof where,
                    h);
    name_line(r->block, r->loop.test, test, sizeof test);
    if (r->loop.has_exit)
        snprintf(h->message, sizeof h->message,
                 "%s, in a loop whose condition, at %s, tests nothing that changes in the loop. Something "
                 "that it tests must change there: a counter, or a value that is read anew each time",
                 where, test);
    else
        snprintf(
            h->message, sizeof h->message,
            "%s, in a loop that nothing ends: its condition never becomes false, or was tested only "
            "once. A loop that waits for another thread must read memory anew each time, by an atomic operation; a "
            "plain variable is read once, before the loop",
            where);
}

/* The barrier of the whole grid at which the first thread waits that runs, or NULL. */
static const struct micro *grid_barrier(const struct runner *r)
{
    const struct launch *launch = r->block ? r->block->launch : NULL;
    const struct micro *op = r->block ? &launch->code->ops[place_of_group(r->block, r->group)] : NULL;
    return op && bypass_is_grid_barrier(launch, op) ? op : NULL;
}

/* Whether a thread of the block is at that source line. */
static bool has_thread_at(const struct block *block, struct ptx_loc loc)
{
    for (unsigned w = 0; w < block->launch->warp_count; w++)
        for (int g = 0; g < block->warps[w].group_count; g++) {
            const struct group *group = &block->warps[w].groups[g];
            const struct ptx_loc at = block->launch->code->locs[place_of_group(block, group)];
            if (at.file == loc.file && at.line == loc.line)
                return true;
        }
    return false;
}

/* A group that runs at another line: NULL, all blocks that are left wait at this one. */
static const struct group *runs_elsewhere(struct block *const *blocks, unsigned count, struct ptx_loc loc)
{
    for (unsigned b = 0; b < count; b++)
        for (unsigned w = 0; w < blocks[b]->launch->warp_count; w++)
            for (int g = 0; g < blocks[b]->warps[w].group_count; g++) {
                const struct group *group = &blocks[b]->warps[w].groups[g];
                if (group->state == GROUP_READY && !has_thread_at(blocks[b], loc))
                    return group;
            }
    return NULL;
}

/* Some blocks wait for the whole grid, others went past. */
static bool describe_grid(struct block *const *blocks, unsigned count, const struct runner *r,
                          struct sim_hazard *h)
{
    const struct micro *op = grid_barrier(r);
    const struct launch *launch = op ? r->block->launch : NULL;
    char where[256], condition[256];
    unsigned waiting = 0;
    if (!op)
        return false;
    const struct ptx_loc loc = launch->code->locs[op - launch->code->ops];
    for (unsigned b = 0; b < count; b++)
        waiting += has_thread_at(blocks[b], loc);
    const unsigned all = launch->grid.x * launch->grid.y * launch->grid.z;
    if (waiting == all)
        return false;
    const struct group *to = runs_elsewhere(blocks, count, loc);
    h->parts_threads = true;
    const struct bypass bypass = bypass_find(launch, r->block->trace ? NULL : r->block->counts, r->group, to);
    block_name_condition(r->block, &bypass, condition, sizeof condition);
    describe_runner(r, loc, where, sizeof where, h);
    snprintf(
        h->message, sizeof h->message,
        "no thread can go on: only %u of the %u blocks %s at the barrier of the whole grid, and the other %s not "
        "come there any more: %.200s, where it waits for ever. %.160sEvery thread of every block must come to that "
        "barrier",
        waiting, all, waiting == 1 ? "is" : "are", all - waiting == 1 ? "one does" : "ones do", where,
        condition);
    return true;
}

void endless_describe_waiting(struct block *const *blocks, unsigned count, struct sim_hazard *h)
{
    const struct runner r = find_runner(blocks, count);
    char where[256] = "";
    h->class = r.block && is_endless(&r) ? SIM_HAZARD_ENDLESS : SIM_HAZARD_DEADLOCK;
    if (h->class == SIM_HAZARD_ENDLESS) {
        describe_endless(&r, h);
        return;
    }
    if (describe_grid(blocks, count, &r, h))
        return;
    block_describe(blocks[0], where, sizeof where, &h->here);
    snprintf(
        h->message, sizeof h->message,
        "no thread can go on: %s, where it looks again and again at memory that no thread changes any more. "
        "Every other thread waits too, or has ended",
        where);
}

bool endless_describe_limit(struct block *const *blocks, unsigned count, uint64_t limit, struct sim_hazard *h)
{
    const struct runner r = find_runner(blocks, count);
    char where[256] = "", test[200] = "";
    h->class = SIM_HAZARD_ENDLESS;
    if (r.block && is_endless(&r)) {
        describe_endless(&r, h);
        return true;
    }
    block_describe(blocks[0], where, sizeof where, &h->here);
    if (r.block && r.loop.found && r.loop.test.line) {
        char line[128];
        name_line(r.block, r.loop.test, line, sizeof line);
        snprintf(test, sizeof test, ", in a loop that goes on by the condition at %s", line);
    }
    snprintf(
        h->message, sizeof h->message,
        "stopped after %llu warp instructions, the limit for a launch: %s%s. Either a loop there does not "
        "end, or it waits for something that never happens, or each thread does far more than its part; if the "
        "work is really that large, raise the limit",
        (unsigned long long)limit, where, test);
    return false;
}
