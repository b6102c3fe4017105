/*
 * cp.async: sectors and wavefronts as Nsight Compute counted them on an H100, one warp and one copy a launch
 * (l1tex__t_sectors_pipe_lsu_mem_global_op_ld or, of .ca, l1tex__m_xbar2l1tex_read_sectors;
 * smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts). All expected numbers are measured.
 */
#include "test.h"
#include "sim/model/counter.h"
#include "sim_fixture.h"

#define ALL UINT32_MAX

/* Where the lanes' bytes lie: lane l ^ flip in rows of `row` lanes, `pitch` bytes apart, `step` within a row.
 */
struct layout {
    int first, row, pitch, step, flip;
};

static void place(const struct layout *layout, uint64_t address[32])
{
    for (int lane = 0; lane < 32; lane++) {
        int l = lane ^ layout->flip;
        int at = layout->first + l / layout->row * layout->pitch + l % layout->row * layout->step;
        address[lane] = (uint64_t)at;
    }
}

/* Both sides of a copy, as exec_async.c describes them. */
struct copy {
    uint64_t from[32], to[32];
    struct access load, store;
};

static void describe(struct copy *copy, int size, enum access_path path, uint32_t lanes, uint32_t readers)
{
    struct access both = {.size = size, .element_size = size, .path = path};
    copy->load = copy->store = both;
    copy->load.kind = ACCESS_LOAD;
    copy->load.space = PTX_GLOBAL;
    copy->load.lanes = readers;
    copy->load.address = copy->from;
    copy->load.partner = copy->to;
    copy->store.kind = ACCESS_STORE;
    copy->store.space = PTX_SHARED;
    copy->store.lanes = lanes;
    copy->store.address = copy->to;
    copy->store.partner = copy->from;
    copy->store.partner_lanes = readers;
}

