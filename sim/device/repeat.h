/*
 * Launches that repeat earlier ones: the same kernel, sizes and values of arguments. Once enough of them have been
 * watched, and each operation was executed as often in all of these, the next ones are run unwatched: no hazards are
 * looked for, and their counters and times are those of the last one that was watched. After one that turns out to have
 * executed operations more or less often the next is watched; if it does so, too, as many are watched as at first.
 */
#pragma once

#include <stdbool.h>

#include "sim/machine/grid.h"

struct repeat;
struct repeats;

/* What is known of launches like this one; NULL: nothing is kept of them. */
struct repeat *repeat_of(struct sim *sim, const struct sim_launch *launch);
/* Whether sim_config.repeat_work is reached. */
bool repeat_is_known(const struct repeat *repeat, const struct sim *sim);
/* After the launch, watched or not; of one that was not, the result becomes that of the last one that was. */
void repeat_note(struct repeat *repeat, const struct grid *grid, bool unwatched);
void repeats_destroy(struct repeats *repeats); /* NULL will do */
