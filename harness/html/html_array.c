/* The pictures of arrays: what each block, warp and thread touches of them. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/html/html.h"
#include "harness/judge/compare.h"
#include "picture/picture.h"

/* ---- blocks over an array -------------------------------------------------------------------------------- */

#define MOST_ELEMENTS 4096

/* What a block touched of a buffer. */
struct touched {
    bool element[MOST_ELEMENTS];
};

static void mark(const struct html_case *of, int buffer, const struct protocol_lanes *lanes,
                 struct touched *touched)
{
    const uint64_t width = lab_type_size(of->buffer[buffer].type);
    for (int lane = 0; lane < PICTURE_LANES; lane++)
        for (uint64_t byte = 0; (lanes->lanes >> lane & 1) && byte < lanes->size; byte += width) {
            const uint64_t at = (lanes->address[lane] + byte - of->address[buffer]) / width;
            if (at < (uint64_t)of->buffer[buffer].count)
                touched->element[at] = true;
        }
}

/* False: there are gaps in it. */
static bool range_of(const struct touched *touched, int elements, struct picture_range *range)
{
    *range = (struct picture_range){0};
    for (int i = 0; i < elements; i++)
        if (touched->element[i]) {
            range->first = range->count == 0 ? i : range->first;
            range->last = i;
            range->count++;
        }
    return range->count == 0 || range->last - range->first + 1 == range->count;
}

static bool take_range(const struct html_case *of, const struct protocol_trace *trace, int buffer, int block,
                       struct picture_range *range)
{
    static struct touched touched;
    memset(&touched, 0, sizeof touched);
    for (uint32_t i = 0; i < trace->count; i++)
        if ((int)trace->step[i].lanes.first.block[0] == block)
            mark(of, buffer, &trace->step[i].lanes, &touched);
    return range_of(&touched, (int)of->buffer[buffer].count, range);
}

/* The first buffer of the role that has more than one element and that can be drawn; -1: none. */
static int first_array(const struct html_case *of, enum lab_role role)
{
    for (int i = 0; i < of->buffer_count; i++)
        if (of->buffer[i].role == role && !of->buffer[i].on_host && of->buffer[i].count > PICTURE_LANES &&
            of->buffer[i].count <= MOST_ELEMENTS)
            return i;
    return -1;
}

static int count_blocks(const struct protocol_trace *trace)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        const uint32_t *block = trace->step[i].lanes.first.block;
        if (block[1] || block[2])
            return 0;
        blocks = block[0] >= blocks ? block[0] + 1 : blocks;
    }
    return blocks <= PICTURE_BLOCKS ? (int)blocks : 0;
}

static bool take_reach(const struct html_case *of, struct picture_reach *reach)
{
    const int from = first_array(of, LAB_IN), to = first_array(of, LAB_OUT);
    bool dense = from >= 0 && to >= 0 && html_is_whole(&of->loads) && html_is_whole(&of->stores);
    if (!dense)
        return false;
    const int64_t in = of->buffer[from].count, out = of->buffer[to].count;
    *reach = (struct picture_reach){.blocks = count_blocks(&of->stores), .elements = in > out ? in : out};
    text_set(reach->from, sizeof reach->from, "%s", of->buffer[from].name);
    text_set(reach->to, sizeof reach->to, "%s", of->buffer[to].name);
    for (int block = 0; block < reach->blocks && dense; block++)
        dense = take_range(of, &of->loads, from, block, &reach->loaded[block]) &&
                take_range(of, &of->stores, to, block, &reach->stored[block]);
    return dense && reach->blocks > 1;
}

static void write_reach(const struct html_page *page, const struct html_case *of)
{
    struct picture_reach reach;
    char told[160];
    if (!take_reach(of, &reach))
        return;
    text_set(told, sizeof told, "%d blocks; the first two load %d elements both", reach.blocks,
             picture_overlap(&reach, 0));
    html_figure_begin(page, "What each block loads and stores", "reach");
    picture_reach(page->out, &reach, told);
    text_set(told, sizeof told, "Two neighboring blocks load %d element%s both.", picture_overlap(&reach, 0),
             picture_overlap(&reach, 0) == 1 ? "" : "s");
    html_figure_end(page, told);
}

/* ---- matrices -------------------------------------------------------------------------------------------- */

#define MOST_MATRICES 3
#define THREAD        5 /* of the warp: neither its first nor its last */

/* A square, or rows of 32; 0: too much or too little to draw. */
static int columns_of(const struct lab_buffer *buffer)
{
    if (buffer->on_host || buffer->count <= PICTURE_LANES || buffer->count > PICTURE_MATRIX)
        return 0;
    for (int side = 16; side * side <= PICTURE_MATRIX; side++)
        if ((int64_t)side * side == buffer->count)
            return side;
    return PICTURE_LANES;
}

/* Where the accesses to an array lie: in a buffer, or from word 0 of shared memory on. */
struct place {
    const struct protocol_trace *trace;
    bool is_shared, stores;
    uint64_t base, width, count;
};

static bool is_meant(const struct place *place, const struct protocol_step_done *step)
{
    const struct protocol_lanes *lanes = &step->lanes;
    return step->what == PROTOCOL_ACCESS && lanes->is_shared == place->is_shared &&
           (place->stores ? lanes->is_store : !lanes->is_store || lanes->is_atomic);
}

