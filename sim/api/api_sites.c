/* What is counted by the line of the host that launches: how often it does, how long that takes, which blocks do nothing. */

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

/*
 * Whether the blocks that load and store nothing are superfluous: the last quarter of the grid stores nothing, and
 * such a block loads at most half as much as one that stores, such as a filter's taps and no elements.
 */
static bool end_is_idle(const struct sim_counters *counters)
{
    const uint64_t busy = counters->blocks - counters->idle_blocks;
    const uint64_t of_busy = counters->global_loads - counters->idle_loads;
    const double eighth = (double)counters->blocks / 8;
    return busy > 0 && counters->idle_loads <= counters->global_loads &&
           (double)counters->idle_of_eighth[6] > eighth - 2 &&
           (double)counters->idle_of_eighth[7] > eighth - 2 &&
           2.0 * (double)counters->idle_loads * (double)busy <=
               (double)of_busy * (double)counters->idle_loading_blocks;
}

/* Other blocks that load and store nothing may have found that there was nothing to change: they are not idle. */
static uint64_t idle_blocks(const struct sim_counters *counters)
{
    return counters->idle_blocks - (end_is_idle(counters) ? 0 : counters->idle_loading_blocks);
}

void api_site_add(const struct sim_launch *launch, const struct sim_kernel_info *info, const void *caller)
{
    struct sim_site *site = site_of(caller);
    const uint64_t idle = idle_blocks(&api.last.counters);
    if (!site)
        return;
    const uint64_t blocks = api.last.counters.blocks;
    site->seconds += api.last.seconds;
    site->all_blocks += blocks;
    site->fewest_blocks = site->launches == 0 || blocks < site->fewest_blocks ? blocks : site->fewest_blocks;
    site->most_blocks = blocks > site->most_blocks ? blocks : site->most_blocks;
    if (site->launches++ == 0 || idle > site->idle_blocks) {
        plain_name(info->name, site->kernel, sizeof site->kernel);
        site->grid = launch->grid;
        site->block = launch->block;
        site->blocks = blocks;
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
