/* Why a launch is impossible, in words: the same for the simulator and on a GPU. */
#include "test.h"
#include "sim/text/launch_words.h"

TEST(test_words)
{
    static const struct {
        uint32_t grid[3], block[3];
        const char *said; /* NULL: it is possible */
    } cases[] = {
        {{1, 1, 1}, {1024, 1, 1}, NULL},
        {{0, 1, 1}, {256, 1, 1}, "a grid of 0 blocks: there must be at least one"},
        {{4, 0, 1}, {256, 1, 1}, "a grid of 4 x 0 x 1 blocks: there must be at least one"},
        {{1, 65536, 1}, {1, 1, 1}, "a grid of 1 x 65536 x 1 blocks: in y there may be at most 65535"},
        {{1, 1, 1}, {0, 1, 1}, "a block of 0 threads: there must be at least one"},
        {{256, 1, 1}, {4096, 1, 1}, "are they swapped?"},
        {{3, 1, 1}, {33, 32, 1}, "a block of 33 x 32 x 1 threads, 1056 in all: at most 1024 in all"},
        {{1, 1, 1}, {1, 1, 65}, "at most 1024 x 1024 x 64"},
    };
    char text[400];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text[0] = '\0';
        assert_int_equal(launch_words(cases[i].grid, cases[i].block, 1024, text, sizeof text),
                         cases[i].said != NULL);
        if (cases[i].said && !strstr(text, cases[i].said))
            fail_msg("expected %s in: %s", cases[i].said, text);
    }
    launch_words(cases[6].grid, cases[6].block, 1024, text, sizeof text);
    assert_null(strstr(text, "swapped"));
}

RUN_ALL
