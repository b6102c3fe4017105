#include "sim/api/api_copy_check.h"
#include "sim/api/api_state.h"
#include "sim/core/device.h"
#include "sim/hazard/watch.h"
#include "sim/memory/memory.h"

#define PADDING_MAX  16   /* bytes of a hole that may be padding */
#define PADDING_EACH 256  /* at least one in so many bytes … */
#define SMALL_COPY   1024 /* … but in one structure */

struct holes {
    size_t count, bytes, largest;
    size_t of;       /* bytes that are copied */
    uint64_t first;  /* address of the first one … */
    uint64_t length; /* … and its bytes */
};

/* The first byte from `first` on that was written; `end` if there is none. */
static size_t next_written(const struct allocation *a, size_t first, size_t end)
{
    while (first < end) {
        const uint64_t rest = a->written.bits[first / 64] >> first % 64;
        if (rest != 0) {
            first += (size_t)__builtin_ctzll(rest);
            return first < end ? first : end;
        }
        first += 64 - first % 64;
    }
    return end;
}

static void find_holes(struct holes *holes, uint64_t address, size_t size)
{
    const struct allocation *a = memory_at(api.sim->memory, address);
    size_t first = a ? (size_t)(address - a->info.address) : 0, end = first + size, missing;
    holes->of += size;
    while (a && first < end && !written_test(a, first, end - first, &missing)) {
        const size_t length = next_written(a, missing, end) - missing;
        if (holes->count++ == 0) {
            holes->first = a->info.address + missing;
            holes->length = length;
        }
        holes->bytes += length;
        holes->largest = length > holes->largest ? length : holes->largest;
        first = missing + length;
    }
}

static bool may_be_padding(const struct holes *holes)
{
    return holes->largest < PADDING_MAX && 2 * holes->bytes < holes->of &&
           (holes->of < SMALL_COPY || holes->of / holes->count <= PADDING_EACH);
}

static void report(const struct api_work *work, const struct holes *holes)
{
    const struct api_source here = api_source_of_work(work);
    char what[192];
    struct sim_hazard hazard = {.class = SIM_HAZARD_UNINITIALIZED,
                                .kernel = "",
                                .here = api_place_of(&here, false),
                                .address = holes->first};
    api_describe_work(work, &here, what, sizeof what);
    api_describe_bytes(holes->first, holes->length, hazard.object, sizeof hazard.object);
    snprintf(
        hazard.message, sizeof hazard.message,
        "%s copies bytes to the host that were never written: %s; in all %zu of the %zu bytes copied. No kernel, copy "
        "or cudaMemset wrote them before.%s",
        what, hazard.object, holes->bytes, holes->of,
        holes->bytes < holes->of
            ? " Sizes are in bytes: does the kernel, or the copy to the device, reach the end?"
            : "");
    hazard_file(api.sim, &hazard);
}

void api_check_written(const struct api_work *work)
{
    struct holes holes = {0};
    if (!work->from.on_device || work->to.on_device || !api.reports || !sim_config(api.sim)->hazards ||
        sim_config(api.sim)->sample_work > 0)
        return;
    for (size_t z = 0; z < work->box.depth; z++)
        for (size_t y = 0; y < work->box.height; y++)
            find_holes(&holes, work->from.address + z * work->from_side.slice + y * work->from_side.pitch,
                       work->box.width);
    if (holes.count > 0 && !may_be_padding(&holes))
        report(work, &holes);
}

void api_pass_written(uint64_t to, uint64_t from, size_t size)
{
    const struct allocation *a = memory_at(api.sim->memory, from);
    size_t first = a ? (size_t)(from - a->info.address) : 0, end = first + size, missing;
    const size_t begin = first;
    while (a && first < end) {
        if (written_test(a, first, end - first, &missing))
            missing = end;
        if (missing > first)
            sim_mem_mark_written(api.sim, to + (first - begin), missing - first);
        first = missing < end ? next_written(a, missing, end) : end;
    }
}
