#include "sim/origin/origin_bisect.h"

#include <stdlib.h>

#include "sim/core/device.h"
#include "sim/origin/origin_sweep.h"
#include "sim/origin/origin_terms.h"
#include "sim/origin/origin_where.h"
#include "sim/ptx/ptx.h"

struct bisect {
    struct origin_log *log;
    sim_addr address;
    size_t size;
    uint64_t expected;
    uint32_t warp; /* of the thread that stores the value */
    int lane;
    uint32_t stored, *products; /* its entry; of its products and sums, in rising order */
    size_t product_count;
    struct terms terms;
    bool strange; /* a product of it is none of elements */
    uint64_t last_value;
    uint32_t last_hop;  /* of that value, as it was stored */
    uint32_t same_line; /* stores to it at that line by that thread */
    struct seen {
        uint32_t entry, lane; /* entry ORIGIN_NONE: it was not seen */
        uint64_t address;
    } computed, computed_there, put, put_elsewhere;
    struct sim_origin_bisect *out;
};

/* ---- how the value was computed ------------------------------------------------------------------------ */

static void saw(struct seen *seen, const struct replay *r, int lane, uint64_t address)
{
    if (seen->entry == ORIGIN_NONE)
        *seen = (struct seen){r->number, (uint32_t)lane, address};
}

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Does what the instruction computes go into the value? */
static bool goes_in(const struct bisect *b, const struct replay *r, int lane)
{
    const uint32_t pair = origin_pair(r->number, lane);
    return b->product_count &&
           bsearch(&pair, b->products, b->product_count, sizeof *b->products, compare_pairs);
}

/* The thread goes on with what was right: it was on the way to another sum. */
static void forget(struct bisect *b, struct seen *seen, uint32_t warp, int lane)
{
    if (seen->entry != ORIGIN_NONE && b->log->entries[seen->entry].warp == warp && (int)seen->lane == lane)
        seen->entry = ORIGIN_NONE;
}

static void see_result(struct replay *r, int lane, struct replay_number number,
                       const struct replay_number in[3], void *data)
{
    struct bisect *b = data;
    if (number.value != b->expected) {
        for (int i = 0; i < 3; i++)
            if (in[i].value == b->expected) {
                forget(b, &b->computed, r->entry->warp, lane);
                forget(b, &b->computed_there, r->entry->warp, lane);
            }
        return;
    }
    if (goes_in(b, r, lane))
        return;
    saw(&b->computed, r, lane, 0);
    if (r->entry->warp == b->warp && lane == b->lane)
        saw(&b->computed_there, r, lane, 0);
}

/* Which of the two arrays it is an element of; -1: of none. */
static int array_of(const struct bisect *b, const struct replay *r, struct replay_number number)
{
    const struct sim_origin_factors *f = b->terms.factors;
    const sim_addr element = terms_element(r, number.value, number.hop);
    for (int k = 0; k < 2; k++)
        if (element && element - f->array[k] < f->bytes[k])
            return k;
    return -1;
}

/* Which side the first factor is of; -1: not known. One of the two may be something that belongs to neither. */
static int side_of(const struct bisect *b, const struct replay *r, struct replay_number x,
                   struct replay_number y)
{
    const int first = array_of(b, r, x), second = array_of(b, r, y);
    if (x.value == REPLAY_UNKNOWN || y.value == REPLAY_UNKNOWN)
        return -1;
    if (first != second)
        return first >= 0 ? first : 1 - second;
    if (x.value == 0 || y.value == 0)
        return 0;
    if (first < 0)
        return -1;
    const bool needs_x = terms_need(&b->terms, first, x.value),
               needs_y = terms_need(&b->terms, first, y.value);
    return needs_x == needs_y ? -1 : needs_x ? first : 1 - first;
}

static void see_product(struct replay *r, int lane, struct replay_number a, struct replay_number c,
                        void *data)
{
    struct bisect *b = data;
    if (!goes_in(b, r, lane))
        return;
    const int side = side_of(b, r, a, c);
    if (side < 0) {
        b->strange = true;
        return;
    }
    const bool turned = side == 1;
    const struct replay_number in[2] = {turned ? c : a, turned ? a : c};
    b->terms.list[b->terms.count++] = (struct term){.value = {in[0].value, in[1].value},
                                                    .hop = {in[0].hop, in[1].hop},
                                                    .entry = r->number,
                                                    .lane = (uint8_t)lane};
}