static void expect(const char *what, const struct copy *copy, int sectors, int wavefronts)
{
    if (counter_sectors(&copy->load) != sectors || counter_wavefronts(&copy->store) != wavefronts)
        fail_msg("%s, %d bytes: %d sectors, not %d; %d wavefronts, not %d", what, copy->load.size,
                 counter_sectors(&copy->load), sectors, counter_wavefronts(&copy->store), wavefronts);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

static const struct pattern {
    const char *what;
    int size;
    enum access_path path;
    uint32_t lanes;
    struct layout from, to;
    int sectors, wavefronts;
} patterns[] = {
    {"neighbors", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 16, 4},
    {"from 16 bytes on", 16, PATH_BYPASS, ALL, {16, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 20, 12},
    {"to 16 bytes on", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {16, 32, 0, 16, 0}, 20, 12},
    {"both 16 bytes on", 16, PATH_BYPASS, ALL, {16, 32, 0, 16, 0}, {16, 32, 0, 16, 0}, 17, 6},
    {"from a sector on", 16, PATH_BYPASS, ALL, {32, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 16, 8},
    {"both a sector on", 16, PATH_BYPASS, ALL, {32, 32, 0, 16, 0}, {32, 32, 0, 16, 0}, 16, 5},
    {"from 48 bytes on", 16, PATH_BYPASS, ALL, {48, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 20, 16},
    {"both 48 bytes on", 16, PATH_BYPASS, ALL, {48, 32, 0, 16, 0}, {48, 32, 0, 16, 0}, 17, 7},
    {"from places exchanged in pairs", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 1}, {0, 32, 0, 16, 0}, 16, 4},
    {"to sectors exchanged in pairs", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 2}, 16, 4},
    {"from back to front", 16, PATH_BYPASS, ALL, {496, 1, -16, 0, 0}, {0, 32, 0, 16, 0}, 16, 4},
    {"from every second", 16, PATH_BYPASS, ALL, {0, 32, 0, 32, 0}, {0, 32, 0, 16, 0}, 16, 32},
    {"to every second", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 32, 0, 32, 0}, 32, 32},
    {"both every second", 16, PATH_BYPASS, ALL, {0, 32, 0, 32, 0}, {0, 32, 0, 32, 0}, 32, 8},
    {"from every third", 16, PATH_BYPASS, ALL, {0, 1, 48, 0, 0}, {0, 32, 0, 16, 0}, 20, 24},
    {"to every third", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 1, 48, 0, 0}, 32, 24},
    {"from every fifth", 16, PATH_BYPASS, ALL, {0, 1, 80, 0, 0}, {0, 32, 0, 16, 0}, 24, 32},
    {"from one place", 16, PATH_BYPASS, ALL, {0, 32, 0, 0, 0}, {0, 32, 0, 16, 0}, 16, 32},
    {"to one place", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 32, 0, 0, 0}, 1, 1},
    {"from one place for two lanes", 16, PATH_BYPASS, ALL, {0, 2, 16, 0, 0}, {0, 32, 0, 16, 0}, 16, 32},
    {"to one place for two lanes", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 2, 16, 0, 0}, 8, 16},
    {"without lane 0", 16, PATH_BYPASS, 0xFFFFFFFE, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 16, 5},
    {"two lanes of four", 16, PATH_BYPASS, 0x33333333, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 8, 4},
    {"every second lane", 16, PATH_BYPASS, 0x55555555, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 16, 4},
    {"four lanes of eight", 16, PATH_BYPASS, 0xF0F0F0F0, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 8, 4},
    {"every second quarter-warp", 16, PATH_BYPASS, 0xFF00FF00, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 8, 2},
    {"to rows of 4, one apart", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 4, 80, 16, 0}, 20, 15},
    {"to rows of 2, one apart", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 2, 48, 16, 0}, 24, 24},
    {"to rows of 8, one apart", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 8, 144, 16, 0}, 18, 10},
    {"to rows of 8, two apart", 16, PATH_BYPASS, ALL, {0, 32, 0, 16, 0}, {0, 8, 160, 16, 0}, 16, 7},
    {"from rows of 2, 1040 bytes", 16, PATH_BYPASS, ALL, {0, 2, 1040, 16, 0}, {0, 32, 0, 16, 0}, 18, 24},
    {"from rows of 4, 1056 bytes", 16, PATH_BYPASS, ALL, {0, 4, 1056, 16, 0}, {0, 32, 0, 16, 0}, 16, 10},
    {"from rows of 4, 1024 bytes", 16, PATH_BYPASS, ALL, {0, 4, 1024, 16, 0}, {0, 32, 0, 16, 0}, 16, 8},
    {"neighbors", 16, PATH_L1, ALL, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 16, 4},
    {"from 16 bytes on", 16, PATH_L1, ALL, {16, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 17, 4},
    {"to 16 bytes on", 16, PATH_L1, ALL, {0, 32, 0, 16, 0}, {16, 32, 0, 16, 0}, 16, 4},
    {"from every second", 16, PATH_L1, ALL, {0, 32, 0, 32, 0}, {0, 32, 0, 16, 0}, 32, 8},
    {"from every third", 16, PATH_L1, ALL, {0, 1, 48, 0, 0}, {0, 32, 0, 16, 0}, 32, 4},
    {"to every fourth", 16, PATH_L1, ALL, {0, 32, 0, 16, 0}, {0, 1, 64, 0, 0}, 16, 16},
    {"from one place", 16, PATH_L1, ALL, {0, 32, 0, 0, 0}, {0, 32, 0, 16, 0}, 1, 32},
    {"to one place", 16, PATH_L1, ALL, {0, 32, 0, 16, 0}, {0, 32, 0, 0, 0}, 16, 32},
    {"from one place for two lanes", 16, PATH_L1, ALL, {0, 2, 16, 0, 0}, {0, 32, 0, 16, 0}, 8, 8},
    {"from rows of 4, 1040 bytes", 16, PATH_L1, ALL, {0, 4, 1040, 16, 0}, {0, 32, 0, 16, 0}, 20, 8},
    {"two lanes of four", 16, PATH_L1, 0x33333333, {0, 32, 0, 16, 0}, {0, 32, 0, 16, 0}, 8, 4},
    {"neighbors", 8, PATH_L1, ALL, {0, 32, 0, 8, 0}, {0, 32, 0, 8, 0}, 8, 2},
    {"to every fourth", 8, PATH_L1, ALL, {0, 32, 0, 8, 0}, {0, 1, 32, 0, 0}, 8, 8},
    {"from one place for two lanes", 8, PATH_L1, ALL, {0, 2, 8, 0, 0}, {0, 32, 0, 8, 0}, 4, 4},
    {"to rows of 4, one apart", 8, PATH_L1, ALL, {0, 32, 0, 8, 0}, {0, 4, 40, 8, 0}, 8, 4},
    {"from rows of 4, 1024 bytes", 8, PATH_L1, ALL, {0, 4, 1024, 8, 0}, {0, 32, 0, 8, 0}, 8, 8},
    {"two lanes of four", 8, PATH_L1, 0x33333333, {0, 32, 0, 8, 0}, {0, 32, 0, 8, 0}, 8, 2},
    {"rows that meet in both memories", 8, PATH_L1, ALL, {0, 2, 104, 8, 0}, {40, 2, 32, 8, 0}, 20, 6},
    {"rows that meet in both memories", 8, PATH_L1, ALL, {32, 2, 248, 8, 0}, {16, 4, 128, 8, 0}, 20, 10},
    {"neighbors", 4, PATH_L1, ALL, {0, 32, 0, 4, 0}, {0, 32, 0, 4, 0}, 4, 1},
    {"from 4 bytes on", 4, PATH_L1, ALL, {4, 32, 0, 4, 0}, {0, 32, 0, 4, 0}, 5, 1},
    {"from every fourth", 4, PATH_L1, ALL, {0, 1, 16, 0, 0}, {0, 32, 0, 4, 0}, 16, 4},
    {"from one place", 4, PATH_L1, ALL, {0, 32, 0, 0, 0}, {0, 32, 0, 4, 0}, 1, 32},
    {"from one place for two half-warps", 4, PATH_L1, ALL, {0, 16, 0, 4, 0}, {0, 32, 0, 4, 0}, 2, 2},
    {"rows that meet in both memories", 4, PATH_L1, ALL, {16, 16, 120, 4, 0}, {24, 16, 76, 4, 0}, 6, 3},
    {"rows that meet in both memories", 4, PATH_L1, ALL, {0, 2, 252, 4, 0}, {24, 2, 36, 4, 0}, 18, 3},
};

