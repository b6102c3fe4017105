/* What a change of the source that makes it right says about the mistake. */
#include <string.h>

#include "harness/change/sources_internal.h"

#define WHAT(...) text_append(words->what, sizeof words->what, __VA_ARGS__)
#define HOW(...)  text_append(words->how, sizeof words->how, __VA_ARGS__)

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

/* With the one instead of the other. */
static void say_exchange(const char *from, const char *to, struct trial_words *words)
{
    text_set(words->part, sizeof words->part, "%s", from);
    HOW("with `%s` instead of `%s`", to, from);
}

static void say_type(const char *from, const char *to, struct trial_words *words)
{
    if (strcmp(to, "double") == 0 && (strcmp(from, "real") == 0 || strcmp(from, "float") == 0))
        WHAT(
            "rounding: `%s` has too few digits for what is added up or stored here, and each operation loses the low ones",
            from);
    else
        WHAT("the wrong type");
    say_exchange(from, to, words);
}

/* Something is put where nothing stands, or instead of what stands there. */
static void say_added(const char *wrong, const char *missing, const char *from, const char *to,
                      struct trial_words *words)
{
    WHAT("%s", from[0] ? wrong : missing);
    if (from[0])
        say_exchange(from, to, words);
    else
        HOW("with `%s` here", to);
}

static void say_kind(enum repair_kind kind, const char *from, const char *to, struct trial_words *words)
{
    switch (kind) {
    case REPAIR_COMPARE:
        WHAT("the comparison is %s", is_off_by_one(from, to) ? "off by one" : "wrong");
        say_exchange(from, to, words);
        break;
    case REPAIR_BUILTIN:
    case REPAIR_NAME:
    case REPAIR_FUNCTION:
        WHAT("`%s` is wrong here", from);
        HOW("with `%s` instead", to);
        break;
    case REPAIR_WITHOUT:
        WHAT("a part of `%s` does not belong here", from);
        HOW("with `%s` instead", to[0] ? to : "nothing");
        break;
    case REPAIR_TERM:
        WHAT("`%s` lacks something", from);
        HOW("with `%s` instead", to);
        break;
    case REPAIR_INDEX:
        WHAT("the wrong index%s",
             strstr(from, "- 1 - ") || strstr(to, "- 1 - ") ? ", in reversed order" : "");
        say_exchange(from, to, words);
        break;
    case REPAIR_GUARD:
        WHAT("a condition is missing");
        HOW("with `%s` before the statement", to);
        break;
    case REPAIR_BARRIER:
        WHAT("a barrier is missing");
        HOW("with `%s` before what stands here", to);
        break;
    case REPAIR_REMOVE:
        WHAT("`%s` does not belong here", from);
        HOW("without it");
        break;
    case REPAIR_MOVE:
        WHAT("`%s` %s", from,
             is_sync(from) ? "is a barrier in the wrong place" : "stands in the wrong place");
        HOW("with it %s", to);
        break;
    case REPAIR_START:
        say_added("the value at the beginning is wrong", "the value at the beginning is missing", from, to,
                  words);
        break;
    case REPAIR_BYTES:
        say_added("the wrong number of bytes", "the number of bytes is missing", from, to, words);
        break;
    case REPAIR_TYPE: say_type(from, to, words); break;
    default: {
        static const char *const what[REPAIR_KINDS] = {
            [REPAIR_OPERATOR] = "the wrong operation",
            [REPAIR_ASSIGN] = "the value is stored in the wrong way",
            [REPAIR_NUMBER] = "the wrong number",
            [REPAIR_TURN] = "the loop runs the wrong way",
            [REPAIR_REMAINDER] = "the remainder of a negative number is negative",
            [REPAIR_REST] = "what the division leaves over is missing",
            [REPAIR_CONDITION] = "the condition is wrong",
            [REPAIR_ARGUMENTS] = "exchanged, in the wrong order",
        };
        WHAT("%s", what[kind]);
        say_exchange(from, to, words);
    }
    }
}

/* Wherever the barrier stands that orders them, it is missing between the two accesses. */
static void say_barrier(const struct protocol_hazard *race, const char *to, int line,
                        struct trial_words *words)
{
    const int here = race->here.line, there = race->there.line;
    words->line = here;
    words->is_elsewhere = true;
    if (here == there)
        WHAT("a barrier is missing between two threads' accesses at this line");
    else
        WHAT("a barrier is missing between the accesses at line %d and line %d", here < there ? here : there,
             here < there ? there : here);
    HOW("with `%s` before line %d", to, line);
}

void repair_words(const struct repair_edit *edit, const struct protocol_hazard *race,
                  struct trial_words *words)
{
    char from[REPAIR_TEXT], to[REPAIR_TEXT];
    trim(edit->from, from);
    trim(edit->to, to);
    *words = (struct trial_words){.line = edit->line};
    if (edit->kind == REPAIR_BARRIER && race) {
        say_barrier(race, to, edit->line, words);
    } else if (same_but_grouped(from, to)) {
        WHAT("parentheses are missing or stand elsewhere, and what is computed first is another part");
        say_exchange(from, to, words);
    } else {
        say_kind(edit->kind, from, to, words);
    }
}
