/* Shuffles of a warp, one below the other: who takes whose value. */
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

int picture_find_cone(const struct picture_shuffle *shuffles, int count, uint32_t cone[PICTURE_SHUFFLES + 1])
{
    int best = 0, most = 0;
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        find_cone(shuffles, count, lane, cone);
        if (__builtin_popcount(cone[0]) > most) {
            most = __builtin_popcount(cone[0]);
            best = lane;
        }
    }
    find_cone(shuffles, count, best, cone);
    return best;
}

static double x_of(int lane)
{
    return LEFT + PITCH * (lane + 0.5);
}

static double y_of(int row)
{
    return TOP + ROW * row;
}

/* The arrows of a row that lead into the cone, or those that do not. */
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

static void draw_lanes(FILE *out, uint32_t lanes, double y, const char *class)
{
    fputs("<path d=\"", out);
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        if (lanes >> lane & 1)
            fprintf(out, "M%g %gh10v10h-10z", x_of(lane) - 5, y - 5);
    fprintf(out, "\" class=\"%s\"/>\n", class);
}

void picture_shuffles(FILE *out, const struct picture_shuffle *shuffles, int count, const char *told)
{
    uint32_t cone[PICTURE_SHUFFLES + 1];
    picture_find_cone(shuffles, count, cone);
    picture_begin(out, 2 * LEFT + PITCH * PICTURE_LANES, y_of(count) + 12, told);
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        picture_text(out, x_of(lane), 12, "small middle", "%d", lane);
    for (int row = 0; row < count; row++) {
        draw_row(out, &shuffles[row], row, cone[row + 1], false);
        draw_row(out, &shuffles[row], row, cone[row + 1], true);
    }
    for (int row = 0; row <= count; row++) {
        draw_lanes(out, ~cone[row], y_of(row), "lane off");
        draw_lanes(out, cone[row], y_of(row), "lane");
    }
    picture_end(out);
}
