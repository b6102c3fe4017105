/* The elements of an array, and which thread stored each. */
#include "picture/picture.h"

#define PER_ROW 32
#define LEFT    52.0
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

static const char *class_of(const struct picture_owners *owners, int i)
{
    if (owners->stores[i] == 0)
        return "element missing";
    if (owners->stores[i] > 1)
        return "element repeated";
    return owners->block[i] % 2 ? "element odd" : "element even";
}

void picture_owners(FILE *out, const struct picture_owners *owners, const char *told)
{
    const int rows = (owners->count + PER_ROW - 1) / PER_ROW;
    picture_begin(out, LEFT + PITCH * PER_ROW + 8, PITCH * rows + 8, told);
    for (int i = 0; i < owners->count; i++) {
        const double x = LEFT + PITCH * (i % PER_ROW), y = 4 + PITCH * (i / PER_ROW);
        if (i % PER_ROW == 0)
            picture_text(out, LEFT - 8, y + 13, "small end", "%d", i);
        picture_box(out, x, y, CELL, CELL, class_of(owners, i));
        if (owners->stores[i] > 0)
            picture_text(out, x + CELL / 2, y + 12, "tiny middle", "%d", owners->thread[i]);
    }
    picture_end(out);
}
