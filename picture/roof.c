/* Speeds: under the roofline (Williams et al., CACM 52, 2009), and as parts of the roof. */
#include <math.h>

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

/* Names that would lie over each other: the later one moves down. What is a height below another is free, rounded or not. */
static double name_y(const double *used, int count, double y)
{
    for (int i = 0; i < count; i++)
        if (fabs(used[i] - y) < NAME_HEIGHT - 0.5)
            return name_y(used, count, used[i] + NAME_HEIGHT);
    return y;
}

void picture_roofline(FILE *out, const struct picture_roof *roof, const struct picture_speed *speeds,
                      int count, const char *told)
{
    picture_begin(out, LEFT + WIDTH + 20, TOP + HEIGHT + 42, told);
    double used[PICTURE_NAMES];
    int names = 0;
    draw_axes(out, roof);
    draw_roof(out, roof);
    for (int i = 0; i < count; i++) {
        if (speeds[i].intensity <= 0 || speeds[i].gflops <= 0)
            continue;
        const double x = picture_roof_x(roof, speeds[i].intensity),
                     y = picture_roof_y(roof, speeds[i].gflops);
        fprintf(out, "<circle cx=\"%.4g\" cy=\"%.4g\" r=\"5\" class=\"dot%s\"/>\n", x, y,
                speeds[i].right ? "" : " extra");
        if (names == PICTURE_NAMES)
            continue;
        used[names] = name_y(used, names, y + 4);
        picture_text(out, x + 9, used[names++], "small", "%s", speeds[i].name);
    }
    picture_end(out);
}

void picture_bars(FILE *out, const struct picture_speed *speeds, int count, const char *told)
{
    const double left = 210, room = 420;
    picture_begin(out, 720, 28.0 * count + 8, told);
    for (int i = 0; i < count; i++) {
        const double y = 6 + 28.0 * i, needed = left + room * fmin(speeds[i].needed, 1);
        picture_text(out, left - 8, y + 15, "end", "%s", speeds[i].name);
        picture_box(out, left, y, room, 20, "ground");
        picture_box(out, left, y, room * fmin(speeds[i].part, 1), 20,
                    speeds[i].right ? "unit" : "unit extra");
        if (speeds[i].needed > 0)
            picture_line(out, needed, y - 3, needed, y + 23, "needed");
        picture_text(out, left + room + 8, y + 15, "small", "%.1f%%", 100 * speeds[i].part);
    }
    picture_end(out);
}
