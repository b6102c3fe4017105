/* The whole result as one JSON object; the names are part of the grader's interface. */
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/phase.h"
#include "harness/judge/compare.h"
#include "harness/lab/real.h"
#include "harness/report/failure.h"
#include "harness/report/file.h"
#include "harness/report/report.h"
#include "harness/result/grader.h"
#include "harness/result/score.h"
#include "harness/wire/sandbox.h"

/* Of what is written: goes up when a name or a meaning changes, not for a new one. See docs/grading.md. */
#define SCHEMA 1

static const char *const status_names[] = {[CASE_PASSED] = "passed",
                                           [CASE_FAILED] = "failed",
                                           [CASE_NOT_RUN] = "not-run",
                                           [CASE_SKIPPED] = "skipped"};
static const char *const verdict_names[] = {
    [SPEED_NOT_TIMED] = "not-timed",       [SPEED_ENOUGH] = "fast-enough", [SPEED_TOO_SLOW] = "too-slow",
    [SPEED_INCONCLUSIVE] = "inconclusive", [SPEED_SHOWN] = "shown",        [SPEED_WRONG] = "wrong",
    [SPEED_IMPOSSIBLE] = "impossible",
};
static const char *const counter_names[] = {[LAB_LOAD_SECTORS_PER_REQUEST] = "load_sectors_per_request",
                                            [LAB_STORE_SECTORS_PER_REQUEST] = "store_sectors_per_request",
                                            [LAB_SHARED_CONFLICTS] = "shared_conflicts_percent",
                                            [LAB_DIVERGENT_BRANCHES] = "divergent_branches_percent",
                                            [LAB_IDLE_LANES] = "idle_lanes_percent",
                                            [LAB_LOADS_PER_PRODUCT] = "loads_per_100_products",
                                            [LAB_READS_PER_PRODUCT] = "reads_per_100_products",
                                            [LAB_BYTES_LOADED] = "bytes_loaded_per_byte",
                                            [LAB_SHARED_PER_WARP] = "shared_per_warp"};

static void write_arguments(struct json *json, const struct lab_task *task, const int64_t *arg)
{
    json_object(json, "arguments");
    for (int i = 0; i < LAB_MAX_ARGS && task->arg_names[i]; i++)
        json_integer(json, task->arg_names[i], arg[i]);
    json_end_object(json);
}

static void write_hazard(struct json *json, const struct protocol_hazard *hazard)
{
    json_object(json, NULL);
    json_string(json, "class", hazard->name);
    json_string(json, "file", hazard->here.file);
    json_integer(json, "line", hazard->here.line);
    if (hazard->there.line > 0) {
        json_string(json, "other_file", hazard->there.file);
        json_integer(json, "other_line", hazard->there.line);
    }
    json_unsigned(json, "count", hazard->count);
    json_string(json, "message", hazard->message);
    json_end_object(json);
}

static void write_thread(struct json *json, const struct protocol_thread *thread)
{
    json_object(json, NULL);
    json_array(json, "block");
    for (int axis = 0; axis < 3; axis++)
        json_integer(json, NULL, thread->block[axis]);
    json_end_array(json);
    json_array(json, "thread");
    for (int axis = 0; axis < 3; axis++)
        json_integer(json, NULL, thread->thread[axis]);
    json_end_array(json);
    json_end_object(json);
}

static void begin_fact(struct json *json, enum fact_kind kind, enum fact_strength strength)
{
    json_object(json, NULL);
    json_string(json, "kind", fact_kind_key(kind));
    json_string(json, "strength", fact_strength_key(strength));
}

static void write_places(struct json *json, const struct protocol_place *place, int count)
{
    json_array(json, "places");
    for (int i = 0; i < count; i++) {
        if (place[i].line <= 0)
            continue;
        json_object(json, NULL);
        json_string(json, "file", place[i].file);
        json_integer(json, "line", place[i].line);
        json_end_object(json);
    }
    json_end_array(json);
}

