/* The launch of each timed task on one SM, and its grid in waves. */
#include <string.h>

#include "harness/base/text.h"
#include "harness/html/html.h"
#include "picture/picture.h"

static const char *const rooms[SIM_SM_ROOMS] = {"warps", "registers", "shared memory", "blocks"};

static void write_shelves(const struct html_page *page, const struct grader_speed *speed)
{
    const struct sim_sm *sm = &speed->sm;
    struct picture_shelf shelf[SIM_SM_ROOMS];
    const bool reserves = sm->room[SIM_SM_SHARED].takes >= sm->shared + 1024;
    char told[512];
    const char *full = ". Full: ";
    text_set(
        told, sizeof told,
        "%.95s: %d block%s of %d threads fit%s, with %d registers per thread and %d bytes of shared memory per "
        "block%s",
        speed->kernel, sm->blocks, sm->blocks == 1 ? "" : "s", sm->threads, sm->blocks == 1 ? "s" : "",
        sm->registers, sm->shared, reserves ? ", and 1 KB that CUDA keeps" : "");
    for (int i = 0; i < SIM_SM_ROOMS; i++) {
        const double unit = i == SIM_SM_SHARED ? 1024 : 1;
        shelf[i] = (struct picture_shelf){rooms[i], i == SIM_SM_SHARED ? "KB" : "", sm->room[i].takes / unit,
                                          sm->room[i].of / unit, sm->room[i].fits == sm->blocks};
        if (shelf[i].full)
            text_append(told, sizeof told, "%s%s", full, rooms[i]);
        full = shelf[i].full ? ", " : full;
    }
    text_singular(told);
    html_figure_begin(page, "Room on an SM", "shelves");
    picture_shelves(page->out, shelf, sm->blocks, told);
    html_figure_end(page, told);
}

/* As the pictures have it from below: a warp's work, and what it waits for. */
static void take_moments(const struct sim_sm *sm, struct picture_moments *moments)
{
    static const int rows[PICTURE_STATES] = {[PICTURE_WORK] = SIM_SM_WORKS,
                                             [PICTURE_WAIT_RESULT] = SIM_SM_RESULT,
                                             [PICTURE_WAIT_BARRIER] = SIM_SM_BARRIER,
                                             [PICTURE_WAIT_MEMORY] = SIM_SM_MEMORY};
    moments->count = sm->spans;
    moments->slots = sm->room[SIM_SM_WARPS].of;
    moments->seconds = sm->spans * sm->seconds;
    moments->enough = sm->bytes_in_time;
    for (int state = 0; state < PICTURE_STATES; state++)
        memcpy(moments->warps[state], sm->doing[rows[state]], sizeof moments->warps[state]);
    memcpy(moments->issue, sm->issued, sizeof moments->issue);
    memcpy(moments->bytes, sm->bytes, sizeof moments->bytes);
}

static void write_moments(const struct html_page *page, const struct sim_sm *sm)
{
    struct picture_moments moments;
    char told[512];
    take_moments(sm, &moments);
    text_set(
        told, sizeof told,
        "The first %.3g \xc2\xb5s of an SM, by the model: on average %.1f of %d warps wait for memory, %.0f%% of "
        "the issue slots are used, %.1f KB of loads are in flight",
        moments.seconds * 1e6, sim_sm_mean(sm, sm->doing[SIM_SM_MEMORY]), moments.slots,
        100 * sim_sm_mean(sm, sm->issued), sim_sm_mean(sm, sm->bytes) / 1024);
    html_figure_begin(page, "One SM in time", "moments");
    picture_moments(page->out, &moments, told);
    html_figure_end(page, told);
}

/* Only of grids that the GPU does not hold at once. */
static void write_waves(const struct html_page *page, const struct grader_waves *waves)
{
    char told[160];
    if (waves->wave <= 0 || waves->blocks <= waves->wave)
        return;
    text_set(told, sizeof told, "%.0f blocks in waves of %.0f; the last wave is full to %.0f%%",
             waves->blocks, waves->wave, 100 * picture_last_wave(waves->blocks, waves->wave));
    html_figure_begin(page, "Waves", "waves");
    picture_waves(page->out, waves->blocks, waves->wave, told);
    html_figure_end(page, told);
}

void html_sm_write(const struct html_page *page)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        const struct grader_task *task = &page->grader->tasks[i];
        const struct grader_speed *speed = &task->speed;
        if (!task->selected || (speed->sm.blocks <= 0 && speed->waves.blocks <= speed->waves.wave))
            continue;
        fprintf(page->out, "<section>\n<h2>(%s) %s on the GPU</h2>\n", task->task->part, task->task->id);
        if (speed->sm.blocks > 0)
            write_shelves(page, speed);
        if (speed->sm.spans > 0)
            write_moments(page, &speed->sm);
        write_waves(page, &speed->waves);
        fputs("</section>\n", page->out);
    }
}
