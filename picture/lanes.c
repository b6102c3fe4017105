/* 32 lanes above; below, the sectors or banks that they go to. */
#include <stdlib.h>
#include <string.h>

#include "picture/picture.h"

#define LEFT   62.0 /* names of the rows */
#define PITCH  22.0
#define CELL   18.0
#define LANE_Y 18.0
#define UNIT_Y 110.0
#define SECTOR 32u
#define WORD   4u
#define TURN   4.0 /* pixels */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool takes_part(const struct picture_access *access, int lane)
{
    return access->lanes >> lane & 1;
}

/* All units that the lanes touch, each once. */
static void collect(const struct picture_access *access, unsigned bytes, struct picture_units *units)
{
    int found = 0;
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        const uint64_t first = access->address[lane] / bytes;
        const uint64_t last = (access->address[lane] + (uint64_t)access->size - 1) / bytes;
        for (uint64_t unit = first; takes_part(access, lane) && unit <= last && unit < first + 4; unit++)
            units->unit[found++] = unit;
    }
    qsort(units->unit, (size_t)found, sizeof *units->unit, ascending);
    for (int i = 0; i < found; i++)
        if (i == 0 || units->unit[i] != units->unit[units->count - 1])
            units->unit[units->count++] = units->unit[i];
}

static int index_of(const struct picture_units *units, uint64_t unit)
{
    const uint64_t *at = bsearch(&unit, units->unit, (size_t)units->count, sizeof unit, ascending);
    return at ? (int)(at - units->unit) : -1;
}

/* Most lanes that update the same bytes. */
static int count_turns(const struct picture_access *access)
{
    int most = 0;
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        int same = 0;
        for (int other = 0; other < PICTURE_LANES; other++)
            same += takes_part(access, other) && access->address[other] == access->address[lane];
        most = takes_part(access, lane) && same > most ? same : most;
    }
    return most;
}

void picture_find_units(const struct picture_access *access, struct picture_units *units)
{
    const unsigned bytes = access->is_shared ? WORD : SECTOR;
    memset(units, 0, sizeof *units);
    collect(access, bytes, units);
    units->turns = access->is_atomic && !access->is_shared ? count_turns(access) : 0;
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        units->of_lane[lane] = takes_part(access, lane) ? index_of(units, access->address[lane] / bytes) : -1;
    for (int i = 0; i < units->count && access->is_shared; i++) {
        const int words = ++units->words[units->unit[i] % PICTURE_BANKS];
        units->most = words > units->most ? words : units->most;
    }
}

/* How many words of unit i's bank come before it. */
static int row_of(const struct picture_units *units, int i)
{
    int row = 0;
    for (int k = 0; k < i; k++)
        row += units->unit[k] % PICTURE_BANKS == units->unit[i] % PICTURE_BANKS;
    return row;
}

bool picture_is_extra(const struct picture_access *access, const struct picture_units *units, int i)
{
    if (access->cost <= access->least)
        return false;
    return access->is_shared ? row_of(units, i) >= access->least : i >= access->least;
}

static double lane_x(int lane)
{
    return LEFT + PITCH * lane;
}

struct spot {
    double x, y, width, height;
};

static struct spot spot_of(const struct picture_access *access, const struct picture_units *units, int i)
{
    if (access->is_shared) {
        const double height = units->most <= 4 ? 14 : units->most <= 8 ? 9 : 5;
        return (struct spot){lane_x((int)(units->unit[i] % PICTURE_BANKS)),
                             UNIT_Y + row_of(units, i) * (height + 1), CELL, height};
    }
    const double most = PITCH * 4, room = PITCH * PICTURE_LANES;
    const double pitch = room / units->count < most ? room / units->count : most;
    return (struct spot){LEFT + (room - pitch * units->count) / 2 + pitch * i, UNIT_Y, pitch - 3, 18};
}

/* Lines from lanes to units, those to extra ones apart. */
static void draw_wires(FILE *out, const struct picture_access *access, const struct picture_units *units,
                       bool extra)
{
    fputs("<path d=\"", out);
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        const int unit = units->of_lane[lane];
        if (unit < 0 || picture_is_extra(access, units, unit) != extra)
            continue;
        const struct spot to = spot_of(access, units, unit);
        const double part = access->is_shared
                                ? 0.5
                                : ((double)(access->address[lane] % SECTOR) + access->size * 0.5) / SECTOR;
        fprintf(out, "M%.4g %gL%.4g %.4g", lane_x(lane) + CELL / 2, LANE_Y + CELL, to.x + to.width * part,
                to.y);
    }
    fprintf(out, "\" class=\"wire%s\"/>\n", extra ? " bad" : "");
}

