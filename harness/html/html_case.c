/* The pictures of one case: race, threads over the array, lanes of a warp, active lanes. */
#include <string.h>

#include "harness/base/text.h"
#include "harness/html/html.h"
#include "harness/judge/compare.h"
#include "picture/picture.h"
#include "sim/origin/origin.h"

int html_buffer_at(const struct html_case *of, uint64_t address)
{
    for (int i = 0; i < of->buffer_count; i++) {
        const uint64_t bytes = (uint64_t)of->buffer[i].count * lab_type_size(of->buffer[i].type);
        if (!of->buffer[i].on_host && address - of->address[i] < bytes)
            return i;
    }
    return -1;
}

void html_name_warp(const struct protocol_thread *first, char *text, size_t size)
{
    const uint32_t *block = first->block, from = first->thread[0];
    if (block[1] || block[2])
        text_set(text, size, "block (%u,%u,%u), threads %u to %u", block[0], block[1], block[2], from,
                 from + 31);
    else
        text_set(text, size, "block %u, threads %u to %u", block[0], from, from + 31);
}

/* ---- a race ---------------------------------------------------------------------------------------------- */

static void name_party(const struct protocol_thread *thread, char *text, size_t size)
{
    const uint32_t *block = thread->block, *at = thread->thread;
    text_set(text, size, block[1] || block[2] ? "block (%u,%u,%u)" : "block %u", block[0], block[1],
             block[2]);
    text_append(text, size, at[1] || at[2] ? ", thread (%u,%u,%u)" : ", thread %u", at[0], at[1], at[2]);
}

static void write_race(const struct html_page *page, const struct protocol_hazard *race)
{
    struct picture_party party[2] = {{.writes = race->there_writes}, {.writes = race->writes}};
    html_line_text(page, race->there.file, race->there.line, party[0].text, sizeof party[0].text);
    html_line_text(page, race->here.file, race->here.line, party[1].text, sizeof party[1].text);
    name_party(&race->there_thread, party[0].who, sizeof party[0].who);
    name_party(&race->here_thread, party[1].who, sizeof party[1].who);
    fputs(
        "<h3>Race: nothing orders these two accesses</h3>\n<p>Either may come first, and the result depends on "
        "it: step through both orders. The word is in ",
        page->out);
    picture_escape(page->out, race->object[0] ? race->object : "memory that both use");
    fputs(".</p>\n<div class=\"steps\">\n", page->out);
    for (int first = 0; first < 2; first++) {
        fputs("<figure class=\"race\">\n", page->out);
        picture_race(page->out, party, race->object[0] ? race->object : "the word", first, 2);
        fputs("<figcaption>", page->out);
        picture_escape(page->out, race->message);
        fputs("</figcaption>\n</figure>\n", page->out);
    }
    fputs("</div>\n", page->out);
}

/* ---- threads over an array ------------------------------------------------------------------------------- */

static void take_store(const struct html_case *of, int buffer, const struct protocol_lanes *lanes,
                       struct picture_owners *owners)
{
    const uint64_t width = lab_type_size(of->buffer[buffer].type);
    for (int lane = 0; lane < PICTURE_LANES; lane++) {
        const uint64_t begin = lanes->address[lane] - of->address[buffer];
        for (uint64_t at = begin / width;
             (lanes->lanes >> lane & 1) && at < (begin + lanes->size + width - 1) / width &&
             at < (uint64_t)owners->count;
             at++) {
            owners->stores[at]++;
            owners->block[at] =
                (int)((lanes->first.block[0] + lanes->first.block[1] + lanes->first.block[2]) & 1);
            owners->thread[at] = (int)(lanes->first.thread[0] & 0xffff) + lane;
        }
    }
}

/* Threads behind the last element, if thread i of the grid stores element i; else 0. */
static int idle_threads(const struct html_case *of, int buffer)
{
    const uint64_t width = lab_type_size(of->buffer[buffer].type);
    const uint32_t *grid = of->launch.grid, *block = of->launch.block;
    const uint64_t threads = (uint64_t)grid[0] * block[0], count = (uint64_t)of->buffer[buffer].count;
    bool same = grid[0] > 0 && grid[1] * grid[2] * block[1] * block[2] == 1;
    for (uint32_t i = 0; i < of->stores.count; i++)
        for (int lane = 0; lane < PICTURE_LANES; lane++) {
            const struct protocol_lanes *lanes = &of->stores.step[i].lanes;
            const uint64_t thread =
                lanes->first.block[0] * block[0] + lanes->first.thread[0] + (uint64_t)lane;
            if (lanes->lanes >> lane & 1)
                same = same && lanes->address[lane] == of->address[buffer] + thread * width;
        }
    return same && threads > count && threads <= PICTURE_ELEMENTS ? (int)(threads - count) : 0;
}

