/* Texts as they are printed: how wide, where they are broken. */
#include "test.h"
#include "harness/base/text.h"

/* What is printed of `text` where there are `columns`. */
static const char *printed(const char *columns, int indent, const char *text)
{
    static char kept[1024];
    char *buffer = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&buffer, &size);
    assert_non_null(out);
    if (columns)
        setenv("COLUMNS", columns, 1);
    else
        unsetenv("COLUMNS");
    int lines = text_print(out, indent, text, 0);
    fclose(out);
    snprintf(kept, sizeof kept, "%s", buffer);
    for (const char *s = buffer; *s; s++)
        lines -= *s == '\n';
    assert_int_equal(lines, 0);
    free(buffer);
    return kept;
}

TEST(test_width)
{
    char text[301];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = i % 2 ? ' ' : 'x';
    text[sizeof text - 1] = 0;
    assert_int_equal(strcspn(printed(NULL, 0, text), "\n"), 79); /* 80 would end with a blank */
    assert_int_equal(strcspn(printed("60", 4, text), "\n"), 59);
    assert_int_equal(strcspn(printed("300", 0, text), "\n"), 99);
    assert_int_equal(strcspn(printed("5", 0, text), "\n"), 39);
}

TEST(test_words_stay_whole)
{
    assert_string_equal(printed("40", 2, "one two"), "  one two\n");
    assert_string_equal(printed("40", 0, "a:\n/a/very/long/path/that/does/not/fit/onto/one/line b"),
                        "a:\n/a/very/long/path/that/does/not/fit/onto/one/line\nb\n");
}

TEST(test_commands_stay_whole)
{
    assert_string_equal(
        printed("40", 0, "Next: correct it; this case alone: ./grader --only 'one element' --seed 1"),
        "Next: correct it; this case alone:\n./grader --only 'one element' --seed 1\n");
    assert_string_equal(
        printed("40", 0, "Next: write TODO 1 (skeleton.cu:32), then make lab01 && ./grader. Well."),
        "Next: write TODO 1 (skeleton.cu:32),\nthen make lab01 && ./grader. Well.\n");
    assert_string_equal(
        printed("40", 0, "There is more to be read with ./grader --verbose, as there always is."),
        "There is more to be read with\n./grader --verbose, as there always is.\n");
    assert_string_equal(
        printed("40", 0, "It is longer: ./grader --only 'sum: an odd number of \"words\"' --seed 12345 then"),
        "It is longer:\n./grader --only 'sum: an odd number of \"words\"' --seed 12345\nthen\n");
}

RUN_ALL