/* See docs/grading.md; lists are as long as what is known. */
static void write_fact(struct json *json, const struct fact *fact)
{
    begin_fact(json, fact->kind, fact->strength);
    if (fact->kind == FACT_HAZARD)
        json_string(json, "detail", fact_detail_key(fact->detail));
    write_places(json, fact->place, 2);
    json_array(json, "threads");
    for (int i = 0; i < fact->threads; i++)
        write_thread(json, &fact->thread[i]);
    json_end_array(json);
    json_array(json, "elements");
    for (int i = 0; i < fact->elements; i++)
        json_integer(json, NULL, fact->element[i]);
    json_end_array(json);
    json_array(json, "values");
    for (int i = 0; i < fact_value_count(fact->kind); i++)
        json_number(json, NULL, fact->value[i]);
    json_end_array(json);
    json_array(json, "names");
    for (int i = 0; i < 2; i++)
        if (fact->name[i][0])
            json_string(json, NULL, fact->name[i]);
    json_end_array(json);
    json_end_object(json);
}

/* What is known in words only. */
static void write_text(struct json *json, const struct grader_finding *finding, const char *words)
{
    struct protocol_place place = {.line = finding->line};
    char text[1600];
    if (!words[0])
        return;
    begin_fact(json, FACT_TEXT, FACT_SEEN);
    text_set(place.file, sizeof place.file, "%s", finding->file);
    write_places(json, &place, 1);
    text_set(text, sizeof text, "%.*s", (int)strcspn(words, "\n"), words);
    json_string(json, "text", text);
    json_end_object(json);
}

static void write_facts(struct json *json, const struct grader_finding *finding)
{
    json_array(json, "facts");
    for (int i = FACT_PROVED; i >= FACT_SEEN; i--)
        for (int k = 0; k < finding->facts.count; k++)
            if ((int)finding->facts.fact[k].strength == i)
                write_fact(json, &finding->facts.fact[k]);
    write_text(json, finding, finding->reason == REASON_VALUES ? finding->shape : "");
    write_text(json, finding, finding->cause);
    json_end_array(json);
}

static void write_outcome(struct json *json, const char *key, const struct grader_outcome *outcome)
{
    const struct grader_finding *finding = &outcome->finding;
    json_object(json, key);
    json_bool(json, "passed", outcome->passed);
    json_number(json, "seconds", outcome->seconds);
    json_string(json, "reason", reason_key(finding->reason));
    if (finding->pattern != PATTERN_NONE)
        json_string(json, "pattern", pattern_key(finding->pattern));
    if (finding->cause[0])
        json_string(json, "cause", finding->cause);
    if (fact_find(&finding->facts, FACT_TRIED))
        json_string(json, "change", finding->change);
    if (finding->reason != REASON_NONE) {
        json_string(json, "headline", finding->headline);
        json_string(json, "detail", finding->detail);
    }
    if (finding->line > 0) {
        json_string(json, "file", finding->file);
        json_integer(json, "line", finding->line);
    }
    if (finding->reason != REASON_NONE)
        write_facts(json, finding);
    json_array(json, "hazards");
    for (int i = 0; i < outcome->hazard_count; i++)
        write_hazard(json, &outcome->hazard[i]);
    json_end_array(json);
    if (outcome->printed[0])
        json_string(json, "printed", outcome->printed);
    if (outcome->leaked_count)
        json_unsigned(json, "leaked_bytes", outcome->leaked_bytes);
    json_end_object(json);
}

static void write_case(struct json *json, const struct lab_task *task, const struct grader_case *c)
{
    json_object(json, NULL);
    json_string(json, "name", c->name);
    write_arguments(json, task, c->arg);
    json_string(json, "status", status_names[c->status]);
    if (c->outcome[BACKEND_GPU].run)
        write_outcome(json, "gpu", &c->outcome[BACKEND_GPU]);
    if (c->outcome[BACKEND_SIM].run)
        write_outcome(json, "sim", &c->outcome[BACKEND_SIM]);
    json_end_object(json);
}

