/*
 * Device memory: allocation, life after cudaFree, addresses that host code cannot follow, checks of whole
 * warps, and the words in which faults are told.
 */
#include "test.h"
#include "sim_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALL UINT32_MAX

FIXTURE_TEST(allocations_are_aligned_apart_and_poisoned)
{
    struct fixture *f = *state;
    sim_addr previous_end = 0;
    for (size_t size = 1; size < 100000; size = size * 3 + 1) {
        sim_addr a = sim_mem_alloc(&f->sim, size, NULL);
        assert_true(a != 0);
        assert_int_equal(a % 256, 0);
        assert_true(previous_end == 0 || a >= previous_end + (1 << 16)); /* a far index hits no neighbor */
        previous_end = a + size;
        unsigned char *host = sim_mem_host(&f->sim, a, size);
        assert_non_null(host);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(host[i], 0xA5);
        assert_null(sim_mem_host(&f->sim, a, size + 1));
        assert_null(sim_mem_host(&f->sim, a + size, 1));
        assert_true(sim_mem_is_device(&f->sim, (void *)(uintptr_t)a));
        assert_false(sim_mem_is_device(&f->sim, host));
    }
}

static size_t resident_bytes(void)
{
    size_t all = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%zu %zu", &all, &resident), 2);
    fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

#define LARGE ((size_t)3 << 28)

FIXTURE_TEST(large_allocations_take_pages_as_they_are_used)
{
    struct fixture *f = *state;
    size_t before = resident_bytes();
    sim_mem_alloc(&f->sim, 1000, NULL); /* the next one begins in the middle of a page */
    for (int round = 0; round < 3; round++) {
        sim_addr a = sim_mem_alloc(&f->sim, LARGE + 1000, NULL);
        assert_true(a != 0);
        unsigned char *host = sim_mem_host(&f->sim, a, LARGE + 1000);
        for (size_t i = 0; i < LARGE + 1000; i += i < 5000 || i + 9000 > LARGE ? 1 : 999983)
            assert_int_equal(host[i], 0xA5);
        memset(host + 12345, 1, 100000);
        memset(host + LARGE - 100, 2, 1100);
        assert_int_equal(host[12344], 0xA5);
        assert_int_equal(host[112345], 0xA5);
        assert_int_equal(host[20000], 1);
        assert_true(resident_bytes() < before + ((size_t)96 << 20));
        assert_true(sim_mem_free(&f->sim, a));
    }
    assert_true(resident_bytes() < before + ((size_t)96 << 20));
}

FIXTURE_TEST(a_pattern_is_repeated)
{
    struct fixture *f = *state;
    enum { PERIOD = 1 << 20 };
    static unsigned char pattern[PERIOD];
    size_t before = resident_bytes(), missing;
    for (size_t i = 0; i < PERIOD; i++)
        pattern[i] = (unsigned char)(i % 251);
    sim_mem_alloc(&f->sim, 1000, NULL);
    sim_addr a = sim_mem_alloc(&f->sim, LARGE, NULL);
    assert_true(sim_mem_repeat(&f->sim, a, LARGE, pattern, PERIOD));
    unsigned char *host = sim_mem_host(&f->sim, a, LARGE);
    for (size_t i = 0; i < LARGE; i += i < 5000 || i + 9000 > LARGE ? 1 : 999983)
        assert_int_equal(host[i], i % PERIOD % 251);
    host[PERIOD + 7] = 77; /* in one place only */
    assert_int_equal(host[7], 7);
    assert_int_equal(host[2 * PERIOD + 7], 7);
    assert_true(resident_bytes() < before + ((size_t)96 << 20));
    assert_true(written_test(memory_at(f->sim.memory, a), 0, LARGE, &missing));
    assert_true(sim_mem_free(&f->sim, a));

    /* A period that no page is a part of, and small ranges, are copied. */
    a = sim_mem_alloc(&f->sim, 100000, NULL);
    assert_true(sim_mem_repeat(&f->sim, a + 100, 99000, pattern, 300));
    host = sim_mem_host(&f->sim, a, 100000);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(host[i], i < 100 || i >= 99100 ? 0xA5 : (i - 100) % 300 % 251);
    assert_false(sim_mem_repeat(&f->sim, a + 100, 99901, pattern, 300));
    assert_false(sim_mem_repeat(&f->sim, a, 100, pattern, 0));
    assert_false(sim_mem_repeat(&f->sim, 12345, 1, pattern, 300));
}

FIXTURE_TEST(usage_and_serials)
{
    struct fixture *f = *state;
    sim_addr a = sim_mem_alloc(&f->sim, 1000, NULL), b = sim_mem_alloc(&f->sim, 500, &f);
    size_t live, peak;
    int count;
    assert_true(sim_mem_free(&f->sim, a));
    sim_mem_usage(&f->sim, &live, &peak, &count);
    assert_int_equal(live, 500);
    assert_int_equal(peak, 1500);
    assert_int_equal(count, 1);
    sim_mem_name(&f->sim, b, "d_y");
    const struct sim_allocation *found = sim_mem_find(&f->sim, b + 499);
    assert_string_equal(found->name, "d_y");
    assert_int_equal(found->serial, 2);
    assert_ptr_equal(found->caller, &f);
}

FIXTURE_TEST(free_is_exact)
{
    struct fixture *f = *state;
    sim_addr a = sim_mem_alloc(&f->sim, 1000, NULL);
    assert_false(sim_mem_free(&f->sim, a + 4));
    assert_false(sim_mem_free(&f->sim, 0));
    assert_true(sim_mem_free(&f->sim, a));
    assert_false(sim_mem_free(&f->sim, a));
    assert_null(sim_mem_host(&f->sim, a, 4));
    assert_true(sim_mem_find(&f->sim, a)->freed);
}

FIXTURE_TEST(freed_addresses_are_not_reused_soon)
{
    struct fixture *f = *state;
    sim_addr first = sim_mem_alloc(&f->sim, 4096, NULL);
    sim_mem_free(&f->sim, first);
    for (int i = 0; i < 5000; i++) {
        sim_addr a = sim_mem_alloc(&f->sim, 4096, NULL);
        assert_true(a > first);
        sim_mem_free(&f->sim, a);
    }
}

FIXTURE_TEST(a_used_up_range_is_used_again)
{
    struct fixture *f = *state;
    size_t size = (size_t)24 << 20;
    sim_addr keep = sim_mem_alloc(&f->sim, 100, NULL);
    memset(sim_mem_host(&f->sim, keep, 100), 7, 100);
    for (int i = 0; i < 300; i++) { /* seven times the range */
        sim_addr a = sim_mem_alloc(&f->sim, size, NULL);
        assert_true(a != 0);
        assert_true(a + size + 256 <= keep || a >= keep + 100 + 256);
        assert_true(sim_mem_free(&f->sim, a));
    }
    unsigned char *host = sim_mem_host(&f->sim, keep, 100);
    assert_int_equal(host[0], 7);
    assert_int_equal(host[99], 7);
}

FIXTURE_TEST(too_much_is_refused)
{
    struct fixture *f = *state;
    assert_int_equal(sim_mem_alloc(&f->sim, ((size_t)1 << 30) + 1, NULL), 0);
    assert_int_equal(sim_mem_alloc(&f->sim, SIZE_MAX, NULL), 0);
    assert_int_equal(sim_mem_alloc(&f->sim, 0, NULL), 0);
    assert_true(sim_mem_alloc(&f->sim, 1024, NULL) != 0);
}

FIXTURE_TEST(adopted_memory_keeps_its_address)
{
    struct fixture *f = *state;
    char *mine = malloc(4000);
    sim_addr a = sim_mem_adopt(&f->sim, mine, 4000, NULL);
    assert_int_equal(a, (uint64_t)(uintptr_t)mine);
    assert_ptr_equal(sim_mem_host(&f->sim, a + 8, 4), mine + 8);
    assert_int_equal(sim_mem_adopt(&f->sim, mine + 100, 10, NULL), 0);
    struct block_view b = fixture_block(f, 0, 1, 32);
    struct access access = fixture_access(f, ACCESS_STORE, PTX_GLOBAL, 4, ALL, a, 4, 1);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OK);
    assert_ptr_equal(f->host[3], mine + 12);
    assert_true(sim_mem_free(&f->sim, a));
    assert_int_equal(sim_mem_adopt(&f->sim, mine, 4000, NULL), a);
    free(mine);
}