static int line_of(const struct bisect *b, uint32_t entry)
{
    return origin_place_of(b->log, entry).line;
}

static void see_access(struct replay *r, const struct replay_hop *hop, uint64_t value, uint64_t was,
                       void *data)
{
    struct bisect *b = data;
    (void)was;
    if (hop->kind != ACCESS_STORE || hop->space != PTX_GLOBAL)
        return;
    if (hop->address == b->address) {
        b->last_value = value;
        b->last_hop = hop->before;
        if (r->entry->warp == b->warp && hop->lane == b->lane &&
            line_of(b, r->number) == line_of(b, b->stored))
            b->same_line++;
    }
    if (value == b->expected)
        saw(hop->address == b->address ? &b->put : &b->put_elsewhere, r, hop->lane, hop->address);
}

/* Who stored the value, and its products. */
static bool find_products(struct bisect *b)
{
    struct origin_sweep sweep = {
        .log = b->log, .address = b->address, .size = b->size, .keeps_products = true};
    origin_sweep_run(&sweep);
    const bool good = !sweep.failed && !sweep.wants.failed && sweep.store_count > 0 &&
                      !sweep.stored[0].is_atomic && !b->log->full;
    if (good) {
        b->stored = sweep.stored[0].entry;
        b->warp = b->log->entries[b->stored].warp;
        b->lane = sweep.stored[0].lane;
        b->products = sweep.products;
        b->product_count = sweep.product_count;
        if (b->product_count)
            qsort(b->products, b->product_count, sizeof *b->products, compare_pairs);
    } else {
        free(sweep.products);
    }
    wants_destroy(&sweep.wants);
    free(sweep.found);
    return good;
}

/* ---- the right sum, in the wrong place ----------------------------------------------------------------- */

static struct sim_origin_thread thread_of(const struct bisect *b, const struct seen *seen)
{
    return origin_thread_of(b->log, b->log->entries[seen->entry].warp, (int)seen->lane);
}

/*
 * What is stored was computed by the same thread with the same instruction, later: what was right is not part of it. (The
 * same line is not enough: it may compute several things, one for each element of a local array.)
 */
static bool computed_anew(const struct bisect *b)
{
    const uint32_t right = b->computed_there.entry;
    for (size_t i = 0; i < b->terms.count; i++)
        if (b->terms.list[i].entry > right && b->terms.list[i].lane == b->lane &&
            b->log->entries[b->terms.list[i].entry].warp == b->warp &&
            b->log->entries[b->terms.list[i].entry].pc == b->log->entries[right].pc)
            return true;
    return false;
}

/* What is beyond doubt: it was there, and was overwritten, or the thread itself has it and stores something else. */
static bool tell_stored(struct bisect *b)
{
    struct sim_origin_bisect *out = b->out;
    out->stored = origin_place_of(b->log, b->stored);
    out->last = origin_thread_of(b->log, b->warp, b->lane);
    if (b->put.entry != ORIGIN_NONE) {
        out->what = SIM_ORIGIN_STORED_AGAIN;
        out->at = origin_place_of(b->log, b->put.entry);
        out->by = thread_of(b, &b->put);
        out->count = b->same_line;
        return true;
    }
    if (b->computed_there.entry == ORIGIN_NONE || b->put_elsewhere.entry != ORIGIN_NONE)
        return false;
    out->what = SIM_ORIGIN_NOT_STORED;
    out->at = origin_place_of(b->log, b->computed_there.entry);
    out->by = thread_of(b, &b->computed_there);
    out->anew = computed_anew(b);
    return true;
}

/*
 * It is somewhere else: the index of the store, or all that was read for it, belongs to another element. Of a single
 * product that says nothing if one of its factors is the right one (`shares`): each product belongs to some element.
 */
static bool tell_elsewhere(struct bisect *b, bool shares)
{
    struct sim_origin_bisect *out = b->out;
    const struct seen *computed = b->computed_there.entry != ORIGIN_NONE ? &b->computed_there : &b->computed;
    if (computed->entry == ORIGIN_NONE || b->put_elsewhere.entry == ORIGIN_NONE || b->last_value == 0 ||
        (terms_count(&b->terms) < 2 && (shares || b->computed_there.entry == ORIGIN_NONE)))
        return false;
    out->what = SIM_ORIGIN_STORED_ELSEWHERE;
    out->at = origin_place_of(b->log, computed->entry);
    out->by = thread_of(b, computed);
    out->put = origin_place_of(b->log, b->put_elsewhere.entry);
    out->putter = thread_of(b, &b->put_elsewhere);
    out->there_address = b->put_elsewhere.address;
    return true;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Does the value consist of these products, and of nothing else? */
static bool is_sum(const struct bisect *b)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < b->terms.count; i++)
        sum = replay_sum(sum, replay_product(b->terms.list[i].value[0], b->terms.list[i].value[1]));
    return !b->strange && sum == b->last_value;
}