static void write_counters(struct json *json, const struct grader_counters *counters)
{
    json_object(json, "counters");
    json_bool(json, "exceeded", counters->exceeded);
    for (int i = 0; i < LAB_COUNTER_COUNT; i++) {
        const struct protocol_line *worst = &counters->worst[i];
        json_object(json, counter_names[i]);
        json_number(json, "value", counters->counter[i].value);
        if (counters->counter[i].nothing_counted)
            json_bool(json, "nothing_counted", true);
        if (counters->counter[i].limit >= 0)
            json_number(json, "at_most", counters->counter[i].limit);
        if (worst->place.line > 0) {
            json_string(json, "file", worst->place.file);
            json_integer(json, "line", worst->place.line);
        }
        json_end_object(json);
    }
    const struct protocol_counters *c = &counters->totals;
    json_unsigned(json, "load_requests", c->load_requests);
    json_unsigned(json, "load_sectors", c->load_sectors);
    json_unsigned(json, "store_requests", c->store_requests);
    json_unsigned(json, "store_sectors", c->store_sectors);
    json_unsigned(json, "shared_wavefronts", c->shared_wavefronts);
    json_unsigned(json, "shared_wavefronts_ideal", c->shared_wavefronts_ideal);
    json_unsigned(json, "warp_instructions", c->warp_instructions);
    json_end_object(json);
}

/* What an SM has room for, and what it does in time. */
static void write_sm(struct json *json, const char *kernel, const struct sim_sm *sm)
{
    static const char *const rooms[SIM_SM_ROOMS] = {"warps", "registers", "shared_bytes", "blocks"};
    json_object(json, "sm");
    json_string(json, "kernel", kernel);
    json_integer(json, "blocks_that_fit", sm->blocks);
    json_integer(json, "threads_per_block", sm->threads);
    json_integer(json, "registers_per_thread", sm->registers);
    json_integer(json, "shared_bytes_per_block", sm->shared);
    for (int i = 0; i < SIM_SM_ROOMS; i++) {
        json_object(json, rooms[i]);
        json_integer(json, "of_a_block", sm->room[i].takes);
        json_integer(json, "of_the_sm", sm->room[i].of);
        json_bool(json, "full", sm->room[i].fits == sm->blocks);
        json_end_object(json);
    }
    json_number(json, "issue_percent", 100 * sim_sm_mean(sm, sm->issued));
    json_number(json, "warps_that_wait_for_memory", sim_sm_mean(sm, sm->doing[SIM_SM_MEMORY]));
    json_number(json, "bytes_in_flight", sim_sm_mean(sm, sm->bytes));
    json_number(json, "bytes_in_flight_at_full_rate", sm->bytes_in_time);
    json_end_object(json);
}

