#include "sim/text/declaration.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/text/c_source.h"

#define NAME_LENGTH C_NAME_LENGTH

static const char *skip_alignment(const char *text)
{
    text = c_skip_blanks(text);
    if (strncmp(text, "__align__", 9) == 0)
        text = c_skip_brackets(text + 9, '(', ')');
    return text;
}

/* ---- declarations -------------------------------------------------------------------------------------- */

/* Whether it could begin the declaration of a local variable. */
static bool begins_declaration(const char *start)
{
    static const char *const others[] = {"return", "for",  "extern",     "typedef",
                                         "using",  "goto", "__shared__", "__constant__"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(start, others[i], strlen(others[i])) == 0)
            return false;
    return c_name_length(start) > 0 && strchr(start, ';') && !strstr(start, "__shared__");
}

/* How many "<" are open at `end`: a name between them is an argument of a template, "fragment<a, N> sum;". */
static int open_angles(const char *start, const char *end)
{
    int open = 0;
    for (; start < end; start++)
        open += (*start == '<') - (*start == '>');
    return open;
}

/* Whether a type may end before `end`: by a name, or by the ">" of a template's arguments. */
static bool ends_type(const char *start, const char *end)
{
    return c_is_name(end[-1]) || (end[-1] == '>' && !memchr(start, '=', (size_t)(end - start)));
}

/* Whether the line is "TYPE …, name[…]…, …;" where the name gets no value. */
static bool declares(const char *text, const char *name)
{
    const size_t length = strlen(name);
    const char *start = skip_alignment(text);
    if (!begins_declaration(start))
        return false;
    for (const char *found = start; (found = strstr(found, name)); found += length) {
        const char *after = c_skip_brackets(found + length, '[', ']'), *before = found;
        while (before > start && isspace((unsigned char)before[-1]))
            before--;
        if (before > start && before < found && !c_is_name(found[length]) &&
            (*after == ';' || *after == ',') && (ends_type(start, before) || before[-1] == ',') &&
            open_angles(start, before) <= 0 && !memchr(start, '(', (size_t)(found - start)))
            return true;
    }
    return false;
}

/* The nearest line above in the same function, or else the only one below, of a caller; 0: none. */
static int find_declaration(const struct c_source *source, int line, const char *name)
{
    const int first = c_function_around(source, line).first;
    int found = 0;
    for (int at = line; at >= first; at--)
        if (declares(source->text[at - 1], name))
            return at;
    for (int at = line + 1; at <= source->count; at++) {
        if (declares(source->text[at - 1], name) && found)
            return 0;
        if (declares(source->text[at - 1], name))
            found = at;
    }
    return found;
}

/* ---- the line that uses it ----------------------------------------------------------------------------- */

static bool contains_name(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *found = text; (found = strstr(found, name)); found += length)
        if ((found == text || !c_is_name(found[-1])) && !c_is_name(found[length]))
            return true;
    return false;
}

/* The variable that an assignment changes and reads: "name[…] += …", "name = … name …"; false: there is none. */
static bool find_accumulator(const char *text, char name[NAME_LENGTH])
{
    const char *start = c_skip_blanks(text);
    const size_t length = c_name_length(start);
    if (length == 0 || length >= NAME_LENGTH)
        return false;
    memcpy(name, start, length);
    name[length] = '\0';
    const char *after = c_skip_brackets(start + length, '[', ']');
    if (*after == '.')
        after = c_skip_brackets(after + 1 + c_name_length(after + 1), '[', ']');
    if (strchr("+-*/|&^", *after) && *after)
        return after[1] == '=';
    return *after == '=' && after[1] != '=' && contains_name(after, name);
}

/* The only variable of the line that is declared without a value. */
static int find_only(const struct c_source *source, int line, char name[NAME_LENGTH])
{
    int found = 0;
    name[0] = '\0';
    for (const char *text = source->text[line - 1]; *text;) {
        const size_t length = c_name_length(text);
        char word[NAME_LENGTH] = "";
        if (length < NAME_LENGTH)
            memcpy(word, text, length);
        text += length ? length : 1;
        while (length == 0 && c_is_name(*text) && c_is_name(text[-1]))
            text++;
        const int at = word[0] && strcmp(word, name) != 0 ? find_declaration(source, line, word) : 0;
        if (at && found)
            return 0;
        if (at)
            memcpy(name, word, sizeof word);
        found = at ? at : found;
    }
    return found;
}

/* ---- what the line's variables are made of ----------------------------------------------------------------- */

#define FOLLOW_DEPTH 4
#define STATEMENT    3 /* lines at most */
#define SEEN_MAX     64

/* What has been found on the way; `count`: variables declared without a value, the first one in `found`. */
struct search {
    const struct c_source *source;
    struct c_lines extent;
    char seen[SEEN_MAX][NAME_LENGTH];
    int seen_count;
    struct declaration found;
    int count, unset_count;
    struct declaration unset; /* the first one that no line assigns to as a whole */
};

static void add_member(struct declaration *d, const char *member)
{
    char whole[2 * NAME_LENGTH];
    snprintf(whole, sizeof whole, "%s.%.*s", d->name, (int)c_name_length(member), member);
    const size_t used = strlen(d->members);
    if (!strstr(d->members, whole))
        snprintf(d->members + used, sizeof d->members - used, "%s%.60s", used ? ", " : "", whole);
}

