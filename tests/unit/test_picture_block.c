/* Pictures of many warps: what is drawn where, and that mistakes show in them. */

#include "picture/picture.h"
#include "test.h"

#define EVENTS 200

struct made {
    struct picture_event event[EVENTS];
    uint64_t address[EVENTS][32];
    int count;
};

/* The warp's lanes access word `first` + their thread's number in the block. */
static void add(struct made *m, int warp, enum picture_doing what, uint32_t lanes, uint64_t first)
{
    assert_true(m->count < EVENTS);
    for (uint64_t lane = 0; lane < 32; lane++)
        m->address[m->count][lane] = 4 * (first + (uint64_t)warp * 32 + lane);
    m->event[m->count] = (struct picture_event){warp, 10 + (int)what, what, lanes, 4, m->address[m->count]};
    m->count++;
}

static void add_barrier(struct made *m, int warps)
{
    for (int warp = 0; warp < warps; warp++)
        add(m, warp, PICTURE_BARRIER, UINT32_MAX, 0);
}

/* 64 threads add 64 words by halves; `missing`: the step without a barrier behind it; -1: none. */
static void reduce(struct made *m, int missing)
{
    memset(m, 0, sizeof *m);
    for (int warp = 0; warp < 2; warp++)
        add(m, warp, PICTURE_SHARED_STORE, UINT32_MAX, 0);
    for (int step = 0, offset = 64; offset > 0; step++, offset /= 2) {
        const uint32_t lanes = offset < 32 ? (1u << offset) - 1 : UINT32_MAX;
        if (offset < 64) {
            add(m, 0, PICTURE_SHARED_LOAD, lanes, 0);
            add(m, 0, PICTURE_SHARED_LOAD, lanes, (uint64_t)offset);
            add(m, 0, PICTURE_SHARED_STORE, lanes, 0);
        }
        if (step != missing)
            add_barrier(m, 2);
    }
}

/* ---- a block in time ---- */

TEST(warps_stand_between_their_barriers)
{
    struct made m;
    struct picture_block block;
    reduce(&m, -1);
    picture_lay_block(&block, m.event, m.count);
    assert_int_equal(block.warps, 2);
    assert_int_equal(block.barriers[0], 7);
    assert_int_equal(block.barriers[1], 7);
    assert_int_equal(block.width[0], 1); /* the store */
    assert_int_equal(block.width[1], 2); /* two loads are one span, then the store */
    assert_int_equal(block.span[2].times, 2);
    assert_int_equal(block.span[2].phase, 1);
}

TEST(a_warp_that_leaves_has_no_further_barrier)
{
    struct made m = {.count = 0};
    struct picture_block block;
    add_barrier(&m, 3);
    add_barrier(&m, 2);
    picture_lay_block(&block, m.event, m.count);
    assert_int_equal(block.barriers[1], 2);
    assert_int_equal(block.barriers[2], 1);
}

/* As in grid.sync(): lane 0 of warp 0 waits for other blocks, and comes to the barrier after the other 31. */
TEST(lanes_that_come_one_after_the_other_pass_one_barrier)
{
    struct made m = {.count = 0};
    struct picture_block block;
    add(&m, 0, PICTURE_BARRIER, ~1u, 0);
    add(&m, 1, PICTURE_BARRIER, UINT32_MAX, 0);
    add(&m, 0, PICTURE_LOAD, 1, 0);
    add(&m, 0, PICTURE_BARRIER, 1, 0);
    for (int warp = 0; warp < 2; warp++)
        add(&m, warp, PICTURE_STORE, UINT32_MAX, 0);
    picture_lay_block(&block, m.event, m.count);
    assert_int_equal(block.barriers[0], 1);
    assert_int_equal(block.barriers[1], 1);
    assert_int_equal(block.span[0].phase, 0);
    assert_int_equal(block.span[1].phase, 1);
    assert_int_equal(block.span[1].column, 0);
    assert_int_equal(block.span[2].phase, 1);
}

