/*
 * Undefined registers, while a kernel runs that may have some and hazards are looked for: sim/core/undefined.h.
 * Results are the same with and without.
 */
#pragma once

#include "sim/core/undefined.h"
#include "sim/machine/warp.h"

/* The warp's; NULL: out of memory, and then nothing is found. */
struct undefined_lanes *undefined_create(const struct undefined_code *code);
void undefined_destroy(struct undefined_lanes *lanes);
/* A block begins: no register has a value. */
void undefined_start(struct undefined_lanes *lanes, const struct undefined_code *code);
/*
 * The operation, an integer division, has divided by 0 for these lanes: from now on the warp follows its registers, if it
 * does not yet.
 */
enum step undefined_divided(struct warp *warp, const struct micro *op, uint32_t lanes);
/* The load has found something without a value, view.loaded: from now on the warp follows its registers. */
void undefined_found(struct warp *warp, int pc);
/* The lanes have got the first source of the shuffle from these lanes. */
void undefined_shuffle(struct warp *warp, const struct micro *op, uint32_t lanes, const uint8_t *sources);
/* Whether the warp follows what its lane gets from the shuffle, or can begin to. */
bool undefined_follows_shuffle(const struct warp *warp, const struct micro *op, int lane);
/* The lanes have got nothing from the shuffle; from now on the warp follows its registers. */
void undefined_lost(struct warp *warp, const struct micro *op, uint32_t lanes);
