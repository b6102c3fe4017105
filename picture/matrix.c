/* Which elements of arrays one thread, its warp and its block touch. */
#include "picture/picture.h"

#define TOP   24.0
#define GAP   26.0
#define WIDTH 724.0
#define LEFT  8.0

static int rows_of(const struct picture_matrix *matrix)
{
    return (matrix->count + matrix->columns - 1) / matrix->columns;
}

static double cell_of(const struct picture_matrix *matrices, int count)
{
    double cell = 12;
    for (int i = 0; i < count; i++) {
        const double room = (WIDTH - GAP * (count - 1)) / count;
        cell = room / matrices[i].columns < cell ? room / matrices[i].columns : cell;
        cell = 340.0 / rows_of(&matrices[i]) < cell ? 340.0 / rows_of(&matrices[i]) : cell;
    }
    return cell;
}

/* Elements of a row that follow each other and look alike are one piece of the path. */
static void draw_touched(FILE *out, const struct picture_matrix *matrix, double left, double cell, int by,
                         const char *class)
{
    fputs("<path d=\"", out);
    for (int i = 0, end; i < matrix->count; i = end + 1) {
        for (end = i;
             end < matrix->count && matrix->by[end] == by && end / matrix->columns == i / matrix->columns;
             end++)
            continue;
        if (end > i)
            fprintf(out, "M%.4g %.4gh%.4gv%.4gh-%.4gz", left + cell * (i % matrix->columns),
                    TOP + cell * (i / matrix->columns), cell * (end - i), cell, cell * (end - i));
        end = end > i ? end - 1 : end;
    }
    fprintf(out, "\" class=\"%s\"/>\n", class);
}

static void draw_matrix(FILE *out, const struct picture_matrix *matrix, double left, double cell)
{
    static const char *const classes[] = {[PICTURE_BY_NONE] = "ground",
                                          [PICTURE_BY_BLOCK] = "byblock",
                                          [PICTURE_BY_WARP] = "bywarp",
                                          [PICTURE_BY_THREAD] = "bythread"};
    const double width = cell * matrix->columns, height = cell * rows_of(matrix);
    picture_text(out, left + width / 2, 14, "middle", "%s", matrix->name);
    for (int by = PICTURE_BY_NONE; by <= PICTURE_BY_THREAD; by++)
        draw_touched(out, matrix, left, cell, by, classes[by]);
    for (int i = 8; i < matrix->columns; i += 8)
        picture_line(out, left + cell * i, TOP, left + cell * i, TOP + height, "rule");
    for (int i = 8; i < rows_of(matrix); i += 8)
        picture_line(out, left, TOP + cell * i, left + width, TOP + cell * i, "rule");
    picture_box(out, left, TOP, width, height, "word");
}

void picture_matrices(FILE *out, const struct picture_matrix *matrices, int count, const char *told)
{
    static const char *const words[] = {"one thread", "its warp", "its block"};
    static const char *const classes[] = {"bythread", "bywarp", "byblock"};
    const double cell = cell_of(matrices, count);
    double width = GAP * (count - 1), bottom = TOP;
    for (int i = 0; i < count; i++) {
        width += cell * matrices[i].columns;
        bottom = TOP + cell * rows_of(&matrices[i]) > bottom ? TOP + cell * rows_of(&matrices[i]) : bottom;
    }
    const double left = LEFT + (WIDTH - width) / 2;
    double x = left;
    picture_begin(out, WIDTH + 2 * LEFT, bottom + 32, told);
    for (int i = 0; i < count; i++) {
        draw_matrix(out, &matrices[i], x, cell);
        x += cell * matrices[i].columns + GAP;
    }
    for (int i = 0; i < 3; i++) {
        picture_box(out, left + 110 * i, bottom + 12, 12, 12, classes[i]);
        picture_text(out, left + 110 * i + 17, bottom + 22, "small", "%s", words[i]);
    }
    picture_end(out);
}