/* Warp 0 loads what only it needs, then both shuffle: whichever warp was recorded first. */
TEST(what_warps_do_at_one_line_stands_in_one_column)
{
    for (int first = 0; first < 2; first++) {
        struct made m = {.count = 0};
        struct picture_block block;
        for (int i = 0; i < 2; i++) {
            const int warp = i ^ first;
            if (warp == 0)
                add(&m, warp, PICTURE_LOAD, 3, 0);
            add(&m, warp, PICTURE_SHUFFLE, UINT32_MAX, 0);
        }
        picture_lay_block(&block, m.event, m.count);
        assert_int_equal(block.width[0], 2);
        for (int i = 0; i < block.count; i++)
            assert_int_equal(block.span[i].column, block.span[i].what == PICTURE_SHUFFLE);
    }
}

TEST(of_many_warps_those_that_do_the_same_share_a_row)
{
    for (int warps = 8; warps <= 32; warps += 24) {
        struct made m = {.count = 0};
        struct picture_block block;
        for (int warp = 0; warp < warps; warp++)
            add(&m, warp, PICTURE_LOAD, UINT32_MAX, 0);
        add_barrier(&m, warps);
        add(&m, 0, PICTURE_STORE, 1, 0);
        add_barrier(&m, warps - 2);
        picture_lay_block(&block, m.event, m.count);
        assert_int_equal(block.rows, warps == 8 ? 8 : 3);
        assert_int_equal(block.first[1], 1);
        assert_int_equal(block.first[block.rows - 1], warps == 8 ? 7 : 30); /* they have left */
        assert_int_equal(block.row[warps - 2], warps == 8 ? 6 : 2);
    }
}

TEST(a_part_of_a_warp_has_its_number)
{
    struct made m = {.count = 0};
    struct picture_block block;
    char *svg = NULL;
    size_t size = 0;
    add(&m, 0, PICTURE_LOAD, UINT16_MAX, 0);
    add(&m, 0, PICTURE_STORE, ~1u, 0);
    add(&m, 1, PICTURE_LOAD, UINT32_MAX, 0);
    picture_lay_block(&block, m.event, m.count);
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_block(memory, &block, "parts of a warp");
    fclose(memory);
    assert_non_null(strstr(svg, ">16<"));
    assert_non_null(strstr(svg, ">31<"));
    assert_null(strstr(svg, ">32<"));
    free(svg);
}

/* Where rows are too low for numbers, one lane must not look like half of a warp. */
TEST(one_lane_of_many_warps_is_a_narrow_strip)
{
    struct made m = {.count = 0};
    struct picture_block block;
    char *svg = NULL;
    size_t size = 0;
    double idle = 0;
    for (int warp = 0; warp < 32; warp++)
        add(&m, warp, PICTURE_STORE, 1u << warp, 0);
    picture_lay_block(&block, m.event, m.count);
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_block(memory, &block, "one lane each");
    fclose(memory);
    const char *first = strstr(svg, "<path d=\"M");
    assert_non_null(first);
    assert_int_equal(sscanf(strchr(first, 'v'), "v%lf", &idle), 1);
    assert_true(idle > 0.6 * 240 / 32); /* of the row's height */
    free(svg);
}

TEST(too_many_events_stay_inside)
{
    struct picture_block block;
    struct picture_event *events = calloc(2000, sizeof *events);
    assert_non_null(events);
    for (int i = 0; i < 2000; i++)
        events[i] =
            (struct picture_event){i % 3 ? 31 : 77, i, i % 2 ? PICTURE_BARRIER : PICTURE_LOAD, 1, 4, NULL};
    picture_lay_block(&block, events, 2000);
    assert_true(block.count <= PICTURE_SPANS);
    assert_true(block.phases <= PICTURE_PHASES);
    free(events);
}

/* ---- a tree ---- */

TEST(a_sum_by_halves_is_a_tree)
{
    struct made m;
    struct picture_tree tree;
    reduce(&m, -1);
    assert_true(picture_grow_tree(&tree, m.event, m.count));
    assert_int_equal(tree.places, 64);
    assert_int_equal(tree.levels, 7);
    assert_int_equal(tree.count, 2 * 63);
    assert_int_equal(tree.threads[1], 32);
    assert_int_equal(tree.threads[6], 1);
    for (int level = 0; level < 6; level++)
        assert_true(picture_has_barrier(&tree, level));
}

TEST(a_missing_barrier_is_missing)
{
    struct made m;
    struct picture_tree tree;
    reduce(&m, 2);
    assert_true(picture_grow_tree(&tree, m.event, m.count));
    assert_true(picture_has_barrier(&tree, 1));
    assert_false(picture_has_barrier(&tree, 2));
    assert_true(picture_has_barrier(&tree, 3));
}

