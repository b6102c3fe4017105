/* Copies and fills: where both sides are, and boxes of bytes. */
#ifndef SIM_API_COPY_H
#define SIM_API_COPY_H

#include "sim/api/api_call.h"
#include "sim/device/sim.h"
#include "sim/stream/touched.h"

/* One side of a copy or fill: its role ("destination") for messages, and where it must be. */
struct api_place {
    const char *role;
    uintptr_t address;
    size_t size;      /* bytes from `address` on that will be touched */
    bool must_device; /* the direction says: on the device */
    bool must_host;   /* the direction says: on the host */
    /* filled in by api_resolve */
    bool on_device;
    bool shared; /* with kernels: memory of the device, or pinned, registered or managed memory of the host */
    unsigned char *bytes; /* as the host sees them */
};

/* Finds and checks the bytes behind place->address. */
cudaError_t api_resolve(const struct api_call *call, struct api_place *place);

/* Sets the must_ fields of both for a direction of copying; false for an unknown one. */
bool api_set_direction(enum cudaMemcpyKind kind, struct api_place *to, struct api_place *from);

/*
 * Where only samples of launches are run (sim_config.sample_work), what memory holds hardly matters, and large copies
 * and fills must not cost time: they repeat their first part, in device memory, or copy no more than that, to the host.
 */
#define API_REPEAT_FROM ((size_t)16 << 20)
#define API_REPEATED    ((size_t)1 << 20)
bool api_repeats(size_t size);

/* Every copy is a box, most of them with a single row (api_copy.c). */
struct api_box {
    size_t width, height, depth; /* bytes, rows, slices */
};

struct api_box_side {
    uintptr_t address;
    size_t pitch; /* bytes from row to row */
    size_t slice; /* bytes from slice to slice */
};

/* Moves the bytes of one row, and what is known of them. */
void api_copy_row(const struct api_place *to, size_t to_offset, const struct api_place *from,
                  size_t from_offset, size_t width);
/* The same for a fill (api_fill.c). */
void api_fill_row(const struct api_place *to, size_t offset, int value, size_t width);

/* Bytes from the first to behind the last that the box touches; SIZE_MAX where they cannot be counted. */
size_t api_box_span(const struct api_box *box, const struct api_box_side *side);

/* Whether the host waits for a copy. */
enum api_copy_way {
    API_COPY_WAITS,    /* cudaMemcpy and the like */
    API_COPY_ASYNC,    /* …Async */
    API_COPY_OF_GRAPH, /* a node of a graph: never, not even for pageable memory */
};

cudaError_t api_copy_box(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *to_side, const struct api_box_side *from_side,
                         enum cudaMemcpyKind kind, cudaStream_t stream, enum api_copy_way way);

/* A box of one row. */
cudaError_t api_copy_bytes(const struct api_call *call, uintptr_t to, uintptr_t from, size_t size,
                           enum cudaMemcpyKind kind, cudaStream_t stream, enum api_copy_way way);

/* At once, as a part of the work that is being done. */
cudaError_t api_copy_now(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *to_side, const struct api_box_side *from_side,
                         struct CUstream_st *stream);
cudaError_t api_fill_now(const struct api_call *call, const struct api_box *box,
                         const struct api_box_side *side, int value, struct CUstream_st *stream);

/* These bytes have just come from the device to the host: see changed_read in struct sim_config. */
void api_change_read(unsigned char *bytes, size_t count);

/* Notes which bytes one side of the work's box touches. */
struct api_work;
void api_touch_box(const struct api_work *work, const struct api_place *place,
                   const struct api_box_side *side, enum touch_kind kind);

/* Where a copy of three dimensions begins in pitched memory. */
struct api_box_side api_side_3d(const struct cudaPitchedPtr *memory, const struct cudaPos *position);

#endif
