/* The JSON writer: commas, nesting, escapes. */
#include <math.h>
#include "test.h"
#include "harness/base/json.h"

static char *text;
static size_t length;
static struct json json;

static void begin(void)
{
    json = (struct json){.out = open_memstream(&text, &length)};
    assert_non_null(json.out);
}

static void expect(const char *wanted)
{
    fclose(json.out);
    assert_string_equal(text, wanted);
    free(text);
}

TEST(test_empty)
{
    begin();
    json_object(&json, NULL);
    json_end_object(&json);
    expect("{}\n");
}

TEST(test_nesting)
{
    begin();
    json_object(&json, NULL);
    json_string(&json, "lab", "lab01");
    json_array(&json, "cases");
    json_integer(&json, NULL, -1);
    json_object(&json, NULL);
    json_bool(&json, "ok", true);
    json_end_object(&json);
    json_end_array(&json);
    json_array(&json, "none");
    json_end_array(&json);
    json_end_object(&json);
    expect("{\n  \"lab\": \"lab01\",\n  \"cases\": [\n    -1,\n    {\n      \"ok\": true\n    }\n  ],\n"
           "  \"none\": []\n}\n");
}

TEST(test_numbers)
{
    begin();
    json_array(&json, NULL);
    json_number(&json, NULL, 0.1);
    json_number(&json, NULL, NAN);
    json_number(&json, NULL, -INFINITY);
    json_unsigned(&json, NULL, UINT64_MAX);
    json_integer(&json, NULL, INT64_MIN);
    json_end_array(&json);
    expect("[\n  0.1,\n  null,\n  null,\n  18446744073709551615,\n  -9223372036854775808\n]\n");
}

static void expect_text(const char *value, const char *wanted)
{
    char whole[256];
    begin();
    json_array(&json, NULL);
    json_string(&json, NULL, value);
    json_end_array(&json);
    snprintf(whole, sizeof whole, "[\n  %s\n]\n", wanted);
    expect(whole);
}

TEST(test_strings)
{
    expect_text(NULL, "null");
    expect_text("", "\"\"");
    expect_text("a \"b\" \\ c", "\"a \\\"b\\\" \\\\ c\"");
    expect_text("line\nnext\ttab\r\b\f", "\"line\\nnext\\ttab\\r\\b\\f\"");
    expect_text("\001\033[2J\x7f", "\"\\u0001\\u001b[2J\\u007f\"");
    expect_text("sch\xc3\xb6n \xe2\x82\xac \xf0\x9f\x98\x80",
                "\"sch\xc3\xb6n \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

/* Lone continuation bytes, cut sequences, overlong forms, surrogates, beyond U+10FFFF. */
TEST(test_bytes_that_are_no_utf8)
{
    expect_text("a\xc2\x9b\xe2\x80\xae", "\"a\\u009b\\u202e\"");
    expect_text("a\x80z", "\"a\\ufffdz\"");
    expect_text("\xff\xfe", "\"\\ufffd\\ufffd\"");
    expect_text("\xc3", "\"\\ufffd\"");
    expect_text("\xc0\xaf", "\"\\ufffd\\ufffd\"");
    expect_text("\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\"");
    expect_text("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    expect_text("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

RUN_ALL
