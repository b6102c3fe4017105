/* What a change of the source that makes it right says about the mistake. */
#include <string.h>

#include "harness/change/sources_internal.h"

#define SAY(...) text_append(text, size, __VA_ARGS__)

/* `text`, without blanks at its ends. */
static void trim(const char *from, char text[REPAIR_TEXT])
{
    from += strspn(from, " ");
    size_t length = strlen(from);
    while (length > 0 && from[length - 1] == ' ')
        length--;
    text_set(text, REPAIR_TEXT, "%.*s", (int)length, from);
}

static bool is_sync(const char *text)
{
    return strncmp(text, "__sync", 6) == 0;
}

/* < for <=, or the two other ones: by one element. */
static bool is_off_by_one(const char *from, const char *to)
{
    const bool from_equal = strstr(from, "= ") != NULL, to_equal = strstr(to, "= ") != NULL;
    return from_equal != to_equal && (strchr(from, '<') != NULL) == (strchr(to, '<') != NULL) &&
           !strstr(from, "==") && !strstr(to, "==") && !strstr(from, "!=") && !strstr(to, "!=");
}

/* Do the two differ in nothing but parentheses and blanks? */
static bool same_but_grouped(const char *a, const char *b)
{
    for (; *a || *b; a++, b++) {
        a += strspn(a, "() ");
        b += strspn(b, "() ");
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
    return true;
}

static void say_change(const struct repair_edit *edit, const char *from, const char *to, char *text,
                       size_t size)
{
    if (same_but_grouped(from, to)) {
        SAY("parentheses are missing or stand elsewhere, and what is computed first is another part: with `%s` instead of "
            "`%s`",
            to, from);
        return;
    }
    switch (edit->kind) {
    case REPAIR_COMPARE:
        SAY("the comparison is %s: with `%s` instead of `%s`",
            is_off_by_one(from, to) ? "off by one" : "wrong", to, from);
        break;
    case REPAIR_OPERATOR: SAY("the wrong operation: with `%s` instead of `%s`", to, from); break;
    case REPAIR_ASSIGN:
        SAY("the value is stored in the wrong way: with `%s` instead of `%s`", to, from);
        break;
    case REPAIR_NUMBER: SAY("the wrong number: with `%s` instead of `%s`", to, from); break;
    case REPAIR_BUILTIN:
    case REPAIR_NAME:
    case REPAIR_FUNCTION: SAY("`%s` is wrong here: with `%s` instead", from, to); break;
    case REPAIR_WITHOUT:
        SAY("a part of `%s` does not belong here: with `%s` instead", from, to[0] ? to : "nothing");
        break;
    case REPAIR_TERM: SAY("`%s` lacks something: with `%s` instead", from, to); break;
    case REPAIR_INDEX:
        SAY("the wrong index%s: with `%s` instead of `%s`",
            strstr(from, "- 1 - ") || strstr(to, "- 1 - ") ? ", in reversed order" : "", to, from);
        break;
    case REPAIR_TURN: SAY("the loop runs the wrong way: with `%s` instead of `%s`", to, from); break;
    case REPAIR_REMAINDER:
        SAY("the remainder of a negative number is negative: with `%s` instead of `%s`", to, from);
        break;
    case REPAIR_REST:
        SAY("what the division leaves over is missing: with `%s` instead of `%s`", to, from);
        break;
    case REPAIR_CONDITION: SAY("the condition is wrong: with `%s` instead of `%s`", to, from); break;
    case REPAIR_GUARD: SAY("a condition is missing: with `%s` before the statement", to); break;
    case REPAIR_BARRIER: SAY("a barrier is missing: with `%s` before what stands here", to); break;
    case REPAIR_REMOVE: SAY("`%s` does not belong here: without it", from); break;
    case REPAIR_MOVE:
        SAY("`%s` %s: with it %s", from,
            is_sync(from) ? "is a barrier in the wrong place" : "stands in the wrong place", to);
        break;
    case REPAIR_START:
        SAY("the value at the beginning is %s: with `%s`%s%s%s", from[0] ? "wrong" : "missing", to,
            from[0] ? " instead of `" : "", from, from[0] ? "`" : " here");
        break;
    case REPAIR_TYPE:
        if (strcmp(to, "double") == 0 && (strcmp(from, "real") == 0 || strcmp(from, "float") == 0))
            SAY("rounding: `%s` has too few digits for what is added up or stored here, and each operation loses the low ones: with `double` instead",
                from);
        else
            SAY("the wrong type: with `%s` instead of `%s`", to, from);
        break;
    case REPAIR_ARGUMENTS: SAY("exchanged, in the wrong order: with `%s` instead of `%s`", to, from); break;
    case REPAIR_BYTES:
        if (!from[0]) {
            SAY("the number of bytes is missing: with `%s` here", to);
            break;
        }
        SAY("the wrong number of bytes: with `%s` instead of `%s`", to, from);
        break;
    default: break;
    }
}

void repair_sentence(const struct grader_build *build, const struct repair_edit *edit, int wrong, int failing,
                     char *text, size_t size)
{
    char from[REPAIR_TEXT], to[REPAIR_TEXT];
    const char *slash = strrchr(build->source, '/');
    trim(edit->from, from);
    trim(edit->to, to);
    text_set(text, size, "%s:%d: ", slash ? slash + 1 : build->source, edit->line);
    say_change(edit, from, to, text, size);
    trial_say_outcome(wrong, failing, text, size);
}
