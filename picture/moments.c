/* One SM in time: what its warps do, how many issue slots are used, how many bytes are in flight. */
#include <math.h>

#include "picture/picture.h"

#define LEFT    84.0
#define WIDTH   560.0
#define WARPS_Y 22.0
#define WARPS   128.0 /* how high */
#define ISSUE_Y (WARPS_Y + WARPS + 26)
#define ISSUE   36.0
#define BYTES_Y (ISSUE_Y + ISSUE + 26)
#define BYTES   60.0
#define BOTTOM  (BYTES_Y + BYTES)

static const char *const classes[PICTURE_STATES] = {"even", "odd", "store", "repeated"};
static const char *const words[PICTURE_STATES] = {"works", "waits for a result or a unit",
                                                  "waits at a barrier", "waits for memory"};

double picture_level(const struct picture_moments *moments, int state, int i)
{
    double warps = 0;
    for (int k = 0; k <= state; k++)
        warps += (double)moments->warps[k][i];
    return WARPS_Y + WARPS * (1 - fmin(warps / moments->slots, 1));
}

/* All below these heights, down to `floor`. */
static void draw_area(FILE *out, const double *y, int count, double floor, const char *class)
{
    const double step = WIDTH / count;
    fprintf(out, "<path d=\"M%g %g", LEFT, floor);
    for (int i = 0; i < count; i++)
        fprintf(out, "V%.4gh%.4g", y[i], step);
    fprintf(out, "V%gz\" class=\"%s\"/>\n", floor, class);
}

/* The number `most` stands at y = `at`. */
static void draw_ground(FILE *out, double y, double height, const char *name, const char *most, double at)
{
    picture_box(out, LEFT, y, WIDTH, height, "ground");
    picture_text(out, LEFT - 8, y + height / 2 + 4, "end", "%s", name);
    picture_text(out, LEFT + WIDTH + 6, at, "small", "%s", most);
    picture_text(out, LEFT + WIDTH + 6, y + height, "small", "0");
}

/* From the state on top down to the lowest one, each over the one before. */
static void draw_warps(FILE *out, const struct picture_moments *m)
{
    double y[PICTURE_MOMENTS];
    char most[32];
    snprintf(most, sizeof most, "%d", m->slots);
    draw_ground(out, WARPS_Y, WARPS, "warps", most, WARPS_Y + 10);
    for (int state = PICTURE_STATES - 1; state >= 0; state--) {
        for (int i = 0; i < m->count; i++)
            y[i] = picture_level(m, state, i);
        draw_area(out, y, m->count, WARPS_Y + WARPS, classes[state]);
    }
}

static void draw_row(FILE *out, const float *row, int count, double most, double top, double height)
{
    double y[PICTURE_MOMENTS];
    for (int i = 0; i < count; i++)
        y[i] = top + height * (1 - fmin((double)row[i] / most, 1));
    draw_area(out, y, count, top + height, "even");
}

static double most_bytes(const struct picture_moments *m)
{
    double most = 1.1 * m->enough;
    for (int i = 0; i < m->count; i++)
        most = fmax(most, (double)m->bytes[i]);
    return most > 0 ? most : 1;
}

/* Its number stands at the line that is enough. */
static void draw_bytes(FILE *out, const struct picture_moments *m)
{
    const double most = most_bytes(m), y = BYTES_Y + BYTES * (1 - m->enough / most);
    char text[32];
    snprintf(text, sizeof text, "%.1f KB", m->enough / 1024);
    draw_ground(out, BYTES_Y, BYTES, "in flight", text, y + 4);
    draw_row(out, m->bytes, m->count, most, BYTES_Y, BYTES);
    picture_line(out, LEFT, y, LEFT + WIDTH, y, "enough");
}

static void draw_keys(FILE *out, const struct picture_moments *m)
{
    double x = LEFT;
    for (int state = 0; state < PICTURE_STATES; state++)
        x = picture_key(out, x, 2, classes[state], words[state]);
    picture_key(out, x, 2, "own", "no warp");
    picture_line(out, LEFT, BOTTOM + 30, LEFT + 18, BOTTOM + 30, "enough");
    picture_text(out, LEFT + 24, BOTTOM + 34, "small", "reading at memory's full rate takes %.1f KB",
                 m->enough / 1024);
}

void picture_moments(FILE *out, const struct picture_moments *m, const char *told)
{
    picture_begin(out, LEFT + WIDTH + 60, BOTTOM + 42, told);
    draw_warps(out, m);
    draw_ground(out, ISSUE_Y, ISSUE, "issue slots", "100%", ISSUE_Y + 10);
    draw_row(out, m->issue, m->count, 1, ISSUE_Y, ISSUE);
    draw_bytes(out, m);
    picture_text(out, LEFT, BOTTOM + 15, "small", "time \xe2\x86\x92");
    picture_text(out, LEFT + WIDTH, BOTTOM + 15, "small end", "%.3g \xc2\xb5s", m->seconds * 1e6);
    draw_keys(out, m);
    picture_end(out);
}
