/* Where the right factor was when the wrong one was read. */
#pragma once

#include "sim/origin/origin_terms.h"

/* `first`: the replay from which the terms are. False: it is not known. */
bool origin_where(struct origin_log *log, const struct replay *first, const struct terms *terms,
                  const struct term_wrong *wrong, struct sim_origin_bisect *out);
