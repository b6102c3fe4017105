/* Shuffles of a warp, one below the other: who takes whose value. */
#include <string.h>

#include "picture/picture.h"

#define LEFT  8.0
#define PITCH 22.0
#define TOP   24.0
#define ROW   46.0

/* The lanes of which something has come into `lane` after the last shuffle, row by row; row 0: before the first one. */
static void find_cone(const struct picture_shuffle *shuffles, int count, int lane,
                      uint32_t cone[PICTURE_SHUFFLES + 1])
{
    cone[count] = 1u << lane;
    for (int row = count - 1; row >= 0; row--) {
        cone[row] = cone[row + 1];
        for (int i = 0; i < PICTURE_LANES; i++)
            if (cone[row + 1] >> i & shuffles[row].lanes >> i & 1)
                cone[row] |= 1u << shuffles[row].source[i];
    }
}

/* How many lanes' values come to the lane that most come to. */
static int largest_cone(const struct picture_shuffle *shuffles, int count)
{
    int most = 0;
    uint32_t cone[PICTURE_SHUFFLES + 1];
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        find_cone(shuffles, count, lane, cone);
        most = __builtin_popcount(cone[0]) > most ? __builtin_popcount(cone[0]) : most;
    }
    return most;
}

uint32_t picture_find_cones(const struct picture_shuffle *shuffles, int count,
                            uint32_t cones[PICTURE_SHUFFLES + 1])
{
    const int most = largest_cone(shuffles, count);
    memset(cones, 0, (PICTURE_SHUFFLES + 1) * sizeof *cones);
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        uint32_t cone[PICTURE_SHUFFLES + 1];
        find_cone(shuffles, count, lane, cone);
        const bool apart = __builtin_popcount(cone[0]) == most && !(cones[0] & cone[0]);
        for (int row = 0; apart && row <= count; row++)
            cones[row] |= cone[row];
    }
    return cones[count];
}

static double x_of(int lane)
{
    return LEFT + PITCH * (lane + 0.5);
}

static double y_of(int row)
{
    return TOP + ROW * row;
}

/* The arrows of a row that lead into the cones, or those that do not. */
static void draw_row(FILE *out, const struct picture_shuffle *shuffle, int row, uint32_t cone, bool inside)
{
    fputs("<path d=\"", out);
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        const int from = shuffle->source[lane];
        if ((shuffle->lanes >> lane & 1) && from != lane && (cone >> lane & 1) == inside)
            fprintf(out, "M%g %gL%g %g", x_of(from), y_of(row) + 5, x_of(lane), y_of(row + 1) - 5);
    }
    fprintf(out, "\" class=\"wire%s\"/>\n", inside ? "" : " pale");
}

/* From how far away all lanes take that take another one's value. */
static void name_row(FILE *out, const struct picture_shuffle *shuffle, double y)
{
    int distance = 0, others = 0;
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        const int from = (int)shuffle->source[lane] - lane;
        if (!(shuffle->lanes >> lane & 1) || from == 0)
            continue;
        others += distance != 0 && from != distance;
        distance = from;
    }
    if (distance != 0 && others == 0)
        picture_text(out, x_of(PICTURE_LANES), y, "small", "from lane %+d", distance);
}

static void draw_lanes(FILE *out, uint32_t lanes, double y, const char *class)
{
    fputs("<path d=\"", out);
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        if (lanes >> lane & 1)
            fprintf(out, "M%g %gh10v10h-10z", x_of(lane) - 5, y - 5);
    fprintf(out, "\" class=\"%s\"/>\n", class);
}

/* What dark lanes are, and light ones if there are any. */
static void draw_legend(FILE *out, uint32_t to, bool others, double y)
{
    char text[64];
    if (__builtin_popcount(to) == 1)
        snprintf(text, sizeof text, "goes into the value of lane %d", __builtin_ctz(to));
    else
        snprintf(text, sizeof text, "goes into the value of one of %d lanes", __builtin_popcount(to));
    const double x = picture_key(out, LEFT, y, "lane", text);
    if (others)
        picture_key(out, x, y, "rest", "does not");
}

void picture_shuffles(FILE *out, const struct picture_shuffle *shuffles, int count, const char *told)
{
    uint32_t cone[PICTURE_SHUFFLES + 1];
    picture_find_cones(shuffles, count, cone);
    picture_begin(out, 2 * LEFT + PITCH * PICTURE_LANES + 90, y_of(count) + 30, told);
    picture_text(out, x_of(PICTURE_LANES), 12, "small", "lane");
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        picture_text(out, x_of(lane), 12, "small middle", "%d", lane);
    for (int row = 0; row < count; row++) {
        draw_row(out, &shuffles[row], row, cone[row + 1], false);
        draw_row(out, &shuffles[row], row, cone[row + 1], true);
        name_row(out, &shuffles[row], y_of(row) + ROW / 2 + 4);
    }
    for (int row = 0; row <= count; row++) {
        draw_lanes(out, ~cone[row], y_of(row), "lane rest");
        draw_lanes(out, cone[row], y_of(row), "lane");
    }
    draw_legend(out, cone[count], cone[count] != UINT32_MAX, y_of(count) + 14);
    picture_end(out);
}
