/* tests/hazards/pending: what is not as it should be yet. */
#pragma once

#include <stdbool.h>

/* Whether the list, read from the root of the repository, has a line "SET/NAME". */
bool hazard_is_pending(const char *set, const char *name);
