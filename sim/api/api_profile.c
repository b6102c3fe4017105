/*
 * LABS_SIM_PROFILE=1: when the program ends, the source lines that cost most, on stderr. Three short tables:
 * sectors of global and local memory, wavefronts of shared memory, branches whose lanes disagree.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/api/api_report.h"
#include "sim/api/api_state.h"

#define ROWS 8 /* of each table, at most */

/* What one line of source is listed with. */
struct row {
    const char *file;
    int line;
    uint64_t cost, least, requests; /* least: of the cost, what the best pattern would take */
};

typedef struct row (*row_of)(const struct sim_counters *c);

static struct row memory_row(const struct sim_counters *c)
{
    uint64_t others = c->global_atomic_sectors + c->local_sectors;
    return (struct row){
        .cost = c->global_load_sectors + c->global_store_sectors + others,
        .least = c->global_load_sectors_ideal + c->global_store_sectors_ideal + others,
        .requests = c->global_load_requests + c->global_store_requests + c->global_atomic_requests +
                    c->local_requests,
    };
}

static struct row shared_row(const struct sim_counters *c)
{
    return (struct row){
        .cost = c->shared_load_wavefronts + c->shared_store_wavefronts + c->shared_atomic_requests,
        .least =
            c->shared_load_wavefronts_ideal + c->shared_store_wavefronts_ideal + c->shared_atomic_requests,
        .requests = c->shared_load_requests + c->shared_store_requests + c->shared_atomic_requests,
    };
}

static struct row branch_row(const struct sim_counters *c)
{
    return (struct row){.cost = c->divergent_branches, .requests = c->branches};
}

static int by_cost(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    int order = (a->cost < b->cost) - (a->cost > b->cost);
    if (order == 0)
        order = strcmp(a->file, b->file);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static void print_place(FILE *out, const struct row *row)
{
    const char *slash = strrchr(row->file, '/');
    char place[64];
    if (row->file[0] == '\0')
        snprintf(place, sizeof place, "(compiled without -lineinfo)");
    else
        snprintf(place, sizeof place, "%.48s:%d", slash ? slash + 1 : row->file, row->line);
    fprintf(out, "    %-44s", place);
}

static void print_row(FILE *out, const struct row *row, bool has_least)
{
    print_place(out, row);
    fprintf(out, " %14llu", (unsigned long long)row->cost);
    if (has_least)
        fprintf(out, " %10.0f %% %10.1f\n", 100.0 * (double)row->least / (double)row->cost,
                (double)row->cost / (double)row->requests);
    else
        fprintf(out, " %14llu\n", (unsigned long long)row->requests);
}

/* The costliest lines under a headline; nothing if no line costs anything. */
static void print_table(FILE *out, const struct sim_line_counters *lines, int count, row_of row,
                        const char *headline, bool has_least)
{
    struct row *rows = calloc((size_t)count + 1, sizeof *rows);
    int used = 0;
    for (int i = 0; rows && i < count; i++) {
        rows[used] = row(&lines[i].counts);
        rows[used].file = lines[i].file;
        rows[used].line = lines[i].line;
        used += rows[used].cost > 0;
    }
    if (used > 0) {
        qsort(rows, (size_t)used, sizeof *rows, by_cost);
        fprintf(out, "%s\n", headline);
        for (int i = 0; i < used && i < ROWS; i++)
            print_row(out, &rows[i], has_least);
        if (used > ROWS)
            fprintf(out, "    and %d lines more\n", used - ROWS);
    }
    free(rows);
}

void api_print_profile(FILE *out)
{
    const struct sim_line_counters *lines;
    int count = sim_lines(api.sim, &lines);
    if (!sim_config(api.sim)->counters) {
        fprintf(out,
                "simulator: LABS_SIM_PROFILE=1 needs the counters, which LABS_SIM_COUNTERS=0 turns off\n");
        return;
    }
    fprintf(out, "simulator: the source lines that cost most, all launches together\n");
    print_table(out, lines, count, memory_row,
                "  global and local memory, 32 bytes each             sectors       needed per request",
                true);
    print_table(out, lines, count, shared_row,
                "  shared memory, 1 without bank conflicts         wavefronts       needed per request",
                true);
    print_table(out, lines, count, branch_row,
                "  branches whose lanes disagree                    divergent       of all", false);
}
