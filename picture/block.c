/* What the warps of a block did, in time: accesses, shuffles, barriers. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"

#define LEFT      80.0
#define WIDTH     620.0
#define NARROWEST 500.0 /* what gray means */
#define TOP       18.0
#define GAP       10.0 /* where a barrier stands */
#define WIDEST    44.0
#define LOWEST    5.0
#define DIGIT     5.5 /* as wide as that */
#define EACH      8   /* warps that have a row each in any case */

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

static bool is_same(const struct picture_span *span, const struct picture_event *event)
{
    return span->what == event->what && span->lanes == event->lanes && span->line == event->line;
}

int picture_pass(int passed[PICTURE_LANES], const struct picture_event *event)
{
    int most = 0;
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        const bool comes = event->lanes >> lane & 1;
        most = comes && passed[lane] > most ? passed[lane] : most;
        passed[lane] += comes && event->what == PICTURE_BARRIER;
    }
    return most;
}

/* The span that the warp was at last in this phase. */
static struct picture_span *newest(struct picture_block *block, int warp, int phase)
{
    for (int i = block->count - 1; i >= 0; i--)
        if (block->span[i].warp == warp && block->span[i].phase == phase)
            return &block->span[i];
    return NULL;
}

/* After the warp's last column: where another warp does the same at this line, or a new one. */
static int column_for(struct picture_block *block, int phase, int column, const struct picture_event *event)
{
    int same = INT_MAX;
    for (int i = 0; i < block->count; i++) {
        const struct picture_span *span = &block->span[i];
        if (span->phase == phase && span->column >= column && span->line == event->line &&
            span->what == event->what && span->column < same)
            same = span->column;
    }
    if (same < INT_MAX)
        return same;
    for (int i = 0; i < block->count; i++)
        if (block->span[i].phase == phase && block->span[i].column >= column)
            block->span[i].column++;
    block->width[phase]++;
    return column;
}

static void add_event(struct picture_block *block, const struct picture_event *event)
{
    const int phase = picture_pass(block->passed[event->warp], event);
    struct picture_span *last = newest(block, event->warp, phase);
    if (event->what == PICTURE_BARRIER) {
        block->barriers[event->warp] = max_of(block->barriers[event->warp], phase + 1);
        return;
    }
    if (last && is_same(last, event)) {
        last->times++;
        return;
    }
    if (phase >= PICTURE_PHASES || block->count == PICTURE_SPANS)
        return;
    const int column = column_for(block, phase, last ? last->column + 1 : 0, event);
    block->span[block->count++] =
        (struct picture_span){event->warp, phase, column, 1, event->line, event->what, event->lanes};
}

static bool is_alike(const struct picture_span *a, const struct picture_span *b)
{
    return a->phase == b->phase && a->column == b->column && a->times == b->times && a->lanes == b->lanes;
}

static bool do_the_same(const struct picture_block *block, int a, int b)
{
    int i = 0, k = 0;
    for (;; i++, k++) {
        while (i < block->count && block->span[i].warp != a)
            i++;
        while (k < block->count && block->span[k].warp != b)
            k++;
        if (i == block->count || k == block->count)
            return i == k && block->barriers[a] == block->barriers[b];
        if (!is_alike(&block->span[i], &block->span[k]))
            return false;
    }
}

static void lay_rows(struct picture_block *block)
{
    for (int warp = 0; warp < block->warps; warp++) {
        if (warp == 0 || block->warps <= EACH || !do_the_same(block, warp - 1, warp))
            block->first[block->rows++] = warp;
        block->row[warp] = block->rows - 1;
    }
}

void picture_lay_block(struct picture_block *block, const struct picture_event *events, int count)
{
    memset(block, 0, sizeof *block);
    for (int i = 0; i < count; i++)
        if (events[i].warp >= 0 && events[i].warp < PICTURE_WARPS) {
            block->warps = max_of(block->warps, events[i].warp + 1);
            add_event(block, &events[i]);
        }
    for (int warp = 0; warp < block->warps; warp++)
        block->phases = max_of(block->phases, block->barriers[warp] + 1);
    block->phases = block->phases > PICTURE_PHASES ? PICTURE_PHASES : block->phases;
    lay_rows(block);
}

static int columns_of(const struct picture_block *block)
{
    int columns = 0;
    for (int phase = 0; phase < block->phases; phase++)
        columns += block->width[phase];
    return columns ? columns : 1;
}