TEST(patterns_as_measured)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        const struct pattern *p = &patterns[i];
        struct copy copy;
        place(&p->from, copy.from);
        place(&p->to, copy.to);
        describe(&copy, p->size, p->path, p->lanes, p->lanes);
        expect(p->what, &copy, p->sectors, p->wavefronts);
    }
}

/* ---- irregular ones: places in units of what a lane copies --------------------------------------------- */

static const struct irregular {
    const char *what;
    int size;
    enum access_path path;
    uint32_t lanes, readers; /* the other lanes write zeros */
    uint16_t from[32], to[32];
    int sectors, wavefronts;
} irregulars[] = {
    {"in pairs",
     16,
     PATH_BYPASS,
     0xFFFFFFFF,
     0xFFFFFFFF,
     {9,  8,  1,  0,  11, 10, 13, 12, 19, 18, 19, 18, 5,  4,  17, 16,
      27, 26, 27, 26, 31, 30, 7,  6,  15, 14, 25, 24, 23, 22, 21, 20},
     {174, 175, 92,  93,  232, 233, 124, 125, 52,  53,  192, 193, 30,  31,  134, 135,
      66,  67,  144, 145, 68,  69,  200, 201, 168, 169, 122, 123, 150, 151, 88,  89},
     16,
     15},
    {"in pairs of pairs",
     16,
     PATH_BYPASS,
     0x597FFBFE,
     0x597FFBFE,
     {1,  0,  3,  2,  13, 12, 15, 14, 61, 60, 63, 62, 53, 52, 55, 54,
      41, 40, 43, 42, 49, 48, 51, 50, 37, 36, 39, 38, 21, 20, 23, 22},
     {89, 88, 91, 90, 29, 28, 31, 30, 441, 440, 443, 442, 173, 172, 175, 174,
      65, 64, 67, 66, 81, 80, 83, 82, 429, 428, 431, 430, 197, 196, 199, 198},
     16,
     12},
    {"scattered",
     16,
     PATH_BYPASS,
     0xFFF9E7DB,
     0xFFF9E7DB,
     {51, 1,  14, 26,  22,  18, 57, 77,  42,  85,  47, 29, 134, 28,  50, 20,
      31, 12, 36, 193, 211, 64, 45, 246, 253, 212, 7,  50, 19,  255, 3,  46},
     {112, 105, 90, 47,  48, 117, 54, 116, 7,  108, 93, 13, 50,  115, 1,  114,
      83,  74,  63, 128, 41, 14,  46, 77,  57, 36,  88, 40, 106, 68,  94, 45},
     26,
     26},
    {"scattered widely",
     16,
     PATH_BYPASS,
     0xF5EFFFFD,
     0xF5EFFFFD,
     {85, 49,  61, 124, 2,   106, 53,  59, 112, 91, 97, 101, 1,  66, 39,  14,
      37, 123, 13, 105, 115, 60,  113, 29, 23,  68, 42, 18,  90, 46, 121, 7},
     {12,  19, 76, 108, 95, 49,  67, 82,  65, 119, 45, 106, 74, 41, 13, 51,
      116, 36, 62, 2,   72, 102, 85, 124, 29, 22,  31, 60,  61, 66, 68, 88},
     28,
     28},
    {"in pairs",
     4,
     PATH_L1,
     0xFFFFFFFF,
     0xFFFFFFFF,
     {37, 36, 5,  4,  95, 94, 67, 66, 75, 74, 77, 76, 21, 20, 55, 54,
      31, 30, 13, 12, 83, 82, 51, 50, 67, 66, 71, 70, 21, 20, 23, 22},
     {96, 97, 48,  49,  224, 225, 72, 73, 68,  69,  206, 207, 2,   3,   76,  77,
      32, 33, 226, 227, 102, 103, 36, 37, 184, 185, 194, 195, 150, 151, 144, 145},
     10,
     4},
    {"scattered",
     8,
     PATH_L1,
     0xE75EDDDF,
     0xE75EDDDF,
     {6,  26, 4, 14, 32, 15, 29, 7,  5,  24, 20, 9,  9,  30, 15, 21,
      12, 28, 4, 19, 14, 13, 1,  18, 11, 20, 9,  23, 28, 17, 29, 27},
     {111, 37, 7,   56, 45,  127, 12,  96, 38, 21, 22, 48, 5,   40,  46, 53,
      72,  91, 106, 36, 128, 41,  113, 71, 23, 3,  88, 86, 105, 123, 14, 125},
     9,
     7},
    {"in pairs of pairs",
     16,
     PATH_L1,
     0xCFFF7C75,
     0xCFFF7C75,
     {13, 12, 15, 14, 17, 16, 19, 18, 1,  0,  3,  2,  29, 28, 31, 30,
      29, 28, 31, 30, 5,  4,  7,  6,  17, 16, 19, 18, 21, 20, 23, 22},
     {137, 136, 139, 138, 133, 132, 135, 134, 277, 276, 279, 278, 93, 92, 95, 94,
      21,  20,  23,  22,  301, 300, 303, 302, 285, 284, 287, 286, 73, 72, 75, 74},
     10,
     6},
    {"to rows of 4",
     16,
     PATH_L1,
     0xFFFFFFFF,
     0xFFFFFFFF,
     {28,  29,  30, 55, 56, 25, 74,  27, 84,  21,  22, 23,  104, 9,   10,  131,
      128, 137, 2,  3,  24, 25, 202, 27, 220, 229, 30, 247, 236, 245, 254, 263},
     {432, 433, 434, 435, 20, 21, 22, 23, 152, 153, 154, 155, 268, 269, 270, 271,
      60,  61,  62,  63,  12, 13, 14, 15, 344, 345, 346, 347, 312, 313, 314, 315},
     25,
     6},
    {"scattered, some zeros",
     16,
     PATH_L1,
     0xFF7CFBF0,
     0xDD7C7BF0,
     {62, 6,  58, 2,  67, 66, 48, 61, 13, 12, 34, 21, 31, 29, 85, 25,
      30, 43, 45, 91, 18, 79, 37, 92, 11, 8,  27, 47, 56, 51, 42, 10},
     {65, 35, 43, 59, 55, 100, 2,  18,  27,  105, 39, 69, 81, 40, 25, 111,
      92, 83, 32, 16, 34, 70,  36, 102, 101, 86,  54, 20, 64, 23, 10, 98},
     18,
     14},
    {"in eights, some zeros",
     8,
     PATH_L1,
     0xFE5FDDF7,
     0xFE1F9D97,
     {9,  8,  11, 10, 13, 12, 15, 14, 121, 120, 123, 122, 125, 124, 127, 126,
      89, 88, 91, 90, 93, 92, 95, 94, 121, 120, 123, 122, 125, 124, 127, 126},
     {769, 768, 771, 770, 773, 772, 775, 774, 649, 648, 651, 650, 653, 652, 655, 654,
      177, 176, 179, 178, 181, 180, 183, 182, 329, 328, 331, 330, 333, 332, 335, 334},
     6,
     4},
    {"in fours, some zeros",
     4,
     PATH_L1,
     0xE5FBEBDB,
     0xE4FB6BDB,
     {5, 4, 7,  6,  61, 60, 63, 62, 13, 12, 15, 14, 41, 40, 43, 42,
      9, 8, 11, 10, 25, 24, 27, 26, 1,  0,  3,  2,  5,  4,  7,  6},
     {421, 420, 423, 422, 169, 168, 171, 170, 481, 480, 483, 482, 405, 404, 407, 406,
      245, 244, 247, 246, 241, 240, 243, 242, 161, 160, 163, 162, 129, 128, 131, 130},
     5,
     3},
};

