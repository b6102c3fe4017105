#include "sim/api/api_seen.h"
#include "sim/api/api_state.h"

#include <stdio.h>

static struct {
    bool is_on;
    struct sim_seen_launch seen[SIM_SEEN_LAUNCHES];
    int count;
} trial;

void sim_note_launches(void)
{
    trial.is_on = true;
    trial.count = 0;
}

int sim_seen_launches(const struct sim_seen_launch **list)
{
    *list = trial.seen;
    return trial.count;
}

void api_see_launch(const struct api_call *call)
{
    if (!trial.is_on || trial.count == SIM_SEEN_LAUNCHES)
        return;
    const struct api_source source = api_source_of_call(call);
    struct sim_seen_launch *seen = &trial.seen[trial.count++];
    seen->line = source.line;
    snprintf(seen->file, sizeof seen->file, "%s", source.file);
}
