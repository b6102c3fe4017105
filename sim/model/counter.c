/*
 * Counts of memory traffic, by micro-operation while a kernel runs, by source line when it has ended.
 */
#include "sim/core/code.h"
#include "sim/core/simd.h"
#include "sim/model/counter.h"
#include "sim/model/counter_ranges.h"
#include "sim/text/place.h"

#include <string.h>

#define FIELDS (sizeof(struct sim_counters) / sizeof(uint64_t))

/* One struct sim_counters a micro-operation; pages of those that count nothing are never touched. */
enum { HOT_ADDRESSES = 1024 };

struct hot_address {
    uint64_t word, count;
    uint64_t merged; /* if lanes that meet on a word count once */
};

/* Of a set that counts clusters: which one, and by how many clusters each hot address was changed. */
struct sampled {
    struct sample_touch touch;
    uint64_t before[HOT_ADDRESSES];
    unsigned clusters[HOT_ADDRESSES];
};

struct counter_set {
    struct hot_address hot[HOT_ADDRESSES]; /* of atomics, by a hash of the address */
    struct sampled *sampled;               /* NULL: all blocks are run */
    const struct sim_kernel *kernel;
    struct sim_counters *ops;
    int count;
    struct touch_log *log; /* NULL: touched sectors are counted at once */
};

struct line_table {
    struct sim_line_counters *lines;
    int count, capacity;
    int last;     /* where the search found its line: the next one is often the same */
    char **files; /* names are kept here: lines outlive their module */
    int file_count;
};

void sim_counters_add(struct sim_counters *total, const struct sim_counters *part)
{
    _Static_assert(sizeof(struct sim_counters) % sizeof(uint64_t) == 0, "all fields are 64-bit counts");
    uint64_t *t = (uint64_t *)total;
    const uint64_t *p = (const uint64_t *)part;
    for (size_t i = 0; i < FIELDS; i++)
        t[i] += p[i];
}

/* ---- a launch's set ------------------------------------------------------------------------------------ */

struct counter_set *counter_set_create(const struct sim_kernel *kernel)
{
    struct counter_set *set = calloc(1, sizeof *set);
    if (!set)
        return NULL;
    set->kernel = kernel;
    set->count = kernel->op_count;
    set->ops = calloc((size_t)set->count + 1, sizeof *set->ops);
    if (!set->ops) {
        free(set);
        return NULL;
    }
    return set;
}

void counter_set_destroy(struct counter_set *set)
{
    if (!set)
        return;
    free(set->sampled);
    free(set->ops);
    free(set);
}

/* ---- atomics on one place ------------------------------------------------------------------------------ */

/*
 * A slice of L2 serves the atomics on a piece of 512 bytes one after the other: for each sector that a request touches as
 * many as meet on one of its words. A floating-point addition also waits for the one before on the same word. Measured on
 * an H100: 0.73 ns, and 1.78 ns.
 */
enum { ATOMIC_PIECE_SHIFT = 9, ATOMIC_UNITS = 10, ATOMIC_FLOAT_UNITS = 24 };

/* Busy places drive idle ones out of their slots (Misra and Gries, Finding repeated elements, 1982). */
static void note_atomic(struct counter_set *set, uint64_t place, uint64_t units, uint64_t merged)
{
    struct hot_address *hot = &set->hot[place * UINT64_C(0x9E3779B97F4A7C15) >> 54];
    if (hot->word == place) {
        hot->count += units;
        hot->merged += merged;
    } else if (set->log && hot->count) {
        set->log->failed = true; /* who is driven out depends on the order of the blocks */
    } else if (hot->count > 1) {
        hot->count--; /* by one, whatever the other would have counted: few visits of an idle place cost a busy one little */
    } else {
        *hot = (struct hot_address){place, units, merged};
    }
}

