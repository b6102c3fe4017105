/* Places of a shared array, and what was added to what: the data flow of a reduction, as it ran. */
#include <string.h>

#include "picture/picture.h"

#define LEFT  16.0
#define WIDTH 600.0
#define TOP   20.0
#define ROW   42.0

/* What a lane has loaded from shared memory since it stored to it. */
struct held {
    int count;
    int place[4], level[4];
};

struct growth {
    struct picture_tree *tree;
    uint64_t base;
    int size;
    int level[PICTURE_PLACES];
    struct held held[PICTURE_WARPS][PICTURE_LANES];
    int passed[PICTURE_WARPS][PICTURE_LANES];
};

static int place_of(const struct growth *g, const struct picture_event *event, int lane)
{
    const uint64_t place = (event->address[lane] - g->base) / (uint64_t)g->size;
    return place < PICTURE_PLACES ? (int)place : -1;
}

static void take_load(struct growth *g, const struct picture_event *event, int lane)
{
    struct held *held = &g->held[event->warp][lane];
    const int place = place_of(g, event, lane);
    if (place < 0 || held->count == 4)
        return;
    held->level[held->count] = g->level[place];
    held->place[held->count++] = place;
}

static void add_edge(struct picture_tree *tree, int from, int to, int level, int from_level)
{
    if (tree->count == PICTURE_EDGES)
        return;
    tree->edge[tree->count++] = (struct picture_edge){from, to, level, from_level};
}

/* Everything the lane holds goes into the place. */
static void take_store(struct growth *g, const struct picture_event *event, int lane, int phase)
{
    struct held *held = &g->held[event->warp][lane];
    struct picture_tree *tree = g->tree;
    const int place = place_of(g, event, lane);
    int level = 0;
    for (int i = 0; i < held->count; i++)
        level = held->level[i] + 1 > level ? held->level[i] + 1 : level;
    if (place < 0 || level >= PICTURE_LEVELS)
        return;
    for (int i = 0; i < held->count; i++)
        add_edge(tree, held->place[i], place, level, held->level[i]);
    held->count = 0;
    g->level[place] = level;
    if (level >= tree->levels) {
        tree->levels = level + 1;
        tree->first_phase[level] = phase;
    }
    tree->first_phase[level] = phase < tree->first_phase[level] ? phase : tree->first_phase[level];
    tree->last_phase[level] = phase > tree->last_phase[level] ? phase : tree->last_phase[level];
    tree->threads[level]++;
    tree->warps[level] |= 1u << event->warp;
    tree->places = place >= tree->places ? place + 1 : tree->places;
}

static void take_event(struct growth *g, const struct picture_event *event)
{
    const bool loads = event->what == PICTURE_SHARED_LOAD, stores = event->what == PICTURE_SHARED_STORE;
    const int phase = picture_pass(g->passed[event->warp], event);
    for (int lane = 0; lane < PICTURE_LANES && (loads || stores); lane++)
        if (!(event->lanes >> lane & 1))
            continue;
        else if (loads)
            take_load(g, event, lane);
        else
            take_store(g, event, lane, phase);
}

/* Where shared memory that is used begins. */
static void find_base(struct growth *g, const struct picture_event *events, int count)
{
    g->base = UINT64_MAX;
    for (int i = 0; i < count; i++)
        for (int lane = 0; lane < PICTURE_LANES; lane++)
            if (events[i].what == PICTURE_SHARED_STORE && (events[i].lanes >> lane & 1)) {
                g->base = events[i].address[lane] < g->base ? events[i].address[lane] : g->base;
                g->size = events[i].size;
            }
}

bool picture_grow_tree(struct picture_tree *tree, const struct picture_event *events, int count)
{
    struct growth g = {.tree = tree};
    memset(tree, 0, sizeof *tree);
    find_base(&g, events, count);
    for (int i = 0; i < count && g.size > 0; i++)
        if (events[i].warp >= 0 && events[i].warp < PICTURE_WARPS)
            take_event(&g, &events[i]);
    return tree->levels > 2 && tree->count < PICTURE_EDGES;
}

bool picture_has_barrier(const struct picture_tree *tree, int level)
{
    return tree->last_phase[level] < tree->first_phase[level + 1];
}

static double x_of(const struct picture_tree *tree, int place)
{
    return LEFT + WIDTH * (place + 0.5) / tree->places;
}

static double y_of(int level)
{
    return TOP + ROW * level;
}

/* `own`: to a thread's own place; not: from another one's. */
static void draw_edges(FILE *out, const struct picture_tree *tree, bool own)
{
    fputs("<path d=\"", out);
    for (int i = 0; i < tree->count; i++)
        if ((tree->edge[i].from == tree->edge[i].to) == own)
            fprintf(out, "M%.4g %gL%.4g %g", x_of(tree, tree->edge[i].from), y_of(tree->edge[i].from_level),
                    x_of(tree, tree->edge[i].to), y_of(tree->edge[i].level));
    fprintf(out, "\" class=\"%s\"/>\n", own ? "own" : tree->places > 64 ? "wire fine" : "wire");
}

static void draw_level(FILE *out, const struct picture_tree *tree, int level)
{
    const double y = y_of(level);
    fputs("<path d=\"", out);
    for (int i = 0; i < tree->count; i++)
        if (tree->edge[i].level == level && (i == 0 || tree->edge[i].to != tree->edge[i - 1].to))
            fprintf(out, "M%.4g %gv4", x_of(tree, tree->edge[i].to), y - 2);
    fputs("\" class=\"node\"/>\n", out);
    picture_text(out, LEFT + WIDTH + 12, y + 4, "small", "%d thread%s, %d warp%s", tree->threads[level],
                 tree->threads[level] == 1 ? "" : "s", __builtin_popcount(tree->warps[level]),
                 __builtin_popcount(tree->warps[level]) == 1 ? "" : "s");
}

static void draw_legend(FILE *out, double y)
{
    picture_line(out, LEFT, y + 6, LEFT + 20, y + 6, "barrier");
    picture_text(out, LEFT + 26, y + 10, "small", "barrier");
    picture_line(out, LEFT + 90, y + 6, LEFT + 110, y + 6, "wire");
    picture_text(out, LEFT + 116, y + 10, "small", "added from another place");
    picture_line(out, LEFT + 270, y + 6, LEFT + 290, y + 6, "own");
    picture_text(out, LEFT + 296, y + 10, "small", "what was there before");
}

void picture_tree(FILE *out, const struct picture_tree *tree, const char *told)
{
    const double bottom = y_of(tree->levels - 1) + 16;
    picture_begin(out, LEFT + WIDTH + 134, bottom + 22, told);
    picture_box(out, LEFT, y_of(0) - 7, WIDTH, 7, "unit");
    picture_text(out, LEFT + WIDTH + 12, y_of(0) + 4, "small", "%d values", tree->places);
    for (int level = 0; level + 1 < tree->levels; level++)
        if (picture_has_barrier(tree, level))
            picture_line(out, LEFT, y_of(level) + ROW * 0.25, LEFT + WIDTH, y_of(level) + ROW * 0.25,
                         "barrier");
    draw_edges(out, tree, true);
    draw_edges(out, tree, false);
    for (int level = 1; level < tree->levels; level++)
        draw_level(out, tree, level);
    draw_legend(out, bottom);
    picture_end(out);
}
