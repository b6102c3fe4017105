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

/* `order`: "first" or "then". */
static void draw_access(FILE *out, const struct picture_party *party, double y, double x, const char *order)
{
    const double end = y < 100 ? 82 : 106;
    picture_box(out, x - 9, y - 9, 18, 18, party->writes ? "access write" : "access read");
    picture_text(out, x - 9, y < 100 ? y - 16 : y + 24, "small", "%s: %s", order,
                 party->writes ? "writes" : "reads");
    picture_text(out, x + 62, y < 100 ? y - 16 : y + 24, "code", "%s", party->text);
    picture_line(out, x, y < 100 ? y + 9 : y - 9, x, end, "wire");
}

void picture_race(FILE *out, const struct picture_party party[2], const char *word, int first, int done)
{
    char ending[256], told[512];
    const double x[2] = {first == 0 ? 220 : 400, first == 0 ? 400 : 220};
    picture_race_ending(party, first, ending, sizeof ending);
    snprintf(told, sizeof told, "%s comes first%s%s", party[first].who, done == 0 ? "" : ": ",
             done == 2             ? ending
             : done == 0           ? ""
             : party[first].writes ? "it writes"
                                   : "it reads");
    picture_begin(out, 770, 212, told);
    picture_text(out, 690, 70, "small end", "time \xe2\x86\x92");
    for (int i = 0; i < 2; i++) {
        const double y = i == 0 ? 40 : 150;
        picture_line(out, 180, y, 690, y, "track");
        picture_text(out, 168, y + 4, "end", "%s", party[i].who);
        if (done > (i != first))
            draw_access(out, &party[i], y, x[i], i == first ? "first" : "then");
    }
    picture_box(out, 190, 82, 490, 24, "word");
    picture_text(out, 435, 98, "middle", "%.80s", word);
    if (done == 2)
        picture_text(out, 435, 204, "middle", "%s", ending);
    picture_end(out);
}