/* Lanes that meet on the address of the first of `rest`; they are taken out of it. */
static uint64_t take_equal(const struct access *access, uint32_t *rest)
{
    uint64_t address = access->address[__builtin_ctz(*rest)], lanes = 0;
    for (uint32_t r = *rest; r; r &= r - 1)
        if (access->address[__builtin_ctz(r)] == address) {
            *rest &= ~(r & -r);
            lanes++;
        }
    return lanes;
}

static void note_atomics(struct counter_set *set, const struct access *access)
{
    uint64_t sector[WARP_LANES], most[WARP_LANES];
    int count = 0;
    for (uint32_t rest = access->lanes; rest;) {
        uint64_t address = access->address[__builtin_ctz(rest)], lanes = take_equal(access, &rest);
        int i = 0;
        while (i < count && sector[i] != address >> SECTOR_SHIFT)
            i++;
        if (i == count) {
            sector[count] = address >> SECTOR_SHIFT;
            most[count++] = 0;
        }
        most[i] = lanes > most[i] ? lanes : most[i];
        if (access->is_float)
            note_atomic(set, address, lanes * ATOMIC_FLOAT_UNITS, ATOMIC_FLOAT_UNITS);
    }
    for (int i = 0; i < count;
         i++) /* places: words by their addresses, pieces by numbers that no address has */
        note_atomic(set, ~(sector[i] >> (ATOMIC_PIECE_SHIFT - SECTOR_SHIFT)), most[i] * ATOMIC_UNITS,
                    ATOMIC_UNITS);
}

uint64_t counter_hottest_atomic(const struct counter_set *set, bool merged)
{
    uint64_t most = 0;
    for (int i = 0; i < HOT_ADDRESSES; i++) {
        uint64_t units = merged ? set->hot[i].merged : set->hot[i].count;
        most = units > most ? units : most;
    }
    return most;
}

/* ---- global memory ------------------------------------------------------------------------------------- */

/* Lines of 128 bytes: L1 looks up one a cycle. */
static uint64_t count_lines(const struct access *access)
{
    uint64_t first = access->address[__builtin_ctz(access->lanes)], lines = 0, last = UINT64_MAX;
    uint64_t bytes = (uint64_t)access->size;
    if (access->shape == SHAPE_CONTIGUOUS)
        bytes *= (uint64_t)simd_lane_count(access->lanes);
    if (access->shape == SHAPE_CONTIGUOUS || access->shape == SHAPE_UNIFORM)
        return ((first + bytes - 1) >> 7) - (first >> 7) + 1;
    /* Scattered lanes that meet again in a line are mostly neighbours; others count twice. */
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        uint64_t line = access->address[__builtin_ctz(rest)] >> 7;
        lines += line != last;
        last = line;
    }
    return lines;
}

static void count_global(struct counter_set *set, struct sim_counters *c, const struct access *access)
{
    const struct sim *sim = set->kernel->sim;
    uint64_t sectors = (uint64_t)counter_sectors(access);
    uint64_t asked = ((uint64_t)simd_lane_count(access->lanes) * (uint64_t)access->size + 31) / 32;
    uint64_t ideal = asked < sectors ? asked : sectors; /* lanes that share a word need less */
    unsigned fresh = 0;
    if (set->log)
        counter_log_touch(set->log, sim->memory, access);
    else
        fresh = counter_touch(sim->memory, access, sim->launch_count);
    if (set->sampled)
        counter_touch_cluster(sim->memory, access, &set->sampled->touch);
    c->global_lines += count_lines(access);
    if (access->kind == ACCESS_LOAD) {
        c->global_load_requests += (uint64_t)counter_requests(access);
        c->global_load_sectors += sectors;
        c->global_load_sectors_ideal += ideal;
        c->unique_sectors_read += fresh;
        c->global_loads++;
        c->global_load_fresh += fresh > 0;
        return;
    }
    c->unique_sectors_written += fresh;
    if (access->kind == ACCESS_STORE) {
        c->global_store_requests++;
        c->global_store_sectors += sectors;
        c->global_store_sectors_ideal += ideal;
    } else {
        c->global_atomic_requests++;
        c->global_atomic_sectors += sectors;
        note_atomics(set, access);
    }
}

