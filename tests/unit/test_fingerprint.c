/* Fingerprints: equal for equal bytes wherever they lie, different for any change of one bit, whatever the length. */
#include "test.h"

/* The file itself: its sums with and without vectors are compared. */
#define fingerprint_of     tested_fingerprint_of
#define fingerprint_pieces tested_fingerprint_pieces
#define fingerprint_same   tested_fingerprint_same
#include "harness/judge/fingerprint.c"
#include "harness/lab/lab.h"

const struct lab the_lab;

static bool same(const void *a, const void *b, size_t bytes)
{
    const struct fingerprint x = fingerprint_of(a, bytes), y = fingerprint_of(b, bytes);
    return fingerprint_same(&x, &y);
}

static unsigned char *random_bytes(size_t bytes, uint64_t seed)
{
    unsigned char *data = malloc(bytes + 1);
    assert_non_null(data);
    lab_fill_uint8(data, (int64_t)bytes, seed, 0, 256);
    return data;
}

static const size_t lengths[] = {1, 3, 4, 8, 31, 4095, 4096, 4097, 8192, 12289, 3 << 20, (9 << 20) + 5};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

TEST(test_equal_bytes)
{
    assert_true(same(NULL, NULL, 0));
    for (int i = 0; i < LENGTHS; i++) {
        unsigned char *a = random_bytes(lengths[i], 5), *b = malloc(lengths[i] + 1);
        assert_non_null(b);
        memcpy(b + 1, a, lengths[i]); /* at another address, which is no multiple of anything */
        assert_true(same(a, b + 1, lengths[i]));
        free(a);
        free(b);
    }
}

/* One bit; in the first and last byte, around the ends of blocks, and at places between. */
TEST(test_one_bit)
{
    for (int i = 0; i < LENGTHS; i++) {
        unsigned char *a = random_bytes(lengths[i], 6);
        const struct fingerprint before = fingerprint_of(a, lengths[i]);
        for (size_t k = 0; k < 64; k++) {
            const size_t from_end = k < 32 ? k * k * k * k : lengths[i] - 1 - (k - 32) * (k - 32) * 131;
            const size_t at = from_end < lengths[i] ? from_end : k * 4095 % lengths[i];
            a[at] ^= (unsigned char)(1 << k % 8);
            const struct fingerprint changed = fingerprint_of(a, lengths[i]);
            assert_false(fingerprint_same(&before, &changed));
            a[at] ^= (unsigned char)(1 << k % 8);
        }
        const struct fingerprint after = fingerprint_of(a, lengths[i]);
        assert_true(fingerprint_same(&before, &after));
        free(a);
    }
}

static void swap(unsigned char *a, unsigned char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* Neither words nor whole blocks may change places; and zeros are not nothing. */
TEST(test_order_and_length)
{
    static const size_t parts[] = {1, 4, 8, 16, 32, 64, 4096, 8192};
    const size_t bytes = 5 << 20;
    unsigned char *a = random_bytes(bytes, 7);
    const struct fingerprint before = fingerprint_of(a, bytes);
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        swap(a, a + parts[p], parts[p]);
        const struct fingerprint changed = fingerprint_of(a, bytes);
        assert_false(fingerprint_same(&before, &changed));
        swap(a, a + parts[p], parts[p]);
    }
    memset(a, 0, bytes);
    const struct fingerprint block = fingerprint_of(a, 4096), two = fingerprint_of(a, 8192);
    assert_false(fingerprint_same(&block, &two));
    free(a);
}

/* A changed element in each block of a long array, one after another. */
TEST(test_every_block)
{
    const size_t blocks = 600, bytes = blocks * 4096;
    unsigned char *a = random_bytes(bytes, 8);
    const struct fingerprint before = fingerprint_of(a, bytes);
    for (size_t b = 0; b < blocks; b++) {
        a[b * 4096 + b * 37 % 4096] += 1;
        const struct fingerprint changed = fingerprint_of(a, bytes);
        assert_false(fingerprint_same(&before, &changed));
        a[b * 4096 + b * 37 % 4096] -= 1;
    }
    free(a);
}

/* What processors without AVX2 compute is the same. */
TEST(test_without_vectors)
{
    unsigned char *a = random_bytes(4096 * 50, 9);
    for (int b = 0; b < 50; b++) {
        uint64_t plain[2], vectors[2];
        sums_plain(a + 4096 * b, plain);
        sums_of_block(a + 4096 * b, vectors);
        assert_memory_equal(plain, vectors, sizeof plain);
        assert_true(plain[0] != plain[1]);
    }
    free(a);
}

RUN_ALL
