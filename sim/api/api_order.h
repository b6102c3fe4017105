/* What to say about work that nothing orders (api_order.c), for those who file such hazards. */
#ifndef SIM_API_ORDER_H
#define SIM_API_ORDER_H

#include "sim/api/api_queue.h"
#include "sim/core/report.h"

/* A place in the program's own code: `file` is "" if it is not known. */
struct api_source {
    char file[64];
    int line;
};

/* Those that were looked up last. */
#define API_SOURCES 64

struct api_sources {
    struct {
        const void *caller;
        struct api_source source;
    } list[API_SOURCES];
    unsigned next;
};

/* The line of the call that returns to `caller`; looked up once for each place. */
struct api_source api_source_of(const void *caller);
struct api_source api_source_of_call(const struct api_call *call);
struct api_source api_source_of_work(const struct api_work *work);
/* "the kernel scale (launched in main.cu:30, default stream)" or "cudaMemcpyAsync (main.cu:33, stream 4)". */
void api_describe_work(const struct api_work *work, const struct api_source *source, char *text, size_t size);
/* "d_x", "the allocation of main.cu:12" or "the unnamed allocation number 3" (text/allocation_name.h). */
void api_allocation_name(const struct sim_allocation *allocation, char *text, size_t size);
/* "bytes 0 to 3 of d_x": what lies there. */
void api_describe_bytes(uint64_t address, uint64_t bytes, char *text, size_t size);
/* The work's place for a report; its file's name belongs to `source`. */
struct sim_hazard_place api_place_of(const struct api_source *source, bool is_write);

#endif
