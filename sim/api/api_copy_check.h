/* Copies of bytes that were never written. */
#ifndef SIM_API_COPY_CHECK_H
#define SIM_API_COPY_CHECK_H

#include "sim/api/api_queue.h"

/*
 * Files a hazard if the copy brings bytes to the host that no kernel, copy or fill has written. Holes as the padding
 * of structures makes them are let pass: shorter than 16 bytes, not half of all, and repeated at least every 256
 * bytes or in a copy below 1 KiB.
 */
void api_check_written(const struct api_work *work);

/* Inside the device: of [to, to + size) counts as written what is so of the source. */
void api_pass_written(uint64_t to, uint64_t from, size_t size);

#endif
