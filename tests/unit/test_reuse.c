/* Requests that a warp repeats. */
#include "test.h"
#include "sim/model/reuse.h"

enum { WARPS = 4, OPERATIONS = 2 };

/* The lanes of `warp` access words, lane l the one at `first` + l * `step` bytes. */
static void access_words(struct reuse *reuse, unsigned warp, enum access_kind kind, enum ptx_space space,
                         uint64_t first, uint64_t step)
{
    uint64_t address[32];
    for (int lane = 0; lane < 32; lane++)
        address[lane] = first + (uint64_t)lane * step;
    const struct access access = {
        .kind = kind, .space = space, .size = 4, .element_size = 4, .lanes = UINT32_MAX, .address = address};
    reuse_access(reuse, warp, &access);
}

TEST(test_requests_again)
{
    struct reuse *reuse = reuse_create(WARPS, OPERATIONS);
    access_words(reuse, 0, ACCESS_LOAD, PTX_GLOBAL, 4096, 4);
    access_words(reuse, 1, ACCESS_LOAD, PTX_GLOBAL, 4096, 4); /* another warp's */
    access_words(reuse, 0, ACCESS_LOAD, PTX_GLOBAL, 8192, 4);
    access_words(reuse, 0, ACCESS_STORE, PTX_GLOBAL, 4096, 4);
    assert_int_equal(reuse->ops[0].again, 0);
    access_words(reuse, 0, ACCESS_LOAD, PTX_GLOBAL, 4096, 4);
    assert_int_equal(reuse->ops[0].again, 1);
    assert_int_equal(reuse->ops[0].requests, 5);
    reuse_destroy(reuse);
}

RUN_ALL
