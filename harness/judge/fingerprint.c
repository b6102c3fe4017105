/*
 * NH (Black, Halevi, Krawczyk, Krovetz, Rogaway: UMAC, 1999): of words m of 32 bits and a random key k, the sum of
 * (m[0] + k[0]) (m[1] + k[1]) + (m[2] + k[2]) (m[3] + k[3]) + ..., where additions in parentheses are modulo 2^32 and the
 * sum is modulo 2^64. Two different blocks of one length have the same sum with a probability of at most 2^-32; two sums,
 * the second with the key moved on (Toeplitz), are both the same with at most 2^-64. The blocks' pairs of sums are put
 * together by NH on words of 64 bits, with keys that follow from the number of the block.
 */
#define _GNU_SOURCE
#include "harness/judge/fingerprint.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

#include "harness/lab/parallel.h"
#include "harness/lab/pieces.h"

#define BLOCK       4096 /* bytes: their key stays in L1 */
#define WORDS       (BLOCK / 4)
#define SHIFT       8 /* words by which the key is moved on for the second sum */
#define LEAST_BYTES (1 << 20)

typedef unsigned __int128 wide;

static struct {
    uint32_t word[WORDS + SHIFT];
    uint64_t number[2]; /* for the numbers of blocks */
} key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Without random numbers outputs could not be judged: then the run ends. */
static void draw_key(void)
{
    size_t have = 0;
    while (have < sizeof key) {
        const ssize_t more = getrandom((char *)&key + have, sizeof key - have, 0);
        if (more < 0) {
            perror("grader: getrandom");
            exit(2);
        }
        have += (size_t)more;
    }
}

/* The finalizer of SplitMix64: keys for as many blocks as there are. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void sums_plain(const unsigned char *data, uint64_t sum[2])
{
    sum[0] = sum[1] = 0;
    for (int i = 0; i < WORDS; i += 2) {
        uint32_t m[2];
        memcpy(m, data + 4 * i, sizeof m);
        for (int s = 0; s < 2; s++) {
            const uint32_t *k = key.word + i + s * SHIFT;
            sum[s] += (uint64_t)(m[0] + k[0]) * (m[1] + k[1]);
        }
    }
}

#if defined __x86_64__
/* The same sums. */
__attribute__((target("avx2"))) static void sums_avx2(const unsigned char *data, uint64_t sum[2])
{
    __m256i total[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    for (int i = 0; i < WORDS; i += 8) {
        const __m256i m = _mm256_loadu_si256((const __m256i *)(data + 4 * i));
        for (int s = 0; s < 2; s++) {
            const __m256i k = _mm256_loadu_si256((const __m256i *)(key.word + i + s * SHIFT));
            const __m256i added = _mm256_add_epi32(m, k);
            const __m256i product = _mm256_mul_epu32(added, _mm256_srli_epi64(added, 32));
            total[s] = _mm256_add_epi64(total[s], product);
        }
    }
    for (int s = 0; s < 2; s++) {
        uint64_t lane[4];
        memcpy(lane, &total[s], sizeof lane);
        sum[s] = lane[0] + lane[1] + lane[2] + lane[3];
    }
}
#endif

static void sums_of_block(const unsigned char *data, uint64_t sum[2])
{
#if defined __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        sums_avx2(data, sum);
        return;
    }
#endif
    sums_plain(data, sum);
}

/* What block `number` adds to the fingerprint. */
static wide share_of(const uint64_t sum[2], uint64_t number)
{
    return (wide)(sum[0] + mix(key.number[0] + number)) * (sum[1] + mix(key.number[1] + number));
}

struct reading {
    const unsigned char *data;
    pthread_mutex_t mutex;
    wide sum;
};

static void read_blocks(void *context, int64_t begin, int64_t end)
{
    struct reading *r = context;
    wide sum = 0;
    for (int64_t at = begin; at < end; at += BLOCK) {
        unsigned char last[BLOCK];
        uint64_t pair[2];
        const bool whole = end - at >= BLOCK;
        if (!whole) {
            memset(last, 0, sizeof last);
            memcpy(last, r->data + at, (size_t)(end - at));
        }
        sums_of_block(whole ? r->data + at : last, pair);
        sum += share_of(pair, (uint64_t)at / BLOCK);
    }
    pthread_mutex_lock(&r->mutex);
    r->sum += sum;
    pthread_mutex_unlock(&r->mutex);
}

struct fingerprint fingerprint_of(const void *data, size_t bytes)
{
    struct reading r = {.data = data, .mutex = PTHREAD_MUTEX_INITIALIZER};
    pthread_once(&once, draw_key);
    parallel_pieces((int64_t)bytes, LEAST_BYTES, BLOCK, read_blocks, &r);
    return (struct fingerprint){{(uint64_t)r.sum, (uint64_t)(r.sum >> 64)}};
}

struct pieces {
    const unsigned char *data;
    size_t bytes;
    uint64_t draw;
    struct fingerprint *piece;
};

static void read_pieces(void *context, int64_t begin, int64_t end)
{
    const struct pieces *p = context;
    for (uint64_t i = (uint64_t)begin; i < (uint64_t)end; i++)
        if (piece_is_drawn(p->draw, p->bytes, i))
            p->piece[i] = fingerprint_of(p->data + i * PIECE_BYTES, piece_bytes(p->bytes, i));
}

void fingerprint_pieces(const void *data, size_t bytes, uint64_t draw, struct fingerprint *piece)
{
    struct pieces p = {data, bytes, draw, piece};
    parallel_pieces((int64_t)pieces_count(bytes), LEAST_BYTES / PIECE_BYTES, 1, read_pieces, &p);
}

bool fingerprint_same(const struct fingerprint *a, const struct fingerprint *b)
{
    return a->half[0] == b->half[0] && a->half[1] == b->half[1];
}
