/* An SM as a bookshelf: a shelf for each thing that a block takes, with as many blocks as fit. */
#include <math.h>

#include "picture/picture.h"

#define LEFT  112.0
#define WIDTH 400.0 /* of a shelf */
#define TOP   10.0
#define PITCH 46.0
#define HIGH  28.0 /* of a book */
#define OUT   56.0 /* at most, of the book that does not fit */

double picture_book(const struct picture_shelf *shelf)
{
    return WIDTH * shelf->takes / shelf->has;
}

double picture_sticks_out(const struct picture_shelf *shelf, int blocks)
{
    const double end = picture_book(shelf) * (blocks + 1);
    return shelf->full && end > WIDTH ? fmin(end - WIDTH, OUT) : 0;
}

static void draw_books(FILE *out, const struct picture_shelf *shelf, int blocks, double y)
{
    const double book = picture_book(shelf), gap = book > 8 ? 2 : book > 3 ? 0.6 : 0;
    for (int odd = 0; odd < 2; odd++) {
        fputs("<path d=\"", out);
        for (int i = odd; book > 0 && i < blocks; i += 2)
            fprintf(out, "M%.5g %gv%gh%.4gv-%gz", LEFT + book * i + gap / 2, y, HIGH, book - gap, HIGH);
        fprintf(out, "\" class=\"%s\"/>\n", odd ? "odd" : "even");
    }
    const double from = book * blocks + 1, to = fmin(book * (blocks + 1), WIDTH + OUT);
    if (shelf->full)
        picture_box(out, LEFT + from, y, to - from, HIGH, "missing");
}

/* "49,152" */
static const char *number(double value, char text[32])
{
    if (value >= 1000)
        snprintf(text, 32, "%d,%03d", (int)value / 1000, (int)value % 1000);
    else
        snprintf(text, 32, "%.4g", value);
    return text;
}

static void draw_shelf(FILE *out, const struct picture_shelf *shelf, int blocks, double y)
{
    const double right = LEFT + WIDTH + OUT + 12;
    char used[32], all[32];
    picture_text(out, LEFT - 10, y + 16, "end", "%s", shelf->name);
    draw_books(out, shelf, blocks, y);
    fprintf(out, "<path d=\"M%g %gv%gh%gv%g\" class=\"plank\"/>\n", LEFT - 1, y - 4, HIGH + 5, WIDTH + 2,
            -HIGH - 5);
    picture_text(out, right, y + 18, "", "%s of %s%s%s", number(shelf->takes * blocks, used),
                 number(shelf->has, all), shelf->unit[0] ? " " : "", shelf->unit);
    if (shelf->full)
        picture_text(out, LEFT - 10, y + 31, "cost end", "full");
}

void picture_shelves(FILE *out, const struct picture_shelf shelf[PICTURE_SHELVES], int blocks,
                     const char *told)
{
    picture_begin(out, LEFT + WIDTH + OUT + 150, TOP + PITCH * PICTURE_SHELVES + 18, told);
    for (int i = 0; i < PICTURE_SHELVES; i++)
        draw_shelf(out, &shelf[i], blocks, TOP + PITCH * i);
    const double y = TOP + PITCH * PICTURE_SHELVES;
    const double next = picture_key(out, LEFT, y, "even", "a block, every second one light");
    picture_key(out, next, y, "missing", "one more: no room");
    picture_end(out);
}