FIXTURE_TEST(host_code_cannot_follow_a_device_pointer)
{
    struct fixture *f = *state;
    sim_addr a = sim_mem_alloc(&f->sim, 64, NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        *(volatile int *)(uintptr_t)a = 1;
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

TEST(little_address_space_is_enough)
{
#ifndef __SANITIZE_ADDRESS__
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
        setrlimit(RLIMIT_AS, &limit);
        struct fixture g;
        fixture_open(&g);
        bool ok = g.sim.memory && sim_mem_alloc(&g.sim, 1 << 20, NULL) != 0 &&
                  sim_mem_alloc(&g.sim, (size_t)1 << 29, NULL) == 0 &&
                  sim_mem_alloc(&g.sim, 1 << 20, NULL) != 0;
        _exit(ok ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

/* ---- whole warps --------------------------------------------------------------------------------------- */

FIXTURE_TEST(shapes_and_host_addresses)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 0, 1, 64);
    sim_addr a = sim_mem_alloc(&f->sim, 65536, NULL);
    unsigned char *host = sim_mem_host(&f->sim, a, 65536);
    static const struct {
        int size;
        uint32_t lanes;
        uint64_t base;
        int64_t stride;
        enum access_shape shape;
    } cases[] = {
        {4, ALL, 0, 4, SHAPE_CONTIGUOUS},        {4, ALL, 64, 0, SHAPE_UNIFORM},
        {4, ALL, 0, 8, SHAPE_SCATTERED},         {4, 0xFFF, 65488, 4, SHAPE_CONTIGUOUS},
        {8, ALL, 8, 8, SHAPE_CONTIGUOUS},        {16, ALL, 1024, 16, SHAPE_CONTIGUOUS},
        {4, ALL, 124, -4, SHAPE_SCATTERED},      {1, 0xF0F0, 3, 1, SHAPE_SCATTERED},
        {2, 0x00FFFF00, 0, 2, SHAPE_CONTIGUOUS}, {4, 0x80000001, 0, 128, SHAPE_SCATTERED},
        {4, 1u << 31, 0, 4, SHAPE_CONTIGUOUS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct access access = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, cases[i].size, cases[i].lanes,
                                              a + cases[i].base, cases[i].stride, 1);
        for (int lane = 0; lane < 32; lane++) /* idle lanes may hold anything */
            if (!(cases[i].lanes >> lane & 1))
                f->address[lane] = 0xDEADBEEFCAFEBABEu;
        assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OK);
        assert_int_equal(access.shape, cases[i].shape);
        for (int lane = 0; lane < 32; lane++)
            if (cases[i].lanes >> lane & 1)
                assert_ptr_equal(f->host[lane], host + cases[i].base + cases[i].stride * lane);
    }
}

FIXTURE_TEST(lanes_in_several_allocations)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 0, 1, 32);
    sim_addr a[32];
    for (int i = 0; i < 32; i++)
        a[i] = sim_mem_alloc(&f->sim, 16, NULL);
    struct access access = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, 0, 0, 1);
    for (int i = 0; i < 32; i++)
        f->address[i] = a[31 - i] + 12;
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OK);
    for (int i = 0; i < 32; i++)
        assert_ptr_equal(f->host[i], sim_mem_host(&f->sim, a[31 - i] + 12, 4));
}