static double pitch_of(const struct picture_block *block)
{
    const double pitch = (WIDTH - GAP * block->phases) / columns_of(block);
    return pitch < WIDEST ? pitch : WIDEST;
}

static double x_of(const struct picture_block *block, int phase, int column)
{
    double x = LEFT + GAP * phase;
    for (int before = 0; before < phase; before++)
        x += pitch_of(block) * block->width[before];
    return x + pitch_of(block) * column;
}

static double height_of(const struct picture_block *block)
{
    return block->rows <= EACH ? 30 : 240.0 / block->rows;
}

/* Of a full span. */
static double room_of(const struct picture_block *block)
{
    return height_of(block) - (height_of(block) > 12 ? 6 : 1);
}

static const char *const classes[PICTURE_DOINGS] = {
    [PICTURE_LOAD] = "load",         [PICTURE_STORE] = "store",         [PICTURE_ATOMIC] = "atomic",
    [PICTURE_SHARED_LOAD] = "sload", [PICTURE_SHARED_STORE] = "sstore", [PICTURE_SHARED_ATOMIC] = "satomic",
    [PICTURE_SHUFFLE] = "shuffle",
};

static void add_box(FILE *out, double x, double y, double width, double height)
{
    fprintf(out, "M%.4g %.4gh%.3gv%.3gh-%.3gz", x, y, width, height, width);
}

/* Does the span stand for its row? */
static bool is_drawn(const struct picture_block *block, const struct picture_span *span)
{
    return span->warp == block->first[block->row[span->warp]];
}

static double y_of(const struct picture_block *block, const struct picture_span *span)
{
    return TOP + height_of(block) * block->row[span->warp];
}

/*
 * Spans of one kind, as one path, as high as lanes take part: all 32 fill the row. PICTURE_DOINGS: what is left of the row
 * above those that do not fill it.
 */
static void draw_spans(FILE *out, const struct picture_block *block, int what)
{
    const double room = room_of(block);
    const double width = pitch_of(block) - (pitch_of(block) > 6 ? 2 : 0.5);
    fputs("<path d=\"", out);
    for (int i = 0; i < block->count; i++) {
        const struct picture_span *span = &block->span[i];
        const double part = room * __builtin_popcount(span->lanes) / PICTURE_LANES;
        const double high = fmax(part, fmin(LOWEST, room / 4)); /* the color of one lane is to be seen */
        const double x = x_of(block, span->phase, span->column), y = y_of(block, span);
        if (!is_drawn(block, span))
            continue;
        if ((int)span->what == what)
            add_box(out, x, y + room - high, width, high);
        else if (what == PICTURE_DOINGS && high < room)
            add_box(out, x, y, width, room - high);
    }
    fprintf(out, "\" class=\"%s\"/>\n", what == PICTURE_DOINGS ? "off" : classes[what]);
}

/* Numbers on spans, where there is room: of the lanes that take part, if not all do; of what follows each other, in one span. */
static bool has_lanes(const struct picture_block *block, const struct picture_span *span)
{
    return span->lanes != UINT32_MAX && room_of(block) > 12 && pitch_of(block) > 2 * DIGIT;
}

static bool has_times(const struct picture_block *block, const struct picture_span *span)
{
    return span->times > 1 && room_of(block) > 12 && pitch_of(block) > (span->times < 10 ? 2 : 3) * DIGIT;
}

/* The number of lanes above, that of accesses below, or in the middle of a full span. */
static void draw_numbers(FILE *out, const struct picture_block *block)
{
    for (int i = 0; i < block->count; i++) {
        const struct picture_span *span = &block->span[i];
        const double x = x_of(block, span->phase, span->column) + pitch_of(block) / 2 - 1;
        const int lanes = __builtin_popcount(span->lanes);
        const bool few = lanes < PICTURE_LANES;
        if (!is_drawn(block, span))
            continue;
        if (has_lanes(block, span))
            picture_text(out, x, y_of(block, span) + 11, lanes > PICTURE_LANES / 2 ? "name middle" : "middle",
                         "%d", lanes);
        if (has_times(block, span))
            picture_text(out, x, y_of(block, span) + (few ? 22 : 16), few ? "name middle" : "onit middle",
                         "%dx", span->times);
    }
}

