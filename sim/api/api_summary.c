/*
 * SIMCC_SUMMARY: when the program ends, what all its launches were, counted and took, and which hazards were found, as
 * text or as JSON.
 */
#include "sim/api/api_summary.h"
#include "sim/api/api_state.h"
#include "sim/text/plain_name.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

bool api_summary_known(const char *wanted)
{
    return (strncmp(wanted, "text", 4) == 0 || strncmp(wanted, "json", 4) == 0) &&
           (wanted[4] == '\0' || (wanted[4] == ':' && wanted[5] != '\0'));
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

static struct api_kernel_sum *sum_of(const char *kernel)
{
    char name[sizeof api.summary.kernels[0].name];
    plain_name(kernel, name, sizeof name);
    struct api_summary *s = &api.summary;
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->kernels[i].name, name) == 0)
            return &s->kernels[i];
    if (s->count == API_SUMMED_KERNELS)
        return NULL;
    memcpy(s->kernels[s->count].name, name, sizeof name);
    return &s->kernels[s->count++];
}

void api_summary_add(const char *kernel, const struct sim_result *result)
{
    struct api_kernel_sum *sum = api.summary.wanted ? sum_of(kernel) : NULL;
    api.summary.unwatched += result->unwatched;
    api.summary.unlike += result->unlike_watched;
    if (!sum)
        return;
    const struct sim_band band = sim_model_band(result->limiter);
    sum->launches++;
    sum->exact += result->machine_seconds > 0;
    sum->seconds += result->seconds;
    sum->least += result->seconds * (1 - band.less);
    sum->most += result->seconds * (1 + band.more);
    if (result->seconds >= sum->longest) {
        sum->longest = result->seconds;
        sum->limiter = result->limiter;
    }
}

/* ---- what was counted ---------------------------------------------------------------------------------- */

#define COUNTER(name)                                                                                        \
    {                                                                                                        \
#name, offsetof(struct sim_counters, name)                                                           \
    }
static const struct {
    const char *name;
    size_t offset;
} counters[] = {
    COUNTER(launches),
    COUNTER(blocks),
    COUNTER(warps),
    COUNTER(warp_instructions),
    COUNTER(thread_instructions),
    COUNTER(global_load_requests),
    COUNTER(global_load_sectors),
    COUNTER(global_store_requests),
    COUNTER(global_store_sectors),
    COUNTER(global_atomic_requests),
    COUNTER(global_atomic_sectors),
    COUNTER(local_requests),
    COUNTER(local_sectors),
    COUNTER(shared_load_requests),
    COUNTER(shared_load_wavefronts),
    COUNTER(shared_store_requests),
    COUNTER(shared_store_wavefronts),
    COUNTER(shared_atomic_requests),
    COUNTER(branches),
    COUNTER(divergent_branches),
    COUNTER(block_barriers),
    COUNTER(flops32),
    COUNTER(flops64),
};
#define COUNTERS (sizeof counters / sizeof *counters)

static unsigned long long counted(size_t i)
{
    uint64_t value;
    memcpy(&value, (const char *)&api.totals + counters[i].offset, sizeof value);
    return value;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static void text_hazards(FILE *out)
{
    const struct sim_hazard *hazards;
    const int count = sim_hazards(api.sim, &hazards);
    int suppressed = 0, told = 0;
    for (int i = 0; i < count; i++)
        if (api_is_suppressed(&hazards[i]))
            suppressed++;
        else if (++told)
            fprintf(out, "    %-31s %10llu  %s:%d\n", sim_hazard_class_name(hazards[i].class),
                    (unsigned long long)hazards[i].count, hazards[i].here.file, hazards[i].here.line);
    if (told == 0)
        fprintf(out, "    %s\n",
                !sim_config(api.sim)->hazards ? "hazards were not looked for"
                : api.summary.unwatched > 0   ? "no hazards in the launches that were watched"
                                              : "no hazards");
    if (suppressed > 0)
        fprintf(out, "    suppressed: %d\n", suppressed);
}

static void text_unwatched(FILE *out)
{
    const struct api_summary *s = &api.summary;
    if (s->unwatched == 0)
        return;
    fprintf(
        out,
        "  watched: %llu of %llu launches\n"
        "    The others repeat the kernel, sizes and arguments of launches that were watched. No hazards were\n"
        "    looked for in them; their counters and times are those of the last such launch that was watched.\n"
        "    LABS_SIM_REPEATS=0 watches all.\n",
        (unsigned long long)(api.totals.launches - s->unwatched), (unsigned long long)api.totals.launches);
    if (s->unlike > 0)
        fprintf(out, "    Of the others, %llu executed their instructions another number of times.\n",
                (unsigned long long)s->unlike);
}

/* From the PTX alone, the model has no margin that was measured. */
static void text_kernel(FILE *out, const struct api_kernel_sum *sum)
{
    char margin[32] = "not known";
    if (sum->exact == sum->launches)
        snprintf(margin, sizeof margin, "%+.0f%% %+.0f%%", 100 * (sum->least / sum->seconds - 1),
                 100 * (sum->most / sum->seconds - 1));
    fprintf(out, "    %-31.31s %10llu %12.4f  %-10s  %s\n", sum->name, (unsigned long long)sum->launches,
            1e3 * sum->seconds, margin, sum->limiter);
}

static void text_times(FILE *out)
{
    bool exact = true;
    if (api.summary.count == 0)
        return;
    fprintf(out, "  kernel                            launches   modeled ms  margin      held back by\n");
    for (int i = 0; i < api.summary.count; i++) {
        text_kernel(out, &api.summary.kernels[i]);
        exact &= api.summary.kernels[i].exact == api.summary.kernels[i].launches;
    }
    fprintf(out, "    %-42s %12.4f\n", "all, and copies and fills", 1e3 * api.total_seconds);
    fputs(
        exact
            ? "    Times follow from machine code that ptxas made. Of 10 kernels that the model was not fitted to, an\n"
              "    H100 took for 9 a time within the margin.\n"
            : "    Where the margin is not known, there is no machine code, and the time follows from the PTX alone.\n",
        out);
}

static void print_text(FILE *out)
{
    fprintf(out, "simulator: summary, %s\n", sim_config(api.sim)->profile->name);
    if (api.fault[0] != '\0')
        fprintf(out, "  a kernel stopped: %s\n", api.fault);
    fprintf(out, "  hazards                                times\n");
    text_hazards(out);
    text_unwatched(out);
    fprintf(out, "  counted, all launches together\n");
    for (size_t i = 0; i < COUNTERS; i++)
        if (counted(i) > 0)
            fprintf(out, "    %-31s %10llu\n", counters[i].name, counted(i));
    text_times(out);
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void json_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; text && *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            putc(*text, out);
    putc('"', out);
}

static void json_pair(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": ", name);
    json_string(out, text);
}

