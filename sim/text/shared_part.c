#include "sim/text/shared_part.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/text/c_source.h"

#define PARTS_MAX     16
#define STATEMENT_MAX 3 /* lines */
#define WORDS_DEPTH   3

/* The array, and the pointers that are made of it. */
struct carved {
    const struct c_source *source;
    struct c_lines lines;
    struct {
        char name[C_NAME_LENGTH];
        int line; /* 0: the array */
        bool is_first, moves;
    } part[PARTS_MAX];
    int count;
};

/* The statement that begins in the line, up to its semicolon. */
static void statement_at(const struct carved *c, int line, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < STATEMENT_MAX && line + k <= c->lines.last; k++) {
        const char *from = c->source->text[line + k - 1];
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s", from);
        if (strpbrk(from, ";{}"))
            return;
    }
}

/* Does the expression depend on the thread, through variables as well? */
static bool depends_on_thread(const struct carved *c, const char *expression, int depth)
{
    if (strstr(expression, "threadIdx"))
        return true;
    for (const char *at = expression; *at && depth > 0;) {
        const size_t length = c_name_length(at);
        char name[C_NAME_LENGTH] = "";
        if (length > 0 && length < sizeof name)
            memcpy(name, at, length);
        at += length ? length : 1;
        for (int line = c->lines.first; name[0] && line <= c->lines.last; line++) {
            const char *text = c->source->text[line - 1], *found = c_find_word(text, text, name);
            if (found && *c_skip_blanks(found + length) != '[' && c_is_assigned(found + length) &&
                depends_on_thread(c, found + length, strcmp(text, expression) == 0 ? 0 : depth - 1))
                return true;
        }
    }
    return false;
}

/* Any part that the text contains, or -1. */
static int part_in(const struct carved *c, const char *text)
{
    for (int i = 0; i < c->count; i++)
        if (c_find_word(text, text, c->part[i].name))
            return i;
    return -1;
}

/* "TYPE *name = …": the name's place; NULL: it declares no pointer. */
static const char *declared_pointer(const char *text)
{
    const char *equals = strchr(text, '='), *end = equals;
    if (!equals || equals[1] == '=' || memchr(text, '(', (size_t)(equals - text)))
        return NULL;
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    const char *name = end;
    while (name > text && c_is_name(name[-1]))
        name--;
    const char *start = c_skip_blanks(text);
    const bool points = memchr(text, '*', (size_t)(name - text)) || strstr(start, "auto ") != NULL;
    return points && name < end && name > start && c_is_name(*start) ? name : NULL;
}

static void add_pointer(struct carved *c, const char *name, int line, bool first, bool moves)
{
    const size_t length = c_name_length(name);
    if (c->count == PARTS_MAX || length == 0 || length >= C_NAME_LENGTH)
        return;
    snprintf(c->part[c->count].name, C_NAME_LENGTH, "%.*s", (int)length, name);
    c->part[c->count].line = line;
    c->part[c->count].is_first = first;
    c->part[c->count++].moves = moves;
}

/* Of an assignment to a pointer behind its declaration: it moves. */
static void note_moves(struct carved *c, const char *text, int line)
{
    for (int i = 1; i < c->count; i++) {
        const char *at = c_find_word(text, text, c->part[i].name);
        const char *after = at ? c_skip_blanks(at + strlen(c->part[i].name)) : NULL;
        if (at && line != c->part[i].line && *after != '[' && c_is_assigned(after) &&
            !(c_skip_blanks(text) < at && c_skip_blanks(text)[0] == '*'))
            c->part[i].moves = true;
    }
}

/* "= (real *)s_buffer;": nothing but a part that is first itself. */
static bool is_first(const struct carved *c, const char *value, int part)
{
    const char *at = c_skip_blanks(value + 1);
    if (*at == '(')
        at = c_skip_blanks(at + strcspn(at, ")") + 1);
    const size_t length = strlen(c->part[part].name);
    return c->part[part].is_first && strncmp(at, c->part[part].name, length) == 0 &&
           *c_skip_blanks(at + length) == ';';
}

static void find_parts(struct carved *c)
{
    char text[STATEMENT_MAX * C_LINE_SIZE];
    int depth = 0;
    for (int line = c->lines.first; line <= c->lines.last; line++) {
        const char *from = c->source->text[line - 1], *name = declared_pointer(from);
        statement_at(c, line, text, sizeof text);
        const char *value = strchr(text, '=');
        const int of = name && value ? part_in(c, value) : -1;
        if (of >= 0)
            add_pointer(c, name, line, is_first(c, value, of),
                        depth != 1 || c->part[of].moves || depends_on_thread(c, value, WORDS_DEPTH));
        note_moves(c, from, line);
        for (const char *at = from; *at; at++)
            depth += (*at == '{') - (*at == '}');
    }
}

