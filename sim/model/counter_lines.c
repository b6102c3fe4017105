/* The table of counts by source line: each operation's, when a kernel has ended, go to the line it was made from. */
#include "sim/core/code.h"
#include "sim/model/counter.h"
#include "sim/text/place.h"

#include <string.h>

struct line_table {
    struct sim_line_counters *lines;
    int count, capacity;
    int last;     /* where the search found its line: the next one is often the same */
    char **files; /* names are kept here: lines outlive their module */
    int file_count;
};

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
    for (size_t i = 0; i < COUNTER_FIELDS; i++)
        any |= field[i];
    return any == 0;
}

void counter_set_collect(struct sim *sim, const struct sim_kernel *kernel, struct counter_set *set,
                         struct sim_counters *total)
{
    const char *name = NULL, *kept = ""; /* of the operation before: nearly always the same file */
    for (int pc = 0; pc < kernel->op_count; pc++) {
        const struct sim_counters *c = counter_of(set, pc);
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
