/*
 * Runs the kernels of wrong.cu and right.cu on the simulator: each wrong one must be reported with its class
 * and one of its marked lines, each right one must raise nothing; under the usual order of warps and blocks
 * and under 20 others.
 *
 *     suite [NAME...]    only these kernels, with every report
 */
#include <stdio.h>
#include <string.h>

#include "sim/device/sim.h"
#include "tests/hazards/launch.h"

#define SEEDS 20

extern const struct hazard_program wrong_programs[], right_programs[];

/* ---- the marked lines of a kernel ---------------------------------------------------------------------- */

#define MARKED_MAX 16

static int find_marked(const char *file, const char *kernel, int marked[MARKED_MAX])
{
    char line[512], begin[128];
    int number = 0, count = 0;
    bool inside = false;
    FILE *source = fopen(file, "r");

    snprintf(begin, sizeof begin, "KERNEL(%s)", kernel);
    while (source != NULL && fgets(line, sizeof line, source) != NULL) {
        number++;
        if (strncmp(line, begin, strlen(begin)) == 0)
            inside = true;
        else if (line[0] == '}')
            inside = false;
        if (inside && strstr(line, "// <-") != NULL && count < MARKED_MAX)
            marked[count++] = number;
    }
    if (source != NULL)
        fclose(source);
    return count;
}

/* ---- one kernel, once ---------------------------------------------------------------------------------- */

static void run(const struct hazard_program *program, uint64_t seed)
{
    struct hazard_memory memory = hazard_memory_create();

    sim_hazards_reset(sim_current());
    sim_config(sim_current())->schedule_seed = seed;
    sim_config(sim_current())->instruction_limit = 2000000;
    hazard_launch(program, &memory);
    cudaGetLastError();
}

static void show(int count, const struct sim_hazard *hazards)
{
    for (int i = 0; i < count; i++)
        printf("    %s: %s\n", sim_hazard_class_name(hazards[i].class), hazards[i].message);
}

/* Whether the text for people names the line: "line 12" or "wrong.cu:12". */
static bool says_line(const char *message, int line)
{
    char as_word[32], as_place[32];
    snprintf(as_word, sizeof as_word, "line %d", line);
    snprintf(as_place, sizeof as_place, ".cu:%d", line);
    return strstr(message, as_word) != NULL || strstr(message, as_place) != NULL;
}

static bool names_line(const struct sim_hazard *hazard, const int *marked, int count)
{
    for (int i = 0; i < count; i++)
        if ((hazard->here.line == marked[i] || hazard->there.line == marked[i]) &&
            says_line(hazard->message, marked[i]))
            return true;
    return false;
}

/* Whether the reports are what the program should give. */
static bool is_as_expected(const struct hazard_program *program, const char *file)
{
    const struct sim_hazard *hazards;
    int marked[MARKED_MAX], marks = find_marked(file, program->name, marked);
    int count = sim_hazards(sim_current(), &hazards);

    if (program->hazard < 0)
        return count == 0 && sim_last_result()->status == SIM_OK;
    for (int i = 0; i < count; i++)
        if ((int)hazards[i].class == program->hazard && names_line(&hazards[i], marked, marks))
            return true;
    return false;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 1; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count <= 1;
}

/* Runs a program in every order; true if all is as expected. */
static bool check(const struct hazard_program *program, const char *file, bool verbose)
{
    bool good = true;

    for (uint64_t seed = 0; seed <= SEEDS && good; seed++) {
        const struct sim_hazard *hazards;

        run(program, seed);
        good = is_as_expected(program, file);
        if (!good) {
            printf("%s, order %d: expected %s%s; reports:\n", program->name, (int)seed,
                   program->hazard < 0 ? "none" : sim_hazard_class_name(program->hazard),
                   program->hazard < 0 ? "" : " at a marked line");
            if (sim_last_result()->status != SIM_OK)
                printf("    it stopped: %s\n", sim_last_result()->message);
        }
        if (!good || (verbose && seed == 0))
            show(sim_hazards(sim_current(), &hazards), hazards);
        cudaDeviceReset();
    }
    return good;
}

int main(int count, char **names)
{
    const struct {
        const struct hazard_program *programs;
        const char *file;
    } sets[] = {{wrong_programs, "tests/hazards/wrong.cu"}, {right_programs, "tests/hazards/right.cu"}};
    int failed = 0, ran[2] = {0, 0};

    sim_report_at_exit(false);
    for (int set = 0; set < 2; set++) {
        for (const struct hazard_program *p = sets[set].programs; p->name != NULL; p++) {
            if (!is_wanted(p->name, count, names))
                continue;
            ran[set]++;
            failed += !check(p, sets[set].file, count > 1);
        }
    }
    printf("%d wrong and %d right kernels, each in %d orders: %d not as expected\n", ran[0], ran[1],
           SEEDS + 1, failed);
    return failed > 0;
}