/* What a right program leaves to others, as to a fill by the host, is not drawn as if it were missing. */
static void write_owners(const struct html_page *page, const struct html_case *of, int buffer)
{
    struct picture_owners owners = {.count = (int)of->buffer[buffer].count};
    int missing, repeated;
    char told[256];
    for (uint32_t i = 0; i < of->stores.count; i++)
        take_store(of, buffer, &of->stores.step[i].lanes, &owners);
    owners.idle = idle_threads(of, buffer);
    picture_count_owners(&owners, &missing, &repeated);
    if (missing > 0 && of->c->status != CASE_FAILED)
        return;
    text_set(told, sizeof told, "%s: %d element%s, %d stored by no thread, %d more than once",
             of->buffer[buffer].name, owners.count, owners.count == 1 ? "" : "s", missing, repeated);
    fputs("<h3>Which thread stores which element of ", page->out);
    picture_escape(page->out, of->buffer[buffer].name);
    fputs("</h3>\n<figure class=\"owners\">\n", page->out);
    picture_owners(page->out, &owners, told);
    fputs("<figcaption>The number is the thread's in its block; blocks alternate in color.", page->out);
    if (missing > 0)
        fprintf(page->out, " Dashed: %d stored by no thread.", missing);
    if (owners.idle > 0)
        fprintf(page->out, " Struck out: %d thread%s of the last block without an element.", owners.idle,
                owners.idle == 1 ? "" : "s");
    if (repeated > 0)
        fprintf(page->out, " Brown: %d stored more than once.", repeated);
    fputs("</figcaption>\n</figure>\n", page->out);
}

/* Atomics may come to an element as often as they like: that is no mistake. */
static bool has_atomics(const struct html_case *of)
{
    for (uint32_t i = 0; i < of->stores.count; i++)
        if (of->stores.step[i].lanes.is_atomic)
            return true;
    return false;
}

/* The output, if all that is stored to it is known and it can be drawn. */
static int drawn_output(const struct html_case *of)
{
    for (int i = 0; i < of->buffer_count && of->stores.all == of->stores.count && !has_atomics(of); i++)
        if (of->buffer[i].role == LAB_OUT && !of->buffer[i].on_host && of->buffer[i].count > 0 &&
            of->buffer[i].count <= PICTURE_ELEMENTS)
            return i;
    return -1;
}

/* ---- the lanes of a warp --------------------------------------------------------------------------------- */

static const char *verb_of(const struct protocol_lanes *lanes)
{
    return lanes->is_atomic ? "updates" : lanes->is_store ? "stores to" : "loads from";
}

/* "line 38: loads from d_x, 4 sectors (4 would be enough)" */
static void tell_access(const struct html_case *of, const struct protocol_step_done *step, int buffer,
                        char *text, size_t size)
{
    const struct protocol_lanes *lanes = &step->lanes;
    text_set(text, size, "%s %s: %u %s%s", verb_of(lanes),
             lanes->is_shared ? "shared memory"
             : buffer >= 0    ? of->buffer[buffer].name
                              : "global memory",
             lanes->cost, lanes->is_shared ? "wavefront" : "sector", lanes->cost == 1 ? "" : "s");
    if (lanes->cost > lanes->least)
        text_append(text, size,
                    lanes->is_shared ? "; %u without conflicts" : "; %u would be enough for these bytes",
                    lanes->least);
}

static uint64_t lowest(const struct protocol_lanes *lanes)
{
    uint64_t least = UINT64_MAX;
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        if ((lanes->lanes >> lane & 1) && lanes->address[lane] < least)
            least = lanes->address[lane];
    return least;
}

static void write_access(const struct html_page *page, const struct html_case *of,
                         const struct protocol_step_done *step)
{
    const struct protocol_lanes *lanes = &step->lanes;
    const uint64_t low = lowest(lanes);
    const int buffer = lanes->is_shared ? -1 : html_buffer_at(of, low);
    const struct picture_access access = {.is_shared = lanes->is_shared,
                                          .is_atomic = lanes->is_atomic,
                                          .size = (int)lanes->size,
                                          .lanes = lanes->lanes,
                                          .address = lanes->address,
                                          .cost = (int)lanes->cost,
                                          .least = (int)lanes->least};
    char told[256], warp[96];
    tell_access(of, step, buffer, told, sizeof told);
    html_name_warp(&lanes->first, warp, sizeof warp);
    fprintf(page->out,
            "<figure class=\"lanes\" data-line=\"%d\" data-cost=\"%u\" data-least=\"%u\">\n<figcaption>",
            step->line, lanes->cost, lanes->least);
    if (step->line > 0)
        fprintf(page->out, "<a href=\"#L%d\">line %d</a>: ", step->line, step->line);
    fprintf(page->out, "<b>");
    picture_escape(page->out, told);
    fprintf(page->out, "</b> (%s)</figcaption>\n", warp);
    picture_lanes(page->out, &access, buffer >= 0 ? of->address[buffer] : low,
                  buffer >= 0 ? (int)lab_type_size(of->buffer[buffer].type) : 4, told);
    fputs("</figure>\n", page->out);
}

