/*
 * Sectors and wavefronts: known patterns by hand, random ones against the definition spelled out; the
 * collection by source line.
 */
#include "test.h"
#include "sim/memory/tracker.h"
#include "sim/model/counter.h"
#include "sim_fixture.h"

#define ALL UINT32_MAX

/* ---- patterns that every text on CUDA explains --------------------------------------------------------- */

struct pattern {
    const char *what;
    int size;
    uint32_t lanes;
    uint64_t base;
    int64_t stride;
    int expected;
};

static const struct pattern sector_patterns[] = {
    {"float, aligned", 4, ALL, 0, 4, 4},
    {"float, off by one element", 4, ALL, 4, 4, 5},
    {"float, off by one sector", 4, ALL, 32, 4, 4},
    {"float, stride 2", 4, ALL, 0, 8, 8},
    {"float, stride 8", 4, ALL, 0, 32, 32},
    {"float, stride 1024", 4, ALL, 0, 4096, 32},
    {"float, backwards", 4, ALL, 124, -4, 4},
    {"double, aligned", 8, ALL, 0, 8, 8},
    {"float4, aligned", 16, ALL, 0, 16, 16},
    {"bytes, aligned", 1, ALL, 0, 1, 1},
    {"half, aligned", 2, ALL, 0, 2, 2},
    {"one address", 4, ALL, 60, 0, 1},
    {"one lane", 4, 1u << 17, 0, 4, 1},
    {"half a warp", 4, 0x0000FFFF, 0, 4, 2},
    {"every second lane", 4, 0x55555555, 0, 4, 4},
};

FIXTURE_TEST(sectors_of_known_patterns)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof sector_patterns / sizeof *sector_patterns; i++) {
        const struct pattern *p = &sector_patterns[i];
        struct access a =
            fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, p->size, p->lanes, 4096 + p->base, p->stride, 1);
        if (counter_sectors(&a) != p->expected)
            fail_msg("%s: %d sectors, not %d", p->what, counter_sectors(&a), p->expected);
    }
}

/* Texture fetches: requests and sectors as ncu counts them on an H100. */
static const struct {
    struct pattern pattern; /* expected: sectors */
    int requests;
} texture_patterns[] = {
    {{"float, aligned", 4, ALL, 0, 4, 4}, 4},
    {{"float, off by one element", 4, ALL, 4, 4, 8}, 4},
    {{"float, stride 8", 4, ALL, 0, 32, 32}, 4},
    {{"float, one address", 4, ALL, 0, 0, 4}, 4},
    {{"float, 9 lanes", 4, 0x1FF, 0, 4, 2}, 2},
    {{"float, first lane of each quarter-warp", 4, 0x01010101, 0, 4, 4}, 4},
    {{"float2, aligned", 8, ALL, 0, 8, 8}, 4},
    {{"float2, 9 lanes", 8, 0x1FF, 0, 8, 3}, 2},
    {{"float4, aligned", 16, ALL, 0, 16, 16}, 8},
    {{"float4, off by one element", 16, ALL, 16, 16, 24}, 8},
    {{"float4, one address", 16, ALL, 0, 0, 8}, 8},
    {{"float4, a quarter-warp", 16, 0xFF, 0, 16, 4}, 2},
    {{"float4, first lane of each four", 16, 0x11111111, 0, 16, 8}, 8},
};

FIXTURE_TEST(texture_requests_and_sectors)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof texture_patterns / sizeof *texture_patterns; i++) {
        const struct pattern *p = &texture_patterns[i].pattern;
        struct access a =
            fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, p->size, p->lanes, 4096 + p->base, p->stride, 1);
        a.path = PATH_TEXTURE;
        if (counter_sectors(&a) != p->expected || counter_requests(&a) != texture_patterns[i].requests)
            fail_msg("%s: %d sectors, not %d; %d requests, not %d", p->what, counter_sectors(&a), p->expected,
                     counter_requests(&a), texture_patterns[i].requests);
    }
}