TEST(irregular_ones_as_measured)
{
    for (size_t i = 0; i < sizeof irregulars / sizeof *irregulars; i++) {
        const struct irregular *p = &irregulars[i];
        struct copy copy;
        for (int lane = 0; lane < 32; lane++) {
            copy.from[lane] = (uint64_t)p->from[lane] * (uint64_t)p->size;
            copy.to[lane] = (uint64_t)p->to[lane] * (uint64_t)p->size;
        }
        describe(&copy, p->size, p->path, p->lanes, p->readers);
        expect(p->what, &copy, p->sectors, p->wavefronts);
    }
}

/* ---- what is no bank conflict, and nothing at all ------------------------------------------------------ */

/* smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts: 12 for .ca to every fourth, 0 for .cg.
 */
TEST(bank_conflicts_as_measured)
{
    const struct layout from = {0, 32, 0, 16, 0}, to = {0, 32, 0, 64, 0};
    struct copy copy;
    place(&from, copy.from);
    place(&to, copy.to);
    describe(&copy, 16, PATH_L1, ALL, ALL);
    struct wavefronts n = counter_count_wavefronts(&copy.store);
    assert_int_equal(n.needed - n.ideal, 12);
    describe(&copy, 16, PATH_BYPASS, ALL, ALL);
    n = counter_count_wavefronts(&copy.store);
    assert_int_equal(n.needed, 32);
    assert_int_equal(n.needed - n.ideal, 0);
}