#define MOST_ACCESSES 20 /* that are drawn of a case */
#define MOST_OF_LINE                                                                                         \
    3 /* that are drawn of one kind at one line, so that there is room for the stores at the end */

static bool is_like(const struct protocol_step_done *a, const struct protocol_step_done *b)
{
    return a->line == b->line && a->what == b->what && a->lanes.is_store == b->lanes.is_store &&
           a->lanes.is_shared == b->lanes.is_shared;
}

static bool is_drawn(const struct html_case *of, uint32_t i)
{
    const struct protocol_step_done *step = &of->warp.step[i];
    int before = 0;
    for (uint32_t k = 0; k < i; k++)
        before += is_like(&of->warp.step[k], step);
    return step->what == PROTOCOL_ACCESS && step->lanes.lanes != 0 && before < MOST_OF_LINE;
}

/* Of a line that costs most beyond what is enough: shown first. */
static int worst_access(const struct html_case *of)
{
    int worst = 0, at = 0, excess = 0;
    for (uint32_t i = 0; i < of->warp.count && at < MOST_ACCESSES; i++) {
        const struct protocol_lanes *lanes = &of->warp.step[i].lanes;
        if (!is_drawn(of, i))
            continue;
        if ((int)(lanes->cost - lanes->least) > excess) {
            excess = (int)(lanes->cost - lanes->least);
            worst = at;
        }
        at++;
    }
    return worst;
}

static void write_lanes(const struct html_page *page, const struct html_case *of)
{
    int drawn = 0;
    for (uint32_t i = 0; i < of->warp.count; i++)
        drawn += is_drawn(of, i);
    if (drawn == 0)
        return;
    fprintf(
        page->out,
        "<h3>One warp, access by access</h3>\n<p>Above, the 32 lanes; below, the sectors of 32 bytes that they "
        "use, by the number of the first element, or the 32 banks of shared memory, one box for each different "
        "word.</p>\n<div class=\"steps\" data-first=\"%d\">\n",
        worst_access(of));
    drawn = 0;
    for (uint32_t i = 0; i < of->warp.count && drawn < MOST_ACCESSES; i++)
        if (is_drawn(of, i)) {
            write_access(page, of, &of->warp.step[i]);
            drawn++;
        }
    fputs("</div>\n", page->out);
}

/* ---- active lanes ---------------------------------------------------------------------------------------- */

#define MOST_ROWS 60

static int take_steps(const struct html_page *page, const struct html_case *of,
                      struct picture_step steps[MOST_ROWS])
{
    int count = 0, line = 0;
    for (uint32_t i = 0; i < of->warp.count && count < MOST_ROWS; i++) {
        const struct protocol_step_done *from = &of->warp.step[i];
        const bool same = count > 0 && line == from->line && steps[count - 1].lanes == from->lanes.lanes;
        if (from->line == 0 || same)
            continue;
        line = from->line;
        steps[count].lanes = from->lanes.lanes;
        html_line_text(page, of->warp.file, line, steps[count].text, sizeof steps[count].text);
        count++;
    }
    return count;
}

static void write_strip(const struct html_page *page, const struct html_case *of)
{
    struct picture_step steps[MOST_ROWS];
    const int count = take_steps(page, of, steps);
    bool idle = false;
    for (int i = 0; i < count; i++)
        idle = idle || steps[i].lanes != UINT32_MAX;
    if (!idle)
        return;
    fputs("<h3>Which lanes are active</h3>\n<figure class=\"strip\">\n", page->out);
    picture_strip(page->out, steps, count, "Active lanes of the warp, step by step, time downwards");
    fprintf(page->out,
            "<figcaption>A row is one or more instructions of a line. The first %d steps of each line are "
            "recorded.</figcaption>\n</figure>\n",
            SIM_ORIGIN_STEPS_OF_LINE);
}

bool html_case_has_pictures(const struct html_case *of)
{
    return of->race || of->warp.count > 0 || drawn_output(of) >= 0;
}

void html_case_write(const struct html_page *page, const struct html_case *of)
{
    const int output = drawn_output(of);
    fprintf(page->out, "<section>\n<h2>(%s) %s: ", of->task->task->part, of->task->task->id);
    picture_escape(page->out, of->c->name);
    fputs("</h2>\n", page->out);
    if (of->race)
        write_race(page, of->race);
    write_lanes(page, of);
    if (output >= 0)
        write_owners(page, of, output);
    write_strip(page, of);
    html_block_write(page, of);
    html_array_write(page, of);
    fputs("</section>\n", page->out);
}
