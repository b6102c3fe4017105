/*
 * Device addresses lie in a reserved range that the host cannot touch: host code that follows a
 * device pointer faults, as on a real machine. The bytes behind an address are mapped elsewhere;
 * sim_mem_host gives them. Allocations are aligned to 256 bytes and separated by unmapped gaps of
 * at least 64 KB, so that an index that is far too large does not land in a neighbor. Fresh memory holds
 * 0xA5 bytes and counts as uninitialized until the host or a kernel writes it. A large allocation takes the
 * host's memory only as far as it is used.
 */
#pragma once

#include "sim/core/types.h"

sim_addr sim_mem_alloc(struct sim *sim, size_t size, const void *caller); /* 0: out of memory */
bool sim_mem_free(struct sim *sim, sim_addr address); /* false: not the start of a live one */
/* A kernel has made the allocation at this line. */
void sim_mem_made_at(struct sim *sim, sim_addr address, const char *file, int line);
/* The call that made the allocation may have been made by a wrapper, which returns to `outer`. */
void sim_mem_called_from(struct sim *sim, sim_addr address, const void *outer);
/* The same for the call that freed it. */
void sim_mem_freed_from(struct sim *sim, sim_addr address, const char *call, const void *caller,
                        const void *outer);
void sim_mem_name(struct sim *sim, sim_addr address, const char *name);
/* The live (or, failing that, freed) allocation that holds `address` or lies nearest below it. */
const struct sim_allocation *sim_mem_find(const struct sim *sim, sim_addr address);
/* Host view of [address, address + size) if all of it is one live allocation, else NULL. */
void *sim_mem_host(struct sim *sim, sim_addr address, size_t size);
bool sim_mem_is_device(const struct sim *sim, const void *pointer); /* inside the reserved range? */
/*
 * Makes [host, host + size) of the host's own memory an allocation whose device address is the host
 * address: managed, pinned and registered memory. The caller keeps the bytes, which count as
 * written; sim_mem_free only forgets the range. 0 if it overlaps another allocation.
 */
sim_addr sim_mem_adopt(struct sim *sim, void *host, size_t size, const void *caller);
/* Of the adopted memory that begins there: kernels reach it over the bus, as pinned memory. */
void sim_mem_over_bus(struct sim *sim, sim_addr address);
/*
 * Fills the range with the `period` bytes of the pattern, again and again, as if the host had written it; where
 * the period is a multiple of the host's page size, it takes address space and hardly any memory. False: not a
 * part of one live allocation of device memory.
 */
bool sim_mem_repeat(struct sim *sim, sim_addr address, size_t size, const void *pattern, size_t period);
/* Marks bytes as written (host copies in, memset). */
void sim_mem_mark_written(struct sim *sim, sim_addr address, size_t size);
/* A copy has read from the device's memory; `to` may be the host's. */
void sim_mem_copied(struct sim *sim, sim_addr to, sim_addr from, size_t size);
/*
 * Bytes of the allocation that launches and copies have read, or that launches have stored there or where they were copied
 * from, since the last reset: each once in
 * a launch, and of a launch of which a sample was run, as many as all its blocks would at most. Launches that are not counted
 * are left out.
 */
uint64_t sim_mem_moved_bytes(const struct sim *sim, sim_addr address, bool is_write);
void sim_mem_moved_reset(struct sim *sim);
/*
 * Which sectors of 32 bytes of the allocation the last launch that read there has read, of a sample those of its blocks: bit k is
 * sector 64 * word + k. 0: none, or the launch was not counted.
 */
uint64_t sim_mem_sectors_read(const struct sim *sim, sim_addr address, size_t word);
/* The allocation that begins there counts as uninitialized again, whatever it holds. */
void sim_mem_mark_fresh(struct sim *sim, sim_addr address);
/*
 * What to call the live allocation that was made last: its name, or "the allocation of main.cu:12". Returns by which call it was
 * made, sim_allocation.caller; NULL: there is none, or that is not known.
 */
const void *sim_mem_name_newest(const struct sim *sim, char *text, size_t size);
void sim_mem_usage(const struct sim *sim, size_t *live_bytes, size_t *peak_bytes, int *live_count);