static const struct pattern wavefront_patterns[] = {
    {"float, neighbors", 4, ALL, 0, 4, 1},
    {"float, off by one word", 4, ALL, 4, 4, 1},
    {"float, stride 2", 4, ALL, 0, 8, 2},
    {"float, stride 3", 4, ALL, 0, 12, 1},
    {"float, stride 4", 4, ALL, 0, 16, 4},
    {"float, stride 32: a column of a 32 x 32 tile", 4, ALL, 0, 128, 32},
    {"float, stride 33: the same tile padded", 4, ALL, 0, 132, 1},
    {"float, one word for all", 4, ALL, 400, 0, 1},
    {"half a column", 4, 0x0000FFFF, 0, 128, 16},
    {"bytes", 1, ALL, 0, 1, 1},
    {"halves", 2, ALL, 0, 2, 1},
    {"double, neighbors: two half-warps", 8, ALL, 0, 8, 2},
    {"double, half a warp", 8, 0xFFFF, 0, 8, 1},
    {"double, stride 2", 8, ALL, 0, 16, 4},
    {"double, one for all", 8, ALL, 64, 0, 1},
    {"float4, neighbors: four quarter-warps", 16, ALL, 0, 16, 4},
    {"float4, a quarter of a warp", 16, 0xFF, 0, 16, 1},
    {"float4, one for all: pairs share, two turns", 16, ALL, 64, 0, 2},
    {"no lane", 4, 0, 0, 4, 0},
};

FIXTURE_TEST(wavefronts_of_known_patterns)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof wavefront_patterns / sizeof *wavefront_patterns; i++) {
        const struct pattern *p = &wavefront_patterns[i];
        struct access a =
            fixture_access(f, ACCESS_LOAD, PTX_SHARED, p->size, p->lanes, p->base, p->stride, 1);
        if (counter_wavefronts(&a) != p->expected)
            fail_msg("%s: %d wavefronts, not %d", p->what, counter_wavefronts(&a), p->expected);
    }
}

FIXTURE_TEST(halves_of_a_warp_that_read_one_row_share_it)
{
    struct fixture *f = *state; /* 16 x 16 tiles: lanes 0-15 and 16-31 read the same 16 words */
    struct access a = fixture_access(f, ACCESS_LOAD, PTX_SHARED, 4, ALL, 0, 4, 1);
    for (int lane = 0; lane < 32; lane++)
        f->address[lane] = (uint64_t)(lane % 16) * 4;
    assert_int_equal(counter_wavefronts(&a), 1);
    for (int lane = 0; lane < 32; lane++) /* two rows, one word each: same bank, different words */
        f->address[lane] = (uint64_t)(lane / 16) * 128;
    assert_int_equal(counter_wavefronts(&a), 2);
}

FIXTURE_TEST(pairs_of_lanes_fit_twice_as_many_doubles)
{
    struct fixture *f = *state;
    struct access a = fixture_access(f, ACCESS_LOAD, PTX_SHARED, 8, ALL, 0, 8, 1);
    for (int lane = 0; lane < 32; lane++)
        f->address[lane] = (uint64_t)(lane / 2) * 8;
    assert_int_equal(counter_wavefronts(&a), 1);
    for (int lane = 0; lane < 32; lane++)
        f->address[lane] = (uint64_t)(lane % 2 + lane / 4 * 2) * 8;
    assert_int_equal(counter_wavefronts(&a), 1);
    a.kind = ACCESS_STORE; /* nothing comes back: the rule is about loads */
    assert_int_equal(counter_wavefronts(&a), 2);
}

FIXTURE_TEST(lanes_of_an_atomic_wait_for_each_other)
{
    struct fixture *f = *state;
    struct access a = fixture_access(f, ACCESS_ATOMIC, PTX_SHARED, 4, ALL, 0, 0, 1);
    assert_int_equal(counter_wavefronts(&a), 32);
    a = fixture_access(f, ACCESS_ATOMIC, PTX_SHARED, 4, ALL, 0, 4, 1);
    assert_int_equal(counter_wavefronts(&a), 1);
}

/* ---- against the definition, at random ----------------------------------------------------------------- */