/* ---- the line that uses one -------------------------------------------------------------------------------- */

/* The last "=" that assigns, or NULL. */
static char *assignment_in(char *text)
{
    char *found = NULL;
    for (char *at = text; *at; at++)
        if (*at == '=' && at[1] != '=' && (at == text || !strchr("=<>!", at[-1])))
            found = at;
    return found;
}

/* Cuts away what the statement does not store to, or does not read. */
static const char *side_of(char *text, bool is_write)
{
    char *equals = strstr(text, "atomic") ? NULL : assignment_in(text);
    if (!equals)
        return text;
    if (!is_write)
        return equals > text && strchr("+-*/|&^%", equals[-1]) ? text : equals;
    *equals = '\0';
    return text;
}

/* A number, or threadIdx.x by any name, or one more or less than that. */
static bool index_of(const struct carved *c, const char *text, unsigned thread, int64_t *index)
{
    char *end;
    text = c_skip_blanks(text);
    const size_t length = c_name_length(text);
    bool is_thread = strncmp(text, "threadIdx.x", 11) == 0;
    char name[C_NAME_LENGTH] = "";
    if (length < sizeof name)
        memcpy(name, text, length);
    for (int line = c->lines.first; name[0] && !is_thread && line <= c->lines.last; line++) {
        const char *from = c->source->text[line - 1], *at = c_find_word(from, from, name);
        const char *after = at ? c_skip_blanks(at + length) : "";
        const bool goes_on =
            strstr(from, "for") != NULL; /* "for (int i = threadIdx.x; ...": later it is another */
        is_thread = !goes_on && *after == '=' && strncmp(c_skip_blanks(after + 1), "threadIdx.x;", 12) == 0;
    }
    if ((length > 0 && !is_thread) || *text == ']')
        return false;
    *index = length > 0 ? thread : 0;
    text = c_skip_blanks(text + (strncmp(text, "threadIdx.x", 11) == 0 ? 11 : length));
    const int sign = *text == '-' ? -1 : 1;
    if (*text == '+' || *text == '-') {
        const char *number = c_skip_blanks(text + 1);
        if (!isdigit((unsigned char)*number))
            return false;
        *index += sign * strtol(number, &end, 10);
        text = c_skip_blanks(end);
    } else if (isdigit((unsigned char)*text) && length == 0) {
        *index = strtol(text, &end, 10);
        text = c_skip_blanks(end);
    }
    return *text == ']';
}

/* The name's place, from `from` on, where it is subscripted or followed; NULL: nowhere. */
static const char *use_of(const char *text, const char *from, const char *name)
{
    for (const char *at = from; (at = c_find_word(text, at, name)); at += strlen(name))
        if (*c_skip_blanks(at + strlen(name)) == '[' || (at > text && at[-1] == '*'))
            return at;
    return NULL;
}

/* "const real *name = …": a number; of a structure or a vector an access may be to a member, and the next is further away. */
static bool points_to_number(const char *declaration)
{
    static const char *const types[] = {"char",     "short",   "int",     "unsigned", "signed",   "long",
                                        "float",    "double",  "real",    "bool",     "__half",   "half",
                                        "size_t",   "int8_t",  "uint8_t", "int16_t",  "uint16_t", "int32_t",
                                        "uint32_t", "int64_t", "uint64_t"};
    const char *end = declaration + strcspn(declaration, "*=");
    if (*end != '*')
        return false;
    while (end > declaration && isspace((unsigned char)end[-1]))
        end--;
    const char *word = end;
    while (word > declaration && c_is_name(word[-1]))
        word--;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i]) == (size_t)(end - word) && strncmp(types[i], word, (size_t)(end - word)) == 0)
            return true;
    return false;
}

