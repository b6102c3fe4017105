/*
 * What the program did that need not be wrong, but explains wrong results: remarks, for a host that asks for them
 * (struct sim_remark). They cost nothing but in calls that they are about.
 */
#ifndef SIM_API_REMARKS_H
#define SIM_API_REMARKS_H

#include "sim/api/api_call.h"
#include "sim/device/sim.h"

#define API_REMARKS_MAX 8
#define API_NOTES_MAX   2
#define API_PIECES_MAX  8

struct api_remarks {
    struct sim_remark list[API_REMARKS_MAX];
    int count;
    struct sim_remark *last;    /* that was added; NULL: it found no room */
    struct sim_remark made;     /* the first cudaMalloc since the reset; line 0: none */
    unsigned copies_to_host;    /* since then */
    bool launches;              /* since then */
    struct sim_remark late;     /* the first memory that was filled after the last launch; line 0: none … */
    sim_addr late_to;           /* … and where it is; 0: a variable */
    struct sim_remark launched; /* of a kernel that stopped: where it was launched; line 0: none did */
    struct sim_remark notes[API_NOTES_MAX];
    int note_count;
    struct sim_remark
        waited;          /* the last call that waits, with nothing but launches before it; line 0: none */
    struct api_fetched { /* what was copied to the host last */
        const void *to;  /* NULL: nothing */
        sim_addr from;
        size_t size;
        struct sim_remark place;
    } fetched;
    struct api_pieces {      /* an array that is copied in several calls */
        sim_addr array;      /* 0: none */
        uint64_t bytes;      /* in all of these calls */
        const void *source;  /* on the host, of the first one; NULL: on the device */
        uint64_t content;    /* … what stood there: the first bytes, at most eight */
        int count;           /* calls */
        bool same;           /* all of them from there, with the same content, which is not 0 */
        bool is_remarked_on; /* by the remark at `remark` */
        int remark;
    } pieces[API_PIECES_MAX];
};

/* A call failed, for this reason. */
void api_remark_failed(const struct api_call *call, const char *why);
/* What is known of the last one as data: see struct sim_remark. */
void api_remark_detail(enum sim_remark_detail detail, const char *name);
/* Memory was allocated. */
void api_remark_made(const struct api_call *call);
/* A launch's kernel stopped. */
void api_remark_stopped(void);
/*
 * `size` bytes at these addresses (0: none on this side) are copied or filled. Remarked on if that is the number of an
 * array's elements, or the size of a pointer.
 */
void api_remark_size(const struct api_call *call, sim_addr to, sim_addr from, size_t size);
/*
 * `size` bytes of the array at this address of the device are copied, from this address of the host (NULL: not from there). If
 * that and earlier calls make up the whole array, it was copied in pieces, and no size was wrong; but a source that stays the
 * same is remarked on.
 */
void api_remark_piece(const struct api_call *call, sim_addr address, const void *source, size_t size);
/* A fill with this value, of no bytes at all. */
void api_remark_no_bytes(const struct api_call *call, int value);
/* Nothing at all is copied, perhaps to the host. */
void api_remark_empty(const struct api_call *call);
/* A kernel is launched. */
void api_remark_launch(void);
/* A kernel is launched with blocks of a shape that it is not written for. */
void api_remark_shape(const struct api_call *call, const struct sim_launch *launch);
/* `size` bytes are copied to the device from there. */
void api_remark_pointer(const struct api_call *call, const void *from, size_t size);
/* Whether there is a pointer to device memory at this address of the host. */
bool api_holds_device_pointer(const void *address);
/* A variable of the device is filled by the host's call. */
void api_remark_symbol(const struct api_call *call, const char *name);
/* Memory of the device is copied to from the host, or set. */
void api_remark_filled(const struct api_call *call, sim_addr to, bool copied);
/* `size` bytes are to arrive on the host there. */
void api_remark_to_host(const struct api_call *call, const void *to, sim_addr from, size_t size);
/* The host waits for the device. */
void api_remark_wait(const struct api_call *call);
/* `size` bytes are copied from there to the device. */
void api_note_from_host(const struct api_call *call, const void *from, size_t size);
/* A kernel is launched with so many bytes of dynamic shared memory. */
void api_note_dynamic(const struct api_call *call, const struct sim_kernel *kernel, const char *name,
                      size_t size);

#endif
