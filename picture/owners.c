/* The elements of an array, and which thread stored each. */
#include "picture/picture.h"

#define PER_ROW 32
#define LEFT    60.0
#define TOP     20.0 /* below what the numbers are */
#define PITCH   20.0
#define CELL    17.0

void picture_count_owners(const struct picture_owners *owners, int *missing, int *repeated)
{
    *missing = *repeated = 0;
    for (int i = 0; i < owners->count; i++) {
        *missing += owners->stores[i] == 0;
        *repeated += owners->stores[i] > 1;
    }
}

enum look { EVEN, ODD, REPEATED, MISSING, LOOKS };

static enum look look_of(const struct picture_owners *owners, int i)
{
    return owners->stores[i] == 0  ? MISSING
           : owners->stores[i] > 1 ? REPEATED
           : owners->block[i] % 2  ? ODD
                                   : EVEN;
}

static double x_of(int i)
{
    return LEFT + PITCH * (i % PER_ROW);
}

static double y_of(int i)
{
    const int row = i / PER_ROW;
    return TOP + PITCH * row;
}

static const char *const classes[LOOKS] = {
    [EVEN] = "even", [ODD] = "odd", [REPEATED] = "repeated", [MISSING] = "missing"};

/* All cells that look alike are one path. */
static void draw_cells(FILE *out, const struct picture_owners *owners, enum look look)
{
    fputs("<path d=\"", out);
    for (int i = 0; i < owners->count; i++)
        if (look_of(owners, i) == look)
            fprintf(out, "M%g %gh%gv%gh-%gz", x_of(i), y_of(i), CELL, CELL, CELL);
    fprintf(out, "\" class=\"%s\"/>\n", classes[look]);
}

/* Threads without an element, where theirs would be. */
static void draw_idle(FILE *out, const struct picture_owners *owners)
{
    fputs("<path d=\"", out);
    for (int i = owners->count; i < owners->count + owners->idle; i++)
        fprintf(out, "M%g %gl%g %gh-%gv%gh%gv-%g", x_of(i), y_of(i) + CELL, CELL, -CELL, CELL, CELL, CELL,
                CELL);
    fputs("\" class=\"idle\"/>\n", out);
}

static void draw_legend(FILE *out, const struct picture_owners *owners, double y)
{
    static const char *const words[LOOKS] = {[EVEN] = "stored by a thread of block 0, 2, ...",
                                             [ODD] = "of block 1, 3, ...",
                                             [REPEATED] = "stored more than once",
                                             [MISSING] = "by no thread"};
    bool used[LOOKS] = {false};
    double x = LEFT;
    for (int i = 0; i < owners->count; i++)
        used[look_of(owners, i)] = true;
    for (int look = 0; look < LOOKS; look++)
        if (used[look])
            x = picture_key(out, x, y, classes[look], words[look]);
    if (owners->idle == 0)
        return;
    picture_line(out, x, y + 12, x + 12, y, "idle");
    picture_text(out, x + 17, y + 10, "small", "a thread without an element");
}

void picture_owners(FILE *out, const struct picture_owners *owners, const char *told)
{
    const int rows = (owners->count + owners->idle + PER_ROW - 1) / PER_ROW;
    picture_begin(out, LEFT + PITCH * PER_ROW + 8, TOP + PITCH * rows + 30, told);
    for (int look = 0; look < LOOKS; look++)
        draw_cells(out, owners, (enum look)look);
    if (owners->idle > 0)
        draw_idle(out, owners);
    picture_text(out, LEFT - 8, 12, "small end", "element");
    picture_text(out, LEFT, 12, "small", "in a box: the number of its thread in the block");
    for (int row = 0; row < rows; row++)
        picture_text(out, LEFT - 8, y_of(row * PER_ROW) + 13, "small end", "%d", row * PER_ROW);
    fputs("<g class=\"tiny middle\">\n", out);
    for (int i = 0; i < owners->count; i++)
        if (owners->stores[i] > 0)
            fprintf(out, "<text x=\"%g\" y=\"%g\">%d</text>", x_of(i) + CELL / 2, y_of(i) + 12,
                    owners->thread[i]);
    fputs("</g>\n", out);
    draw_legend(out, owners, TOP + PITCH * rows + 8);
    picture_end(out);
}
