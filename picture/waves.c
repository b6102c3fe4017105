/* The blocks of a grid on a GPU's SMs, wave after wave. */
#include <math.h>

#include "picture/picture.h"

#define LEFT  8.0
#define WIDTH 700.0
#define MOST  9 /* waves that are drawn */

double picture_last_wave(double blocks, double wave)
{
    const double rest = fmod(blocks, wave);
    return rest > 0 ? rest / wave : 1;
}

void picture_waves(FILE *out, double blocks, double wave, const char *told)
{
    const int waves = (int)fmin(ceil(blocks / wave), 1e6), drawn = waves < MOST ? waves : MOST;
    const double pitch = fmin(WIDTH / drawn, 160), last = picture_last_wave(blocks, wave);
    picture_begin(out, 2 * LEFT + WIDTH, 116, told);
    for (int i = 0; i < drawn; i++) {
        const double x = LEFT + pitch * i, part = i == drawn - 1 ? last : 1;
        const int number = i == drawn - 1 ? waves : i + 1;
        if (i == drawn - 2 && waves > MOST) {
            picture_text(out, x + pitch / 2, 46, "middle", "\xe2\x80\xa6");
            continue;
        }
        picture_box(out, x, 8, pitch - 4, 60, "off");
        picture_box(out, x, 8 + 60 * (1 - part), pitch - 4, 60 * part, "unit");
        picture_text(out, x + pitch / 2 - 2, 84, "small middle", "wave %d", number);
    }
    picture_text(out, LEFT + WIDTH / 2, 106, "middle", "%.0f blocks, %.0f at a time", blocks, wave);
    if (last < 1)
        picture_key(out, LEFT, 96, "off", "places without a block");
    picture_end(out);
}
