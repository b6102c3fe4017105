/*
 * SIMCC_SUPPRESSIONS: a file that names hazards that are known and not to be told. Each line is "KIND: PLACE", two
 * patterns as a shell has them: of the kind as reports name it, and of a line, "scan.cu:57", or a kernel.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/api_state.h"
#include "sim/api/api_summary.h"
#include "sim/text/plain_name.h"

static bool read_line(char *line, struct api_suppression *out)
{
    char *end = line + strlen(line);
    while (end > line && strchr(" \t\r\n", end[-1]))
        *--end = '\0';
    char *colon = strstr(line, ": ");
    if (!colon || colon == line)
        return false;
    *colon = '\0';
    out->place = strdup(colon + 2 + strspn(colon + 2, " \t"));
    out->kind = strdup(line);
    return out->kind && out->place && *out->place;
}

static bool is_empty(const char *line)
{
    const char *first = line + strspn(line, " \t\r\n");
    return *first == '\0' || *first == '#';
}

static bool add(struct api_suppressions *s, char *line)
{
    struct api_suppression *list = realloc(s->list, (size_t)(s->count + 1) * sizeof *list);
    if (!list)
        return false;
    s->list = list;
    return read_line(line, &list[s->count]) && ++s->count;
}

int api_read_suppressions(FILE *file)
{
    char line[1024];
    for (int number = 1; fgets(line, sizeof line, file); number++)
        if (!is_empty(line) && !add(&api.suppressions, line))
            return number;
    return 0;
}

static bool is_at(const char *pattern, const struct sim_hazard_place *place)
{
    char text[512];
    if (place->line <= 0 || !place->file)
        return false;
    snprintf(text, sizeof text, "%s:%d", place->file, place->line);
    const char *slash = strrchr(text, '/');
    return fnmatch(pattern, text, 0) == 0 || (slash && fnmatch(pattern, slash + 1, 0) == 0);
}

bool api_is_suppressed(const struct sim_hazard *hazard)
{
    char kernel[128];
    plain_name(hazard->kernel, kernel, sizeof kernel);
    for (int i = 0; i < api.suppressions.count; i++) {
        const struct api_suppression *s = &api.suppressions.list[i];
        if (fnmatch(s->kind, sim_hazard_class_name(hazard->class), 0) == 0 &&
            (is_at(s->place, &hazard->here) || is_at(s->place, &hazard->there) ||
             fnmatch(s->place, kernel, 0) == 0))
            return true;
    }
    return false;
}