FIXTURE_TEST(an_address_that_was_freed_is_not_remembered)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 0, 1, 32);
    sim_addr a = sim_mem_alloc(&f->sim, 128, NULL);
    struct access access = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, a, 4, 1);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OK);
    sim_mem_free(&f->sim, a);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
}

/* ---- faults: class, and the words that matter ---------------------------------------------------------- */

struct fault_case {
    const char *what;
    enum access_kind kind;
    enum ptx_space space;
    int size;
    uint32_t lanes;
    bool in_x; /* base is an offset in x, 4000 bytes */
    uint64_t base;
    enum sim_hazard_class class;
    enum sim_status status;
    const char *says[4];
};

#define FAULT(text, kind, space, size, lanes, in_x, base, class, status, ...)                                \
    {                                                                                                        \
        text, ACCESS_##kind, PTX_##space, size, lanes, in_x, base, SIM_HAZARD_##class, SIM_##status,         \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }
static const struct fault_case faults[] = {
    FAULT("one past the end", LOAD, GLOBAL, 4, ALL, true, 3876, OUT_OF_BOUNDS, OUT_OF_BOUNDS,
          "k.cu:7: thread (63,0,0) of block (3,0,0) reads 4 bytes at index 1000 of x", "1000 elements",
          "just past its end", "launched with 8 blocks of 128 threads"),
    FAULT("far past the end", STORE, GLOBAL, 8, 1, true, 4800, OUT_OF_BOUNDS, OUT_OF_BOUNDS,
          "writes 8 bytes at indices 1200 to 1201 of x", "1000 elements of 4 bytes",
          "800 bytes past its end"),
    FAULT("before the beginning", LOAD, GLOBAL, 4, ALL, true, (uint64_t)-4, OUT_OF_BOUNDS, OUT_OF_BOUNDS,
          "thread (32,0,0)", "index -1 of x", "before its beginning", "i - 1"),
    FAULT("null", LOAD, GLOBAL, 4, 2, false, 0, OUT_OF_BOUNDS, OUT_OF_BOUNDS, "null pointer", "cudaMalloc"),
    FAULT("odd address", LOAD, GLOBAL, 16, 1, true, 8, MISALIGNED, MISALIGNED,
          "byte 8 of the allocation x (4000 bytes)",
          "not a multiple of 16. A type of 16 bytes (float4, double2) needs"),
    FAULT("nowhere", LOAD, GLOBAL, 4, 1, false, UINT64_C(0x123456789abc00), OUT_OF_BOUNDS, OUT_OF_BOUNDS,
          "nothing is allocated"),
    FAULT("top of the address space", LOAD, GLOBAL, 4, 1, false, UINT64_C(0xfffffffffffffffc), OUT_OF_BOUNDS,
          OUT_OF_BOUNDS, "nothing is allocated"),
    FAULT("constant memory", STORE, CONST, 4, 1, true, 0, READ_ONLY, OUT_OF_BOUNDS, "constant memory",
          "cudaMemcpyToSymbol"),
    FAULT("shared, past the end", STORE, SHARED, 4, ALL, false, FIXTURE_SHARED - 4, OUT_OF_BOUNDS,
          OUT_OF_BOUNDS, "thread (33,0,0)", "s_b", "16384 bytes: 1024 static and 15360 dynamic",
          "dynamic (the third launch parameter"),
    FAULT("shared, negative index", LOAD, SHARED, 4, 1, false, (uint32_t)-4, OUT_OF_BOUNDS, OUT_OF_BOUNDS,
          "4 bytes before the beginning", "negative"),
    FAULT("shared, misaligned", LOAD, SHARED, 8, ALL, false, 4, MISALIGNED, MISALIGNED,
          "byte 4 of the block's shared memory", "not a multiple of 8"),
    FAULT("local, past the end", LOAD, LOCAL, 4, 4, false, FIXTURE_LOCAL - 8, OUT_OF_BOUNDS, OUT_OF_BOUNDS,
          "thread (34,0,0)", "local memory", "64 bytes"),
};

FIXTURE_TEST(faults_are_told_in_words)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 3, 8, 128);
    sim_addr x = sim_mem_alloc(&f->sim, 4000, NULL);
    sim_mem_name(&f->sim, x, "x");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault_case *c = &faults[i];
        struct access access = fixture_access(f, c->kind, c->space, c->size, c->lanes,
                                              c->in_x ? x + c->base : c->base, c->size, 7);
        sim_hazards_reset(&f->sim);
        enum sim_status status = memory_resolve(&b, 1, &access, f->host, f->message);
        const struct sim_hazard *report;
        int count = sim_hazards(&f->sim, &report);
        if (status != c->status || count != 1 || report->class != c->class || report->here.line != 7)
            fail_msg("%s: status %d, %d reports: %s", c->what, status, count, f->message);
        for (int w = 0; w < 4 && c->says[w]; w++)
            if (!strstr(f->message, c->says[w]))
                fail_msg("%s: '%s' is missing in: %s", c->what, c->says[w], f->message);
        assert_string_equal(report->message, f->message);
    }
}

