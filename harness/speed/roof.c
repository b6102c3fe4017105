/*
 * What this machine can do: calibrate's figures, kept in a file for a day, and whether they still hold. And
 * from them, how long the parts of a task take at least.
 */
#include "harness/speed/roof.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/lab/real.h"
#include "harness/result/grader.h"
#include "harness/speed/limit.h"

#define CALIBRATE_TIMEOUT 120.0
#define KEPT_SECONDS      86400 /* how long figures are used again */
#define COPY_MAY_DIFFER   0.10  /* between gradings: more, and the GPU is busy or throttled */
#define ROUGHLY           1.20  /* times: between a rough measurement and the full one */
#define LAUNCH_MAY_DIFFER 2.00  /* the host's part in it comes and goes */
#define CLOCK_LEAST       0.50  /* of the nominal clock; laptops work below it all the time */
#define STEADY_LEAST      0.85  /* of the best single copy: what copies one behind the other reach */
#define FASTEST           1.05  /* times the roof: what errors of measurement explain */

/* ---- figures: are they there, and can they be true? ---------------------------------------------------- */

struct figure {
    const char *key;
    size_t offset; /* in struct grader_roof, a double */
    double most;
};
#define FIGURE(key)                  #key, offsetof(struct grader_roof, key)
#define BLOCK_FIGURE(threads, index) "block_ns_" #threads, offsetof(struct grader_roof, block_ns[index])

