/* Which elements of arrays one thread, its warp and its block touch. */
#include <math.h>

#include "picture/picture.h"

#define TOP    38.0 /* below the name and the size */
#define GAP    26.0
#define FLAT   8 /* rows: such matrices stand one below the other */
#define WIDTH  724.0
#define LEFT   8.0
#define LEGEND 460.0

static int rows_of(const struct picture_matrix *matrix)
{
    return (matrix->count + matrix->columns - 1) / matrix->columns;
}

static bool is_flat(const struct picture_matrix *matrices, int count)
{
    for (int i = 0; i < count; i++)
        if (rows_of(&matrices[i]) > FLAT)
            return false;
    return true;
}

static double cell_of(const struct picture_matrix *matrices, int count)
{
    const int beside = is_flat(matrices, count) ? 1 : count;
    double cell = 12;
    for (int i = 0; i < count; i++) {
        const double room = (WIDTH - GAP * (beside - 1)) / beside;
        cell = room / matrices[i].columns < cell ? room / matrices[i].columns : cell;
        cell = 340.0 / rows_of(&matrices[i]) < cell ? 340.0 / rows_of(&matrices[i]) : cell;
    }
    return cell;
}

/* Elements of a row that follow each other and look alike are one piece of the path. */
static void draw_touched(FILE *out, const struct picture_matrix *matrix, double left, double top, double cell,
                         int by, const char *class)
{
    fputs("<path d=\"", out);
    for (int i = 0, end; i < matrix->count; i = end + 1) {
        for (end = i;
             end < matrix->count && matrix->by[end] == by && end / matrix->columns == i / matrix->columns;
             end++)
            continue;
        const int row = i / matrix->columns;
        if (end > i)
            fprintf(out, "M%.4g %.4gh%.4gv%.4gh-%.4gz", left + cell * (i % matrix->columns), top + cell * row,
                    cell * (end - i), cell, cell * (end - i));
        end = end > i ? end - 1 : end;
    }
    fprintf(out, "\" class=\"%s\"/>\n", class);
}

static void name_matrix(FILE *out, const struct picture_matrix *matrix, double middle, double top)
{
    picture_text(out, middle, top - 24, "middle", "%s", matrix->name);
    if (matrix->is_shared)
        picture_text(out, middle, top - 8, "small middle", "a column per bank");
    else if (matrix->columns * matrix->columns == matrix->count)
        picture_text(out, middle, top - 8, "small middle", "%d x %d", matrix->columns, matrix->columns);
    else
        picture_text(out, middle, top - 8, "small middle", "%d, in rows of %d", matrix->count,
                     matrix->columns);
}

static const char *const classes[] = {[PICTURE_BY_NONE] = "ground",
                                      [PICTURE_BY_BLOCK] = "byblock",
                                      [PICTURE_BY_WARP] = "bywarp",
                                      [PICTURE_BY_THREAD] = "bythread"};

static void draw_matrix(FILE *out, const struct picture_matrix *matrix, double left, double top, double cell)
{
    const double width = cell * matrix->columns, height = cell * rows_of(matrix);
    name_matrix(out, matrix, left + width / 2, top);
    for (int by = PICTURE_BY_NONE; by <= PICTURE_BY_THREAD; by++)
        draw_touched(out, matrix, left, top, cell, by, classes[by]);
    for (int i = 8; i < matrix->columns; i += 8)
        picture_line(out, left + cell * i, top, left + cell * i, top + height, "rule");
    for (int i = 8; i < rows_of(matrix); i += 8)
        picture_line(out, left, top + cell * i, left + width, top + cell * i, "rule");
    picture_box(out, left, top, width, height, "word");
}

static void draw_legend(FILE *out, double x, double y)
{
    static const char *const words[] = {[PICTURE_BY_NONE] = "not touched, or by other blocks",
                                        [PICTURE_BY_BLOCK] = "its block",
                                        [PICTURE_BY_WARP] = "its warp",
                                        [PICTURE_BY_THREAD] = "one thread"};
    for (int by = PICTURE_BY_THREAD; by >= PICTURE_BY_NONE; by--) {
        const double left = x;
        x = picture_key(out, x, y, classes[by], words[by]);
        picture_box(out, left, y, 12, 12, "own");
    }
}

void picture_matrices(FILE *out, const struct picture_matrix *matrices, int count, const char *told)
{
    const double cell = cell_of(matrices, count);
    const bool flat = is_flat(matrices, count);
    double left[PICTURE_MATRICES], top[PICTURE_MATRICES], x = LEFT, y = TOP, right = LEGEND, bottom = 0;
    for (int i = 0; i < count; i++) {
        left[i] = x;
        top[i] = y;
        right = fmax(right, x + cell * matrices[i].columns);
        bottom = fmax(bottom, y + cell * rows_of(&matrices[i]));
        x += flat ? 0 : cell * matrices[i].columns + GAP;
        y = flat ? bottom + TOP : y;
    }
    picture_begin(out, right + LEFT, bottom + 32, told);
    for (int i = 0; i < count; i++)
        draw_matrix(out, &matrices[i], left[i], top[i], cell);
    draw_legend(out, LEFT, bottom + 12);
    picture_end(out);
}