/* The units that are extra as one path; or, `extra` false, the others. */
static void draw_units(FILE *out, const struct picture_access *access, const struct picture_units *units,
                       bool extra)
{
    fputs("<path d=\"", out);
    for (int i = 0; i < units->count; i++) {
        const struct spot at = spot_of(access, units, i);
        if (picture_is_extra(access, units, i) == extra)
            fprintf(out, "M%.4g %.4gh%.4gv%.4gh-%.4gz", at.x, at.y, at.width, at.height, at.width);
    }
    fprintf(out, "\" class=\"unit%s\"/>\n", extra ? " extra" : "");
}

/* The number of each sector's first element, where there is room. */
static void name_sectors(FILE *out, const struct picture_access *access, const struct picture_units *units,
                         uint64_t base, int width)
{
    for (int i = 0; i < units->count; i++) {
        const struct spot at = spot_of(access, units, i);
        const int64_t first = ((int64_t)(units->unit[i] * SECTOR) - (int64_t)base) / width;
        if (units->count <= 12 || i == 0 || i == units->count - 1)
            picture_text(out, at.x + at.width / 2, at.y + 34, "small middle", "%lld", (long long)first);
    }
}

/* The lanes that take part, as one path; or, `active` false, the others. */
static void draw_lanes(FILE *out, const struct picture_access *access, bool active)
{
    fputs("<path d=\"", out);
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        if (takes_part(access, lane) == active)
            fprintf(out, "M%g %gh%gv%gh-%gz", lane_x(lane), LANE_Y, CELL, CELL, CELL);
    fprintf(out, "\" class=\"lane%s\"/>\n", active ? "" : " off");
}

/* The numbers of lanes or banks. */
static void draw_numbers(FILE *out, double y)
{
    fputs("<g class=\"small middle\">", out);
    for (int i = 0; i < PICTURE_LANES; i++)
        fprintf(out, "<text x=\"%g\" y=\"%g\">%d</text>", lane_x(i) + CELL / 2, y, i);
    fputs("</g>\n", out);
}

/* What it takes, and whether that is enough. */
static void draw_cost(FILE *out, const struct picture_access *access, int turns, double y)
{
    const double x = LEFT + PITCH * PICTURE_LANES / 2;
    char words[64];
    snprintf(words, sizeof words, access->is_shared ? "%d wavefront%s" : "%d sector%s", access->cost,
             access->cost == 1 ? "" : "s");
    if (access->cost > access->least)
        picture_text(out, x, y, "middle cost", "%s; %d would be enough. Red: the others", words,
                     access->least);
    else if (turns > 1)
        picture_text(out, x, y, "middle cost", "%s; %d updates of one word, one after the other", words,
                     turns);
    else
        picture_text(out, x, y, "middle", access->least > 1 ? "%s: as few as these bytes need" : "%s", words);
}

/* Updates of one word, one below the other: all but the first wait. */
static void draw_turns(FILE *out, double x, double y, int turns)
{
    for (int i = 0; i < turns; i++)
        picture_box(out, x, y + TURN * i, CELL, TURN - 1, i == 0 ? "unit" : "unit extra");
}

static void name_rows(FILE *out, const struct picture_access *access, double bottom)
{
    picture_text(out, LEFT - 10, LANE_Y - 5, "small end", "lane");
    picture_text(out, LEFT - 10, LANE_Y + 13, "small end", "%d byte%s", access->size,
                 access->size == 1 ? "" : "s");
    picture_text(out, LEFT - 10, UNIT_Y + 13, "small end", access->is_shared ? "words" : "sectors");
    picture_text(out, LEFT - 10, access->is_shared ? bottom : UNIT_Y + 34, "small end",
                 access->is_shared ? "bank" : "element");
}

void picture_lanes(FILE *out, const struct picture_access *access, uint64_t base, int width, const char *told)
{
    struct picture_units units;
    picture_find_units(access, &units);
    const int turns = units.turns > 1 ? units.turns : 0;
    const double rows = units.most <= 4 ? 15 : units.most <= 8 ? 10 : 6;
    const double bottom = UNIT_Y + (access->is_shared ? rows * units.most + 18 : 40 + TURN * turns);
    picture_begin(out, LEFT + PITCH * PICTURE_LANES + 8, bottom + 24, told);
    draw_numbers(out, LANE_Y - 5);
    draw_lanes(out, access, true);
    draw_lanes(out, access, false);
    draw_wires(out, access, &units, false);
    draw_wires(out, access, &units, true);
    draw_units(out, access, &units, false);
    draw_units(out, access, &units, true);
    draw_turns(out, LEFT + (PITCH * PICTURE_LANES - CELL) / 2, UNIT_Y + 40, turns);
    name_rows(out, access, bottom);
    if (access->is_shared)
        draw_numbers(out, bottom);
    else
        name_sectors(out, access, &units, base, width);
    draw_cost(out, access, turns, bottom + 15);
    if (access->lanes != UINT32_MAX)
        picture_key(out, LEFT, bottom + 5, "lane off", "takes no part");
    picture_end(out);
}
