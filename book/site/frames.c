/*
 * frames stride | padding | race | sm: the frames of a picture with sliders, each of a run in the simulator, as figures
 * of a page like those of ./grader --html. data-at: "NAME=VALUE;NAME=VALUE", where the sliders stand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#include "book/site/frame_kernels.h"
#include "lab01_global_memory/lab01.h"
#include "picture/picture.h"
#include "sim/device/sim.h"
#include "sim/origin/origin.h"

static int frames;

static void begin(const char *class, const char *at)
{
    printf("<figure class=\"%s\" data-line=\"%d\" data-at=\"%s\">\n", class, ++frames, at);
}

static void end(void)
{
    puts("</figure>");
}

/* ---- lanes ------------------------------------------------------------------------------------------------ */

#define MOST_STEPS 64

/* The first warp's first load from global or shared memory; its addresses count from the lowest. */
static struct sim_origin_lanes first_load(bool shared)
{
    static struct sim_origin_traced steps[MOST_STEPS];
    const struct sim_origin_thread thread = {0};
    const struct sim_origin_filter filter = {&thread, SIM_ORIGIN_OF_WARP};
    uint64_t all;
    const size_t count = sim_origin_trace(sim_current(), &filter, steps, MOST_STEPS, &all);
    for (size_t i = 0; i < count; i++)
        if (steps[i].is_access && !steps[i].lanes.is_store && steps[i].lanes.is_shared == shared)
            return steps[i].lanes;
    fputs("frames: the kernel loads nothing\n", stderr);
    exit(2);
}

static void draw_load(const struct sim_origin_lanes *lanes, const char *what)
{
    const struct picture_access access = {.is_shared = lanes->is_shared,
                                          .size = lanes->size,
                                          .lanes = lanes->lanes,
                                          .address = lanes->address,
                                          .cost = lanes->cost,
                                          .least = lanes->least};
    char told[160];
    snprintf(told, sizeof told, "%s: %d %s%s", what, lanes->cost, lanes->is_shared ? "wavefront" : "sector",
             lanes->cost == 1 ? "" : "s");
    picture_lanes(stdout, &access, lanes->address[0], lanes->size, told);
}

static void stride_frame(int stride)
{
    const int n = 64 * 32;
    real *d_x, *d_y;
    char at[32], what[64];
    cudaMalloc((void **)&d_x, n * sizeof *d_x);
    cudaMalloc((void **)&d_y, n * sizeof *d_y);
    cudaMemset(d_x, 0, n * sizeof *d_x);
    sim_origin_start(sim_current(), (size_t)1 << 28);
    lab01_copy_stride(d_x, d_y, n, stride);
    cudaDeviceSynchronize();
    const struct sim_origin_lanes lanes = first_load(false);
    snprintf(at, sizeof at, "stride=%d", stride);
    snprintf(what, sizeof what, "A load of a warp, stride %d", stride);
    begin("stride", at);
    draw_load(&lanes, what);
    end();
    cudaFree(d_x);
    cudaFree(d_y);
}

static void draw_strides(void)
{
    static const int strides[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        stride_frame(strides[i]);
}

static void draw_paddings(void)
{
    for (int padding = 0; padding <= 8; padding++) {
        char at[32], what[96];
        sim_origin_start(sim_current(), (size_t)1 << 28);
        frame_column(32 + padding);
        const struct sim_origin_lanes lanes = first_load(true);
        snprintf(at, sizeof at, "padding, words per row=%d", padding);
        snprintf(what, sizeof what, "A warp loads a column of a tile with rows of %d words", 32 + padding);
        begin("padding", at);
        draw_load(&lanes, what);
        end();
    }
}

/* ---- a race ----------------------------------------------------------------------------------------------- */

static struct picture_party party_of(const struct sim_hazard_place *place)
{
    struct picture_party party = {.writes = place->is_write};
    char line[256] = "";
    FILE *source = fopen("book/site/frame_kernels.cu", "r");
    for (int i = 0; source && i < place->line && fgets(line, sizeof line, source); i++)
        continue;
    if (source)
        fclose(source);
    const char *text = line + strspn(line, " ");
    snprintf(party.text, sizeof party.text, "%.*s", (int)strcspn(text, "\n"), text);
    snprintf(party.who, sizeof party.who, "thread %u", place->thread.x);
    return party;
}

static void draw_race(void)
{
    static const char *const done[] = {"none", "the first", "both"};
    const struct sim_hazard *hazard;
    char at[320];
    frame_race();
    if (sim_hazards(sim_current(), &hazard) == 0 || hazard->there.line == 0) {
        fputs("frames: no race was found\n", stderr);
        exit(2);
    }
    const struct picture_party party[2] = {party_of(&hazard->there), party_of(&hazard->here)};
    for (int first = 0; first < 2; first++)
        for (int i = 0; i <= 2; i++) {
            snprintf(at, sizeof at, "comes first=%s;accesses so far=%s", party[first].who, done[i]);
            begin("race", at);
            picture_race(stdout, party, hazard->object, first, i);
            end();
        }
}

/* ---- one SM ----------------------------------------------------------------------------------------------- */

static void draw_sms(void)
{
    const struct sim_profile *profile = sim_config(sim_current())->profile;
    const double roof = 2.0 * profile->memory_bus_bits / 8 * profile->memory_clock_khz * 1e-6;
    sim_config(sim_current())->hazards = false; /* 1 GB of memory */
    for (int blocks = 1; blocks <= PICTURE_SM_BLOCKS; blocks *= 2)
        for (int loads = 1; loads <= PICTURE_SM_LOADS; loads *= 2) {
            const struct picture_sm sm = {blocks, 8, loads, frame_rate(blocks, loads), roof};
            char at[80], told[160];
            snprintf(at, sizeof at, "blocks per SM=%d;loads in flight per thread=%d", blocks, loads);
            snprintf(told, sizeof told,
                     "%d block%s of 8 warps per SM, %d load%s in flight: %.0f GB/s by the model", blocks,
                     blocks == 1 ? "" : "s", loads, loads == 1 ? "" : "s", sm.rate);
            begin("sm", at);
            picture_sm(stdout, &sm, told);
            end();
        }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*draw)(void);
    } pictures[] = {
        {"stride", draw_strides}, {"padding", draw_paddings}, {"race", draw_race}, {"sm", draw_sms}};
    printf("<style>\n%s\n</style>\n", picture_style);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (argc == 2 && strcmp(argv[1], pictures[i].name) == 0) {
            pictures[i].draw();
            return 0;
        }
    fputs("frames stride | padding | race | sm\n", stderr);
    return 2;
}