static uint32_t random_next(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static int naive_sectors(const struct access *a)
{
    uint64_t seen[64];
    int n = 0;
    for (int lane = 0; lane < 32; lane++) {
        uint64_t sector = a->address[lane] / 32;
        int i = 0;
        while (i < n && seen[i] != sector)
            i++;
        if ((a->lanes >> lane & 1) && i == n)
            seen[n++] = sector;
    }
    return n;
}

static bool naive_pairs(const struct access *a, int distance)
{
    for (int lane = 0; lane < 32; lane++)
        if ((a->lanes >> lane & 1) && (a->lanes >> (lane ^ distance) & 1) &&
            a->address[lane] != a->address[lane ^ distance])
            return false;
    return true;
}

static int naive_wavefronts(const struct access *a)
{
    int width = a->size == 16 ? 8 : a->size == 8 ? 16 : 32, total = 0;
    if (a->size > 4 && a->kind == ACCESS_LOAD && (naive_pairs(a, 1) || naive_pairs(a, 2)))
        width *= 2;
    for (int first = 0; first < 32; first += width) {
        int worst = 0;
        for (int bank = 0; bank < 32; bank++) {
            uint64_t seen[128];
            int n = 0;
            for (int lane = first; lane < first + width; lane++)
                for (int w = 0; (a->lanes >> lane & 1) && w < (a->size + 3) / 4; w++) {
                    uint64_t word = a->address[lane] / 4 + (uint64_t)w;
                    int i = 0;
                    while (i < n && seen[i] != word)
                        i++;
                    if (word % 32 == (uint64_t)bank && i == n)
                        seen[n++] = word;
                }
            worst = n > worst ? n : worst;
        }
        total += worst;
    }
    return total;
}

FIXTURE_TEST(random_patterns)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 0, 1, 32);
    uint32_t seed = 20240917;
    for (int i = 0; i < 4000; i++) {
        int size = 1 << random_next(&seed) % 5;
        uint32_t lanes = random_next(&seed) % 3 ? ALL : random_next(&seed),
                 range = 1u << random_next(&seed) % 12;
        int64_t stride = (int64_t)(random_next(&seed) % 9) - 2;
        bool regular = random_next(&seed) % 2;
        enum access_kind kind = random_next(&seed) % 2 ? ACCESS_LOAD : ACCESS_STORE;
        uint32_t row = 8u << random_next(&seed) % 3, pitch = random_next(&seed) % 40;
        struct access a = fixture_access(f, kind, PTX_SHARED, size, lanes, 4096, stride * size, 1);
        for (uint32_t lane = 0; !regular && lane < 32; lane++) {
            uint32_t place = random_next(&seed) % range;
            if (i % 3) /* rows of tiles: neighbors, or one word a row */
                place = lane / row * pitch + (i % 3 == 1 ? lane % row : 0);
            f->address[lane] = 4096 + place % 700 * (uint32_t)size;
        }
        assert_int_equal(memory_resolve(&b, 0, &a, f->host, f->message), SIM_OK);
        if (counter_sectors(&a) != naive_sectors(&a) || counter_wavefronts(&a) != naive_wavefronts(&a))
            fail_msg("case %d: size %d, lanes %x: %d sectors (%d), %d wavefronts (%d)", i, size, lanes,
                     counter_sectors(&a), naive_sectors(&a), counter_wavefronts(&a), naive_wavefronts(&a));
    }
}

/* ---- collection ---------------------------------------------------------------------------------------- */

static void count(struct fixture *f, struct counter_set *set, struct access a)
{
    struct block_view b = fixture_block(f, 0, 1, 1024);
    assert_int_equal(memory_resolve(&b, 0, &a, f->host, f->message), SIM_OK);
    counter_access(set, &a);
}