/* Where the index is the thread's own number, and nowhere else. */
FIXTURE_TEST(an_index_that_is_the_number_of_the_thread_is_called_so)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 7, 8, 128); /* its last warp: threads 992 to 1023 of the grid */
    uint64_t x = sim_mem_alloc(&f->sim, 4000, NULL);
    sim_mem_mark_written(&f->sim, x, 4000);
    for (int shift = 0; shift < 2; shift++) {
        struct access access =
            fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x + 4 * (uint64_t)(992 + shift), 4, 7);
        assert_int_equal(memory_resolve(&b, 3, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
        assert_int_equal(strstr(f->message, "The index equals the number of the thread in the grid.") != NULL,
                         shift == 0);
    }
    b = fixture_block(f, 8, 9, 128);
    for (int size = 4; size <= 16; size *= 2) { /* of a vector, or of a lane alone, it is chance */
        struct access access = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, size, size == 4 ? 1 : ALL,
                                              x + (uint64_t)size * 1024, size, 7);
        assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
        assert_null(strstr(f->message, "The index equals"));
    }
    /* all lanes have one index: that it is the number of the first one is chance */
    struct access access = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x + 4 * (uint64_t)1024, 0, 7);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
    assert_null(strstr(f->message, "The index equals"));
    /* One lane alone has the index of its number by chance, too; and 16 bytes may be four elements. */
    struct access alone = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, 1, x + 4 * (uint64_t)1024, 4, 7);
    assert_int_equal(memory_resolve(&b, 0, &alone, f->host, f->message), SIM_OUT_OF_BOUNDS);
    assert_null(strstr(f->message, "The index equals"));
    struct access wide = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 16, ALL, x + 16 * (uint64_t)1024, 16, 7);
    assert_int_equal(memory_resolve(&b, 0, &wide, f->host, f->message), SIM_OUT_OF_BOUNDS);
    assert_null(strstr(f->message, "The index equals"));
    /* In the first block, the number in the block is no other one. */
    b = fixture_block(f, 0, 9, 128);
    struct access first =
        fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, sim_mem_alloc(&f->sim, 400, NULL) + 384, 4, 7);
    assert_int_equal(memory_resolve(&b, 3, &first, f->host, f->message), SIM_OUT_OF_BOUNDS);
    assert_null(strstr(f->message, "The index equals"));
}

