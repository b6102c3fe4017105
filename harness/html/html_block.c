/* The pictures of a block in time, of a reduction, and of shuffles. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/html/html.h"
#include "picture/picture.h"

bool html_is_whole(const struct protocol_trace *trace)
{
    return trace->count > 0 && trace->all == trace->count;
}

void html_figure_begin(const struct html_page *page, const char *title, const char *class)
{
    fprintf(page->out, "<h3>%s</h3>\n<figure class=\"%s\">\n", title, class);
}

void html_figure_end(const struct html_page *page, const char *caption)
{
    fputs("<figcaption>", page->out);
    picture_escape(page->out, caption);
    fputs("</figcaption>\n</figure>\n", page->out);
}

/* Every step is there, and is one instruction. */
bool html_is_each(const struct protocol_trace *trace)
{
    bool each = html_is_whole(trace);
    for (uint32_t i = 0; i < trace->count; i++)
        each = each && trace->step[i].instructions == 1;
    return each;
}

/* ---- events of a block ----------------------------------------------------------------------------------- */

static enum picture_doing doing_of(const struct protocol_step_done *step)
{
    const struct protocol_lanes *lanes = &step->lanes;
    if (step->what != PROTOCOL_ACCESS)
        return step->what == PROTOCOL_BARRIER ? PICTURE_BARRIER : PICTURE_SHUFFLE;
    const enum picture_doing global = lanes->is_atomic  ? PICTURE_ATOMIC
                                      : lanes->is_store ? PICTURE_STORE
                                                        : PICTURE_LOAD;
    return lanes->is_shared ? global + (PICTURE_SHARED_LOAD - PICTURE_LOAD) : global;
}

static int steps_of_launch(const struct protocol_trace *trace, int32_t launch)
{
    int count = 0;
    for (uint32_t i = 0; i < trace->count; i++)
        count += trace->step[i].lanes.first.launch == launch;
    return count;
}

/* The launch in which most happened, the first of them. */
static int32_t main_launch(const struct protocol_trace *trace)
{
    int32_t best = 0;
    int most = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        const int32_t launch = trace->step[i].lanes.first.launch;
        if ((i == 0 || launch != trace->step[i - 1].lanes.first.launch) &&
            steps_of_launch(trace, launch) > most) {
            most = steps_of_launch(trace, launch);
            best = launch;
        }
    }
    return best;
}

static int take_events(const struct html_case *of, struct picture_event events[PROTOCOL_MAX_TRACED])
{
    const int32_t launch = main_launch(&of->block);
    int count = 0;
    for (uint32_t i = 0; i < of->block.count; i++) {
        const struct protocol_step_done *step = &of->block.step[i];
        if (step->what == PROTOCOL_OTHER || step->lanes.first.launch != launch)
            continue;
        events[count++] = (struct picture_event){.warp = (int)(step->lanes.first.thread[0] / PICTURE_LANES),
                                                 .line = step->line,
                                                 .what = doing_of(step),
                                                 .lanes = step->lanes.lanes,
                                                 .size = (int)step->lanes.size,
                                                 .address = step->lanes.address};
    }
    return count;
}

static void write_block(const struct html_page *page, const struct html_case *of,
                        const struct picture_event *events, int count)
{
    char told[160];
    struct picture_block *block = calloc(1, sizeof *block);
    if (block)
        picture_lay_block(block, events, count);
    if (block && block->warps > 1 && block->phases > 1) {
        html_figure_begin(page, "The warps of a block, and its barriers", "block");
        text_set(told, sizeof told, "%d warps of a block in time, with %d barrier%s", block->warps,
                 block->barriers[0], block->barriers[0] == 1 ? "" : "s");
        picture_block(page->out, block, told);
        html_figure_end(page,
                        of->block.all > of->block.count
                            ? "Time runs to the right; the higher, the more lanes take part. Only the first "
                              "steps are recorded."
                            : "Time runs to the right; the higher, the more lanes take part.");
    }
    free(block);
}

static void write_tree(const struct html_page *page, const struct html_case *of,
                       const struct picture_event *events, int count)
{
    char told[160];
    struct picture_tree *tree = calloc(1, sizeof *tree);
    if (tree && html_is_each(&of->block) && picture_grow_tree(tree, events, count)) {
        html_figure_begin(page, "What is added to what", "tree");
        text_set(told, sizeof told, "%d places of shared memory, added up in %d steps", tree->places,
                 tree->levels - 1);
        picture_tree(page->out, tree, told);
        html_figure_end(
            page,
            "Places of the shared array from left to right, steps downwards. Blue: from another thread's "
            "place. Across: a barrier that all stores above come before.");
    }
    free(tree);
}

/* ---- shuffles -------------------------------------------------------------------------------------------- */

/* The first ones that follow each other at one line. */
static int take_shuffles(const struct html_case *of, struct picture_shuffle shuffles[PICTURE_SHUFFLES],
                         int *line)
{
    int count = 0;
    for (uint32_t i = 0; i < of->warp.count && count < PICTURE_SHUFFLES; i++) {
        const struct protocol_step_done *step = &of->warp.step[i];
        if (step->what != PROTOCOL_SHUFFLE || (count > 0 && step->line != *line))
            continue;
        *line = step->line;
        shuffles[count].lanes = step->lanes.lanes;
        for (int lane = 0; lane < PICTURE_LANES; lane++)
            shuffles[count].source[lane] = step->lanes.address[lane] % PICTURE_LANES;
        count++;
    }
    return count;
}

static void write_shuffles(const struct html_page *page, const struct html_case *of)
{
    struct picture_shuffle shuffles[PICTURE_SHUFFLES];
    uint32_t cone[PICTURE_SHUFFLES + 1];
    char told[768];
    int line = 0;
    const int count = take_shuffles(of, shuffles, &line);
    if (count < 2)
        return;
    const uint32_t ends = picture_find_cones(shuffles, count, cone);
    const int each = __builtin_popcount(cone[0]) / __builtin_popcount(ends);
    text_set(told, sizeof told, "%d shuffle%s; the values of %d lanes come to lane %d", count,
             count == 1 ? "" : "s", each, __builtin_ctz(ends));
    for (int lane = __builtin_ctz(ends) + 1; lane < PICTURE_LANES; lane++)
        if (ends >> lane & 1)
            text_append(told, sizeof told, ", of %d to lane %d", each, lane);
    html_figure_begin(page, "Shuffles of a warp", "shuffles");
    picture_shuffles(page->out, shuffles, count, told);
    text_append(told, sizeof told, ": dark. Line %d, one shuffle per row.", line);
    html_figure_end(page, told);
}

void html_block_write(const struct html_page *page, const struct html_case *of)
{
    struct picture_event *events = calloc(PROTOCOL_MAX_TRACED, sizeof *events);
    const int count = events ? take_events(of, events) : 0;
    write_block(page, of, events, count);
    write_tree(page, of, events, count);
    write_shuffles(page, of);
    free(events);
}