/* The same thread has stored this value to another element, too. */
static void look_for_twin(const struct bisect *b, const struct replay *r)
{
    for (size_t i = 0; i < r->cell_capacity && b->last_value; i++) {
        const struct replay_cell *cell = &r->cells[i];
        const struct replay_hop *hop = cell->space == PTX_GLOBAL && cell->hop ? &r->hops[cell->hop] : NULL;
        if (!hop || cell->value != b->last_value || cell->address == b->address || hop->lane != b->lane ||
            b->log->entries[hop->entry].warp != b->warp ||
            (b->out->there_address && cell->address > b->out->there_address))
            continue;
        b->out->there_address = cell->address;
        b->out->stored = origin_place_of(b->log, b->stored);
        b->out->last = origin_thread_of(b->log, b->warp, b->lane);
    }
}

static bool look(struct bisect *b, struct replay *r)
{
    const struct replay_watch watch = {
        .result = see_result, .product = see_product, .access = see_access, .data = b};
    struct term_wrong wrong;
    if (!replay_run(r, b->log, b->warp, UINT32_MAX, (uint32_t)b->size, &watch) ||
        b->last_value == b->expected)
        return false;
    if (tell_stored(b))
        return true;
    const bool shares = is_sum(b) && terms_find_wrong(&b->terms, &wrong);
    if (!shares || !origin_where(b->log, r, &b->terms, &wrong, b->out))
        return tell_elsewhere(b, shares);
    look_for_twin(b, r);
    return true;
}

bool sim_origin_bisect(struct sim *sim, sim_addr address, size_t size,
                       const struct sim_origin_factors *factors, int factor_count,
                       struct sim_origin_bisect *out)
{
    const struct seen none = {.entry = ORIGIN_NONE};
    struct bisect b = {.log = sim->origin,
                       .address = address,
                       .size = size,
                       .terms = {.factors = factors, .factor_count = factor_count},
                       .last_value = REPLAY_UNKNOWN,
                       .computed = none,
                       .computed_there = none,
                       .put = none,
                       .put_elsewhere = none,
                       .out = out};
    struct replay r = {0};
    *out = (struct sim_origin_bisect){0};
    if (!b.log || factor_count < 1 || !find_products(&b))
        return false;
    b.expected = terms_expected(&b.terms);
    b.terms.list = calloc(b.product_count + 1, sizeof *b.terms.list);
    const bool found = b.terms.list && b.expected != 0 && look(&b, &r);
    if (!found)
        out->what = SIM_ORIGIN_STEP_UNKNOWN;
    free(b.terms.list);
    free(b.products);
    replay_destroy(&r);
    return found;
}

bool sim_origin_misread(struct sim *sim, sim_addr address, size_t size, sim_addr wanted,
                        struct sim_origin_bisect *out)
{
    struct bisect b = {.log = sim->origin,
                       .address = address,
                       .size = size,
                       .expected = replay_number_of(wanted),
                       .last_value = REPLAY_UNKNOWN,
                       .out = out};
    const struct replay_watch watch = {.access = see_access, .data = &b};
    const struct term_wrong wrong = {.wanted = wanted};
    struct replay r = {0};
    struct term copy = {0};
    *out = (struct sim_origin_bisect){0};
    if (!b.log || !find_products(&b))
        return false;
    free(b.products);
    bool found = replay_run(&r, b.log, b.warp, UINT32_MAX, (uint32_t)size, &watch) &&
                 b.last_value != REPLAY_UNKNOWN && b.last_value != b.expected;
    copy = (struct term){
        .value = {b.last_value}, .hop = {b.last_hop}, .entry = b.stored, .lane = (uint8_t)b.lane};
    b.terms = (struct terms){.list = &copy, .count = 1};
    found = found && origin_where(b.log, &r, &b.terms, &wrong, out) && out->what > SIM_ORIGIN_OTHER_VARIABLE;
    replay_destroy(&r);
    if (!found)
        out->what = SIM_ORIGIN_STEP_UNKNOWN;
    return found;
}
