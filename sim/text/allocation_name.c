#include "sim/text/allocation_name.h"
#include "sim/text/source_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES    32 /* kept; then the oldest goes */
#define LINE_SIZE 43 /* with "the allocation of ", what reports have room for */

struct known_places {
    struct known_place {
        const void *caller;
        char line[LINE_SIZE]; /* "" if it has none; of a long name the end, with the number */
    } places[PLACES];
    int count; /* looked up so far */
};

struct known_places *known_places_create(void)
{
    return calloc(1, sizeof(struct known_places));
}

void known_places_destroy(struct known_places *places)
{
    free(places);
}

static const char *line_of(struct known_places *known, const void *caller)
{
    for (int i = 0; i < known->count && i < PLACES; i++)
        if (known->places[i].caller == caller)
            return known->places[i].line;
    struct known_place *place = &known->places[known->count++ % PLACES];
    char line[256];
    if (!source_line(caller, line, sizeof line))
        line[0] = '\0';
    const size_t length = strlen(line);
    place->caller = caller;
    if (length < LINE_SIZE)
        memcpy(place->line, line, length + 1);
    else
        snprintf(place->line, LINE_SIZE, "...%s", line + length - (LINE_SIZE - 4));
    return place->line;
}

void allocation_name(struct known_places *places, const struct sim_allocation *allocation, char *text,
                     size_t size)
{
    const char *line = "";
    if (allocation->name[0] == '\0' && allocation->caller)
        line = line_of(places, allocation->caller);
    if (allocation->name[0] == '\0' && line[0] == '\0' && allocation->outer)
        line = line_of(places, allocation->outer);
    if (allocation->name[0] != '\0')
        snprintf(text, size, "%s", allocation->name);
    else if (allocation->kernel_line[0] != '\0')
        snprintf(text, size, "the allocation of %s", allocation->kernel_line);
    else if (line[0] != '\0')
        snprintf(text, size, "the allocation of %s", line);
    else
        snprintf(text, size, "the unnamed allocation number %" PRIu64, allocation->serial);
}