/* Atomics in one bank of 4 bytes wait for each other: the most lanes in any, and the most different words. */
static void count_passes(struct sim_counters *c, const struct access *access)
{
    unsigned char lanes[32] = {0}, words[32] = {0}, most_lanes = 0, most_words = 0;
    signed char last[32], before[32]; /* lane with another word of the bank, and the one before it, or -1 */
    memset(last, -1, sizeof last);
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const unsigned bank = access->address[lane] / 4 % 32;
        int same = last[bank];
        while (same >= 0 && access->address[same] != access->address[lane])
            same = before[same];
        if (same < 0) {
            before[lane] = last[bank];
            last[bank] = (signed char)lane;
            words[bank]++;
        }
        lanes[bank]++;
        most_lanes = lanes[bank] > most_lanes ? lanes[bank] : most_lanes;
        most_words = words[bank] > most_words ? words[bank] : most_words;
    }
    c->shared_atomic_passes += most_lanes;
    c->shared_atomic_words += most_words;
}

static void count_shared(struct sim_counters *c, const struct access *access)
{
    if (access->kind == ACCESS_ATOMIC) {
        c->shared_atomic_requests++;
        count_passes(c, access);
        return;
    }
    struct wavefronts w = counter_count_wavefronts(access);
    if (access->kind == ACCESS_LOAD) {
        c->shared_load_requests++;
        c->shared_load_wavefronts += (uint64_t)w.needed;
        c->shared_load_wavefronts_ideal += (uint64_t)w.ideal;
    } else {
        c->shared_store_requests++;
        c->shared_store_wavefronts += (uint64_t)w.needed;
        c->shared_store_wavefronts_ideal += (uint64_t)w.ideal;
        c->shared_bypass_wavefronts += access->path == PATH_BYPASS ? (uint64_t)w.needed : 0;
    }
}

/* Different addresses among the lanes. */
static uint64_t count_words(const struct access *access)
{
    uint64_t words = 0;
    for (uint32_t rest = access->lanes; rest; words++)
        take_equal(access, &rest);
    return words;
}

void counter_access(struct counter_set *set, const struct access *access)
{
    if (!set || access->lanes == 0 || (unsigned)access->pc >= (unsigned)set->count)
        return;
    struct sim_counters *c = &set->ops[access->pc];
    switch (access->space) {
    case PTX_SHARED: count_shared(c, access); break;
    case PTX_LOCAL:
        c->local_requests++;
        c->local_sectors += (uint64_t)counter_local_sectors(access);
        break;
    case PTX_CONST:
        c->const_requests++;
        c->const_passes += count_words(access);
        break;
    case PTX_PARAM: break;
    default: count_global(set, c, access);
    }
}

const struct sim_counters *counter_of(const struct counter_set *set, int pc)
{
    return (unsigned)pc < (unsigned)set->count ? &set->ops[pc] : NULL;
}

void counter_add(struct counter_set *set, int pc, const struct sim_counters *part)
{
    if (set && (unsigned)pc < (unsigned)set->count)
        sim_counters_add(&set->ops[pc], part);
}

/* ---- a launch that several threads share --------------------------------------------------------------- */

bool counter_set_log(struct counter_set *set, struct touch_log *log)
{
    set->log = log;
    log->fresh = calloc((size_t)set->count + 1, sizeof *log->fresh);
    return log->fresh != NULL;
}

void counter_add_fresh(struct counter_set *set, const struct touch_log *log)
{
    for (int pc = 0; pc < set->count; pc++) {
        set->ops[pc].unique_sectors_read += log->fresh[pc].sectors[0];
        set->ops[pc].unique_sectors_written += log->fresh[pc].sectors[1];
        set->ops[pc].global_load_fresh += log->fresh[pc].loads;
    }
}

