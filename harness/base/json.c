/* The JSON writer. */
#include "harness/base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* Length of the UTF-8 sequence at `s`, or 0 if there is none (RFC 3629). */
static int utf8_length(const unsigned char *s)
{
    int more = s[0] < 0x80                   ? 0
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 1
               : (s[0] & 0xf0) == 0xe0       ? 2
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 3
                                             : -1;
    if (more < 0)
        return 0;
    for (int i = 1; i <= more; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return more + 1;
}

static void escaped(struct json *json, unsigned char c)
{
    const char *special = "\"\\\n\t\r\b\f", *letter = "\"\\ntrbf";
    const char *at = c ? strchr(special, c) : NULL;
    if (at)
        fprintf(json->out, "\\%c", letter[at - special]);
    else if (c < 0x20 || c == 0x7f)
        fprintf(json->out, "\\u%04x", c);
    else
        fputc(c, json->out);
}

static void quoted(struct json *json, const char *text)
{
    fputc('"', json->out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = utf8_length(s);
        if (length == 1)
            escaped(json, *s);
        else if (length == 0)
            fputs("\\ufffd", json->out);
        else
            fwrite(s, 1, (size_t)length, json->out);
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