static const struct figure figures[] = {
    {FIGURE(copy_gbs), 1e6},        {FIGURE(copy_steady_gbs), 1e6},  {FIGURE(read_gbs), 1e6},
    {FIGURE(write_gbs), 1e6},       {FIGURE(copy_word_gbs), 1e6},    {FIGURE(copy_dword_gbs), 1e6},
    {FIGURE(fp32_gflops), 1e8},     {FIGURE(fp64_gflops), 1e8},      {BLOCK_FIGURE(32, 0), 1e4},
    {BLOCK_FIGURE(64, 1), 1e4},     {BLOCK_FIGURE(128, 2), 1e4},     {BLOCK_FIGURE(256, 3), 1e4},
    {BLOCK_FIGURE(512, 4), 1e4},    {BLOCK_FIGURE(1024, 5), 1e4},    {FIGURE(atomic_int_ns), 1e5},
    {FIGURE(atomic_float_ns), 1e5}, {FIGURE(atomic_double_ns), 1e5}, {FIGURE(launch_us), 1e4},
    {FIGURE(l2_bytes), 1e12},
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* Of two figures, as multiples: a GPU on which this is not so does not exist. */
static const struct relation {
    const char *key;
    double least, most;
    const char *of;
} relations[] = {
    {"copy_steady_gbs", 0, 1.2, "copy_gbs"},     {"read_gbs", 0.8, 2, "copy_gbs"},
    {"write_gbs", 0.5, 2.5, "copy_gbs"},         {"copy_word_gbs", 0.05, 1.05, "copy_gbs"},
    {"copy_dword_gbs", 0.9, 3, "copy_word_gbs"}, {"copy_dword_gbs", 0.05, 1.05, "copy_gbs"},
    {"fp64_gflops", 0.005, 1.1, "fp32_gflops"},  {"block_ns_1024", 0.9, 64, "block_ns_128"},
};

static bool number(const char *text, const char *key, double most, double *value)
{
    char digits[64], *end;
    if (!process_value(text, key, digits, sizeof digits))
        return false;
    *value = strtod(digits, &end);
    return end != digits && *end == 0 && *value > 0 && *value < most;
}

static double figure_of(const struct grader_roof *roof, const char *key)
{
    for (int i = 0; i < FIGURES; i++)
        if (strcmp(figures[i].key, key) == 0)
            return *(const double *)((const char *)roof + figures[i].offset);
    return 0;
}

static void fail(struct grader_roof *roof, const char *why)
{
    roof->known = false;
    text_set(roof->why_not, sizeof roof->why_not, "%s", why);
}

/* Copies one behind the other are as fast as single ones, if no other process uses the GPU. */
static bool was_ours(struct grader_roof *roof)
{
    if (roof->copy_steady_gbs >= STEADY_LEAST * roof->copy_gbs)
        return true;
    roof->known = false;
    text_set(
        roof->why_not, sizeof roof->why_not,
        "this GPU is busy or throttled: it copied up to %.4g GB/s while it was measured, but %.4g GB/s on average "
        "(copy_gbs, copy_steady_gbs). Run it again when nothing else uses this GPU: ./grader --recalibrate",
        roof->copy_gbs, roof->copy_steady_gbs);
    return false;
}

static bool related(struct grader_roof *roof, const struct relation *r)
{
    const double value = figure_of(roof, r->key), of = figure_of(roof, r->of);
    if (value >= r->least * of && value <= r->most * of)
        return true;
    roof->known = false;
    text_set(
        roof->why_not, sizeof roof->why_not,
        "build/calibrate measured %s = %.4g, which cannot be true where %s = %.4g: between %.4g and %.4g is "
        "possible. Run it again when nothing else uses this GPU: ./grader --recalibrate",
        r->key, value, r->of, of, r->least * of, r->most * of);
    return false;
}

bool roof_parse(struct grader_roof *roof, const char *text)
{
    process_value(text, "name", roof->name, sizeof roof->name);
    for (int i = 0; i < FIGURES; i++)
        if (!number(text, figures[i].key, figures[i].most, (double *)((char *)roof + figures[i].offset))) {
            roof->known = false;
            text_set(roof->why_not, sizeof roof->why_not,
                     "build/calibrate printed no usable %s, which must be a positive number below %g",
                     figures[i].key, figures[i].most);
            return false;
        }
    if (!was_ours(roof))
        return false;
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        if (!related(roof, &relations[i]))
            return false;
    roof->known = true;
    return true;
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* Of one device, driver and clock: a change of any of them changes the name. */
static void kept_path(const struct grader *grader, const char *now, char *path, size_t size)
{
    static const char *const keys[] = {"uuid", "driver", "clock_mhz", "memory_mhz"};
    text_set(path, size, "%s/../../../calibration", grader->build.folder);
    for (int i = 0; i < 4; i++) {
        char value[64] = "unknown";
        process_value(now, keys[i], value, sizeof value);
        value[strcspn(value, "/")] = 0;
        text_append(path, size, "-%s", value);
    }
}

/* False: there is none, it is older than a day, or what it says cannot be true. */
static bool read_kept(struct grader_roof *roof, const char *path)
{
    char text[CAPTURE_SIZE];
    double measured;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const double age = number(text, "measured", 1e12, &measured) ? (double)time(NULL) - measured : -1;
    process_value(text, "date", roof->date, sizeof roof->date);
    return age >= 0 && age < KEPT_SECONDS && roof_parse(roof, text);
}

/* Whoever reads it sees all of it or nothing. If it cannot be written, the next grading measures again. */
static void keep(struct grader_roof *roof, const char *path, const char *text)
{
    char beside[4352];
    const time_t now = time(NULL);
    strftime(roof->date, sizeof roof->date, "%Y-%m-%d %H:%M", localtime(&now));
    text_set(beside, sizeof beside, "%.4300s.%ld.tmp", path, (long)getpid());
    FILE *file = fopen(beside, "w");
    if (!file)
        return;
    fprintf(file, "%sdate=%s\nmeasured=%lld\n", text, roof->date, (long long)now);
    if (fclose(file) != 0 || rename(beside, path) != 0)
        unlink(beside);
}

/* ---- measuring ----------------------------------------------------------------------------------------- */

void roof_begin(struct grader *grader)
{
    char path[sizeof grader->build.folder + 32];
    text_set(path, sizeof path, "%s/../../../calibrate", grader->build.folder);
    if (access(path, X_OK) != 0)
        fail(&grader->roof, "build/calibrate is missing: run make again");
    else if (!helper_start(&grader->calibrate, path, "--watch"))
        fail(&grader->roof, "build/calibrate could not be started");
}

static bool ask_calibrate(struct grader *grader, const char *question, struct capture *answer)
{
    const double begun = process_clock();
    const bool answered = helper_ask(&grader->calibrate, question, CALIBRATE_TIMEOUT, answer);
    phase_add(PHASE_CALIBRATE, begun);
    return answered;
}

/* Sets roof->busy if the copy or the clock that calibrate has just measured is not what it should be. */
static void look_whether_busy(struct grader_roof *roof, const char *now)
{
    double clock = 0, clock_now = 0;
    roof->busy[0] = 0;
    if (!number(now, "copy_steady_gbs", 1e6, &roof->copy_now_gbs))
        text_set(roof->busy, sizeof roof->busy, "build/calibrate printed no usable copy_steady_gbs");
    else if (fabs(roof->copy_now_gbs / roof->copy_steady_gbs - 1) > COPY_MAY_DIFFER)
        text_set(roof->busy, sizeof roof->busy,
                 "this GPU is busy or throttled: it copies %.4g GB/s now and copied %.4g on %s",
                 roof->copy_now_gbs, roof->copy_steady_gbs, roof->date);
    else if (number(now, "clock_mhz", 1e5, &clock) && number(now, "clock_now_mhz", 1e5, &clock_now) &&
             clock_now < CLOCK_LEAST * clock)
        text_set(roof->busy, sizeof roof->busy, "this GPU is throttled: its clock runs at %.0f of %.0f MHz",
                 clock_now, clock);
}

bool roof_still_holds(struct grader *grader)
{
    struct capture now;
    if (!ask_calibrate(grader, "copy", &now)) {
        text_set(grader->roof.busy, sizeof grader->roof.busy, "build/calibrate does not answer any more");
        return false;
    }
    look_whether_busy(&grader->roof, now.text);
    return !grader->roof.busy[0];
}

/* Kept figures from when the GPU was busy are of no use: it copies faster now. */
static bool kept_are_too_low(const struct grader_roof *roof, const char *now)
{
    double copy_now;
    return number(now, "copy_steady_gbs", 1e6, &copy_now) &&
           copy_now > roof->copy_steady_gbs * (1 + COPY_MAY_DIFFER);
}

/*
 * Kept figures are not believed on their own: whoever can write into build/ can write other ones. Each must be about what
 * calibrate has just measured roughly.
 */
static bool kept_are_about(const struct grader_roof *roof, const char *now)
{
    for (int i = 0; i < FIGURES; i++) {
        const double kept = figure_of(roof, figures[i].key);
        const double may_differ = strcmp(figures[i].key, "launch_us") == 0 ? LAUNCH_MAY_DIFFER : ROUGHLY;
        double rough;
        if (strcmp(figures[i].key, "copy_gbs") == 0) /* see copy_steady_gbs */
            continue;
        if (!number(now, figures[i].key, figures[i].most, &rough) || kept > rough * may_differ ||
            rough > kept * may_differ)
            return false;
    }
    return true;
}

/* A busy GPU is no reason to measure it again: it would be measured while it is busy. */
static bool kept_are_of_use(struct grader_roof *roof, const char *path, const char *now)
{
    if (!read_kept(roof, path) || kept_are_too_low(roof, now))
        return false;
    look_whether_busy(roof, now);
    return roof->busy[0] || kept_are_about(roof, now);
}

void roof_measure(struct grader *grader)
{
    struct grader_roof *roof = &grader->roof;
    struct capture now, all;
    char path[sizeof grader->build.folder + 320];
    if (roof->why_not[0] || grader->calibrate.pid == 0)
        return;
    progress_begin("measuring what this GPU can do");
    if (!ask_calibrate(grader, "check", &now)) {
        fail(roof, "build/calibrate failed: run it to see why");
        return;
    }
    kept_path(grader, now.text, path, sizeof path);
    if (grader->options.recalibrate || !kept_are_of_use(roof, path, now.text)) {
        memset(roof, 0, sizeof *roof);
        if (!ask_calibrate(grader, "all", &all)) {
            fail(roof, "build/calibrate failed: run it to see why");
            return;
        }
        if (!roof_parse(roof, all.text))
            return;
        keep(roof, path, all.text);
        now = all;
    }
    look_whether_busy(roof, now.text);
}

/* ---- parts --------------------------------------------------------------------------------------------- */

static void take_longer(struct grader_part *longest, double seconds, const char *what)
{
    if (seconds > longest->seconds)
        *longest = (struct grader_part){seconds, what};
}

static double bandwidth(const struct grader_roof *roof, enum lab_bandwidth which)
{
    const double word = sizeof(real) == sizeof(double) ? roof->copy_dword_gbs : roof->copy_word_gbs;
    switch (which) {
    case LAB_READ: return 1e9 * roof->read_gbs;
    case LAB_WORD: return 1e9 * word;
    case LAB_WORD_32: return 1e9 * roof->copy_word_gbs;
    default: return 1e9 * roof->copy_gbs;
    }
}

/* Seconds that one block of `threads` threads, rounded up to a power of two, takes to start. */
static double block_seconds(const struct grader_roof *roof, int threads)
{
    int i = 0;
    while (i < 5 && 32 << i < threads)
        i++;
    return roof->block_ns[i] * 1e-9;
}

struct grader_part roof_longest(const struct grader_roof *roof, const struct lab_speed *ask,
                                const struct lab_parts *parts, const int64_t *arg, bool operations)
{
    static const char *const bytes_at[] = {[LAB_COPY] = "bytes at the rate of a copy",
                                           [LAB_READ] = "bytes at the rate of reading",
                                           [LAB_WORD] = "bytes at the rate of one word per thread",
                                           [LAB_WORD_32] = "bytes at the rate of one word per thread"};
    const bool is_double = sizeof(real) == sizeof(double);
    struct grader_part longest = {0, ""};
    take_longer(&longest, ask->bytes(arg) / bandwidth(roof, parts->bandwidth), bytes_at[parts->bandwidth]);
    if (operations && ask->flops)
        take_longer(&longest, ask->flops(arg) / (1e9 * (is_double ? roof->fp64_gflops : roof->fp32_gflops)),
                    "multiply-adds");
    if (parts->atomics)
        take_longer(&longest,
                    parts->atomics(arg) * 1e-9 * (is_double ? roof->atomic_double_ns : roof->atomic_float_ns),
                    "atomics on one address");
    if (parts->blocks)
        take_longer(&longest, parts->blocks(arg) * block_seconds(roof, parts->threads), "blocks to start");
    take_longer(&longest, parts->launches * roof->launch_us * 1e-6, "launches");
    return longest;
}

void speed_refuse_impossible(struct grader_speed *speed, double least)
{
    const double seconds = speed_seconds(speed);
    if (speed->time.count == 0 || seconds * FASTEST >= least)
        return;
    speed->verdict = SPEED_IMPOSSIBLE;
    text_set(speed->note, sizeof speed->note,
             "%.4g ms is faster than this GPU can do the work, which takes %.4g ms at least: the work was "
             "not done, or the measurement is wrong%s",
             seconds * 1e3, least * 1e3,
             speed->modeled ? "" : ". To measure the GPU again: ./grader --recalibrate");
}
