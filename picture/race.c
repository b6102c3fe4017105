/* Two accesses to one word that nothing orders: either may come first. */
#include "picture/picture.h"

void picture_race_ending(const struct picture_party party[2], int first, char *text, size_t size)
{
    const struct picture_party *last = &party[1 - first];
    if (party[0].writes && party[1].writes)
        snprintf(text, size, "what %s stored is lost", party[first].who);
    else if (last->writes)
        snprintf(text, size, "%s reads what was there before", party[first].who);
    else
        snprintf(text, size, "%s reads what %s stored", last->who, party[first].who);
}

static void draw_party(FILE *out, const struct picture_party *party, double y, double x, const char *class)
{
    picture_line(out, 180, y, 690, y, "track");
    picture_text(out, 168, y + 4, "end", "%s", party->who);
    picture_box(out, x - 9, y - 9, 18, 18, class);
    picture_text(out, x, y < 100 ? y - 16 : y + 24, "small middle", "%s, line %d",
                 party->writes ? "writes" : "reads", party->line);
}

void picture_race(FILE *out, const struct picture_party party[2], const char *word, int first)
{
    char ending[256], told[512];
    const double x[2] = {first == 0 ? 300 : 480, first == 0 ? 480 : 300};
    picture_race_ending(party, first, ending, sizeof ending);
    snprintf(told, sizeof told, "%s comes first: %s", party[first].who, ending);
    picture_begin(out, 720, 212, told);
    draw_party(out, &party[0], 40, x[0], party[0].writes ? "access write" : "access read");
    draw_party(out, &party[1], 150, x[1], party[1].writes ? "access write" : "access read");
    picture_box(out, 190, 82, 490, 24, "word");
    picture_text(out, 178, 98, "small end", "%.28s", word);
    picture_line(out, x[0], 49, x[0], 82, "wire");
    picture_line(out, x[1], 141, x[1], 106, "wire");
    picture_text(out, x[first], 99, "small middle", "1");
    picture_text(out, x[1 - first], 99, "small middle", "2");
    picture_text(out, 435, 204, "middle", "%s", ending);
    picture_end(out);
}
