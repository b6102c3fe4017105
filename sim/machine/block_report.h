/* What to say about a block whose threads do not meet at its barriers. */
#ifndef SIM_BLOCK_REPORT_H
#define SIM_BLOCK_REPORT_H

#include "sim/machine/block.h"

/* A barrier is about to complete: files a hazard if its threads came from different places, or some had
 * ended. */
void block_report_barrier(struct block *block, unsigned number);
/* No thread of the block can run: sets the block's fault and files a hazard. */
void block_report_deadlock(struct block *block);

#endif
