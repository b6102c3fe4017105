/* TODO regions: where they are, what they say, whether they are open. */
#include <unistd.h>

#include "test.h"
#include "harness/source/todo.h"

static struct todo todo[TODO_MAX];

static int scan(const char *text)
{
    char path[] = "/tmp/test_todo_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    int count = todo_scan(path, todo);
    unlink(path);
    return count;
}

TEST(test_no_file)
{
    assert_int_equal(todo_scan("/nowhere/at/all.cu", todo), -1);
}

TEST(test_none)
{
    assert_int_equal(scan(""), 0);
    assert_int_equal(scan("int main() {}\n// a TODO that is none\n"), 0);
    assert_null(todo_first_open(todo, 0));
}

TEST(test_open_and_closed)
{
    int count = scan("void f()\n"
                     "{\n"
                     "    // TODO 1: fill this in,\n"
                     "    // on two lines.\n"
                     "    x = 1;\n"
                     "    // end of TODO 1\n"
                     "    // TODO 2: and this.\n"
                     "\n"
                     "    // a note, and one more: /* \n"
                     "    /* x = 2;\n"
                     "       y = 3; */\n"
                     "    // end of TODO 2\n"
                     "    y = 4;\n"
                     "}\n");
    assert_int_equal(count, 2);
    assert_false(todo[0].open);
    assert_true(todo[1].open);
    assert_int_equal(todo[0].line, 3);
    assert_int_equal(todo[1].line, 7);
    assert_string_equal(todo[0].text, "fill this in, on two lines.");
    assert_string_equal(todo[1].text, "and this.");
    assert_ptr_equal(todo_first_open(todo, count), &todo[1]);
}

TEST(test_code_behind_a_comment)
{
    assert_int_equal(scan("// TODO 1: a\n/* note */ x = 1;\n// end of TODO 1\n"), 1);
    assert_false(todo[0].open);
    assert_int_equal(scan("// TODO 1: a\n/* x */ /* y */ // z\n// end of TODO 1\n"), 1);
    assert_true(todo[0].open);
    assert_int_equal(scan("// TODO 1: a\n/* x\n*/ y();\n// end of TODO 1\n"), 1);
    assert_false(todo[0].open);
}

/* The first in number, wherever it stands. */
TEST(test_first_open_by_number)
{
    int count = scan("// TODO 3: c\n// end of TODO 3\n// TODO 2: b\n// end of TODO 2\n"
                     "// TODO 1: a\nx;\n// end of TODO 1\n");
    assert_int_equal(count, 3);
    assert_int_equal(todo_first_open(todo, count)->number, 2);
}

/* Broken files: no end, no newline, lines longer than any buffer, too many regions. */
TEST(test_odd_files)
{
    assert_int_equal(scan("// TODO 1: never ends\n"), 1);
    assert_true(todo[0].open);
    assert_int_equal(scan("// TODO 1: no newline at the end"), 1);
    assert_int_equal(scan("// TODO one: no number\n// TODO 1 no colon\n// end of TODO 7\n"), 0);

    char *text = malloc(20000);
    int length = sprintf(text, "/*%05000d*/\n// TODO 1: %04000d\nx;\n// end of TODO 1\n", 0, 0);
    assert_true(length > 9000);
    assert_int_equal(scan(text), 1);
    assert_int_equal(todo[0].line, 2);
    assert_false(todo[0].open);
    text[0] = 0;
    for (int i = 0; i < 40; i++)
        sprintf(text + strlen(text), "// TODO %d: x\n// end of TODO %d\n", i + 1, i + 1);
    assert_int_equal(scan(text), TODO_MAX);
    free(text);
}

RUN_ALL