/* A condition is not asked for where the number is one of another array's elements, which are as many as the guard says. */
FIXTURE_TEST(an_index_that_fits_another_array_is_told_of_it)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 1, 2, 128);
    const sim_addr x = sim_mem_alloc(&f->sim, 800, NULL), y = sim_mem_alloc(&f->sim, 400, NULL);
    sim_mem_name(&f->sim, x, "d_x");
    sim_mem_name(&f->sim, y, "d_y");
    for (uint64_t guard = 199; guard <= 200; guard++) {
        const uint64_t arguments[] = {x, y, guard};
        b.param = (const unsigned char *)arguments;
        b.param_size = sizeof arguments;
        struct access access = fixture_access(f, ACCESS_STORE, PTX_GLOBAL, 4, ALL, y + 4 * 128, 4, 7);
        assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
        assert_int_equal(strstr(f->message, "The index equals") == NULL, guard == 200);
        assert_int_equal(strstr(f->message, "d_x has 200 elements") != NULL, guard == 200);
    }
}

FIXTURE_TEST(host_pointers_are_recognised)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 0, 1, 32);
    float *array = calloc(64, sizeof *array);
    struct access access =
        fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, (uint64_t)(uintptr_t)array, 4, 9);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
    assert_non_null(strstr(f->message, "host's memory"));
    free(array);
}

FIXTURE_TEST(freed_memory_is_named)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 0, 1, 32);
    sim_addr x = sim_mem_alloc(&f->sim, 4000, NULL);
    sim_mem_name(&f->sim, x, "d_partial");
    sim_mem_alloc(&f->sim, 4000, NULL);
    sim_mem_free(&f->sim, x);
    struct access access = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x + 40, 4, 9);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
    const struct sim_hazard *report;
    assert_int_equal(sim_hazards(&f->sim, &report), 1);
    assert_int_equal(report->class, SIM_HAZARD_USE_AFTER_FREE);
    assert_non_null(strstr(f->message, "index 10 of d_partial"));
    assert_non_null(strstr(f->message, "cudaFree"));
}

FIXTURE_TEST(symbols_can_be_read_only)
{
    struct fixture *f = *state;
    struct block_view b = fixture_block(f, 0, 1, 32);
    sim_addr x = sim_mem_alloc(&f->sim, 256, NULL);
    memory_set_read_only(&f->sim, x + 128, 64);
    struct access access = fixture_access(f, ACCESS_STORE, PTX_GLOBAL, 4, ALL, x, 4, 9);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OK);
    access = fixture_access(f, ACCESS_LOAD, PTX_GLOBAL, 4, ALL, x + 128, 4, 9);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OK);
    access = fixture_access(f, ACCESS_STORE, PTX_GLOBAL, 4, ALL, x + 4, 4, 9);
    assert_int_equal(memory_resolve(&b, 0, &access, f->host, f->message), SIM_OUT_OF_BOUNDS);
    assert_non_null(strstr(f->message, "thread (31,0,0)"));
}

RUN_ALL
