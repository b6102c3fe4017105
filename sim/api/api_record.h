/*
 * What is done with the device of this process, written to a pipe, so that another process does the same with a device of
 * its own: api_follow.c. There the student's code does not run, and so nothing of what is found can be forged.
 *
 * A record is a head and `bytes` bytes behind it. Addresses are those of the process that writes; both devices hand out the
 * same addresses in the same order.
 */
#ifndef SIM_API_RECORD_H
#define SIM_API_RECORD_H

#include "sim/api/api_call.h"
#include "sim/device/sim.h"

#define RECORD_MAGIC 0x52444c41u
#define RECORD_MOST  ((uint32_t)1 << 20) /* bytes behind a head */

enum record_kind {
    RECORD_PROGRAM =
        1,       /* a: how far from its own addresses the program was loaded; b: where device memory begins */
    RECORD_LOAD, /* a module; a: where the container of its code lies, in the program's own addresses */
    RECORD_UNLOAD,     /* all modules */
    RECORD_ALLOCATE,   /* a: address; b: bytes */
    RECORD_FREE,       /* a: address */
    RECORD_ADOPT,      /* memory of the host that kernels may touch; a: address; b: bytes */
    RECORD_NAME,       /* a: address; behind: the name */
    RECORD_WRITE,      /* a: address; behind: the bytes */
    RECORD_WRITE_FROM, /* the same from one of the call's host buffers; a: address; b: of the host; c: bytes */
    RECORD_FILL,       /* a: address; b: bytes; c: the byte */
    RECORD_REPEAT,     /* a: address; b: bytes; behind: the pattern */
    RECORD_MOVE,       /* a: to; b: from; c: bytes; both on the device */
    RECORD_READ,       /* to the host; a: to; b: from; c: bytes */
    RECORD_COPIED,  /* what was written, moved or read since the last one was one copy; a: enum record_copy */
    RECORD_TEXTURE, /* a: the handle; behind: struct texture */
    RECORD_NO_TEXTURE, /* a: the handle */
    RECORD_LAUNCH,     /* behind: struct record_launch, the kernel's name, its arguments */
    RECORD_MARK,       /* a: enum sim_mark_kind; b: its number; behind: addresses */
};

enum record_copy { RECORD_TO_DEVICE = 1, RECORD_FROM_DEVICE = 2, RECORD_WAS_FILL = 4 };

struct record_head {
    uint32_t magic, kind;
    uint32_t bytes, reserved;
    uint64_t a, b, c;
    uint64_t caller, outer; /* of the call, in the program's own addresses; 0: not known */
};

struct record_launch {
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared, printf_limit, heap_limit, stack_limit;
    uint32_t cooperative, name_bytes, argument_bytes;
    uint32_t cluster; /* blocks across, down and deep, 8 bits each */
};

/* Each does nothing where nothing is recorded, or in work that kernels queued: that is a part of their launch. */
void api_record(enum record_kind kind, uint64_t a, uint64_t b, uint64_t c);
void api_record_made(enum record_kind kind, uint64_t a, uint64_t b, const struct api_call *call);
void api_record_bytes(enum record_kind kind, uint64_t a, uint64_t b, const void *bytes, size_t count);
void api_record_load(const void *image);
void api_record_adopt(const void *start, size_t size, const void *caller);
/* One row of a copy; then, of the whole copy or fill, which enum record_copy it was. */
struct api_place;
void api_record_write(uint64_t address, const void *bytes, size_t count);
void api_record_row(const struct api_place *to, size_t to_offset, const struct api_place *from,
                    size_t from_offset, size_t width);
void api_record_copied(unsigned copy);
/* Before a launch, and after it: what kernels have done to memory of the host is known to both. */
struct api_work;
void api_record_launch(const struct api_work *work);
void api_record_launched(void);

#endif