bool counter_set_merge(struct counter_set *set, const struct counter_set *part)
{
    for (int i = 0; i < HOT_ADDRESSES; i++) {
        const struct hot_address *from = &part->hot[i];
        struct hot_address *to = &set->hot[i];
        if (from->count && to->count && from->word != to->word)
            return false;
        if (from->count)
            *to = (struct hot_address){from->word, to->count + from->count, to->merged + from->merged};
    }
    for (int pc = 0; pc < set->count; pc++)
        sim_counters_add(&set->ops[pc], &part->ops[pc]);
    return !part->log || !part->log->failed;
}

void counter_replay(struct counter_set *set, const struct touch_log *log, size_t begin, size_t end)
{
    const struct sim *sim = set->kernel->sim;
    for (size_t i = begin; i < end;) {
        int pc;
        bool is_write;
        unsigned fresh = counter_touch_again(sim->memory, log, &i, end, sim->launch_count, &pc, &is_write);
        struct sim_counters *c = &set->ops[pc];
        *(is_write ? &c->unique_sectors_written : &c->unique_sectors_read) += fresh;
        if (!is_write)
            c->global_load_fresh += fresh > 0;
    }
}

/* ---- a sample of a launch ------------------------------------------------------------------------------ */

/* What the cluster before has changed; its atomics count from here on. */
static void end_cluster(const struct counter_set *set, struct sampled *s)
{
    for (int i = 0; i < HOT_ADDRESSES; i++) {
        s->clusters[i] += set->hot[i].count > s->before[i];
        s->before[i] = set->hot[i].count;
    }
}

bool counter_set_cluster(struct counter_set *set, uint64_t cluster, bool drawn)
{
    if (!set->sampled)
        set->sampled = calloc(1, sizeof *set->sampled);
    if (!set->sampled)
        return false;
    end_cluster(set, set->sampled);
    set->sampled->touch = (struct sample_touch){set->kernel->sim->launch_count, cluster, drawn};
    return true;
}

void counter_set_total(const struct counter_set *set, struct sim_counters *total)
{
    for (int pc = 0; pc < set->count; pc++)
        sim_counters_add(total, &set->ops[pc]);
}

static uint64_t scaled(uint64_t count, double scale)
{
    return (uint64_t)((double)count * scale + 0.5);
}

void counter_set_extrapolate(struct counter_set *set, const struct counter_set *part, double scale)
{
    end_cluster(part, part->sampled);
    for (int i = 0; i < HOT_ADDRESSES; i++) {
        struct hot_address more = part->hot[i], *hot = &set->hot[i];
        double times = part->sampled->clusters[i] > 1 ? scale : 1;
        more.count = scaled(more.count, times);
        more.merged = scaled(more.merged, times);
        if (more.word == hot->word)
            *hot = (struct hot_address){hot->word, hot->count + more.count, hot->merged + more.merged};
        else if (more.count > hot->count)
            *hot = more;
    }
    for (int pc = 0; pc < set->count; pc++) {
        uint64_t *to = (uint64_t *)&set->ops[pc];
        const uint64_t *from = (const uint64_t *)&part->ops[pc];
        for (size_t i = 0; i < FIELDS; i++)
            to[i] += scaled(from[i], scale);
    }
}

void counter_set_footprint(struct counter_set *set, const double sectors[2])
{
    struct sim_counters total = {0};
    counter_set_total(set, &total);
    const double reads = total.unique_sectors_read ? sectors[0] / (double)total.unique_sectors_read : 0;
    const double writes =
        total.unique_sectors_written ? sectors[1] / (double)total.unique_sectors_written : 0;
    for (int pc = 0; pc < set->count; pc++) {
        struct sim_counters *c = &set->ops[pc];
        c->unique_sectors_read = scaled(c->unique_sectors_read, reads);
        c->unique_sectors_written = scaled(c->unique_sectors_written, writes);
        c->global_load_fresh = scaled(c->global_load_fresh, reads);
        if (c->global_load_fresh > c->global_loads)
            c->global_load_fresh = c->global_loads;
    }
}

const struct sim *counter_set_device(const struct counter_set *set)
{
    return set->kernel->sim;
}

