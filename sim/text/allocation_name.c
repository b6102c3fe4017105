#include "sim/text/allocation_name.h"
#include "sim/text/source_line.h"

#include <inttypes.h>
#include <stdio.h>

/* The lines of the calls that made allocations: reports come in dozens, places do not. */
struct known_place {
    const void *caller;
    char line[64]; /* "" if it has none */
};

static const char *line_of(const void *caller)
{
    static struct known_place places[32];
    static int count;
    for (int i = 0; i < count && i < 32; i++)
        if (places[i].caller == caller)
            return places[i].line;
    struct known_place *place = &places[count++ % 32];
    place->caller = caller;
    if (!source_line(caller, place->line, sizeof place->line))
        place->line[0] = '\0';
    return place->line;
}

void allocation_name(const struct sim_allocation *allocation, char *text, size_t size)
{
    const char *line = allocation->name[0] == '\0' && allocation->caller ? line_of(allocation->caller) : "";
    if (allocation->name[0] != '\0')
        snprintf(text, size, "%s", allocation->name);
    else if (line[0] != '\0')
        snprintf(text, size, "the allocation of %s", line);
    else
        snprintf(text, size, "the unnamed allocation number %" PRIu64, allocation->serial);
}