TEST(a_copy_is_no_tree)
{
    struct made m = {.count = 0};
    struct picture_tree tree;
    add(&m, 0, PICTURE_SHARED_STORE, UINT32_MAX, 0);
    add_barrier(&m, 1);
    add(&m, 0, PICTURE_SHARED_LOAD, UINT32_MAX, 0);
    assert_false(picture_grow_tree(&tree, m.event, m.count));
}

/* ---- shuffles ---- */

/* Down by 16, 8, 4, 2, 1, the third one by `third` instead. */
static void shuffle_down(struct picture_shuffle shuffles[5], int third)
{
    for (int row = 0; row < 5; row++) {
        const int offset = row == 2 ? third : 16 >> row;
        shuffles[row].lanes = UINT32_MAX;
        for (int lane = 0; lane < 32; lane++)
            shuffles[row].source[lane] = (uint8_t)(lane + offset < 32 ? lane + offset : lane);
    }
}

TEST(all_lanes_come_to_lane_0)
{
    struct picture_shuffle shuffles[5];
    uint32_t cone[PICTURE_SHUFFLES + 1];
    shuffle_down(shuffles, 4);
    assert_int_equal(picture_find_cones(shuffles, 5, cone), 1); /* lane 0 */
    assert_int_equal(cone[0], UINT32_MAX);
    assert_int_equal(cone[1], 0xffff);
    assert_int_equal(cone[5], 1);
}

TEST(a_wrong_offset_loses_lanes)
{
    struct picture_shuffle shuffles[5];
    uint32_t cone[PICTURE_SHUFFLES + 1];
    shuffle_down(shuffles, 2);
    picture_find_cones(shuffles, 5, cone);
    assert_true(__builtin_popcount(cone[0]) < 32);
}

TEST(each_tile_has_a_cone)
{
    struct picture_shuffle shuffles[5];
    uint32_t cone[PICTURE_SHUFFLES + 1];
    shuffle_down(shuffles, 4);
    for (int row = 2; row < 5; row++) /* tiles of 8 */
        for (int lane = 0; lane < 32; lane++)
            if (shuffles[row].source[lane] / 8 != lane / 8)
                shuffles[row].source[lane] = (uint8_t)lane;
    assert_int_equal(picture_find_cones(&shuffles[2], 3, cone), 0x01010101);
    assert_int_equal(cone[0], UINT32_MAX);
    assert_int_equal(cone[2], 0x03030303);
}

/* ---- blocks over an array, waves ---- */

TEST(a_halo_is_loaded_by_both)
{
    struct picture_reach reach = {.blocks = 2, .elements = 200};
    reach.loaded[0] = (struct picture_range){0, 95, 96};
    reach.loaded[1] = (struct picture_range){81, 191, 111};
    assert_int_equal(picture_overlap(&reach, 0), 15);
    reach.loaded[1] = (struct picture_range){96, 191, 96}; /* the halo is not loaded */
    assert_int_equal(picture_overlap(&reach, 0), 0);
    reach.loaded[1].count = 0;
    assert_int_equal(picture_overlap(&reach, 0), 0);
}

TEST(the_last_wave_is_as_full_as_it_is)
{
    assert_true(picture_last_wave(1000, 264) > 0.78 && picture_last_wave(1000, 264) < 0.79);
    assert_true(picture_last_wave(528, 264) == 1);
    assert_true(picture_last_wave(10, 264) < 0.04);
}

/* ---- an SM ---- */

TEST(the_book_that_does_not_fit_sticks_out)
{
    const struct picture_shelf full = {"registers", "", 12288, 65536, true};
    const struct picture_shelf roomy = {"warps", "", 8, 64, false};
    assert_true(5 * picture_book(&full) <= 400 && 6 * picture_book(&full) > 400);
    assert_true(picture_sticks_out(&full, 5) > 0);
    assert_true(picture_sticks_out(&full, 4) == 0); /* there is room for a fifth one */
    assert_true(picture_sticks_out(&roomy, 5) == 0);
}

