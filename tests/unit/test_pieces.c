/* Which pieces of an output are looked at: harness/lab/pieces.c, and the fingerprints of them. */
#include "test.h"
#include "harness/judge/fingerprint.h"
#include "harness/lab/pieces.h"

#define MANY (LONG_OUTPUT + 3 * PIECE_BYTES + 17)

TEST(test_sizes)
{
    static const uint64_t bytes[] = {0, 1, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, LONG_OUTPUT, MANY};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        uint64_t sum = 0;
        for (uint64_t p = 0; p < pieces_count(bytes[i]); p++) {
            assert_in_range(piece_bytes(bytes[i], p), 1, PIECE_BYTES);
            sum += piece_bytes(bytes[i], p);
        }
        assert_int_equal(sum, bytes[i]);
    }
}

TEST(test_all_of_short_ones)
{
    for (uint64_t p = 0; p < pieces_count(MANY); p++) {
        assert_true(piece_is_drawn(0, MANY, p));
        assert_true(p >= pieces_count(LONG_OUTPUT - 1) || piece_is_drawn(99, LONG_OUTPUT - 1, p));
    }
}

/* One of each group, each equally often, and in one group without regard to the next; the last piece always. */
TEST(test_draws)
{
    enum { DRAWS = 4000 };
    int times[PIECE_GROUP] = {0}, same_as_next = 0;
    const uint64_t last = pieces_count(MANY) - 1;
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        uint64_t drawn[2] = {PIECE_GROUP, PIECE_GROUP};
        for (uint64_t p = 0; p + 1 < pieces_count(MANY) / PIECE_GROUP * PIECE_GROUP; p += PIECE_GROUP) {
            int count = 0;
            for (uint64_t i = 0; i < PIECE_GROUP; i++)
                if (piece_is_drawn(draw * 0x123456789, MANY, p + i)) {
                    count++;
                    if (p / PIECE_GROUP < 2)
                        drawn[p / PIECE_GROUP] = i;
                }
            assert_in_range(count, 1, p + PIECE_GROUP > last ? 2 : 1);
        }
        times[drawn[0]]++;
        same_as_next += drawn[0] == drawn[1];
        assert_true(piece_is_drawn(draw, MANY, last));
    }
    for (int i = 0; i < PIECE_GROUP; i++)
        assert_in_range(times[i], DRAWS / PIECE_GROUP * 9 / 10, DRAWS / PIECE_GROUP * 11 / 10);
    assert_in_range(same_as_next, DRAWS / PIECE_GROUP * 9 / 10, DRAWS / PIECE_GROUP * 11 / 10);
}

/* A change of one byte shows in the piece that holds it, and in no other; what is not drawn is not touched. */
TEST(test_fingerprints)
{
    const uint64_t count = pieces_count(MANY);
    unsigned char *data = calloc(1, MANY);
    struct fingerprint *before = calloc(count, sizeof *before), *after = calloc(count, sizeof *after);
    static const struct fingerprint none;
    assert_true(data && before && after);
    fingerprint_pieces(data, MANY, 0, before);
    for (uint64_t p = 0; p < count; p += 7) {
        const uint64_t at = p * PIECE_BYTES + p % piece_bytes(MANY, p);
        memset(after, 0, count * sizeof *after);
        data[at] ^= 1;
        fingerprint_pieces(data, MANY, p + 1, after);
        data[at] ^= 1;
        for (uint64_t i = 0; i < count; i++)
            if (piece_is_drawn(p + 1, MANY, i))
                assert_int_equal(fingerprint_same(&before[i], &after[i]), i != p);
            else
                assert_memory_equal(&after[i], &none, sizeof none);
    }
    free(data);
    free(before);
    free(after);
}

RUN_ALL
