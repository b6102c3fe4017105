/* The speeds of all labs so far on this device, from what is kept of former gradings. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/html/html.h"
#include "harness/lab/real.h"
#include "harness/report/kept.h"
#include "picture/picture.h"

#define MOST_RUNGS 64

static bool is_rung(const struct kept *kept, const char *device)
{
    const char *real_name = sizeof(real) == sizeof(double) ? "\tdouble\t" : "\tfloat\t";
    return strstr(kept->key, real_name) && strcmp(kept->device, device) == 0 && kept->best_part > 0 &&
           kept->best_part < 100 && kept->part >= 0 && kept->needed >= 0;
}

/* By labs; what is of the same lab stays in its order. */
static int by_lab(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    const int labs = strncmp(x->key, y->key, strcspn(x->key, "\t") + 1);
    return labs ? labs : x->place - y->place;
}

/* "lab02 reduce" */
static void take_rung(const struct kept *kept, struct picture_speed *rung)
{
    text_set(rung->name, sizeof rung->name, "%.*s %s", (int)strcspn(kept->key, "\t"), kept->key,
             strrchr(kept->key, '\t') + 1);
    rung->part = kept->part;
    rung->best = kept->best_part;
    rung->needed = kept->needed;
    rung->right = kept->points >= kept->maximum;
}

static int take_rungs(const char *device, struct picture_speed rung[MOST_RUNGS])
{
    struct kept *kept;
    int rungs = 0, count = kept_read(&kept);
    if (kept)
        qsort(kept, (size_t)count, sizeof *kept, by_lab);
    for (int i = 0; i < count && rungs < MOST_RUNGS; i++)
        if (is_rung(&kept[i], device))
            take_rung(&kept[i], &rung[rungs++]);
    free(kept);
    return rungs;
}

void html_ladder_write(const struct html_page *page)
{
    struct picture_speed *rung = calloc(MOST_RUNGS, sizeof *rung);
    const int count = rung ? take_rungs(page->grader->device, rung) : 0;
    if (count > 0) {
        fputs("<section>\n<h2>Your labs so far</h2>\n<figure class=\"ladder\">\n", page->out);
        picture_bars(page->out, rung, count, "of the roof, when graded last",
                     "Your speeds in all labs so far, as parts of each task's roof");
        fputs("</figure>\n</section>\n", page->out);
    }
    free(rung);
}
