/* hints.txt: what is read, and what is said about a file that is malformed. */
#include "test.h"
#include "harness/report/hint.h"

static struct hints hints;
static char message[512];

static bool read_bytes(const char *text, size_t length)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    rewind(file);
    message[0] = 0;
    bool good = hints_read(&hints, file, "lab/hints.txt", message);
    fclose(file);
    return good;
}

static bool read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

TEST(reads_two_todos)
{
    assert_true(
        read_text("# a comment\n\nTODO 1:\nfirst,\n  on two lines  \n# between\nand three\n\n\n\nsecond\n"
                  "\nTODO 2:\n\n#pragma unroll, a = b   c\n"));
    assert_int_equal(hints.todo_count, 2);
    assert_int_equal(hints.todo[0].line, 3);
    assert_int_equal(hints.todo[0].count, 2);
    assert_string_equal(hints.todo[0].hint[0], "first, on two lines and three");
    assert_string_equal(hints.todo[0].hint[1], "second");
    assert_int_equal(hints.todo[1].count, 1);
    assert_string_equal(hints.todo[1].hint[0], "#pragma unroll, a = b   c");
    hints_free(&hints);
}

/* What editors on other systems leave: CRLF, no newline at the end, a byte-order mark. */
TEST(reads_what_editors_write)
{
    assert_true(read_text("\xef\xbb\xbfTODO 1:\r\nfirst,\r\non two lines\r\n\r\nsecond"));
    assert_int_equal(hints.todo[0].count, 2);
    assert_string_equal(hints.todo[0].hint[0], "first, on two lines");
    assert_string_equal(hints.todo[0].hint[1], "second");
    hints_free(&hints);
}

TEST(reads_a_very_long_line)
{
    enum { LENGTH = 100000 };
    char *text = malloc(LENGTH + 32);
    strcpy(text, "TODO 1:\n");
    memset(text + 8, 'x', LENGTH);
    strcpy(text + 8 + LENGTH, "\n");
    assert_true(read_text(text));
    assert_int_equal(strlen(hints.todo[0].hint[0]), LENGTH);
    hints_free(&hints);
    free(text);
}

static void refused(const char *text, const char *reason)
{
    assert_false(read_text(text));
    assert_string_equal(message, reason);
    assert_int_equal(hints.todo_count, 0);
}

TEST(refuses_what_is_malformed)
{
    refused("", "lab/hints.txt:1: the file ends without \"TODO 1:\"");
    refused("# only\n\n# comments\n", "lab/hints.txt:3: the file ends without \"TODO 1:\"");
    refused("a hint of its own\n", "lab/hints.txt:1: expected \"TODO 1:\" before the first hint");
    refused("TODO 1:\n", "lab/hints.txt:1: there is no hint for TODO 1");
    refused("TODO 1:\n# none yet\n\nTODO 2:\nhint\n", "lab/hints.txt:1: there is no hint for TODO 1");
    refused("TODO 1:\nhint\n\nTODO 2:", "lab/hints.txt:4: there is no hint for TODO 2");
    refused("TODO 2:\nhint\n", "lab/hints.txt:1: expected TODO 1, found TODO 2");
    refused("TODO 0:\nhint\n", "lab/hints.txt:1: expected TODO 1, found TODO 0");
    refused("TODO -1:\nhint\n", "lab/hints.txt:1: expected TODO 1, found TODO -1");
    refused("TODO 1:\nhint\nTODO 99:\nhint\n", "lab/hints.txt:3: expected TODO 2, found TODO 99");
    refused("TODO 1:\nhint\nTODO 2:\nhint\nTODO 1:\nhint\n",
            "lab/hints.txt:5: TODO 1 a second time; the first is in line 1");
    refused("TODO 1:\nhint\nTODO 1:\n", "lab/hints.txt:3: TODO 1 a second time; the first is in line 1");
}

TEST(refuses_other_headings)
{
    static const char *const headings[] = {
        "TODO", "TODO 1", "TODO one:", "TODO 1: a hint", "TODOs:", "TODO 99999999999999999999:"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        refused(headings[i],
                "lab/hints.txt:1: a line that starts with TODO must read \"TODO 1:\" and no more");
}

TEST(refuses_too_much)
{
    char text[4096] = "TODO 1:\n";
    for (int i = 0; i <= HINTS_PER_TODO; i++)
        strcat(text, "hint\n\n");
    refused(text, "lab/hints.txt:18: more than 8 hints for TODO 1");
    text[0] = 0;
    for (int i = 1; i <= TODO_MAX + 1; i++)
        sprintf(text + strlen(text), "TODO %d:\nhint\n", i);
    refused(text, "lab/hints.txt:65: more than 32 TODOs");
    assert_false(read_bytes("TODO 1:\nhi\0nt\n", 14));
    assert_string_equal(message, "lab/hints.txt:2: a byte 0 in the text");
}

RUN_ALL
