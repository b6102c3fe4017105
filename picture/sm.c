/* One SM: its places for blocks, the loads that its warps have in flight, and the rate that comes of it. */
#include "picture/picture.h"

#define LEFT   8.0
#define TOP    24.0
#define PITCH  66.0 /* of blocks */
#define ROW    15.0 /* of warps */
#define DOT    5.0
#define HEIGHT (ROW * 8 + 6)
#define BAR_X  (LEFT + PITCH * PICTURE_SM_BLOCKS + 50)

/* A dot for each load of each warp that is in flight; `in_flight` false: those that could be. */
static void draw_loads(FILE *out, const struct picture_sm *sm, int block, bool in_flight)
{
    fputs("<path d=\"", out);
    for (int warp = 0; warp < sm->warps; warp++)
        for (int load = 0; load < PICTURE_SM_LOADS; load++)
            if ((load < sm->loads) == in_flight)
                fprintf(out, "M%g %gh%gv%gh-%gz", LEFT + PITCH * block + 4 + (DOT + 2) * load,
                        TOP + 6 + ROW * warp, DOT, DOT * 1.6, DOT);
    fprintf(out, "\" class=\"%s\"/>\n", in_flight ? "load" : "off");
}

static void draw_block(FILE *out, const struct picture_sm *sm, int block)
{
    const double x = LEFT + PITCH * block;
    const bool resident = block < sm->blocks;
    picture_box(out, x, TOP, PITCH - 6, HEIGHT, resident ? "ground" : "own");
    if (!resident) {
        picture_text(out, x + PITCH / 2 - 3, TOP + HEIGHT / 2 + 4, "small middle", "empty");
        return;
    }
    picture_text(out, x, TOP - 7, "small", "block %d", block);
    draw_loads(out, sm, block, true);
    draw_loads(out, sm, block, false);
}

static void draw_rate(FILE *out, const struct picture_sm *sm)
{
    const double part = sm->rate < sm->roof ? sm->rate / sm->roof : 1;
    picture_box(out, BAR_X, TOP, 46, HEIGHT, "off");
    picture_box(out, BAR_X, TOP + HEIGHT * (1 - part), 46, HEIGHT * part, "even");
    picture_text(out, BAR_X + 23, TOP - 7, "small middle", "all SMs: at most %.0f GB/s", sm->roof);
    picture_text(out, BAR_X + 23, TOP + HEIGHT + 17, "middle", "%.0f GB/s, modeled", sm->rate);
}

void picture_sm(FILE *out, const struct picture_sm *sm, const char *told)
{
    picture_begin(out, BAR_X + 106, TOP + HEIGHT + 26, told);
    for (int block = 0; block < PICTURE_SM_BLOCKS; block++)
        draw_block(out, sm, block);
    draw_rate(out, sm);
    picture_key(out,
                picture_key(out, LEFT, TOP + HEIGHT + 8, "load", "a load of a warp in flight: 128 bytes"),
                TOP + HEIGHT + 8, "off", "no load");
    picture_text(out, LEFT + PITCH * PICTURE_SM_BLOCKS - 6, TOP + HEIGHT + 18, "end",
                 "at most %g KB in flight", sm->blocks * sm->warps * sm->loads * 128 / 1024.0);
    picture_end(out);
}
