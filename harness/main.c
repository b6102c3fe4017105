/* The grader of one lab: reads the command line, grades, reports. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "harness/base/progress.h"
#include "harness/base/surroundings.h"
#include "harness/base/text.h"
#include "harness/grade/cases.h"
#include "harness/grade/device.h"
#include "harness/grade/devices.h"
#include "harness/grade/plan.h"
#include "harness/grade/run.h"
#include "harness/grade/selftest.h"
#include "harness/grade/trace.h"
#include "harness/html/html.h"
#include "harness/judge/inputs.h"
#include "harness/judge/memory.h"
#include "harness/judge/reference.h"
#include "harness/judge/seed.h"
#include "harness/report/failure.h"
#include "harness/report/file.h"
#include "harness/report/hint.h"
#include "harness/report/report.h"
#include "harness/result/grader.h"
#include "harness/result/score.h"
#include "harness/wire/keeper.h"
#include "harness/wire/sandbox.h"

static int complain(const char *message)
{
    progress_clear();
    fprintf(stderr, "grader: %s\n", message);
    return GRADER_USAGE;
}

static void stop_workers(struct grader *grader)
{
    process_stop(&grader->process[BACKEND_SIM]);
    process_stop(&grader->process[BACKEND_GPU]);
    process_stop(&grader->fresh);
    helper_stop(&grader->calibrate);
}

static bool on_terminal(const struct grader_options *options)
{
    const char *term = getenv("TERM");
    return !options->no_color && isatty(STDOUT_FILENO) && !getenv("NO_COLOR") &&
           !(term && strcmp(term, "dumb") == 0);
}

/* The first access of which more is counted than the lab allows. */
static void draw_counted(struct grader *grader, FILE *out)
{
    for (int i = 0; i < the_lab.task_count; i++) {
        struct grader_task *task = &grader->tasks[i];
        for (int k = 0; k < LAB_COUNTER_COUNT; k++)
            if (task->counters.counter[k].exceeded && task->counters.worst[k].place.line > 0) {
                cases_tell_access(grader, task, &task->counters.worst[k].place, out);
                return;
            }
    }
}

/* --explain: drawings of what the report tells first. */
static void draw(void *context, const struct failures *failures, FILE *out)
{
    struct grader *grader = context;
    if (failures->first && failures->first->is_case)
        cases_tell(grader, failures->first->task, failures->first->name, out);
    else if (!failures->first)
        draw_counted(grader, out);
    progress_clear();
}

static bool write_html(struct grader *grader, char message[512])
{
    struct html_case **traces = traces_take(grader);
    progress_clear();
    const bool written =
        html_write(grader, traces, traces ? the_lab.task_count : 0, grader->options.html, message);
    traces_free(traces);
    return written;
}

/* What is written besides; the exit status. */
static int write_files(struct grader *grader)
{
    char message[512];
    const struct grader_options *options = &grader->options;
    if ((options->json && !report_json(grader, options->json, message)) ||
        (options->sarif && !report_sarif(grader, options->sarif, message)))
        return complain(message);
    if (grader->options.html && !write_html(grader, message))
        return complain(message);
    return grader_verdict(grader);
}

static int report(struct grader *grader)
{
    const bool explains = grader->options.command == COMMAND_EXPLAIN;
    progress_end();
    if (grader->options.gcc)
        return report_gcc(grader, stdout) ? write_files(grader)
                                          : complain("not enough memory for the report");
    if (getenv("GRADER_WATCHES") && on_terminal(&grader->options)) /* the last report stayed until now */
        fputs("\033[H\033[2J\033[3J", stdout);
    if (!report_print(grader, stdout, on_terminal(&grader->options), explains ? draw : NULL, grader))
        return complain("not enough memory for the report");
    return write_files(grader);
}

static bool asks_for_speed(const struct grader *grader)
{
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].selected && grader->tasks[i].task->speed && !grader->only.cases)
            return true;
    return false;
}

static int grade(struct grader *grader)
{
    char message[512] = "";
    grader->begun = process_clock();
    grader->tells_early = true;
    if (grader->options.command == COMMAND_EXPLAIN)
        grader->options.backend = BACKEND_SIM; /* which has lines and values */
    if (!plan_make(grader, message) || !device_begin(grader, asks_for_speed(grader), message))
        return complain(message);
    bool graded = grader_run(grader, message);
    process_kill(&grader->process[BACKEND_GPU]); /* taking its context down takes a while */
    helper_kill(&grader->calibrate);
    grader->seconds = process_clock() - grader->begun;
    int status = process_interrupted() ? complain("interrupted; nothing was graded")
                 : graded              ? report(grader)
                                       : complain(message);
    stop_workers(grader);
    return status;
}