/* ---- the table by source line -------------------------------------------------------------------------- */

struct line_table *line_table_create(struct sim *sim)
{
    (void)sim;
    return calloc(1, sizeof(struct line_table));
}

void line_table_destroy(struct line_table *table)
{
    if (!table)
        return;
    for (int i = 0; i < table->file_count; i++)
        free(table->files[i]);
    free(table->files);
    free(table->lines);
    free(table);
}

static const char *keep_file_name(struct line_table *t, const char *file)
{
    for (int i = 0; i < t->file_count; i++)
        if (strcmp(t->files[i], file) == 0)
            return t->files[i];
    char **files = realloc(t->files, (size_t)(t->file_count + 1) * sizeof *files);
    if (!files)
        return "";
    t->files = files;
    char *copy = strdup(file);
    if (!copy)
        return "";
    t->files[t->file_count++] = copy;
    return copy;
}

/* The row of a line, new if there is none; NULL: out of memory. `file` was kept by this table. */
static struct sim_line_counters *line_row(struct line_table *t, const char *file, int line)
{
    for (int i = 0; i < t->count; i++) {
        int row = (t->last + i) % t->count;
        if (t->lines[row].line == line && t->lines[row].file == file)
            return &t->lines[t->last = row];
    }
    if (t->count == t->capacity) {
        int capacity = t->capacity ? 2 * t->capacity : 64;
        struct sim_line_counters *lines = realloc(t->lines, (size_t)capacity * sizeof *lines);
        if (!lines)
            return NULL;
        t->lines = lines;
        t->capacity = capacity;
    }
    t->last = t->count;
    t->lines[t->count] = (struct sim_line_counters){.file = file, .line = line};
    return &t->lines[t->count++];
}

static bool counted_nothing(const struct sim_counters *c)
{
    const uint64_t *field = (const uint64_t *)c;
    uint64_t any = 0;
    for (size_t i = 0; i < FIELDS; i++)
        any |= field[i];
    return any == 0;
}

void counter_set_collect(struct sim *sim, const struct sim_kernel *kernel, struct counter_set *set,
                         struct sim_counters *total)
{
    const char *name = NULL, *kept = ""; /* of the operation before: nearly always the same file */
    for (int pc = 0; pc < set->count; pc++) {
        const struct sim_counters *c = &set->ops[pc];
        if (counted_nothing(c))
            continue;
        sim_counters_add(total, c);
        const char *file = place_file(kernel, kernel->locs[pc]);
        if (file != name)
            kept = keep_file_name(sim->lines, name = file);
        struct sim_line_counters *row = line_row(sim->lines, kept, kernel->locs[pc].line);
        if (row)
            sim_counters_add(&row->counts, c);
    }
}

static uint64_t sectors(const struct sim_counters *c)
{
    return c->global_load_sectors + c->global_store_sectors + c->global_atomic_sectors + c->local_sectors;
}

static uint64_t wavefronts(const struct sim_counters *c)
{
    return c->shared_load_wavefronts + c->shared_store_wavefronts + c->shared_atomic_requests;
}

static int descending(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

/* Most sectors first, then most wavefronts, then most instructions, then by place. */
static int worse(const void *left, const void *right)
{
    const struct sim_line_counters *a = left, *b = right;
    int order = descending(sectors(&a->counts), sectors(&b->counts));
    if (!order)
        order = descending(wavefronts(&a->counts), wavefronts(&b->counts));
    if (!order)
        order = descending(a->counts.warp_instructions, b->counts.warp_instructions);
    if (!order)
        order = strcmp(a->file, b->file);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

int sim_lines(struct sim *sim, const struct sim_line_counters **out)
{
    struct line_table *t = sim->lines;
    if (t->count)
        qsort(t->lines, (size_t)t->count, sizeof *t->lines, worse);
    *out = t->lines;
    return t->count;
}

void sim_lines_reset(struct sim *sim)
{
    sim->lines->count = 0;
    sim->lines->last = 0;
}
