/* 32 lanes across, time downwards: which were active. */
#include "picture/picture.h"

#define LEFT   314.0
#define PITCH  14.0
#define CELL   12.0
#define HEIGHT 15.0
#define TOP    20.0

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
    picture_begin(out, LEFT + PITCH * PICTURE_LANES + 8, TOP + HEIGHT * count + 26, told);
    picture_text(out, 8, TOP - 7, "small", "time \xe2\x86\x93");
    picture_text(out, LEFT - 10, TOP - 7, "small end", "lane");
    for (int lane = 0; lane < PICTURE_LANES; lane += 4)
        picture_text(out, LEFT + PITCH * lane + CELL / 2, TOP - 7, "small middle", "%d", lane);
    for (int i = 0; i < count; i++) {
        const double y = TOP + HEIGHT * i;
        picture_text(out, 8, y + HEIGHT - 4, "code", "%s", steps[i].text);
        draw_row(out, steps[i].lanes, y, true);
        draw_row(out, steps[i].lanes, y, false);
    }
    picture_key(out, picture_key(out, LEFT, TOP + HEIGHT * count + 8, "lane", "active"),
                TOP + HEIGHT * count + 8, "lane off", "waits, or has ended");
    picture_end(out);
}
