/* What a line of the student's file copies, by its text. */
#include "harness/cause/internal.h"

#include <ctype.h>
#include <string.h>

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where argument `number` begins, of those behind the parenthesis at `open`; NULL: there are not so many in the line. */
static const char *argument_of(const char *open, int number)
{
    int depth = 0;
    for (const char *at = open; *at; at++) {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (depth == 0)
            return NULL;
        if (depth == 1 && (at == open || *at == ',') && number-- == 0)
            return at + 1;
    }
    return NULL;
}

/* Behind casts, "(void *)" and "static_cast<void *>(", and what else stands before a name. */
static const char *skip_casts(const char *at)
{
    for (;;) {
        const size_t length = strcspn(at, "()<,");
        if (*at == ' ' || *at == '&' || *at == '*')
            at++;
        else if (*at == '(' && strcspn(at + 1, "*") < strcspn(at + 1, ")(,") && strchr(at, ')'))
            at = strchr(at, ')') + 1;
        else if (*at == '(')
            at++;
        else if (at[length] == '<' && strstr(at, "_cast<") && strstr(at, "_cast<") < at + length &&
                 strchr(at, '>'))
            at = strchr(at, '>') + 1;
        else
            return at;
    }
}

bool cause_name_copied(const char *line, bool source, char *name, size_t size)
{
    const char *call = strstr(line, "cudaMemcpy"), *open = call ? strchr(call, '(') : NULL;
    const bool is_table = call && strncmp(call, "cudaMemcpy2D", 12) == 0;
    const char *at = open ? argument_of(open, !source ? 0 : is_table ? 2 : 1) : NULL;
    size_t length = 0;
    at = at ? skip_casts(at) : NULL;
    while (at && is_name(at[length]) && length + 1 < size)
        length++;
    text_set(name, size, "%.*s", (int)length, at ? at : "");
    return length > 0;
}
