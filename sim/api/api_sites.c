/* What is counted by the line of the host that launches: how often it does, how long that takes, which blocks do nothing. */
#include <stdio.h>

#include "sim/api/api_launch.h"
#include "sim/api/api_state.h"
#include "sim/text/plain_name.h"
#include "sim/text/source_line.h"

/* NULL: there is no room for another line. */
static struct sim_site *site_of(const void *caller)
{
    for (int i = 0; i < api.site_count; i++)
        if (api.sites[i].caller == caller)
            return &api.sites[i];
    if (!caller || api.site_count == SIM_MAX_SITES)
        return NULL;
    api.sites[api.site_count] = (struct sim_site){.caller = caller};
    return &api.sites[api.site_count++];
}

/* Blocks that load and store nothing may have found that there was nothing to change: they are not idle. */
static uint64_t idle_blocks(const struct sim_counters *counters)
{
    return counters->idle_blocks - counters->idle_loading_blocks;
}

void api_site_add(const struct sim_launch *launch, const struct sim_kernel_info *info, const void *caller)
{
    struct sim_site *site = site_of(caller);
    const uint64_t idle = idle_blocks(&api.last.counters);
    if (!site)
        return;
    site->seconds += api.last.seconds;
    if (site->launches++ == 0 || idle > site->idle_blocks) {
        plain_name(info->name, site->kernel, sizeof site->kernel);
        site->grid = launch->grid;
        site->block = launch->block;
        site->blocks = api.last.counters.blocks;
        site->idle_blocks = idle;
    }
}

int sim_totals_sites(const struct sim_site **list)
{
    *list = api.sites;
    return api.site_count;
}

bool sim_site_place(const struct sim_site *site, char *text, size_t size)
{
    return source_line(site->caller, text, size);
}
