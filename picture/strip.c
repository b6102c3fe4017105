/* 32 lanes across, time downwards: which were active. */
#include "picture/picture.h"

#define LEFT   120.0
#define PITCH  18.0
#define CELL   16.0
#define HEIGHT 11.0
#define TOP    18.0

/* The active lanes of a step, as one path; or, `active` false, the others. */
static void draw_row(FILE *out, uint32_t lanes, double y, bool active)
{
    fputs("<path d=\"", out);
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        if ((lanes >> lane & 1) == active)
            fprintf(out, "M%g %gh%gv%gh-%gz", LEFT + PITCH * lane, y, CELL, HEIGHT - 2, CELL);
    fprintf(out, "\" class=\"lane%s\"/>\n", active ? "" : " off");
}

void picture_strip(FILE *out, const struct picture_step *steps, int count, const char *told)
{
    picture_begin(out, LEFT + PITCH * PICTURE_LANES + 8, TOP + HEIGHT * count + 8, told);
    for (int lane = 0; lane < PICTURE_LANES; lane += 4)
        picture_text(out, LEFT + PITCH * lane + CELL / 2, TOP - 6, "small middle", "%d", lane);
    for (int i = 0; i < count; i++) {
        const double y = TOP + HEIGHT * i;
        if (i == 0 || steps[i].line != steps[i - 1].line)
            picture_text(out, LEFT - 10, y + HEIGHT - 2, "small end", "line %d", steps[i].line);
        draw_row(out, steps[i].lanes, y, true);
        draw_row(out, steps[i].lanes, y, false);
    }
    picture_end(out);
}
