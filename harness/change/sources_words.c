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

/* What is changed, as the report says it without the change itself. */
static const char *const changed[REPAIR_KINDS] = {
    [REPAIR_COMPARE] = "the comparison",
    [REPAIR_INDEX] = "the index",
    [REPAIR_START] = "the value at the beginning",
    [REPAIR_OPERATOR] = "the operation",
    [REPAIR_ASSIGN] = "how the value is stored",
    [REPAIR_NUMBER] = "the number",
    [REPAIR_ARGUMENTS] = "the order",
};

static void say_change(enum repair_kind kind, const char *from, const char *to, struct trial_words *words)
{
    text_set(words->part, sizeof words->part, "%s", from);
    WHAT("a small change of %s", changed[kind] ? changed[kind] : "the value");
    if (from[0])
        HOW("with `%s` instead of `%s`", to[0] ? to : "nothing", from);
    else
        HOW("with `%s` here", to);
}

/* Wherever the barrier stands that orders them, it is missing between the two accesses. */
static void say_barrier(const struct protocol_hazard *race, const struct repair_edit *edit, const char *to,
                        struct trial_words *words)
{
    const int here = race->here.line, there = race->there.line;
    words->line = here;
    if (here == there)
        text_set(words->seen, sizeof words->seen,
                 "a barrier is missing between two threads' accesses at this line: ");
    else
        text_set(words->seen, sizeof words->seen,
                 "a barrier is missing between the accesses at line %d and line %d%s: ",
                 here < there ? here : there, here < there ? there : here,
                 race->detail == SIM_DETAIL_TURNS ? " in different turns of the loop" : "");
    WHAT("one more barrier");
    if (edit->depth < REPAIR_CALLED)
        HOW("with `%s` before line %d", to, edit->line);
    else /* it orders them there, but the function may be called where not all threads come */
        HOW("with one more barrier");
}

void repair_words(const struct repair_edit *edit, const struct protocol_hazard *race,
                  struct trial_words *words)
{
    char from[REPAIR_TEXT], to[REPAIR_TEXT];
    trim(edit->from, from);
    trim(edit->to, to);
    *words = (struct trial_words){.line = edit->line};
    if (edit->kind == REPAIR_BARRIER && race) {
        say_barrier(race, edit, to, words);
    } else if (edit->kind == REPAIR_BARRIER || edit->kind == REPAIR_STORE) {
        WHAT(edit->kind == REPAIR_BARRIER ? "one barrier more" : "one store more before this line");
        HOW("with `%s` before what stands here", to);
    } else {
        say_change(edit->kind, from, to, words);
    }
}
