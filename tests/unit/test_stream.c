/* Clocks of streams, and sets of touched bytes. */
#include "test.h"
#include "sim/stream/clock.h"
#include "sim/stream/touched.h"

TEST(test_clocks)
{
    struct stream_clock a = {NULL, 0}, b = {NULL, 0};
    assert_int_equal(clock_at(&a, 7), 0);
    assert_true(clock_covered(&a, &b));
    clock_set(&a, 2, 5);
    clock_set(&b, 0, 3);
    assert_false(clock_covered(&a, &b));
    assert_false(clock_covered(&b, &a));
    clock_join(&b, &a);
    assert_true(clock_covered(&a, &b));
    assert_false(clock_covered(&b, &a));
    assert_int_equal(clock_at(&b, 0), 3);
    assert_int_equal(clock_at(&b, 2), 5);
    clock_set(&a, 2, 6);
    clock_join(&b, &a);
    assert_int_equal(clock_at(&b, 2), 6);
    clock_free(&a);
    clock_free(&b);
}

/* Whether a range touched one way meets another one touched another way; both ways round. */
static bool meet(enum touch_kind kind, uint64_t first, uint64_t size, enum touch_kind other,
                 uint64_t other_first, uint64_t other_size, struct touched_conflict *out)
{
    struct touched_bytes *a = touched_create(), *b = touched_create();
    struct touched_conflict back;
    touched_add(a, kind, first, size);
    touched_add(b, other, other_first, other_size);
    touched_close(a);
    const bool found = touched_meet(a, b, out);
    assert_int_equal(touched_meet(b, a, &back), found);
    if (found) {
        assert_int_equal(back.address, out->address);
        assert_int_equal(back.bytes, out->bytes);
        assert_int_equal(back.here_writes, out->there_writes);
    }
    touched_destroy(a);
    touched_destroy(b);
    return found;
}

TEST(test_bytes_that_meet)
{
    struct touched_conflict c;
    assert_true(meet(TOUCH_WRITE, 1000, 10, TOUCH_READ, 1009, 100, &c));
    assert_int_equal(c.address, 1009);
    assert_int_equal(c.bytes, 1);
    assert_true(c.here_writes && !c.there_writes);
    assert_false(meet(TOUCH_WRITE, 1000, 10, TOUCH_READ, 1010, 100, &c));
    assert_false(meet(TOUCH_READ, 1000, 10, TOUCH_READ, 1000, 10, &c));
    assert_true(meet(TOUCH_WRITE, 1000, 10, TOUCH_WRITE, 990, 30, &c));
    assert_int_equal(c.address, 1000);
    assert_int_equal(c.bytes, 10);
}

/* Long ranges are kept in another way than short ones. */
TEST(test_long_ranges)
{
    struct touched_conflict c;
    assert_true(meet(TOUCH_WRITE, 1 << 20, 1 << 20, TOUCH_READ, (1 << 20) + 12345, 2, &c));
    assert_int_equal(c.address, (1 << 20) + 12345);
    assert_int_equal(c.bytes, 2);
    assert_false(meet(TOUCH_WRITE, 1 << 20, 1 << 20, TOUCH_READ, 2 << 20, 2, &c));
    assert_false(meet(TOUCH_WRITE, 1 << 20, 1 << 20, TOUCH_READ, (1 << 20) - 1, 1, &c));
    assert_true(meet(TOUCH_WRITE, 5000, 100000, TOUCH_READ, 100, 100000, &c));
    assert_int_equal(c.address, 5000);
    assert_int_equal(c.bytes, 95100);
}

TEST(test_strong_accesses)
{
    struct touched_conflict c;
    assert_false(meet(TOUCH_STRONG_WRITE, 64, 4, TOUCH_STRONG_WRITE, 64, 4, &c));
    assert_false(meet(TOUCH_STRONG_READ, 64, 4, TOUCH_SYSTEM_WRITE, 64, 4, &c));
    assert_true(meet(TOUCH_STRONG_WRITE, 64, 4, TOUCH_READ, 64, 4, &c));
    assert_true(meet(TOUCH_STRONG_READ, 64, 4, TOUCH_WRITE, 64, 4, &c));
    assert_false(meet(TOUCH_STRONG_READ, 64, 4, TOUCH_READ, 64, 4, &c));
}

/* Full, half and scattered warps, at the scopes of the PTX ISA. */
TEST(test_accesses_of_warps)
{
    struct touched_bytes *set = touched_create();
    uint64_t address[32];
    struct access access = {.kind = ACCESS_STORE, .size = 4, .lanes = ~0u, .address = address};
    bool writes, talk;
    for (int i = 0; i < 32; i++)
        address[i] = 8000 + 4 * (uint64_t)i;
    access.shape = SHAPE_CONTIGUOUS;
    touched_access(set, &access, 2);
    assert_true(touched_meets_byte(set, 8127, false, &writes, &talk) && writes && !talk);
    assert_false(touched_meets_byte(set, 8128, true, &writes, &talk));
    access.shape = SHAPE_SCATTERED;
    access.lanes = 2;
    address[1] = 8200;
    access.order = ORDER_VOLATILE;
    touched_access(set, &access, 2); /* the host may look at it */
    assert_false(touched_meets_byte(set, 8200, false, &writes, &talk));
    assert_true(writes && !talk); /* but what was written before may come later: no fence is in front of it */
    touched_fence(set, 1);
    assert_false(touched_meets_byte(set, 8200, false, &writes, &talk) || talk);
    touched_fence(set, 2);
    assert_false(touched_meets_byte(set, 8200, false, &writes, &talk));
    assert_true(talk);
    address[1] = 8300;
    access.kind = ACCESS_ATOMIC;
    touched_access(set, &access, 1); /* of device scope: the host is not in it */
    assert_true(touched_meets_byte(set, 8300, false, &writes, &talk) && !talk);
    touched_destroy(set);
}

/* A flag by atomics with fences on both sides orders what it announces; without fences it does not. */
TEST(test_kernels_that_talk)
{
    struct touched_bytes *a = touched_create(), *b = touched_create();
    struct touched_conflict c;
    touched_add(a, TOUCH_WRITE, 100, 4);
    touched_add(b, TOUCH_READ, 100, 4);
    touched_add(a, TOUCH_STRONG_WRITE, 200, 4);
    assert_true(touched_meet(a, b, &c) && !touched_talk(a, b));
    touched_add(b, TOUCH_STRONG_READ, 200, 4);
    assert_false(touched_talk(a, b));
    touched_fence(a, 1);
    assert_false(touched_talk(a, b));
    touched_fence(b, 1);
    assert_true(touched_talk(a, b) && touched_talk(b, a));
    touched_destroy(a);
    touched_destroy(b);
}

RUN_ALL