static void write_speed_figures(struct json *json, const struct grader_speed *speed)
{
    json_number(json, "milliseconds", speed->time.median * 1e3);
    json_integer(json, "runs", speed->time.count);
    if (!speed->modeled) {
        json_number(json, "quartile1_ms", speed->time.quartile1 * 1e3);
        json_number(json, "quartile3_ms", speed->time.quartile3 * 1e3);
        json_number(json, "median_low_ms", speed->time.low * 1e3);
        json_number(json, "median_high_ms", speed->time.high * 1e3);
        json_number(json, "deviation_ms", speed->time.deviation * 1e3);
        json_number(json, "wall_clock_ms", speed->wall * 1e3);
        json_integer(json, "input_sets", speed->sets);
    } else {
        json_string(json, "limiter", speed->limiter);
        json_number(json, "least_ms", speed->time.median * (1 - speed->less) * 1e3);
        json_number(json, "most_ms", speed->time.median * (1 + speed->more) * 1e3);
        json_bool(json, "in_doubt", speed->in_doubt);
        json_number(json, "sampled_blocks", speed->sampled_blocks);
    }
    if (speed->limit > 0)
        json_number(json, "threshold_ms", speed->limit * 1e3);
    json_number(json, "roof_ms", speed->roof * 1e3);
    if (speed->part.seconds > 0)
        json_string(json, "roof_part", speed->part.what);
    if (speed->method.seconds > 0) {
        json_number(json, "method_ms", speed->method.seconds * 1e3);
        json_string(json, "method_part", speed->method.what);
        json_number(json, "method_fraction", speed->method_fraction);
    }
    json_number(json, "percent_of_roof", 100 * speed->roof / speed_seconds(speed));
    json_number(json, "bytes", speed->bytes);
    json_number(json, "flops", speed->flops);
    json_number(json, "gb_per_s", speed->bytes / speed_seconds(speed) * 1e-9);
    json_number(json, "copy_gb_per_s", speed->copy_gbs);
    json_number(json, "gflop_per_s", speed->flops / speed_seconds(speed) * 1e-9);
    json_bool(json, "memory_bound", speed->memory_bound);
    json_number(json, "flop_per_byte", speed->flops / speed->bytes);
    json_number(json, "ridge_flop_per_byte", speed->gflops / speed->copy_gbs);
    if (speed->waves.blocks > 0) {
        json_number(json, "blocks", speed->waves.blocks);
        json_number(json, "blocks_per_wave", speed->waves.wave);
        json_number(json, "waves", speed->waves.blocks / speed->waves.wave);
    }
    if (speed->sm.blocks > 0)
        write_sm(json, speed->kernel, &speed->sm);
}

static void write_speed(struct json *json, const struct lab_task *task, const struct grader_speed *speed)
{
    json_object(json, "speed");
    json_string(json, "verdict", verdict_names[speed->verdict]);
    json_bool(json, "modeled", speed->modeled);
    if (speed->note[0])
        json_string(json, "note", speed->note);
    if (speed->verdict != SPEED_NOT_TIMED)
        write_arguments(json, task, speed->arg);
    if (speed->time.count > 0)
        write_speed_figures(json, speed);
    if (speed->verdict == SPEED_WRONG)
        write_outcome(json, "outcome", &speed->outcome);
    json_end_object(json);
}

static void write_task(struct json *json, const struct grader_task *task)
{
    json_object(json, NULL);
    json_string(json, "id", task->task->id);
    json_string(json, "part", task->task->part);
    json_string(json, "title", task->task->title);
    json_bool(json, "counts", !task->task->shown_only);
    json_integer(json, "points", task->points);
    json_integer(json, "extra_points", task->extra_points);
    json_integer(json, "open_points", task->open_points);
    json_integer(json, "maximum", task->task->shown_only ? 0 : task->task->points);
    json_integer(json, "passed", task->passed);
    json_integer(json, "failed", task->failed);
    json_integer(json, "skipped", task->skipped);
    json_array(json, "cases");
    for (int i = 0; i < task->case_count; i++)
        write_case(json, task->task, &task->cases[i]);
    json_end_array(json);
    if (task->counters.measured)
        write_counters(json, &task->counters);
    if (task->task->speed)
        write_speed(json, task->task, &task->speed);
    json_end_object(json);
}

static void write_calibration(struct json *json, const struct grader_roof *roof)
{
    if (!roof->known)
        return;
    json_object(json, "calibration");
    json_string(json, "name", roof->name);
    json_string(json, "date", roof->date);
    json_number(json, "copy_gb_per_s", roof->copy_gbs);
    json_number(json, "copy_now_gb_per_s", roof->copy_now_gbs);
    json_number(json, "copy_word_gb_per_s", roof->copy_word_gbs);
    json_number(json, "copy_double_word_gb_per_s", roof->copy_dword_gbs);
    json_number(json, "read_gb_per_s", roof->read_gbs);
    json_number(json, "write_gb_per_s", roof->write_gbs);
    json_number(json, "fp32_gflop_per_s", roof->fp32_gflops);
    json_number(json, "fp64_gflop_per_s", roof->fp64_gflops);
    json_number(json, "block_of_128_ns", roof->block_ns[2]);
    json_number(json, "block_of_1024_ns", roof->block_ns[5]);
    json_number(json, "atomic_float_ns", roof->atomic_float_ns);
    json_number(json, "atomic_double_ns", roof->atomic_double_ns);
    json_number(json, "launch_us", roof->launch_us);
    if (roof->busy[0])
        json_string(json, "busy", roof->busy);
    json_end_object(json);
}