/* What `print` says after asking the simulator. */
static int tell_modeled(struct grader *grader, void (*print)(struct grader *, FILE *))
{
    char message[512] = "";
    grader->options.backend = BACKEND_SIM; /* all of it is modeled */
    if (!plan_make(grader, message) || !device_begin(grader, false, message))
        return complain(message);
    print(grader, stdout);
    stop_workers(grader);
    return process_interrupted() ? complain("interrupted; nothing was graded") : GRADER_PASSED;
}

/* What is built is graded in the simulator, without speeds. False: it cannot be, or was interrupted. */
static bool grade_cases(struct grader *grader, char message[512])
{
    grader->options.backend = BACKEND_SIM;
    grader->cases_only = true;
    return device_begin(grader, false, message) && grader_run(grader, message) && !process_interrupted();
}

/* A hint for a TODO that is named needs no grading. Nor is there one where the build failed: then for what is open. */
static int hint(struct grader *grader)
{
    char message[512] = "";
    struct failures failures;
    if (!plan_make(grader, message))
        return complain(message);
    const bool graded = grader->options.hint == 0 && grader->build.complete && grade_cases(grader, message) &&
                        failures_find(grader, &failures);
    progress_clear();
    if (process_interrupted())
        return complain("interrupted");
    message[0] = 0;
    const int status = hint_print(grader, graded ? &failures : NULL, stdout, message);
    if (graded)
        failures_free(&failures);
    stop_workers(grader);
    return message[0] ? complain(message) : status;
}

/* The names of headers are relative to the repository, wherever the student's file lies. */
static void allow_sources(const struct grader_build *build)
{
    char list[sizeof build->folder + 16], header[128], root[sizeof build->root] = "";
    text_set(list, sizeof list, "%s/student.d", build->folder);
    text_set(header, sizeof header, "%s/%s.h", the_lab.folder, the_lab.name);
    build_find(build, header, root);
    sandbox_allow(build->source_path, list, root);
}

static int run_command(struct grader *grader, const char *argv0)
{
    char message[512];
    switch (grader->options.command) {
    case COMMAND_HELP: options_help(stdout); return GRADER_PASSED;
    case COMMAND_LIST: plan_list(stdout); return GRADER_PASSED;
    case COMMAND_SELF_TEST: return self_test(stdout, grader->seed);
    default: break;
    }
    if (!build_read(&grader->build, argv0, message)) {
        if (grader->options.command != COMMAND_HINT)
            return complain(message);
        build_guess(&grader->build, argv0);
    }
    if (!sandbox_begin(grader->options.sandbox, grader->build.ptxas, message)) {
        complain(message);
        return GRADER_INCONCLUSIVE;
    }
    keeper_start();
    allow_sources(&grader->build);
    if (grader->options.command == COMMAND_DEVICES)
        return tell_modeled(grader, devices_print);
    if (grader->options.command == COMMAND_LAUNCHES)
        return tell_modeled(grader, launches_print);
    return grader->options.command == COMMAND_HINT ? hint(grader) : grade(grader);
}

int main(int argc, char **argv)
{
    static struct grader grader;
    char message[256], reason[512];
    if (!surroundings_prepare(message))
        return complain(message);
    if (!options_parse(&grader.options, argc, argv, message)) {
        complain(message);
        fprintf(stderr, "See ./grader --help\n");
        return GRADER_USAGE;
    }
    if ((grader.options.json && !file_possible("--json", grader.options.json, reason)) ||
        (grader.options.sarif && !file_possible("--sarif", grader.options.sarif, reason)))
        return complain(reason);
    if (grader.options.html && !file_possible("--html", grader.options.html, reason))
        return complain(reason);
    grader.seed = grader.options.seed_given ? grader.options.seed
                                            : seed_drawn() >> 11; /* 53 bits: no reader of JSON rounds them */
    grader.process[BACKEND_SIM].request_fd = grader.process[BACKEND_GPU].request_fd = -1;
    grader.fresh.request_fd = grader.device_apart.request_fd = -1;
    progress_enable(isatty(STDOUT_FILENO));
    process_catch_interrupts();
    prctl(PR_SET_DUMPABLE, 0); /* its memory is not written through /proc by what it starts */
    int status = run_command(&grader, argc > 0 ? argv[0] : "grader");
    for (int i = 0; i < 2; i++)
        grader_arena_destroy(&grader.arena[i]);
    grader_arena_destroy(&grader.arena_apart);
    plan_free(&grader);
    reference_forget();
    inputs_forget();
    memory_forget();
    keeper_stop();
    sandbox_end();
    return surroundings_flush(message) ? status : complain(message);
}