static void json_place(FILE *out, const char *name, const struct sim_hazard_place *place)
{
    fprintf(out, ", \"%s\": ", name);
    if (place->line <= 0) {
        fputs("null", out);
        return;
    }
    fputc('{', out);
    json_pair(out, "file", place->file);
    fprintf(out, ", \"line\": %d}", place->line);
}

static void json_hazard(FILE *out, const struct sim_hazard *hazard)
{
    char kernel[128];
    plain_name(hazard->kernel, kernel, sizeof kernel);
    fputs("\n    {", out);
    json_pair(out, "kind", sim_hazard_class_name(hazard->class));
    fprintf(out, ", \"count\": %llu, \"suppressed\": %s, ", (unsigned long long)hazard->count,
            api_is_suppressed(hazard) ? "true" : "false");
    json_pair(out, "kernel", kernel);
    json_place(out, "here", &hazard->here);
    json_place(out, "there", &hazard->there);
    fputs(", ", out);
    json_pair(out, "message", hazard->message);
    fputc('}', out);
}

static void json_kernel(FILE *out, const struct api_kernel_sum *sum)
{
    const bool exact = sum->exact == sum->launches;
    fputs("\n    {", out);
    json_pair(out, "name", sum->name);
    fprintf(out, ", \"launches\": %llu, \"modeled_seconds\": %.9g, ", (unsigned long long)sum->launches,
            sum->seconds);
    json_pair(out, "model", exact ? "machine code" : sum->exact > 0 ? "machine code and PTX" : "PTX");
    if (exact)
        fprintf(out, ", \"least_seconds\": %.9g, \"most_seconds\": %.9g", sum->least, sum->most);
    fputs(", ", out);
    json_pair(out, "held_back_by", sum->limiter);
    fputc('}', out);
}

static void print_json(FILE *out)
{
    const struct sim_hazard *hazards;
    const int count = sim_hazards(api.sim, &hazards);
    fputs("{\n  ", out);
    json_pair(out, "device", sim_config(api.sim)->profile->name);
    fputs(",\n  ", out);
    json_pair(out, "stopped", api.fault);
    fprintf(
        out,
        ",\n  \"hazards_looked_for\": %s,\n  \"launches_unwatched\": %llu,\n  \"launches_unlike_watched\": %llu"
        ",\n  \"hazards\": [",
        sim_config(api.sim)->hazards ? "true" : "false", (unsigned long long)api.summary.unwatched,
        (unsigned long long)api.summary.unlike);
    for (int i = 0; i < count; i++, fputs(i < count ? "," : "\n  ", out))
        json_hazard(out, &hazards[i]);
    fputs("],\n  \"kernels\": [", out);
    for (int i = 0; i < api.summary.count; i++, fputs(i < api.summary.count ? "," : "\n  ", out))
        json_kernel(out, &api.summary.kernels[i]);
    fprintf(out, "],\n  \"modeled_seconds\": %.9g,\n  \"counters\": {", api.total_seconds);
    for (size_t i = 0; i < COUNTERS; i++)
        fprintf(out, "%s\n    \"%s\": %llu", i > 0 ? "," : "", counters[i].name, counted(i));
    fputs("\n  }\n}\n", out);
}

void api_print_summary(void)
{
    const char *wanted = api.summary.wanted;
    if (!wanted)
        return;
    FILE *out = wanted[4] == ':' ? fopen(wanted + 5, "w") : stderr;
    if (out)
        (wanted[0] == 'j' ? print_json : print_text)(out);
    if (!out || (out != stderr && fclose(out) != 0))
        fprintf(stderr, "simulator: SIMCC_SUMMARY=%s: the file cannot be written: %s\n", wanted,
                strerror(errno));
}
