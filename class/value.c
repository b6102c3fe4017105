#include "class/value.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "class/files.h"

#define DEEPEST 64

struct reader {
    const char *at;
    int depth;
    bool failed;
};

static struct value *read_value(struct reader *r);

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool take(struct reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Behind a backslash. Six characters of input are at most three bytes. */
static char *read_escape(struct reader *r, char *to)
{
    static const char *const letters = "bfnrt\"\\/", *const meaning = "\b\f\n\r\t\"\\/";
    const char *letter = *r->at ? strchr(letters, *r->at) : NULL;
    unsigned code;
    if (letter) {
        *to++ = meaning[letter - letters];
        r->at++;
    } else if (*r->at == 'u' && sscanf(r->at + 1, "%4x", &code) == 1 && strnlen(r->at, 5) == 5) {
        to = put_utf8(to, code ? code : ' ');
        r->at += 5;
    } else {
        r->failed = true;
    }
    return to;
}

static char *read_string(struct reader *r)
{
    if (!take(r, '"')) {
        r->failed = true;
        return NULL;
    }
    size_t room = 1;
    while (r->at[room - 1] && r->at[room - 1] != '"')
        room += r->at[room - 1] == '\\' && r->at[room] ? 2 : 1;
    char *text = allocate(room), *to = text;
    while (*r->at && *r->at != '"' && !r->failed) {
        if (*r->at != '\\') {
            *to++ = *r->at++;
            continue;
        }
        r->at++;
        to = read_escape(r, to);
    }
    r->failed |= *r->at != '"';
    r->at += *r->at == '"';
    return text;
}

static void read_members(struct reader *r, struct value *into, char end)
{
    struct value **last = &into->first;
    r->at++;
    if (take(r, end))
        return;
    do {
        char *key = end == '}' ? read_string(r) : NULL;
        r->failed |= end == '}' && !take(r, ':');
        *last = read_value(r);
        if (!*last) {
            free(key);
            return;
        }
        (*last)->key = key;
        last = &(*last)->next;
    } while (!r->failed && take(r, ','));
    r->failed |= !take(r, end);
}

static void read_word(struct reader *r, struct value *value)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (strncmp(r->at, words[i], strlen(words[i])) == 0) {
            value->kind = words[i][0];
            r->at += strlen(words[i]);
            return;
        }
    char *end;
    value->kind = '0';
    value->number = strtod(r->at, &end);
    r->failed |= end == r->at;
    r->at = end;
}

static struct value *read_value(struct reader *r)
{
    skip_blanks(r);
    if (r->failed || r->depth >= DEEPEST) {
        r->failed = true;
        return NULL;
    }
    struct value *value = allocate(sizeof *value);
    r->depth++;
    value->kind = *r->at;
    if (*r->at == '{' || *r->at == '[')
        read_members(r, value, *r->at == '{' ? '}' : ']');
    else if (*r->at == '"')
        value->text = read_string(r);
    else
        read_word(r, value);
    r->depth--;
    return value;
}

struct value *value_read(const char *text)
{
    struct reader r = {.at = text};
    struct value *value = read_value(&r);
    skip_blanks(&r);
    if (!r.failed && !*r.at)
        return value;
    value_free(value);
    return NULL;
}

void value_free(struct value *value)
{
    while (value) {
        struct value *next = value->next;
        value_free(value->first);
        free(value->key);
        free(value->text);
        free(value);
        value = next;
    }
}

const struct value *value_get(const struct value *object, const char *key)
{
    const struct value *member = object ? object->first : NULL;
    while (member && !(member->key && strcmp(member->key, key) == 0))
        member = member->next;
    return member;
}

const char *value_text(const struct value *object, const char *key)
{
    const struct value *member = value_get(object, key);
    return member && member->text ? member->text : "";
}

double value_number(const struct value *object, const char *key, double otherwise)
{
    const struct value *member = value_get(object, key);
    return member && member->kind == '0' ? member->number : otherwise;
}