/* What is counted of a row at once is what is counted of the same access lane by lane. */
FIXTURE_TEST(rows_are_accesses)
{
    struct fixture *f = *state;
    const sim_addr x = sim_mem_alloc(&f->sim, 1 << 16, NULL), y = sim_mem_alloc(&f->sim, 1 << 16, NULL);
    struct counter_set *lanes = counter_set_create(&f->kernel), *rows = counter_set_create(&f->kernel);
    for (uint64_t i = 0; i < 64; i++) {
        const int size = i % 2 ? 4 : 8, pc = (int)(20 + i % 4), step = i % 3 ? 4 : 0;
        const uint64_t at = i * i * 8 % 4096;
        const bool is_store = i / 2 % 2;
        count(f, lanes,
              fixture_access(f, is_store ? ACCESS_STORE : ACCESS_LOAD, PTX_GLOBAL, size, ALL, x + at, size,
                             pc));
        counter_row(rows, pc, is_store, memory_at(f->sim.memory, y), y + at, (uint64_t)size * 32);
        count(f, lanes, fixture_access(f, ACCESS_LOAD, PTX_SHARED, 4, ALL, 4 * i, step, 30));
        counter_shared_row(rows, 30);
    }
    for (int pc = 20; pc <= 30; pc++)
        assert_memory_equal(counter_of(rows, pc), counter_of(lanes, pc), sizeof(struct sim_counters));
    counter_set_destroy(lanes);
    counter_set_destroy(rows);
}

FIXTURE_TEST(totals_and_lines)
{
    struct fixture *f = *state;
    sim_addr x = sim_mem_alloc(&f->sim, 1 << 16, NULL);
    struct counter_set *set = counter_set_create(&f->kernel);
    f->locs[21].line = 20; /* two instructions of one line */
    count(f, set, fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x, 4, 20));
    count(f, set, fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x + 64, 4, 21));
    count(f, set, fixture_access(f, ACCESS_STORE, PTX_GLOBAL, 4, ALL, x, 32, 30));
    count(f, set, fixture_access(f, ACCESS_ATOMIC, PTX_GLOBAL, 4, ALL, x, 0, 31));
    count(f, set, fixture_access(f, ACCESS_LOAD, PTX_SHARED, 4, ALL, 0, 128, 40));
    count(f, set, fixture_access(f, ACCESS_STORE, PTX_SHARED, 8, ALL, 0, 8, 41));
    count(f, set, fixture_access(f, ACCESS_ATOMIC, PTX_SHARED, 4, ALL, 0, 4, 42));
    count(f, set, fixture_access(f, ACCESS_LOAD, PTX_LOCAL, 4, ALL, 8, 0, 50));
    count(f, set, fixture_access(f, ACCESS_LOAD, PTX_CONST, 4, ALL, x, 0, 51));
    counter_add(set, 60, &(struct sim_counters){.warp_instructions = 5, .flops32 = 320});

    struct sim_counters total = {0};
    counter_set_collect(&f->sim, &f->kernel, set, &total);
    counter_set_destroy(set);
    assert_int_equal(total.global_load_requests, 2);
    assert_int_equal(total.global_load_sectors, 8);
    assert_int_equal(total.global_load_sectors_ideal, 8);
    assert_int_equal(total.unique_sectors_read, 6);
    assert_int_equal(total.global_store_requests, 1);
    assert_int_equal(total.global_store_sectors, 32);
    assert_int_equal(total.global_store_sectors_ideal, 4);
    assert_int_equal(total.unique_sectors_written, 32);
    assert_int_equal(total.global_atomic_requests, 1);
    assert_int_equal(total.global_atomic_sectors, 1);
    assert_int_equal(total.shared_load_requests, 1);
    assert_int_equal(total.shared_load_wavefronts, 32);
    assert_int_equal(total.shared_load_wavefronts_ideal, 1);
    assert_int_equal(total.shared_store_wavefronts, 2);
    assert_int_equal(total.shared_store_wavefronts_ideal, 2);
    assert_int_equal(total.shared_atomic_requests, 1);
    assert_int_equal(total.local_requests, 1);
    assert_int_equal(total.local_sectors, 4);
    assert_int_equal(total.const_requests, 1);
    assert_int_equal(total.flops32, 320);

    const struct sim_line_counters *lines;
    assert_int_equal(sim_lines(&f->sim, &lines), 9);
    assert_int_equal(lines[0].line, 30); /* 32 sectors: the worst */
    assert_int_equal(lines[1].line, 20);
    assert_int_equal(lines[1].counts.global_load_requests, 2);
    assert_string_equal(lines[0].file, "k.cu");
    sim_lines_reset(&f->sim);
    assert_int_equal(sim_lines(&f->sim, &lines), 0);
}

