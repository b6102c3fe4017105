/* Settings from the environment, and what tells people how far a long program is. */
#include "sim/api/api_settings.h"
#include "sim/api/api_state.h"
#include "sim/text/plain_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * LABS_SIM_DEVICE    the profile's key, h100 by default
 * LABS_SIM_HAZARDS   0: do not look for races, uninitialized reads and the like
 * LABS_SIM_VOLATILE  0: say nothing of volatile accesses that nothing orders
 * LABS_SIM_MACHINE_CODE  0: modeled time from the PTX alone; else, where times are told, from the machine code that
 *                        ptxas makes, with counters
 * LABS_SIM_COUNTERS  0: do not count memory traffic (modeled time is then the launch's and latency only)
 * LABS_SIM_SCHEDULE  a seed: warps and blocks in another order
 * LABS_SIM_LIMIT     warp instructions that a launch may run
 * LABS_SIM_PROGRESS  seconds after which a program that still runs says how far it is; 0: never
 * LABS_SIM_PROFILE   1: at the end, the source lines that cost most
 * LABS_SIM_REPEATS   warp instructions of launches with the same kernel, sizes and arguments that are watched; 0: all
 * LABS_SIM_THREADS   threads of the host that may share a launch; 0: as many as there are processors
 * LABS_SIM_THREADS_FROM  warp instructions of a launch before others help; 0: the usual number
 * SIMCC_SUMMARY      text or json, and :FILE: at the end, launches, hazards, counters and modeled times
 * SIMCC_ERROR_EXITCODE  the program's exit status if hazards were told or a kernel stopped
 * SIMCC_SUPPRESSIONS a file of hazards that are not told
 */

static void bad_setting(const char *name, const char *value, const char *expected)
{
    fprintf(stderr, "simulator: %s=%s: expected %s\n", name, value, expected);
    exit(2);
}

static bool flag_setting(const char *name, bool otherwise)
{
    const char *value = getenv(name);
    if (!value || value[0] == '\0')
        return otherwise;
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        bad_setting(name, value, "0 or 1");
    return value[0] == '1';
}

static uint64_t number_setting(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    if (!value || value[0] == '\0')
        return otherwise;
    errno = 0;
    char *end;
    unsigned long long number = strtoull(value, &end, 0);
    if (errno != 0 || *end != '\0' || value[0] == '-')
        bad_setting(name, value, "a whole number, 0 or more");
    return number;
}

static const struct sim_profile *profile_setting(void)
{
    const char *value = getenv("LABS_SIM_DEVICE");
    const struct sim_profile *profile = sim_profile_find(value && value[0] != '\0' ? value : "h100");
    char keys[256] = "one of: ";
    if (profile)
        return profile;
    sim_profile_keys(keys + strlen(keys), sizeof keys - strlen(keys));
    bad_setting("LABS_SIM_DEVICE", value, keys);
    return NULL;
}

static const char *summary_setting(void)
{
    const char *value = getenv("SIMCC_SUMMARY");
    if (!value || value[0] == '\0')
        return NULL;
    if (!api_summary_known(value))
        bad_setting("SIMCC_SUMMARY", value, "text, json, text:FILE or json:FILE");
    return value;
}

static int status_setting(void)
{
    const uint64_t status = number_setting("SIMCC_ERROR_EXITCODE", 0);
    if (status > 255)
        bad_setting("SIMCC_ERROR_EXITCODE", getenv("SIMCC_ERROR_EXITCODE"), "an exit status, at most 255");
    return (int)status;
}

static void read_suppressions(void)
{
    const char *value = getenv("SIMCC_SUPPRESSIONS");
    char expected[64];
    if (!value || value[0] == '\0')
        return;
    FILE *file = fopen(value, "r");
    if (!file)
        bad_setting("SIMCC_SUPPRESSIONS", value, "a file that can be read");
    const int line = api_read_suppressions(file);
    fclose(file);
    snprintf(expected, sizeof expected, "KIND: PLACE in its line %d", line);
    if (line > 0)
        bad_setting("SIMCC_SUPPRESSIONS", value, expected);
}

/* ---- programs that take long --------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say_progress(const struct sim_kernel *kernel, uint64_t blocks_begun, uint64_t blocks)
{
    struct api_progress *progress = &api.progress;
    const struct sim_config *config = sim_config(api.sim);
    double now = seconds_now();
    if (progress->begin == 0) {
        progress->begin = now;
        progress->quiet_until = progress->begin + progress->seconds;
    }
    if (now < progress->quiet_until)
        return;
    progress->quiet_until = now + (now - progress->begin);
    struct sim_kernel_info info;
    sim_kernel_info(kernel, &info);
    char name[128];
    plain_name(info.name, name, sizeof name);
    fprintf(stderr, "simulator: %.0f s so far: launch %llu, kernel %s, block %llu of %llu%s\n",
            now - progress->begin, (unsigned long long)api.totals.launches + 1, name,
            (unsigned long long)blocks_begun, (unsigned long long)blocks,
            progress->hinted || !config->hazards
                ? ""
                : " (LABS_SIM_HAZARDS=0 does not look for hazards, and is faster)");
    progress->hinted = true;
}

/* Unless told otherwise, only people are told: who reads stderr from a file may compare it. */
static void set_progress(struct sim_config *config)
{
    api.progress.seconds = (double)number_setting("LABS_SIM_PROGRESS", isatty(STDERR_FILENO) ? 10 : 0);
    if (api.progress.seconds > 0)
        config->progress = say_progress;
}

/* About a second of watching. */
#define REPEAT_WORK 20000000

struct sim_config api_settings(void)
{
    struct sim_config config = {
        .profile = api.device ? api.device : profile_setting(),
        .hazards = flag_setting("LABS_SIM_HAZARDS", true),
        .volatile_is_fine = !flag_setting("LABS_SIM_VOLATILE", true),
        .counters = flag_setting("LABS_SIM_COUNTERS", true),
        .schedule_seed = number_setting("LABS_SIM_SCHEDULE", 0),
        .instruction_limit = number_setting("LABS_SIM_LIMIT", 0),
        .threads = (unsigned)number_setting("LABS_SIM_THREADS", 0),
        .threads_from = number_setting("LABS_SIM_THREADS_FROM", 0),
    };
    api.repeat_work = number_setting("LABS_SIM_REPEATS", REPEAT_WORK);
    set_progress(&config);
    read_suppressions();
    api.summary.wanted = summary_setting();
    api.error_status = status_setting();
    api.machine_code = flag_setting("LABS_SIM_MACHINE_CODE", true);
    config.machine_code = api.machine_code && api.summary.wanted;
    api.profile = flag_setting("LABS_SIM_PROFILE", false);
    return config;
}

/* Not for a host that reports itself, which asks for machine code where it needs it. */
void api_expect_times(void)
{
    if (api.reports && api.machine_code)
        sim_config(api.sim)->machine_code = true;
}