/* What the report tells first, and what is to be done next. */
static void write_first(struct json *json, const struct grader *grader, const struct failures *failures)
{
    char text[1700];
    const struct failure *first = failures->first;
    if (first) {
        const struct grader_finding *finding = &first->outcome->finding;
        json_object(json, "first");
        failure_sentence(grader, first, text, sizeof text);
        json_string(json, "cause", text);
        if (finding->line > 0) {
            json_string(json, "file", finding->file);
            json_integer(json, "line", finding->line);
        }
        json_string(json, "reason", reason_key(finding->reason));
        json_string(json, "task", first->task->task->id);
        json_string(json, "case", first->name);
        json_integer(json, "explains", first->explains);
        json_integer(json, "failing_cases", failures->cases);
        if (first->open) {
            json_integer(json, "todo", first->open->number);
            json_integer(json, "todo_line", first->open->line);
        }
        json_end_object(json);
    }
    report_next(grader, failures, text, sizeof text);
    if (text[0])
        json_string(json, "next", strncmp(text, "Next: ", 6) == 0 ? text + 6 : text);
}

static void write_grader(struct json *json, const struct grader *grader, const struct failures *failures)
{
    static const char *const verdicts[] = {
        [GRADER_PASSED] = "passed", [GRADER_FAILED] = "failed", [GRADER_INCONCLUSIVE] = "inconclusive"};
    int maximum, open, score = grader_score(grader, &maximum, &open);
    json_object(json, NULL);
    json_integer(json, "schema", SCHEMA);
    json_string(json, "lab", the_lab.name);
    json_string(json, "title", the_lab.title);
    json_string(json, "backend", grader->backend == BACKEND_GPU ? "gpu" : "sim");
    json_string(json, "device", grader->device);
    json_unsigned(json, "seed", grader->seed);
    json_string(json, "real", sizeof(real) == sizeof(double) ? "double" : "float");
    json_string(json, "source", grader->build.source);
    json_string(json, "toolkit", grader->build.toolkit);
    json_string(json, "sandbox", sandbox_says());
    json_string(json, "only", grader->options.only);
    json_string(json, "verdict", verdicts[grader_verdict(grader)]);
    json_bool(json, "passed", grader_passed(grader));
    json_integer(json, "score", score);
    json_integer(json, "open", open);
    json_integer(json, "maximum", maximum);
    write_first(json, grader, failures);
    json_number(json, "seconds", grader->seconds);
    if (grader->first_failure > 0)
        json_number(json, "first_failure_seconds", grader->first_failure);
    json_object(json, "phases");
    for (int i = 0; i < PHASE_COUNT; i++)
        json_number(json, phase_name((enum phase)i), phase_seconds((enum phase)i));
    json_end_object(json);
    write_calibration(json, &grader->roof);
    json_array(json, "tasks");
    for (int i = 0; i < the_lab.task_count; i++)
        if (grader->tasks[i].selected && grader->tasks[i].case_count > 0)
            write_task(json, &grader->tasks[i]);
    json_end_array(json);
    json_end_object(json);
}

static void write_json(const struct grader *grader, const struct failures *failures, void *context, FILE *out)
{
    (void)context;
    struct json json = {.out = out};
    write_grader(&json, grader, failures);
}

bool report_json(const struct grader *grader, const char *path, char message[512])
{
    return file_write(grader, "--json", path, write_json, NULL, message);
}