/* A barrier is drawn across the warps that came to it. */
static void draw_barriers(FILE *out, const struct picture_block *block)
{
    const double row = height_of(block);
    fputs("<path d=\"", out);
    for (int phase = 0; phase + 1 < block->phases; phase++)
        for (int from = 0, end; from < block->rows; from = end + 1) {
            for (end = from; end < block->rows && block->barriers[block->first[end]] > phase; end++)
                continue;
            if (end > from)
                fprintf(out, "M%.4g %.4gv%.4g", x_of(block, phase + 1, 0) - GAP / 2 - 1, TOP + row * from - 3,
                        row * (end - from));
        }
    fputs("\" class=\"barrier\"/>\n", out);
}

static bool is_used(const struct picture_block *block, int what)
{
    for (int i = 0; i < block->count; i++)
        if ((int)block->span[i].what == what)
            return true;
    return false;
}

static const char *const words[PICTURE_DOINGS] = {"global: load", "global: store", "global: atomic",
                                                  "shared: load", "shared: store", "shared: atomic",
                                                  "shuffle"};

static double width_of(const struct picture_block *block)
{
    double legend = LEFT + 64; /* with the barrier */
    for (int what = 0; what < PICTURE_BARRIER; what++)
        legend += is_used(block, what) ? picture_key_width(words[what]) : 0;
    return fmax(fmax(x_of(block, block->phases, 0) - GAP + 8, legend), NARROWEST);
}

/* What the colors mean, of those in use. */
static void draw_legend(FILE *out, const struct picture_block *block, double y)
{
    double x = LEFT;
    for (int what = 0; what < PICTURE_BARRIER; what++)
        if (is_used(block, what))
            x = picture_key(out, x, y, classes[what], words[what]);
    picture_line(out, x + 6, y - 2, x + 6, y + 14, "barrier");
    picture_text(out, x + 14, y + 10, "small", "barrier");
}

static bool has_idle(const struct picture_block *block)
{
    for (int i = 0; i < block->count; i++)
        if (block->span[i].lanes != UINT32_MAX)
            return true;
    return false;
}

/* The first number of accesses that stands on a span; 0: none. */
static int times_shown(const struct picture_block *block)
{
    for (int i = 0; i < block->count; i++)
        if (has_times(block, &block->span[i]))
            return block->span[i].times;
    return 0;
}

static bool shows_lanes(const struct picture_block *block)
{
    for (int i = 0; i < block->count; i++)
        if (has_lanes(block, &block->span[i]))
            return true;
    return false;
}

static void draw_idle_legend(FILE *out, const struct picture_block *block, double y)
{
    picture_key(out, LEFT, y, "off",
                shows_lanes(block) ? "those of 32 lanes that take no part; number: those that do"
                                   : "those of 32 lanes that take no part");
}

static void draw_names(FILE *out, const struct picture_block *block)
{
    for (int row = 0; row<block->rows; row += height_of(block)> 10 ? 1 : 4) {
        const int from = block->first[row],
                  last = (row + 1 < block->rows ? block->first[row + 1] : block->warps) - 1;
        const double y = TOP + height_of(block) * row + room_of(block) / 2 + 4;
        if (last == from)
            picture_text(out, LEFT - 8, y, "small end", "warp %d", from);
        else
            picture_text(out, LEFT - 8, y, "small end", "warps %d\xe2\x80\x93%d", from, last);
    }
}

void picture_block(FILE *out, const struct picture_block *block, const char *told)
{
    const double bottom = TOP + height_of(block) * block->rows;
    picture_begin(out, width_of(block), bottom + (has_idle(block) ? 46 : 28), told);
    draw_names(out, block);
    const int times = times_shown(block);
    char example[32] = "";
    if (times)
        snprintf(example, sizeof example, "; %dx: %d times", times, times);
    picture_text(out, LEFT, 11, "small", "time \xe2\x86\x92 (a box: one access, or several alike in a row%s)",
                 example);
    draw_spans(out, block, PICTURE_DOINGS);
    for (int what = 0; what < PICTURE_BARRIER; what++)
        if (is_used(block, what))
            draw_spans(out, block, what);
    draw_barriers(out, block);
    draw_numbers(out, block);
    draw_legend(out, block, bottom + 8);
    if (has_idle(block))
        draw_idle_legend(out, block, bottom + 26);
    picture_end(out);
}
