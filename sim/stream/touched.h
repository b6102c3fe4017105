/*
 * The bytes of global memory that one operation of a stream has touched: a copy, a fill, a kernel. Of two operations
 * that nothing orders, it tells which bytes both touch and at least one writes.
 *
 * Strong accesses (atomics; volatile, relaxed, acquire and release) are no conflict with each other if their scope is the
 * device or the system: kernels that run at the same time may talk to each other by them, and with the host by those of
 * system scope. PTX ISA, "Memory Consistency Model", "Morally strong operations".
 */
#pragma once

#include "sim/core/access.h"

enum touch_kind {
    TOUCH_READ,
    TOUCH_WRITE,
    TOUCH_STRONG_READ,
    TOUCH_STRONG_WRITE,
    TOUCH_SYSTEM_READ, /* strong, and the host is in their scope */
    TOUCH_SYSTEM_WRITE,
    TOUCH_KINDS
};

struct touched_bytes;

/* Empty; ends the process where the host is out of memory (core/need.h). */
struct touched_bytes *touched_create(void);
void touched_destroy(struct touched_bytes *set); /* NULL: nothing */

/* The bytes [first, first + size). */
void touched_add(struct touched_bytes *set, enum touch_kind kind, uint64_t first, uint64_t size);
/* A warp's access to global memory, checked already; scope 0 block, 1 device, 2 system. By the machine, for sim->touched. */
void touched_access(struct touched_bytes *set, const struct access *access, int scope);
/* A thread of the kernel fences; the scope as above. */
void touched_fence(struct touched_bytes *set, int scope);
/* Whether the kernel writes words for the host to see, but has had no fence and no release of system scope. */
bool touched_lacks_host_fence(const struct touched_bytes *set);
/* Nothing more will be added: takes less memory from now on. */
void touched_close(struct touched_bytes *set);

struct touched_conflict {
    uint64_t address; /* the lowest byte that both touch */
    uint64_t bytes;   /* how many in a row from there on */
    bool here_writes, there_writes;
};

/* Whether the two are in each other's way, and where. */
bool touched_meet(const struct touched_bytes *here, const struct touched_bytes *there,
                  struct touched_conflict *out);
/*
 * Whether two kernels may order their accesses themselves: both fence, acquire or release, and one writes strongly
 * what the other one looks at strongly. What they hand over that way is not in each other's way.
 */
bool touched_talk(const struct touched_bytes *here, const struct touched_bytes *there);
/*
 * touched_meet for one access of the host to one byte; whether that is a strong one is not known. If the set's
 * accesses there are strong ones of system scope, the two may be talking to each other: no conflict; and *talk is set
 * if the set writes, and fences for the host: what the host does later comes after that.
 */
bool touched_meets_byte(const struct touched_bytes *set, uint64_t address, bool is_write, bool *set_writes,
                        bool *talk);
