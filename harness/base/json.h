/* Writing JSON (RFC 8259): keeps count of commas and nesting, escapes strings, knows no floats that
   JSON does not know. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH 16

struct json {
    FILE *out;
    int depth;
    bool filled[JSON_DEPTH]; /* something stands before in this object or array */
};

/* `key` is NULL in arrays and at the top. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_end_array(struct json *json);
void json_string(struct json *json, const char *key, const char *value); /* NULL: null; bytes that are
                                                                            no UTF-8 become U+FFFD */
void json_number(struct json *json, const char *key, double value);      /* not finite: null */
void json_integer(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
