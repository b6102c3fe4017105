/* What each block loads of an array, and which elements it stores. */
#include <math.h>

#include "picture/picture.h"

#define LEFT  72.0
#define WIDTH 620.0
#define TOP   10.0
#define ROW   30.0

int picture_overlap(const struct picture_reach *reach, int block)
{
    const struct picture_range *a = &reach->loaded[block], *b = &reach->loaded[block + 1];
    return a->count > 0 && b->count > 0 && a->last >= b->first ? (int)(a->last - b->first + 1) : 0;
}

static double x_of(const struct picture_reach *reach, int64_t element)
{
    return LEFT + WIDTH * (double)element / (double)reach->elements;
}

static void draw_range(FILE *out, const struct picture_reach *reach, const struct picture_range *range,
                       double y, double height, const char *class)
{
    const double end = x_of(reach, range->last + 1);
    const double width = fmax(end - x_of(reach, range->first), 3), x = fmax(end - width, LEFT);
    if (range->count > 0)
        picture_box(out, x, y, width, height, class);
}

/* What the next block loads as well. */
static void draw_shared(FILE *out, const struct picture_reach *reach, int block)
{
    const int64_t first = reach->loaded[block + 1].first;
    const struct picture_range shared = {first, reach->loaded[block].last, picture_overlap(reach, block)};
    draw_range(out, reach, &shared, TOP + ROW * block, 10, "both");
    if (shared.count > 0)
        draw_range(out, reach, &shared, TOP + ROW * (block + 1), 10, "both");
}

static void draw_legend(FILE *out, const struct picture_reach *reach, double y)
{
    char words[48];
    int both = 0;
    for (int block = 0; block + 1 < reach->blocks; block++)
        both += picture_overlap(reach, block);
    snprintf(words, sizeof words, "loads %s", reach->from);
    double x = picture_key(out, LEFT, y, "load", words);
    if (both > 0)
        x = picture_key(out, x, y, "both", "a neighbor loads it, too");
    snprintf(words, sizeof words, "stores %s", reach->to);
    picture_key(out, x, y, "store", words);
}

void picture_reach(FILE *out, const struct picture_reach *reach, const char *told)
{
    const double bottom = TOP + ROW * reach->blocks;
    picture_begin(out, LEFT + WIDTH + 20, bottom + 40, told);
    for (int block = 0; block < reach->blocks; block++) {
        const double y = TOP + ROW * block;
        picture_text(out, LEFT - 8, y + 14, "small end", "block %d", block);
        picture_line(out, LEFT, y + 25, LEFT + WIDTH, y + 25, "grid");
        draw_range(out, reach, &reach->loaded[block], y, 10, "load");
        draw_range(out, reach, &reach->stored[block], y + 11, 10, "store");
    }
    for (int block = 0; block + 1 < reach->blocks; block++)
        draw_shared(out, reach, block);
    picture_text(out, LEFT, bottom + 10, "small middle", "0");
    picture_text(out, LEFT + WIDTH / 2, bottom + 10, "small middle", "element");
    picture_text(out, LEFT + WIDTH, bottom + 10, "small middle", "%lld", (long long)reach->elements);
    draw_legend(out, reach, bottom + 18);
    picture_end(out);
}
