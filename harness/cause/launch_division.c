/* A number of blocks that an integer division rounds down, so that the last elements have no block. */
#include <stdio.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/cause/launch.h"
#include "harness/source/value.h"
#include "harness/source/value_internal.h"

/* The / of an expression that is one division and no more; NULL: it is something else. */
static const char *find_division(const char *begin, const char *end)
{
    const char *found = NULL;
    int depth = 0;
    for (const char *s = begin; s < end; s++) {
        depth += strchr("([{", *s) != NULL ? 1 : strchr(")]}", *s) != NULL ? -1 : 0;
        if (depth == 0 && strchr("+-%?:<>=&|^!,", *s))
            return NULL;
        if (depth == 0 && *s == '*' && found)
            return NULL;
        if (depth == 0 && *s == '/')
            found = s;
    }
    return found;
}

/* Rounded up before it is divided, or no integer: 1.0 */
static bool is_prepared(const char *begin, const char *end)
{
    for (const char *s = begin; s < end; s++)
        if (*s == '+' || *s == '.')
            return true;
    return false;
}

static void copy_operand(const char *begin, const char *end, char *text, size_t size)
{
    begin = value_skip_blanks(begin, end);
    while (end > begin && (end[-1] == ' ' || end[-1] == '\n'))
        end--;
    text_set(text, size, "%.*s", (int)(end - begin), begin);
}

void launch_say_division(const struct value_context *context, const struct source_function *f,
                         const char *begin, const char *end, char *text, size_t size)
{
    char above[64], below[64];
    double a, b;
    const char *division = find_division(begin, end);
    if (!division || is_prepared(begin, division) || end - begin > 80)
        return;
    copy_operand(begin, division, above, sizeof above);
    copy_operand(division + 1, end, below, sizeof below);
    const bool known = value_of(context, f, begin, division, &a) &&
                       value_of(context, f, division + 1, end, &b) && b >= 1 && a >= 0;
    if (known && (long long)a % (long long)b == 0)
        return;
    text_append(text, size, "An integer division rounds down");
    if (known)
        text_append(text, size, ": %s / %s, here %lld / %lld, is %lld", above, below, (long long)a,
                    (long long)b, (long long)a / (long long)b);
    else
        text_append(text, size, ": if %s is no multiple of %s, the last elements have no block", above,
                    below);
    text_append(text, size, ". Round it up: (%s + %s - 1) / %s.\n", above, below, below);
}
