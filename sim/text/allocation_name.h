/* What to call an allocation in a message. */
#pragma once

#include "sim/core/types.h"

struct known_places; /* the lines that were looked up: reports come in dozens, places do not */

struct known_places *known_places_create(void); /* NULL: out of memory */
void known_places_destroy(struct known_places *places);

/*
 * Its name; else where it was made, "the allocation of main.cu:12", if the program carries line information;
 * else "the unnamed allocation number 3". Looks the line up once for each place (source_line.h).
 */
void allocation_name(struct known_places *places, const struct sim_allocation *allocation, char *text,
                     size_t size);