/* A search's queue has a counter that ptxas adds to once per warp, and beside it atomics at other words, which it leaves. */
FIXTURE_TEST(atomics_are_added_up_first_by_operation)
{
    struct fixture *f = *state;
    const sim_addr counter = sim_mem_alloc(&f->sim, 1 << 12, NULL),
                   stamps = sim_mem_alloc(&f->sim, 1 << 12, NULL);
    struct counter_set *set = counter_set_create(&f->kernel);
    bool merged[80] = {[31] = true};
    for (int warp = 0; warp < 10; warp++) {
        count(f, set, fixture_access(f, ACCESS_ATOMIC, PTX_GLOBAL, 4, ALL, stamps, 4, 30));
        count(f, set, fixture_access(f, ACCESS_ATOMIC, PTX_GLOBAL, 4, ALL, counter, 0, 31));
    }
    assert_int_equal(counter_hottest_atomic(set, NULL), 10 * 32 * 10);
    assert_int_equal(counter_hottest_atomic(set, merged), 4 * 10 * 10); /* the stamps: four sectors */
    count(f, set, fixture_access(f, ACCESS_ATOMIC, PTX_GLOBAL, 4, ALL, stamps, 0, 30));
    assert_int_equal(counter_hottest_atomic(set, merged), 4 * 10 * 10 + 32 * 10);
    counter_set_destroy(set);
}

/* A thread that shares a launch with others logs what it touches: the counts are the same. */
FIXTURE_TEST(logged_touches_count_the_same)
{
    struct fixture *f = *state;
    sim_addr x = sim_mem_alloc(&f->sim, 1 << 16, NULL);
    struct allocation *a = f->sim.memory->list[0];
    a->tracked = calloc(1, sizeof *a->tracked);
    a->tracked_sets = 1;
    struct sim_counters totals[2] = {{0}};
    for (int logged = 0; logged < 2; logged++) {
        f->sim.launch_count++;
        struct counter_set *set = counter_set_create(&f->kernel);
        struct touch_log log = {.launch = 77};
        if (logged)
            assert_true(counter_set_log(set, &log));
        for (int i = 0; i < 3; i++) {
            struct access load =
                fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x + 64 * (uint64_t)i, 4, 20);
            count(f, set, load);
            load.pc = 21;
            load.path = PATH_TEXTURE;
            count(f, set, load);
        }
        if (logged)
            counter_add_fresh(set, &log);
        counter_set_collect(&f->sim, &f->kernel, set, &totals[logged]);
        counter_set_destroy(set);
        free(log.fresh);
        free(log.touches);
    }
    assert_int_equal(totals[0].global_loads, 6);
    assert_int_equal(totals[0].global_load_requests, 3 + 12);
    assert_memory_equal(&totals[0], &totals[1], sizeof totals[0]);
}

FIXTURE_TEST(each_launch_counts_its_own_sectors)
{
    struct fixture *f = *state;
    sim_addr x = sim_mem_alloc(&f->sim, 1 << 16, NULL);
    for (uint64_t launch = 1; launch <= 3; launch++) {
        f->sim.launch_count = launch;
        struct counter_set *set = counter_set_create(&f->kernel);
        for (int i = 0; i < 3; i++)
            count(f, set, fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x + 1000 * (uint64_t)i, 12, 20));
        struct sim_counters total = {0};
        counter_set_collect(&f->sim, &f->kernel, set, &total);
        counter_set_destroy(set);
        assert_int_equal(total.unique_sectors_read, total.global_load_sectors);
        assert_int_equal(total.unique_sectors_written, 0);
    }
}

RUN_ALL