static void take(const struct carved *c, int which, const char *at, unsigned thread, struct shared_part *part)
{
    const char *open = c_skip_blanks(at + strlen(c->part[which].name)), *end = open;
    *part = (struct shared_part){.line = c->part[which].line, .is_first = c->part[which].is_first};
    snprintf(part->name, sizeof part->name, "%s", c->part[which].name);
    const bool numbers = part->line > 0 && points_to_number(c->source->text[part->line - 1]);
    if (*open != '[') {
        snprintf(part->expression, sizeof part->expression, "*%.60s", part->name);
        part->has_index = part->line == 0 || numbers;
        return;
    }
    for (int depth = 0; *end; end++) {
        depth += (*end == '[') - (*end == ']');
        if (depth == 0)
            break;
    }
    snprintf(part->expression, sizeof part->expression, "%.*s", (int)(end - at) + 1, at);
    part->has_index = *end == ']' && *c_skip_blanks(end + 1) != '.' && (part->line == 0 || numbers) &&
                      index_of(c, open + 1, thread, &part->index);
}

/* The text uses the part once more, with another index: which of them is meant is not known. */
static bool is_used_again(const char *text, const char *at, const struct shared_part *part)
{
    const size_t length = strlen(part->expression);
    for (; (at = use_of(text, at + strlen(part->name), part->name)) != NULL;)
        if (strncmp(at, part->expression, length) != 0)
            return true;
    return false;
}

static bool find_use(const struct carved *c, int line, bool is_write, unsigned thread,
                     struct shared_part *part)
{
    char text[STATEMENT_MAX * C_LINE_SIZE];
    int found = -1;
    statement_at(c, line, text, sizeof text);
    const char *side = side_of(text, is_write), *at = NULL;
    for (int i = 0; i < c->count; i++) {
        const char *use = use_of(side, side, c->part[i].name);
        if (use && found >= 0)
            return false;
        found = use ? i : found;
        at = use ? use : at;
    }
    if (found < 0 || c->part[found].moves)
        return false;
    take(c, found, at, thread, part);
    if (is_used_again(side, at, part)) {
        snprintf(part->expression, sizeof part->expression, "an element of %.40s", part->name);
        part->has_index = false;
    }
    return true;
}

bool shared_part_at(const char *file, int line, const char *array, bool is_write, unsigned thread,
                    struct shared_part *part)
{
    struct c_source source = c_source_read(file);
    bool found = false;
    if (line > 0 && line <= source.count && array[0]) {
        struct carved c = {.source = &source, .lines = c_function_around(&source, line)};
        add_pointer(&c, array, 0, true, false);
        find_parts(&c);
        found = find_use(&c, line, is_write, thread, part);
    }
    free(source.text);
    return found;
}

/* ---- the array's declaration ------------------------------------------------------------------------------- */

/* Whether the word before `name`, its type, is that of a struct of the file, or of a template. */
static bool names_struct(const struct c_source *source, const char *name)
{
    const char *end = name;
    char type[C_NAME_LENGTH];
    while (end[-1] == ' ')
        end--;
    if (end[-1] == '>')
        return true;
    const char *begin = end;
    while (c_is_name(begin[-1]))
        begin--;
    snprintf(type, sizeof type, "%.*s", (int)(end - begin), begin);
    for (int line = 0; line < source->count && begin < end; line++) {
        const char *at = strstr(source->text[line], "struct ");
        if (at && c_find_word(source->text[line], at + 7, type))
            return true;
    }
    return false;
}

/* A type of one byte among the words from `from` to `end`. */
static bool names_bytes(const char *from, const char *end)
{
    static const char *const types[] = {"char", "bool", "int8_t", "uint8_t", "byte"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const char *at = c_find_word(from, from, types[i]);
        if (at && at < end)
            return true;
    }
    return false;
}

/* How many shared variables with that name there are: all, those of bytes or structs, those with rows of elements. */
struct declared {
    int all, bytes, rows;
};

static struct declared count_declared(const char *file, const char *array)
{
    struct c_source source = c_source_read(file);
    struct declared count = {0};
    for (int line = 0; line < source.count && array[0]; line++) {
        const char *text = source.text[line], *shared = strstr(text, "__shared__");
        const char *name = shared ? c_find_word(text, shared, array) : NULL;
        const char *size = name ? c_skip_blanks(name + strlen(array)) : "";
        count.all += name != NULL;
        count.bytes += name && (names_bytes(shared, name) || names_struct(&source, name));
        const char *end = *size == '[' ? strchr(size, ']') : NULL;
        count.rows += end && *c_skip_blanks(end + 1) == '[';
    }
    free(source.text);
    return count;
}

bool shared_array_of_bytes(const char *file, const char *array)
{
    const struct declared count = count_declared(file, array);
    return count.bytes > 0 && count.bytes == count.all;
}

bool shared_array_of_rows(const char *file, const char *array)
{
    return count_declared(file, array).rows > 0;
}
