/* Speeds: under the roofline (Williams et al., CACM 52, 2009), and as parts of the roof. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"

#define LEFT   PICTURE_ROOF_LEFT
#define WIDTH  PICTURE_ROOF_WIDTH
#define TOP    PICTURE_ROOF_TOP
#define HEIGHT PICTURE_ROOF_HEIGHT

static void extend(double value, double *low, double *high)
{
    *low = fmin(*low, floor(log2(value)));
    *high = fmax(*high, ceil(log2(value)));
}

void picture_fit_roof(struct picture_roof *roof, const struct picture_speed *speeds, int count)
{
    roof->low_intensity = roof->high_intensity = log2(roof->gflops / roof->gbs);
    roof->low_rate = roof->high_rate = log2(roof->gflops);
    for (int i = 0; i < count; i++)
        if (speeds[i].intensity > 0 && speeds[i].gflops > 0) {
            extend(speeds[i].intensity, &roof->low_intensity, &roof->high_intensity);
            extend(speeds[i].gflops, &roof->low_rate, &roof->high_rate);
        }
    roof->low_intensity = floor(roof->low_intensity) - 1;
    roof->high_intensity = ceil(roof->high_intensity) + 2;
    roof->low_rate = floor(roof->low_rate) - 1;
    roof->high_rate = ceil(roof->high_rate) + 1;
}

double picture_roof_x(const struct picture_roof *roof, double intensity)
{
    return LEFT +
           WIDTH * (log2(intensity) - roof->low_intensity) / (roof->high_intensity - roof->low_intensity);
}

double picture_roof_y(const struct picture_roof *roof, double gflops)
{
    return TOP + HEIGHT * (roof->high_rate - log2(gflops)) / (roof->high_rate - roof->low_rate);
}

/* From the left edge, or the lower one, up to the ridge, and on. */
static void draw_roof(FILE *out, const struct picture_roof *roof)
{
    const double ridge = roof->gflops / roof->gbs, lowest = exp2(roof->low_rate) / roof->gbs;
    const double from = fmax(exp2(roof->low_intensity), lowest);
    picture_line(out, picture_roof_x(roof, from), picture_roof_y(roof, from * roof->gbs),
                 picture_roof_x(roof, ridge), picture_roof_y(roof, roof->gflops), "roof");
    picture_line(out, picture_roof_x(roof, ridge), picture_roof_y(roof, roof->gflops), LEFT + WIDTH,
                 picture_roof_y(roof, roof->gflops), "roof");
    picture_text(out, LEFT + WIDTH, picture_roof_y(roof, roof->gflops) - 7, "small end",
                 "%.0f GFLOP/s; %.0f GB/s to the left of %.3g", roof->gflops, roof->gbs, ridge);
}

static void draw_axes(FILE *out, const struct picture_roof *roof)
{
    const int every = roof->high_rate - roof->low_rate > 12 ? 2 : 1;
    for (int power = (int)roof->low_intensity; power <= roof->high_intensity; power++)
        picture_text(out, picture_roof_x(roof, exp2(power)), TOP + HEIGHT + 16, "small middle", "%g",
                     exp2(power));
    for (int power = (int)roof->low_rate; power <= roof->high_rate; power += every) {
        picture_line(out, LEFT, picture_roof_y(roof, exp2(power)), LEFT + WIDTH,
                     picture_roof_y(roof, exp2(power)), "grid");
        picture_text(out, LEFT - 6, picture_roof_y(roof, exp2(power)) + 4, "small end", "%.0f", exp2(power));
    }
    picture_text(out, LEFT + WIDTH / 2, TOP + HEIGHT + 34, "small middle", "FLOP per byte");
    picture_text(out, 4, 14, "small", "GFLOP/s");
}

#define NAME_HEIGHT 12.0
#define LETTER      6.0

static bool is_free(const struct picture_spot *taken, int count, const struct picture_spot *spot)
{
    for (int i = 0; i < count; i++)
        if (fabs(taken[i].y - spot->y) < NAME_HEIGHT - 0.5 && taken[i].left < spot->right &&
            spot->left < taken[i].right)
            return false;
    return true;
}

struct picture_spot picture_place_name(const struct picture_spot *taken, int count, double x, double y,
                                       double width)
{
    struct picture_spot spot = {x + 9, x + 9 + width, y};
    for (int step = 1; !is_free(taken, count, &spot); step++) {
        const double left = step % 2 ? x - 9 - width : x + 9;
        const int down = step / 2;
        spot = (struct picture_spot){left, left + width, y + NAME_HEIGHT / 2 * down};
    }
    return spot;
}