/* Whether it stands alone between parentheses or commas: an argument, which the function may change. */
static bool is_argument(const char *text, const char *at, size_t length)
{
    const char *before = at, *after = c_skip_blanks(at + length);
    while (before > text && isspace((unsigned char)before[-1]))
        before--;
    return before > text && (before[-1] == '(' || before[-1] == ',') && (*after == ',' || *after == ')');
}

/* Whether a reference or a pointer is made of what stands there: "real &first = sum[0];". */
static bool is_referred_to(const char *text, const char *at)
{
    const char *equals = strchr(text, '=');
    return equals && equals < at &&
           (memchr(text, '&', (size_t)(equals - text)) || memchr(text, '*', (size_t)(equals - text)));
}

/* Whether any line assigns to it as a whole, or may, through its address or a function; notes members that get a value. */
static bool is_set(const struct search *s, struct declaration *d)
{
    for (int line = s->extent.first; line <= s->extent.last; line++) {
        const char *text = s->source->text[line - 1];
        for (const char *at = text; (at = c_find_word(text, at, d->name)); at += strlen(d->name)) {
            const char *after = at + strlen(d->name);
            if (line != d->line && ((at > text && at[-1] == '&') || c_is_assigned(after) ||
                                    is_referred_to(text, at) || is_argument(text, at, strlen(d->name)))) {
                d->members[0] = '\0';
                return true;
            }
            if (*after == '.' && c_is_assigned(after + 1 + c_name_length(after + 1)))
                add_member(d, after + 1);
        }
    }
    return false;
}

static void add_candidate(struct search *s, int line, const char *name)
{
    struct declaration d = {.line = line, .followed = true};
    snprintf(d.name, sizeof d.name, "%s", name);
    const bool set = is_set(s, &d);
    d.never_set = !set && !d.members[0];
    if (s->count++ == 0)
        s->found = d;
    if (!set && s->unset_count++ == 0)
        s->unset = d;
}

static bool is_seen(struct search *s, const char *name)
{
    for (int i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i], name) == 0)
            return true;
    if (s->seen_count == SEEN_MAX)
        return true;
    snprintf(s->seen[s->seen_count++], NAME_LENGTH, "%s", name);
    return false;
}

static void follow_line(struct search *s, int line, int depth);

/* A variable on the way: without a value where it is declared, or else made of what is assigned to it. */
static void follow_name(struct search *s, const char *name, int depth)
{
    if (is_seen(s, name))
        return;
    for (int line = s->extent.first; line <= s->extent.last; line++)
        if (declares(s->source->text[line - 1], name)) {
            add_candidate(s, line, name);
            return;
        }
    for (int line = s->extent.first; line <= s->extent.last && depth > 0; line++) {
        const char *text = s->source->text[line - 1], *at = c_find_word(text, text, name);
        if (at && c_is_assigned(at + strlen(name)))
            follow_line(s, line, depth - 1);
    }
}

/* The statement that begins in the line. */
static void follow_line(struct search *s, int line, int depth)
{
    for (int k = 0; k < STATEMENT && line + k <= s->extent.last; k++) {
        const char *begin = s->source->text[line + k - 1];
        for (const char *text = begin; *text;) {
            const size_t length = c_name_length(text);
            char word[NAME_LENGTH] = "";
            if (length < NAME_LENGTH && !(text > begin && text[-1] == '.'))
                memcpy(word, text, length);
            text += length ? length : 1;
            while (length == 0 && c_is_name(*text) && c_is_name(text[-1]))
                text++;
            if (word[0] && *c_skip_blanks(text) != '(')
                follow_name(s, word, depth);
        }
        if (strpbrk(begin, ";{}"))
            return;
    }
}

static struct declaration follow(const struct c_source *source, int line)
{
    struct search s = {.source = source};
    if (line <= 0 || line > source->count)
        return s.found;
    s.extent = c_function_around(source, line);
    follow_line(&s, line, FOLLOW_DEPTH);
    if (s.unset_count == 1)
        return s.unset;
    return s.count == 1 ? s.found : (struct declaration){0};
}

/* The variable that the line itself uses. */
static struct declaration of_line(const struct c_source *source, int line)
{
    struct declaration d = {0};
    if (line > 0 && line <= source->count)
        d.line = find_accumulator(source->text[line - 1], d.name) ? find_declaration(source, line, d.name)
                                                                  : find_only(source, line, d.name);
    return d;
}

static bool is_array(const char *declaration, const char *name)
{
    const char *found = c_find_word(declaration, declaration, name);
    return found && *c_skip_blanks(found + strlen(name)) == '[';
}

struct declaration declaration_without_value(const char *file, int line, int call_line)
{
    struct c_source source = c_source_read(file);
    struct declaration d = of_line(&source, line);
    if (d.line) {
        struct search s = {.source = &source, .extent = c_function_around(&source, d.line)};
        d.never_set = !is_set(&s, &d) && !d.members[0];
    } else {
        d = follow(&source, line);
    }
    if (!d.line)
        d = follow(&source, call_line);
    d.is_array = d.line > 0 && is_array(source.text[d.line - 1], d.name);
    free(source.text);
    return d;
}

bool source_contains(const char *file, const char *const *words)
{
    struct c_source source = c_source_read(file);
    bool found = source.count == 0;
    for (int line = 0; line < source.count; line++)
        for (int i = 0; words[i]; i++)
            found |= strstr(source.text[line], words[i]) != NULL;
    free(source.text);
    return found;
}