static void mark_lane(const struct place *place, const struct protocol_lanes *lanes, int lane,
                      unsigned char by, struct picture_matrix *matrix)
{
    for (uint64_t byte = 0; byte < lanes->size; byte += place->width) {
        const uint64_t at = (lanes->address[lane] + byte - place->base) / place->width;
        if (lanes->address[lane] >= place->base && at < place->count && matrix->by[at] < by)
            matrix->by[at] = by;
    }
}

/* `mine`: the first thread of the warp. */
static void touch(const struct place *place, const struct protocol_thread *mine,
                  struct picture_matrix *matrix)
{
    for (uint32_t i = 0; i < place->trace->count; i++) {
        const struct protocol_lanes *lanes = &place->trace->step[i].lanes;
        const bool warp = lanes->first.thread[0] == mine->thread[0];
        if (!is_meant(place, &place->trace->step[i]) ||
            memcmp(lanes->first.block, mine->block, sizeof mine->block) != 0)
            continue;
        for (int lane = 0; lane < PICTURE_LANES; lane++)
            if (lanes->lanes >> lane & 1)
                mark_lane(place, lanes, lane,
                          !warp            ? PICTURE_BY_BLOCK
                          : lane == THREAD ? PICTURE_BY_THREAD
                                           : PICTURE_BY_WARP,
                          matrix);
    }
}

static void start_matrix(struct picture_matrix *matrix, const char *name, int columns, uint64_t count)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->columns = columns;
    matrix->count = (int)count;
    text_set(matrix->name, sizeof matrix->name, "%s", name);
}

/* The words of shared memory in rows of 32, one per bank. */
static int take_shared(const struct html_case *of, bool stores, struct picture_matrix *matrix)
{
    struct place place = {.trace = &of->block, .is_shared = true, .stores = stores, .width = 4};
    uint64_t first = UINT64_MAX, end = 0;
    for (uint32_t i = 0; i < of->block.count; i++)
        for (int lane = 0; lane < PICTURE_LANES && is_meant(&place, &of->block.step[i]); lane++) {
            const struct protocol_lanes *lanes = &of->block.step[i].lanes;
            if (!(lanes->lanes >> lane & 1))
                continue;
            first = lanes->address[lane] < first ? lanes->address[lane] : first;
            end = lanes->address[lane] + lanes->size > end ? lanes->address[lane] + lanes->size : end;
        }
    place.base = first / 128 * 128;
    place.count = end > first ? (end - place.base + 3) / 4 : 0;
    if (place.count <= PICTURE_LANES || place.count > PICTURE_MATRIX)
        return 0;
    start_matrix(matrix, stores ? "shared: stored" : "shared: loaded", PICTURE_BANKS, place.count);
    matrix->is_shared = true;
    touch(&place, &of->warp.step[0].lanes.first, matrix);
    return 1;
}

static int take_buffers(const struct html_case *of, bool stores, bool each,
                        struct picture_matrix matrices[MOST_MATRICES])
{
    int count = 0;
    for (int i = 0; i < of->buffer_count && count < MOST_MATRICES; i++) {
        const struct lab_buffer *buffer = &of->buffer[i];
        const struct place place = {each     ? &of->block
                                    : stores ? &of->stores
                                             : &of->loads,
                                    false,
                                    stores,
                                    of->address[i],
                                    lab_type_size(buffer->type),
                                    (uint64_t)buffer->count};
        if ((buffer->role == LAB_OUT) != stores || columns_of(buffer) == 0)
            continue;
        start_matrix(&matrices[count], buffer->name, columns_of(buffer), place.count);
        touch(&place, &of->warp.step[0].lanes.first, &matrices[count]);
        count++;
    }
    return count;
}

/* What is read, what goes through shared memory, what is stored. */
static int take_matrices(const struct html_case *of, struct picture_matrix matrices[PICTURE_MATRICES])
{
    const bool each = html_is_each(&of->block),
               whole = of->loads.all == of->loads.count && html_is_whole(&of->stores);
    if (of->warp.count == 0 || (!each && !whole))
        return 0;
    int count = take_buffers(of, false, each, matrices);
    for (int stores = 1; stores >= 0 && each; stores--)
        count += take_shared(of, stores, &matrices[count]);
    return count + take_buffers(of, true, each, &matrices[count]);
}

static void write_matrices(const struct html_page *page, const struct html_case *of)
{
    struct picture_matrix *matrices = calloc(PICTURE_MATRICES, sizeof *matrices);
    const int count = matrices ? take_matrices(of, matrices) : 0;
    char told[160], warp[96];
    if (count > 0) {
        html_name_warp(&of->warp.step[0].lanes.first, warp, sizeof warp);
        text_set(told, sizeof told, "Elements that a thread, its warp (%s) and its block touch", warp);
        html_figure_begin(page, "What a thread, its warp and its block touch", "matrices");
        picture_matrices(page->out, matrices, count, told);
        html_figure_end(page, told);
    }
    free(matrices);
}

void html_array_write(const struct html_page *page, const struct html_case *of)
{
    write_reach(page, of);
    write_matrices(page, of);
}
