/*
 * Hazard reports: collected, and folded when the same pair of lines does the same again. Who finds them:
 * sim/memory/memory_fault.c (addresses), hazard_cell.c (races), hazard_written.c
 * (uninitialized reads), sim/machine (barriers, masks, deadlock).
 */
#include <stdlib.h>
#include <string.h>

#include "sim/hazard/hazard.h"

const char *sim_hazard_class_name(enum sim_hazard_class c)
{
    static const char *const names[] = {
        [SIM_HAZARD_OUT_OF_BOUNDS] = "access out of bounds",
        [SIM_HAZARD_USE_AFTER_FREE] = "use after free",
        [SIM_HAZARD_MISALIGNED] = "misaligned access",
        [SIM_HAZARD_UNINITIALIZED] = "read of uninitialized memory",
        [SIM_HAZARD_RACE_SHARED] = "race in shared memory",
        [SIM_HAZARD_RACE_GLOBAL] = "race in global memory",
        [SIM_HAZARD_BARRIER] = "barrier misuse",
        [SIM_HAZARD_WARP_MASK] = "warp function misuse",
        [SIM_HAZARD_DEADLOCK] = "deadlock",
        [SIM_HAZARD_READ_ONLY] = "write to read-only memory",
        [SIM_HAZARD_RACE_STREAM] = "race between streams",
        [SIM_HAZARD_RACE_HOST] = "race with the host",
        [SIM_HAZARD_ENDLESS] = "endless loop",
        [SIM_HAZARD_NO_VALUE] = "uninitialized variable",
        [SIM_HAZARD_DIVISION] = "division by 0",
        [SIM_HAZARD_ONE_ADDRESS] = "two shared arrays at one address",
        [SIM_HAZARD_VOLATILE] = "volatile is not synchronization",
    };
    return (size_t)c < sizeof names / sizeof *names ? names[c] : "hazard";
}

static bool same_place(const struct sim_hazard_place *a, const struct sim_hazard_place *b)
{
    return a->line == b->line && strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0;
}

static bool same_report(const struct sim_hazard *a, const struct sim_hazard *b)
{
    if (a->class != b->class)
        return false;
    if (a->here.line == 0 && b->here.line == 0) /* compiled without line numbers */
        return a->there.line == b->there.line && strcmp(a->object, b->object) == 0;
    return (same_place(&a->here, &b->here) && same_place(&a->there, &b->there)) ||
           (same_place(&a->here, &b->there) && same_place(&a->there, &b->here));
}

/* A name that outlives its module. */
static const char *keep_name(struct hazards *h, const char *name)
{
    if (!name || !name[0])
        return "";
    for (int i = 0; i < h->name_count; i++)
        if (strcmp(h->names[i], name) == 0)
            return h->names[i];
    char **names = realloc(h->names, (size_t)(h->name_count + 1) * sizeof *names);
    if (!names)
        return "";
    h->names = names;
    char *copy = strdup(name);
    if (!copy)
        return "";
    h->names[h->name_count++] = copy;
    return copy;
}

void hazard_keep(struct hazards *h, struct sim_hazard *kept, const struct sim_hazard *hazard)
{
    char kernel[256];
    place_variable_name(hazard->kernel ? hazard->kernel : "", kernel, sizeof kernel);
    *kept = *hazard;
    kept->kernel = keep_name(h, kernel);
    kept->here.file = keep_name(h, hazard->here.file);
    kept->there.file = keep_name(h, hazard->there.file);
    if (kept->count == 0)
        kept->count = 1;
}

static int file_report(struct hazards *h, const struct sim_hazard *hazard)
{
    for (int i = 0; i < h->report_count; i++) {
        struct sim_hazard *kept = &h->reports[i];
        if (same_report(kept, hazard)) {
            const uint64_t count = kept->count + (hazard->count ? hazard->count : 1);
            if (kept->within_warp && !hazard->within_warp)
                hazard_keep(h, kept, hazard);
            kept->count = count;
            return i;
        }
    }
    if (h->report_count == HAZARD_REPORTS)
        return -1;
    h->unsettled[h->report_count].open = false;
    hazard_keep(h, &h->reports[h->report_count], hazard);
    return h->report_count++;
}

void hazard_file(struct sim *sim, const struct sim_hazard *hazard)
{
    sim->hazards->found = true;
    if (sim->hazards->index == 0)
        file_report(sim->hazards, hazard);
}

static struct hazard_seen *find_seen(struct hazards *h, enum sim_hazard_class class, uint32_t here,
                                     uint32_t there)
{
    for (int i = 0; i < h->seen_count; i++)
        if (h->seen[i].class == class && h->seen[i].here == here && h->seen[i].there == there)
            return &h->seen[i];
    return NULL;
}

bool hazard_seen(struct hazards *h, enum sim_hazard_class class, uint32_t here, uint32_t there,
                 bool within_warp)
{
    h->found = true;
    if (h->index != 0)
        return true;
    const struct hazard_seen *seen = find_seen(h, class, here, there);
    if (!seen)
        return h->seen_count == sizeof h->seen / sizeof *h->seen;
    if (seen->within_warp && !within_warp)
        return false;
    if (seen->report >= 0)
        h->reports[seen->report].count++;
    return true;
}

void hazard_remember(struct hazards *h, const struct sim_hazard *hazard, uint32_t here, uint32_t there)
{
    struct hazard_seen *seen = find_seen(h, hazard->class, here, there);
    if (!seen)
        seen = &h->seen[h->seen_count++];
    *seen = (struct hazard_seen){.class = hazard->class,
                                 .here = here,
                                 .there = there,
                                 .within_warp = hazard->within_warp,
                                 .report = file_report(h, hazard)};
}

int sim_hazards(struct sim *sim, const struct sim_hazard **out)
{
    *out = sim->hazards->reports;
    return sim->hazards->report_count;
}

void sim_hazards_reset(struct sim *sim)
{
    sim->hazards->report_count = 0;
    sim->hazards->seen_count = 0;
    sim->hazards->again.count = 0;
}

const struct sim_hazard *sim_stored_again(const struct sim *sim)
{
    return &sim->hazards->again;
}
