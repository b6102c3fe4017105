/* The JSON writer. */
#include "harness/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "harness/base/clean.h"

static void quoted(struct json *json, const char *text);

static void begin_value(struct json *json, const char *key)
{
    if (json->depth > 0) {
        fputs(json->filled[json->depth] ? ",\n" : "\n", json->out);
        fprintf(json->out, "%*s", 2 * json->depth, "");
    }
    json->filled[json->depth] = true;
    if (key) {
        quoted(json, key);
        fputs(": ", json->out);
    }
}

static void open_level(struct json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    assert(json->depth + 1 < JSON_DEPTH);
    json->filled[++json->depth] = false;
}

static void close_level(struct json *json, char bracket)
{
    bool filled = json->filled[json->depth--];
    if (filled)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_object(struct json *json, const char *key)
{
    open_level(json, key, '{');
}

void json_array(struct json *json, const char *key)
{
    open_level(json, key, '[');
}

void json_end_object(struct json *json)
{
    close_level(json, '}');
}

void json_end_array(struct json *json)
{
    close_level(json, ']');
}

/* Also what would show the file other than it is: marks of direction, and control characters. */
static void put_character(struct json *json, const char *s, int length, uint32_t code)
{
    static const char special[] = "\"\\\n\t\r\b\f", letter[] = "\"\\ntrbf";
    const char *at = length == 1 ? strchr(special, *s) : NULL;
    if (length == 0)
        fputs("\\ufffd", json->out);
    else if (at)
        fprintf(json->out, "\\%c", letter[at - special]);
    else if (is_control(code))
        fprintf(json->out, "\\u%04" PRIx32, code);
    else
        fwrite(s, 1, (size_t)length, json->out);
}

static void quoted(struct json *json, const char *text)
{
    uint32_t code;
    fputc('"', json->out);
    for (const char *s = text; *s;) {
        const int length = utf8_character(s, &code);
        put_character(json, s, length, code);
        s += length ? length : 1;
    }
    fputc('"', json->out);
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin_value(json, key);
    if (value)
        quoted(json, value);
    else
        fputs("null", json->out);
}

void json_number(struct json *json, const char *key, double value)
{
    begin_value(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.9g", value);
    else
        fputs("null", json->out);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}
