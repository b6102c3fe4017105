/* What to say about a block whose threads do not meet at its barriers. */
#pragma once

#include "sim/machine/block.h"
#include "sim/machine/bypass.h"

/* A barrier is about to complete: files a hazard if its threads came from different places, or some had
 * ended. */
void block_report_barrier(struct block *block, unsigned number);
/* No thread of the block can run: sets the block's fault and files a hazard. */
void block_report_deadlock(struct block *block);

/* ---- between block_report.c, block_deadlock.c and endless.c --------------------------------------------- */

/* "reduce.cu:12" or "PTX line 80". */
void block_name_place(const struct block *block, const struct micro *op, char *text, size_t size);
/* Threads that wait at the operation. */
unsigned block_threads_at(const struct block *block, const struct micro *op);
/* Who waits at `here`, who elsewhere, who has ended. */
void block_attend(const struct block *block, const struct micro *here, struct sim_attendance *attendance);
/* bypass_find in the block. */
struct bypass block_bypass(struct block *block, const struct group *at, const struct group *to);
/* "The condition at x.cu:12 decides which threads come there. ", or nothing. */
void block_name_condition(const struct block *block, const struct bypass *bypass, char *text, size_t size);