/* Beside its point; if it had to give way, with a line to it. */
static void draw_name(FILE *out, const struct picture_spot *spot, double x, double y, const char *name)
{
    const bool right = spot->left > x;
    if (spot->y > y)
        picture_line(out, x, y, right ? spot->left - 1 : spot->right + 1, spot->y, "leader");
    picture_text(out, right ? spot->left : spot->right, spot->y + 4, right ? "small name" : "small name end",
                 "%s", name);
}

static int above(const void *a, const void *b)
{
    const struct picture_speed *x = *(const struct picture_speed *const *)a,
                               *y = *(const struct picture_speed *const *)b;
    return x->gflops > y->gflops ? -1 : x->gflops < y->gflops;
}

/* Those that have a point, from above to below. */
static int take_points(const struct picture_speed *speeds, int count,
                       const struct picture_speed *points[PICTURE_NAMES])
{
    int taken = 0;
    for (int i = 0; i < count && taken < PICTURE_NAMES; i++)
        if (speeds[i].intensity > 0 && speeds[i].gflops > 0)
            points[taken++] = &speeds[i];
    qsort(points, (size_t)taken, sizeof *points, above);
    return taken;
}

void picture_roofline(FILE *out, const struct picture_roof *roof, const struct picture_speed *speeds,
                      int count, const char *told)
{
    const struct picture_speed *point[PICTURE_NAMES];
    struct picture_spot taken[2 * PICTURE_NAMES + 1];
    const int points = take_points(speeds, count, point);
    picture_begin(out, LEFT + WIDTH + 20, TOP + HEIGHT + 42, told);
    draw_axes(out, roof);
    draw_roof(out, roof);
    for (int i = 0; i < points; i++) {
        const double x = picture_roof_x(roof, point[i]->intensity),
                     y = picture_roof_y(roof, point[i]->gflops);
        taken[i] = (struct picture_spot){x - 6, x + 6, y};
        fprintf(out, "<circle cx=\"%.4g\" cy=\"%.4g\" r=\"5\" class=\"dot%s\"/>\n", x, y,
                point[i]->right ? "" : " extra");
    }
    taken[points] = (struct picture_spot){picture_roof_x(roof, roof->gflops / roof->gbs), LEFT + WIDTH,
                                          picture_roof_y(roof, roof->gflops)};
    for (int i = 0; i < points; i++) {
        const double x = picture_roof_x(roof, point[i]->intensity),
                     y = picture_roof_y(roof, point[i]->gflops);
        struct picture_spot *spot = &taken[points + 1 + i];
        *spot = picture_place_name(taken, points + 1 + i, x, y, LETTER * (double)strlen(point[i]->name));
        draw_name(out, spot, x, y, point[i]->name);
    }
    picture_end(out);
}

static const double bars_left = 210, bars_room = 420;

static void draw_scale(FILE *out, double y, bool needed, bool best, const char *roof)
{
    for (int percent = 0; percent <= 100; percent += 50)
        picture_text(out, bars_left + bars_room * percent / 100, y + 12, "small middle", "%d%%", percent);
    picture_text(out, bars_left, y + 30, "small", "%s", roof);
    if (best)
        picture_key(out, bars_left + 180, y + 20, "byblock", "the best so far");
    if (!needed)
        return;
    const double x = bars_left + (best ? 300 : 280);
    picture_line(out, x, y + 18, x, y + 34, "needed");
    picture_text(out, x + 7, y + 30, "small", "needed for the points");
}

void picture_bars(FILE *out, const struct picture_speed *speeds, int count, const char *scale,
                  const char *told)
{
    bool any = false, best = false;
    picture_begin(out, 720, 28.0 * count + 46, told);
    for (int i = 0; i < count; i++) {
        const double y = 6 + 28.0 * i, needed = bars_left + bars_room * fmin(speeds[i].needed, 1);
        picture_text(out, bars_left - 8, y + 15, "end", "%s", speeds[i].name);
        picture_box(out, bars_left, y, bars_room, 20, "ground");
        if (speeds[i].best > speeds[i].part)
            picture_box(out, bars_left, y, bars_room * fmin(speeds[i].best, 1), 20, "byblock");
        picture_box(out, bars_left, y, bars_room * fmin(speeds[i].part, 1), 20,
                    speeds[i].right ? "unit" : "unit extra");
        if (speeds[i].needed > 0)
            picture_line(out, needed, y - 3, needed, y + 23, "needed");
        any = any || speeds[i].needed > 0;
        best = best || speeds[i].best > speeds[i].part;
        picture_text(out, bars_left + bars_room + 8, y + 15, "small", "%.1f%%", 100 * speeds[i].part);
    }
    draw_scale(out, 28.0 * count + 6, any, best, scale);
    picture_end(out);
}