/* The counters of a launch with this one copy, of 32 neighbors. */
static struct sim_counters totals_of(enum access_path path)
{
    static struct fixture f;
    fixture_open(&f);
    const struct layout layout = {0, 32, 0, 16, 0};
    struct copy copy;
    place(&layout, copy.from);
    place(&layout, copy.to);
    describe(&copy, 16, path, ALL, ALL);
    struct counter_set *set = counter_set_create(&f.kernel);
    counter_access(set, &copy.store);
    struct sim_counters total = {0};
    counter_set_collect(&f.sim, &f.kernel, set, &total);
    counter_set_destroy(set);
    fixture_close(&f);
    return total;
}

TEST(past_l1_the_data_path_is_spared)
{
    struct sim_counters c = totals_of(PATH_L1);
    assert_int_equal(c.shared_store_requests, 1);
    assert_int_equal(c.shared_store_wavefronts, 4);
    assert_int_equal(c.shared_bypass_wavefronts, 0);
    c = totals_of(PATH_BYPASS);
    assert_int_equal(c.shared_store_requests, 1);
    assert_int_equal(c.shared_store_wavefronts, 4);
    assert_int_equal(c.shared_bypass_wavefronts, 4);
}

TEST(no_lane_reads)
{
    const struct layout layout = {0, 32, 0, 4, 0};
    struct copy copy;
    place(&layout, copy.from);
    place(&layout, copy.to);
    describe(&copy, 4, PATH_L1, ALL, 0);
    expect("no lane reads", &copy, 0, 1);
    assert_int_equal(counter_requests(&copy.load), 0);
    describe(&copy, 4, PATH_L1, 0, 0);
    expect("no lane is active", &copy, 0, 0);
}

RUN_ALL