TEST(warps_lie_on_each_other)
{
    struct picture_moments moments = {.count = 1, .slots = 64};
    moments.warps[PICTURE_WORK][0] = 16;
    moments.warps[PICTURE_WAIT_MEMORY][0] = 32;
    const double work = picture_level(&moments, PICTURE_WORK, 0),
                 all = picture_level(&moments, PICTURE_STATES - 1, 0);
    moments.warps[PICTURE_WAIT_RESULT][0] = 16;
    const double full = picture_level(&moments, PICTURE_STATES - 1, 0);
    assert_true(work > all && all > full);
    assert_true(work - all > 1.9 * (all - full) && work - all < 2.1 * (all - full)); /* 32 warps and 16 */
}

/* ---- what is drawn ---- */

/* How often `M`, or what else begins a piece of it, stands in the path of this class. */
static int pieces(const char *svg, const char *class)
{
    const char *end = strstr(svg, class);
    int count = 0;
    for (; end && *end != '<'; end--)
        count += *end == 'M';
    return count;
}

/* 16 warps with a row each have boxes 9 pixels high, the first from 18 on. */
TEST(a_warp_is_named_beside_its_box)
{
    struct made m = {.count = 0};
    struct picture_block block;
    char *svg = NULL;
    size_t size = 0;
    for (int warp = 0; warp < 16; warp++)
        add(&m, warp, PICTURE_LOAD, 1u << warp, 0);
    picture_lay_block(&block, m.event, m.count);
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_block(memory, &block, "warps");
    fclose(memory);
    assert_non_null(strstr(svg, "y=\"26.5\" class=\"small end\">warp 0<"));
    free(svg);
}

TEST(a_single_element_at_the_end_stays_on_the_axis)
{
    struct picture_reach reach = {.blocks = 1, .elements = 3585, .stored = {{3584, 3584, 1}}};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_reach(memory, &reach, "reach");
    fclose(memory);
    assert_non_null(strstr(svg, "x=\"689\" y=\"21\" width=\"3\"")); /* the axis ends at 692 */
    free(svg);
}

TEST(bytes_in_flight_have_the_number_of_their_line)
{
    const struct picture_moments moments = {.count = 1, .slots = 64, .enough = 12 * 1024};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_moments(memory, &moments, "moments");
    fclose(memory);
    const char *number = strstr(svg, " KB<"), *legend = number ? strstr(number + 1, " KB<") : NULL;
    assert_true(legend && !strstr(legend + 1, " KB<"));
    assert_true(memcmp(number - 4, "12.0", 4) == 0 && memcmp(legend - 4, "12.0", 4) == 0);
    free(svg);
}

TEST(threads_without_an_element_are_struck_out)
{
    struct picture_owners owners = {.count = 100, .idle = 28};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    for (int i = 0; i < 100; i++)
        owners.stores[i] = 1;
    picture_owners(memory, &owners, "owners");
    fclose(memory);
    assert_int_equal(pieces(svg, "class=\"idle\""), 28);
    free(svg);
}

TEST(each_block_is_a_book)
{
    const struct picture_shelf shelf[PICTURE_SHELVES] = {{"warps", "", 4, 64, false},
                                                         {"registers", "", 9216, 65536, true},
                                                         {"shared memory", "KB", 1, 228, false},
                                                         {"blocks", "", 1, 32, false}};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    picture_shelves(memory, shelf, 7, "shelves");
    fclose(memory);
    assert_int_equal(pieces(svg, "class=\"even\""), 4);
    assert_int_equal(pieces(svg, "class=\"odd\""), 3);
    assert_non_null(strstr(svg, "64,512 of 65,536"));
    const char *first = strstr(svg, ">full<");
    assert_true(first && !strstr(first + 1, ">full<"));
    free(svg);
}

TEST(a_column_of_a_matrix_is_drawn_row_by_row)
{
    struct picture_matrix matrix = {.name = "d_b", .columns = 32, .count = 1024};
    char *svg = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&svg, &size);
    assert_non_null(memory);
    for (int row = 0; row < 32; row++)
        matrix.by[32 * row + 5] = PICTURE_BY_THREAD;
    for (int i = 0; i < 5; i++)
        matrix.by[i] = PICTURE_BY_WARP;
    picture_matrices(memory, &matrix, 1, "matrix");
    fclose(memory);
    assert_int_equal(pieces(svg, "class=\"bythread\""), 32);
    assert_int_equal(pieces(svg, "class=\"bywarp\""), 1);
    free(svg);
}

RUN_ALL
