/*
 * Why two accesses race, and what would order them, in words that a beginner understands.
 */
#include "sim/core/code.h"
#include "sim/hazard/hazard.h"
#include "sim/hazard/hazard_update.h"
#include "sim/ptx/loop.h"
#include "sim/ptx/ptx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool same_block(const struct sim_hazard *h)
{
    const struct sim_dim3 *a = &h->here.block, *b = &h->there.block;
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

static uint32_t owner_of(const struct pass *p, struct record r)
{
    return p->is_global ? order_owner(p->s->hazards, r.stamp) : p->s->number;
}

/* ---- two strong accesses ------------------------------------------------------------------------------- */

static void scope_too_narrow(const struct pass *p, struct record there, const struct sim_hazard *h,
                             char *text)
{
    const bool here = (p->flags & WHO_NARROW) != 0, both = here && (there.who & WHO_NARROW);
    char which[64];
    snprintf(which, sizeof which, "the access at line %d is", here ? h->here.line : h->there.line);
    snprintf(
        text, CAUSE_SIZE,
        "Scope too narrow: %s atomic for the threads of one block only (_block, "
        "thread_scope_block, .cta), and the threads are in different blocks. Use device scope: atomicAdd() "
        "and the like without _block, cuda::thread_scope_device.",
        both ? "both accesses are" : which);
}

static void sizes_differ(const struct pass *p, struct record there, char *text)
{
    snprintf(
        text, CAUSE_SIZE,
        "Both are atomic, but one is of %d bytes and the other of %d: atomic accesses that overlap only in part "
        "are no better than plain ones. Use one size for a variable.",
        p->s->hazards->size_of_site[there.who >> WHO_SITE_SHIFT], p->access->element_size);
}

/* ---- an order that is nearly there --------------------------------------------------------------------- */

static int line_of(const struct pass *p, uint32_t site)
{
    return hazard_site_loc(p->s->hazards, site).line;
}

/* A strong read by the thread that would have told it, if it had been an acquire of a scope that is wide enough. */
static bool missed_acquire(const struct pass *p, unsigned t, struct record there, char *text)
{
    bool too_narrow;
    uint32_t site =
        acquire_missed(p->s, t, owner_of(p, there), there.who & WHO_THREAD, there.stamp, &too_narrow);
    if (site == SITE_UNKNOWN)
        return false;
    if (too_narrow)
        snprintf(
            text, CAUSE_SIZE,
            "The flag is read at line %d, but this read or the fence after it is for the threads of one block "
            "only (thread_scope_block, .cta, __threadfence_block()); a thread of another block set it. Use device "
            "scope: __threadfence(), cuda::thread_scope_device.",
            line_of(p, site));
    else
        snprintf(
            text, CAUSE_SIZE,
            "The flag is read without acquire at line %d: what the other thread wrote before it set the flag need "
            "not be visible yet. A fence must come after that read (__threadfence(), in a block "
            "__threadfence_block()), or the read must be an acquire (cuda::memory_order_acquire).",
            line_of(p, site));
    return true;
}

/* The same of any other thread of the block, which has met this one at a barrier since. */
static bool missed_by_another(const struct pass *p, unsigned t, struct record there, char *text)
{
    const struct block_shadow *s = p->s;
    for (unsigned v = 0; s->knows && v < s->threads; v++)
        if (v != t && (s->acquiring[v / WARP_LANES] >> v % WARP_LANES & 1) &&
            missed_acquire(p, v, there, text))
            return true;
    return false;
}

/* Another thread of the block knows, but has not handed it on. */
static bool acquired_by_another(const struct pass *p, unsigned t, struct record there,
                                const struct sim_hazard *h, char *text)
{
    const struct block_shadow *s = p->s;
    for (unsigned v = 0; s->knows && v < s->threads; v++) {
        if (v == t || !acquire_of(s, v) ||
            !release_would_know(s, acquire_of(s, v), owner_of(p, there), there.who & WHO_THREAD, there.stamp))
            continue;
        const struct sim_dim3 other = place_coordinates(v, &s->view->block_dim);
        snprintf(
            text, CAUSE_SIZE,
            "Thread (%u,%u,%u) of the reading block has waited for the flag, thread (%u,%u,%u) has not: a barrier "
            "must come after the wait (%s), so that all threads know.",
            other.x, other.y, other.z, h->here.thread.x, h->here.thread.y, h->here.thread.z,
            v / WARP_LANES == t / WARP_LANES ? "__syncwarp()" : "__syncthreads()");
        return true;
    }
    return false;
}

static bool missed_release(const struct pass *p, struct record there, const struct sim_hazard *h, char *text)
{
    if (same_block(h) ||
        !release_is_narrow(p->s->hazards, owner_of(p, there), there.who & WHO_THREAD, there.stamp))
        return false;
    snprintf(
        text, CAUSE_SIZE,
        "The fence or release after line %d orders for the threads of its block only, and a thread of another "
        "block reads: use __threadfence() instead of __threadfence_block(), cuda::thread_scope_device instead of "
        "thread_scope_block.",
        h->there.line);
    return true;
}

/*
 * The write was released, to a flag that this thread has not read since: a fence is not what is missing. It may have waited for
 * a flag of another block, and then it mostly reads an element of the wrong one.
 */
static bool heard_another(const struct pass *p, unsigned t, struct record there, const struct sim_hazard *h,
                          char *text)
{
    const struct sim_dim3 *reader = &h->here.block, *writer = &h->there.block, *who = &h->here.thread;
    if (same_block(h) || h->here.is_write || h->here.is_atomic || h->there.is_atomic ||
        !release_is_wide(p->s->hazards, owner_of(p, there), there.who & WHO_THREAD, there.stamp))
        return false;
    const int64_t heard = release_heard(p->s, t);
    if (heard < 0 || heard == owner_of(p, there)) {
        snprintf(
            text, CAUSE_SIZE,
            "The threads are in different blocks. Behind the write, block (%u,%u,%u) sets a flag or a counter, with a "
            "fence, but thread (%u,%u,%u) of block (%u,%u,%u) has not read it since: it must wait for it before line "
            "%d, with a fence behind the wait, or leave the element alone.",
            writer->x, writer->y, writer->z, who->x, who->y, who->z, reader->x, reader->y, reader->z,
            h->here.line);
        return true;
    }
    const struct sim_dim3 other = place_coordinates((unsigned)heard, &p->s->view->grid_dim);
    snprintf(
        text, CAUSE_SIZE,
        "Thread (%u,%u,%u) of block (%u,%u,%u) has waited for a flag of block (%u,%u,%u), which says that this block's "
        "elements are there, and not that those of block (%u,%u,%u) are: the index at line %d or at line %d is that of "
        "another block's element, or it waits for the wrong flag.",
        who->x, who->y, who->z, reader->x, reader->y, reader->z, other.x, other.y, other.z, writer->x,
        writer->y, writer->z, h->here.line, h->there.line);
    return true;
}

/* ---- asynchronous copies ------------------------------------------------------------------------------- */

/* -1: unknown. */
static int pc_of_site(const struct pass *p, uint32_t site)
{
    return site == SITE_UNKNOWN ? -1 : p->s->hazards->pc_of_site[site];
}

static bool is_copy(const struct pass *p, uint32_t site)
{
    const struct code *code = p->s->view->kernel->code;
    const int pc = pc_of_site(p, site);
    return code && pc >= 0 && pc < code->count && code->instrs[pc] && strcmp(code->instrs[pc]->op, "cp") == 0;
}

/* One of the two is the write of a cp.async. */
static bool copies(const struct pass *p, struct record there, char *text)
{
    const uint32_t site = is_copy(p, p->site) ? p->site : there.who >> WHO_SITE_SHIFT;
    if (p->is_global || !is_copy(p, site))
        return false;
    snprintf(
        text, CAUSE_SIZE,
        "The copy at line %d is asynchronous: it may write at any time until its thread has waited for it "
        "(cg::wait, __pipeline_wait_prior, a barrier object). A __syncthreads() must come after the wait, before "
        "other threads read the new data, and another one before the copy, after the last reads of the old data.",
        line_of(p, site));
    return true;
}

/* ---- no order at all ----------------------------------------------------------------------------------- */

static const char *between_blocks(const struct pass *p, const struct sim_hazard *h, bool mixed)
{
    if (p->access->space == PTX_SHARED)
        return "The threads are in different blocks of a cluster, and nothing orders the two accesses: no cluster.sync() "
               "stands between them.";
    const bool tells = release_any(p->s->hazards) || p->s->fenced;
    if (mixed)
        return "The threads are in different blocks, and nothing orders the two accesses, of which one is atomic and the other "
               "is not: only the end of the kernel orders all blocks.";
    if (tells && h->here.is_write && !h->there.is_write)
        return "The threads are in different blocks, and the read came before the write. Either the reader does not "
               "wait, or the flag that it waited for was left set by an earlier launch, or was set too "
               "early, or the value is replaced while others may still read the old one: store the new one in a place of "
               "its own, with a fence (__threadfence()) before its flag is set.";
    if (release_any(p->s->hazards) || p->s->fenced || p->s->hazards->strong)
        return h->there.is_write
                   ? "The threads are in different blocks. If a flag or a counter tells one thread that the other is "
                     "done, __threadfence() must stand between the write and the atomic that sets the flag."
                   : "The threads are in different blocks, and the read came before the write. If a flag or a counter "
                     "tells the writer that the reader is done, __threadfence() must stand between the read and the "
                     "atomic that sets the flag.";
    return "The threads are in different blocks, and nothing orders the two accesses: only grid.sync() in a "
           "cooperative launch, or the end of the kernel, orders all blocks.";
}

/* Both accesses are volatile, by lanes of one warp. */
static bool rely_on_step(const struct pass *p, struct record there)
{
    return p->access->order == ORDER_VOLATILE && (there.who & WHO_VOLATILE);
}

static const struct ptx_instr *instr_at(const struct code *code, int pc)
{
    return pc >= 0 && pc < code->count ? code->instrs[pc] : NULL;
}

/*
 * Then two threads that come to the operation may be in different turns, if no barrier is in the loop; of an unrolled one,
 * at different operations.
 */
static bool is_in_loop(const struct code *code, int pc)
{
    const struct ptx_instr *instr = instr_at(code, pc);
    const struct ptx_func *func = ptx_function_of(code, instr);
    const int at = func ? (int)(instr - func->instrs) : 0;
    return func && loop_way(func, at, at) == WAY_TURN;
}

/* The line in the kernel's own text. */
static int line_in_kernel(const struct ptx_instr *instr)
{
    return instr->from.line ? instr->from.line : instr->call.line ? instr->call.line : instr->site.line;
}

static bool is_copy_of(const struct ptx_instr *a, const struct ptx_instr *b)
{
    return strcmp(a->text, b->text) == 0 && a->loc.file == b->loc.file && a->loc.line == b->loc.line &&
           line_in_kernel(a) == line_in_kernel(b);
}

/*
 * A barrier stands between `second` and `first` in one turn of a loop, and none between `first` and `second` of the next
 * turn. If the loop is unrolled, that is a copy further down, and the order of the text tells that the turn is another one.
 */
static bool in_next_turn(const struct code *code, int first_pc, int second_pc)
{
    const struct ptx_instr *first = instr_at(code, first_pc), *second = instr_at(code, second_pc);
    const struct ptx_func *func = ptx_function_of(code, first);
    if (!func || ptx_function_of(code, second) != func)
        return false;
    const int at = (int)(first - func->instrs), to = (int)(second - func->instrs);
    const enum loop_way way = loop_way(func, at, to);
    if (way == WAY_TURN)
        return loop_way(func, to, at) == WAY_BARRIER;
    for (int i = 0; i < func->instr_count && way == WAY_FREE; i++)
        if (i != to && line_in_kernel(second) < line_in_kernel(first) &&
            is_copy_of(&func->instrs[i], second) && loop_way(func, i, at) == WAY_BARRIER)
            return true;
    return false;
}

/* False: the lines of the two accesses are of one turn, as far as is known. */
static bool turns(const struct pass *p, struct record there, const struct sim_hazard *h, char *text)
{
    const struct code *code = p->s->view->kernel->code;
    const int here_pc = pc_of_site(p, p->site), there_pc = pc_of_site(p, there.who >> WHO_SITE_SHIFT);
    int first = h->there.line, second = h->here.line;
    if (p->is_global || !code || h->within_warp || first == second)
        return false;
    if (in_next_turn(code, here_pc, there_pc))
        first = h->here.line, second = h->there.line;
    else if (!in_next_turn(code, there_pc, here_pc))
        return false;
    snprintf(
        text, CAUSE_SIZE,
        "In one turn of the loop, a __syncthreads() stands between line %d and line %d, but none stands between "
        "line %d and line %d of the next turn.",
        second, first, first, second);
    return true;
}

/* A lock is taken by a compare-and-swap or an exchange. */
static bool may_lock(const struct code *code)
{
    for (int pc = 0; pc < code->count; pc++) {
        const struct ptx_instr *instr = instr_at(code, pc);
        if (instr && strcmp(instr->op, "atom") == 0 &&
            (ptx_has_modifier(instr, "cas") || ptx_has_modifier(instr, "exch")))
            return true;
    }
    return false;
}

/*
 * Two threads do the same to one element, which no barrier would mend: both read, change and store it, or both store
 * it at the same line.
 */
static enum sim_hazard_detail same_work(const struct pass *p, struct record there, const struct sim_hazard *h,
                                        char *text)
{
    const struct code *code = p->s->view->kernel->code;
    const int here_pc = pc_of_site(p, p->site), there_pc = pc_of_site(p, there.who >> WHO_SITE_SHIFT);
    const bool same_line = h->here.line != 0 && h->here.line == h->there.line;
    if (h->here.is_atomic || h->there.is_atomic || !code)
        return SIM_DETAIL_NONE;
    if (update_shared_place(code, here_pc, there_pc, !same_block(h))) {
        const char *of_blocks = same_block(h) ? "" : " of different blocks";
        snprintf(
            text, CAUSE_SIZE,
            may_lock(code)
                ? "Several threads%s read the old value, change it and store the new one, and nothing orders them. If "
                  "a lock keeps them apart, it must have a fence (__threadfence()) behind the operation that takes it "
                  "and another before the one that releases it; if none does, line %d must be one atomic operation "
                  "(atomicAdd() and the like)."
                : "Several threads%s read the old value, change it and store the new one at the same time: what one "
                  "stores, another overwrites, and its part is lost. If all parts are to count, at line %d this must "
                  "be one atomic operation (atomicAdd() and the like).",
            of_blocks, h->here.line);
        return SIM_DETAIL_UPDATE;
    }
    if (!same_line || !h->here.is_write || !h->there.is_write)
        return SIM_DETAIL_NONE;
    if (same_block(h) && (here_pc != there_pc || is_in_loop(code, here_pc)))
        snprintf(
            text, CAUSE_SIZE,
            "Both threads store to the same element at line %d. If they are in the same turn of a loop, its index or "
            "the condition around it is wrong for one of them; if one is ahead of the other, %s must stand between.",
            h->here.line, h->within_warp ? "a __syncwarp() or __syncthreads()" : "a __syncthreads()");
    else if (same_block(h))
        snprintf(
            text, CAUSE_SIZE,
            "Both threads store to the same element at line %d: its index or the condition around it is wrong "
            "for one of them.",
            h->here.line);
    else
        snprintf(
            text, CAUSE_SIZE,
            "Threads of different blocks store to the same element at line %d, and only one of the values stays.",
            h->here.line);
    return SIM_DETAIL_STORES;
}

/* Both accesses are in functions, called in different places: it is not known whether a barrier is missing or a call is wrong. */
static bool are_called_apart(const struct pass *p, struct record there)
{
    const struct block_view *view = p->s->view;
    char here_call[128] = "", there_call[128] = "";
    const uint32_t site = there.who >> WHO_SITE_SHIFT;
    const int here_pc = pc_of_site(p, p->site), there_pc = pc_of_site(p, site);
    place_add_call(view, here_pc, hazard_site_loc(p->s->hazards, p->site), here_call, sizeof here_call);
    place_add_call(view, there_pc, hazard_site_loc(p->s->hazards, site), there_call, sizeof there_call);
    return here_call[0] && there_call[0] && !place_same_call(view, here_pc, there_pc);
}

static const char *advice(const struct pass *p, struct record there, const struct sim_hazard *h)
{
    const bool mixed = h->here.is_atomic != h->there.is_atomic;
    const bool reads = h->here.is_atomic ? !h->there.is_write : !h->here.is_write;
    const struct code *code = p->s->view->kernel->code;
    if (!same_block(h))
        return between_blocks(p, h, mixed);
    if (!h->within_warp && mixed)
        return reads
                   ? "One access is atomic, the other is not, and nothing orders them." /* a step of an update, perhaps */
                   : "One access is atomic, the other is not, and no __syncthreads() stands between them.";
    if (!h->within_warp && are_called_apart(p, there))
        return "";
    if (!h->within_warp && h->here.line == h->there.line)
        return code && is_in_loop(code, pc_of_site(p, p->site))
                   ? "If they are in the same turn of the loop, an index or a condition is wrong; if not: no __syncthreads() stands "
                     "between one turn and the next."
                   : "";
    if (!h->within_warp)
        return "No __syncthreads() stands between them.";
    if (rely_on_step(p, there))
        return "Both are lanes of one warp, which need not run in step, and volatile does not make them: it is not "
               "synchronization. __syncwarp() must stand between them.";
    return "Both are lanes of one warp, which need not run in step: no __syncwarp() or __syncthreads() "
           "stands between them.";
}

enum sim_hazard_detail hazard_cause(const struct pass *p, int lane, struct record there,
                                    const struct sim_hazard *h, enum race race, char text[CAUSE_SIZE])
{
    enum sim_hazard_detail detail = SIM_DETAIL_NONE;
    const unsigned t = pass_thread(p, lane);
    if (race == RACE_OF_SCOPES)
        scope_too_narrow(p, there, h, text);
    else if (race == RACE_OF_SIZES)
        sizes_differ(p, there, text);
    else if (race == RACE_OF_CACHES)
        snprintf(
            text, CAUSE_SIZE,
            "This load is non-coherent (__ldg, const __restrict__, a texture or surface): it goes through a cache that "
            "the kernel's own writes do not reach, and may find what was there before the launch, whatever barrier "
            "stands between. Read it through an ordinary pointer, or in a later kernel.");
    else if (race == RACE_OF_UPDATES)
        detail = same_work(p, there, h, text);
    else if (copies(p, there, text) || missed_acquire(p, t, there, text) ||
             acquired_by_another(p, t, there, h, text) || missed_release(p, there, h, text) ||
             missed_by_another(p, t, there, text) || heard_another(p, t, there, h, text))
        return SIM_DETAIL_NONE;
    else if (race == RACE_OF_VOLATILES)
        snprintf(
            text, CAUSE_SIZE,
            "volatile is not synchronization: nothing orders these two accesses, and in CUDA C++ they are a data "
            "race. Use a barrier, atomics, or cuda::atomic_ref with release and acquire.");
    else if ((detail = same_work(p, there, h, text)) == SIM_DETAIL_NONE && turns(p, there, h, text))
        detail = SIM_DETAIL_TURNS;
    else if (detail == SIM_DETAIL_NONE)
        snprintf(text, CAUSE_SIZE, "%s", advice(p, there, h));
    return detail;
}
