#include "harness/worker/sim_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

static struct protocol_place place_at(const char *file, int line, int call_line, int from_line)
{
    struct protocol_place place = {.line = line, .call_line = call_line, .from_line = from_line};
    copy_text(place.file, sizeof place.file, file);
    return place;
}

static void put_launch(const char *kernel, const struct sim_dim3 *grid, const struct sim_dim3 *block,
                       struct protocol_launch *to)
{
    copy_text(to->kernel, sizeof to->kernel, kernel);
    to->grid[0] = grid->x, to->grid[1] = grid->y, to->grid[2] = grid->z;
    to->block[0] = block->x, to->block[1] = block->y, to->block[2] = block->z;
}

static void put_place_of_call(const char *text, struct protocol_place *place)
{
    const char *colon = strrchr(text, ':');
    const int length = colon ? (int)(colon - text) : 0;
    place->line = colon ? atoi(colon + 1) : 0;
    snprintf(place->file, sizeof place->file, "%.*s", length < 190 ? length : 190, text);
}

static void put_waste(const struct sim_slowest *from, const struct sim_waste *waste,
                      struct protocol_waste *to)
{
    if (waste->kind == SIM_WASTE_NONE)
        return;
    to->kind = waste->kind;
    to->seconds = waste->seconds;
    to->launch_seconds = from->seconds;
    memcpy(to->figure, waste->figure, sizeof to->figure);
    put_launch(from->kernel, &from->grid, &from->block, &to->launch);
    to->place = place_at(waste->file, waste->line, 0, 0);
    if (to->place.line == 0)
        put_place_of_call(from->place, &to->launch.place);
}

static void collect_waste(struct protocol_waste *to)
{
    const struct sim_slowest *from = sim_totals_slowest();
    if (from)
        put_waste(from, &from->waste, to);
}

static void collect_arithmetic(const struct sim_counters *counters, struct protocol_arithmetic *to)
{
    const struct sim_slowest *slowest = sim_totals_slowest();
    to->flops = (double)counters->flops32 + (double)counters->flops64;
    if (!slowest)
        return;
    const struct sim_arithmetic *from = &slowest->arithmetic;
    to->flops_of_launch = (double)from->flops;
    for (int i = 0; i < from->count && i < PROTOCOL_ARITHMETIC_LINES; i++) {
        to->line[to->count] = place_at(from->line[i].file, from->line[i].line, from->line[i].call_line, 0);
        to->line_flops[to->count++] = (double)from->line[i].flops;
    }
}

static void collect_alone(struct protocol_alone *to)
{
    const struct sim_slowest *slowest = sim_totals_slowest();
    if (!slowest)
        return;
    const struct sim_alone *from = &slowest->alone;
    to->place = place_at(from->file, from->line, from->call_line, 0);
    to->times = from->times;
    to->share = from->share;
    to->threads = from->threads;
    to->each_warp = from->each_warp;
    to->what = from->what;
}

static struct protocol_place habit_at(const struct sim_habit_place *from)
{
    return place_at(from->file, from->line, from->call_line, from->from_line);
}

static void collect_habits(struct protocol_habits *to)
{
    const struct sim_slowest *slowest = sim_totals_slowest();
    if (!slowest)
        return;
    const struct sim_habits *from = &slowest->habits;
    copy_text(to->kernel, sizeof to->kernel, slowest->kernel);
    to->kept = habit_at(&from->kept.place);
    to->kept_times = from->kept.times;
    to->loads = habit_at(&from->loads.place);
    to->in_flight = from->loads.in_flight;
    to->behind = from->loads.behind;
    put_waste(slowest, &from->apart, &to->apart);
}

/* Without machine code neither its registers are known nor its time. */
static void collect_sm(struct sim_sm *to)
{
    const struct sim_slowest *slowest = sim_totals_slowest();
    if (slowest && slowest->sm.spans > 0)
        *to = slowest->sm;
}

static void put_site(const struct sim_site *from, struct protocol_site *to)
{
    char place[208];
    if (!from || !sim_site_place(from, place, sizeof place))
        return;
    to->launches = from->launches;
    to->blocks = from->blocks;
    to->idle_blocks = from->idle_blocks;
    to->all_blocks = from->all_blocks;
    to->fewest_blocks = from->fewest_blocks;
    to->most_blocks = from->most_blocks;
    to->seconds = from->seconds;
    put_launch(from->kernel, &from->grid, &from->block, &to->launch);
    put_place_of_call(place, &to->launch.place);
}

#define IDLE_SHARE  4  /* a quarter of the blocks and more */
#define MANY_BLOCKS 64 /* of fewer blocks and launches nothing is said: looking lines up takes time */

void model_collect_sites(struct protocol_mailbox *mailbox)
{
    const struct sim_site *site, *idle = NULL, *busy = NULL;
    const int count = sim_totals_sites(&site);
    for (int i = 0; i < count; i++) {
        if (site[i].idle_blocks >= MANY_BLOCKS && IDLE_SHARE * site[i].idle_blocks >= site[i].blocks &&
            (!idle || site[i].idle_blocks > idle->idle_blocks))
            idle = &site[i];
        if (site[i].launches >= MANY_BLOCKS && (!busy || site[i].launches > busy->launches))
            busy = &site[i];
    }
    put_site(idle, &mailbox->idle);
    put_site(busy, &mailbox->busy);
}

static void collect_shapes(struct protocol_mailbox *mailbox)
{
    const struct sim_shape *from;
    const int count = sim_totals_shapes(&from);
    mailbox->shape_count = (uint32_t)(count < PROTOCOL_MAX_SHAPES ? count : PROTOCOL_MAX_SHAPES);
    for (uint32_t i = 0; i < mailbox->shape_count; i++) {
        struct protocol_shape *to = &mailbox->shape[i];
        copy_text(to->kernel, sizeof to->kernel, from[i].kernel);
        to->grid[0] = from[i].grid.x, to->grid[1] = from[i].grid.y, to->grid[2] = from[i].grid.z;
        to->block[0] = from[i].block.x, to->block[1] = from[i].block.y, to->block[2] = from[i].block.z;
        to->dynamic_shared = from[i].dynamic_shared;
    }
}

void model_collect(const struct sim_counters *counters, struct protocol_mailbox *mailbox)
{
    collect_waste(&mailbox->waste);
    collect_arithmetic(counters, &mailbox->arithmetic);
    collect_alone(&mailbox->alone);
    collect_habits(&mailbox->habits);
    collect_sm(&mailbox->sm);
    collect_shapes(mailbox);
}
