/* .file and .loc: where in the CUDA source an instruction comes from. Source: PTX ISA, 11.5. */
#include <limits.h>
#include <string.h>

#include "sim/ptx/ptx_parse.h"

/* One character of a string, with \" \\ \n and octal \303 undone. */
static char unescape(const char **at, const char *end)
{
    char c = *(*at)++;
    if (c != '\\' || *at == end)
        return c;
    c = *(*at)++;
    if (c == 'n')
        return '\n';
    if (c == 't')
        return '\t';
    if (c < '0' || c > '7')
        return c;
    int code = c - '0';
    for (int i = 0; i < 2 && *at < end && **at >= '0' && **at <= '7'; i++)
        code = code * 8 + *(*at)++ - '0';
    return (char)code;
}

/* The string at the current token, without its quotes. */
static const char *parse_string(struct parser *p)
{
    if (p->token.kind != PTX_TOKEN_STRING)
        ptx_fail_expected(p, "a file name in quotes");
    const char *at = p->token.start + 1, *end = p->token.start + p->token.length - 1;
    char *text = ptx_arena_alloc(p, p->token.length);
    for (char *out = text; at < end;)
        *out++ = unescape(&at, end);
    ptx_advance(p);
    return text;
}

/* .file index "name" [, timestamp, size] */
void ptx_parse_file(struct parser *p)
{
    ptx_advance(p);
    size_t index = (size_t)ptx_expect_int(p, 0, LIMIT_FILE_INDEX, "the number of a file");
    const char *name = parse_string(p);
    while (ptx_accept_punct(p, ','))
        ptx_expect_int(p, 0, INT64_MAX, "a time or a size");
    size_t count = p->files.size / sizeof name;
    if (index >= count)
        ptx_buffer_push(p, &p->files, (index + 1 - count) * sizeof name);
    ((const char **)p->files.data)[index] = name;
}

/* ---- inlined code -------------------------------------------------------------------------------------- */

/* A position that a .loc of this function named, and the line to show for it. */
struct place {
    int file, line, column;
    struct ptx_loc site, call, from;
    int next; /* in its chain: 1 + index, 0 at the end */
};

void ptx_forget_locations(struct parser *p)
{
    p->loc = p->site = p->call = p->from = (struct ptx_loc){0};
    p->no_line = false;
    p->places.size = 0;
    memset(p->place_chains, 0, sizeof p->place_chains);
}

static int chain_of(const struct place *place)
{
    unsigned hash = (unsigned)place->file * 31u + (unsigned)place->line * 7u + (unsigned)place->column;
    return (int)(hash % PLACE_CHAINS);
}

/* The place with this position, or NULL. */
static struct place *find_place(struct parser *p, const struct place *wanted)
{
    struct place *places = (struct place *)p->places.data;
    for (int at = p->place_chains[chain_of(wanted)]; at > 0; at = places[at - 1].next) {
        struct place *place = &places[at - 1];
        if (place->file == wanted->file && place->line == wanted->line && place->column == wanted->column)
            return place;
    }
    return NULL;
}

static void remember_place(struct parser *p, const struct place *place)
{
    struct place *known = find_place(p, place);
    if (known) {
        known->site = place->site; /* inlined once more, elsewhere */
        known->call = place->call;
        known->from = place->from;
        return;
    }
    int chain = chain_of(place);
    struct place *added = ptx_buffer_push(p, &p->places, sizeof *added);
    *added = *place;
    added->next = p->place_chains[chain];
    p->place_chains[chain] = (int)(p->places.size / sizeof *added);
}

static struct place parse_position(struct parser *p)
{
    struct place place = {0};
    place.file = (int)ptx_expect_int(p, 0, LIMIT_FILE_INDEX, "the number of a file");
    place.line = (int)ptx_expect_int(p, 0, INT_MAX, "a line number");
    place.column = (int)ptx_expect_int(p, 0, INT_MAX, "a column number");
    place.site = (struct ptx_loc){place.file, place.line};
    return place;
}

static void skip_word(struct parser *p, const char *word, const char *expected)
{
    if (p->token.kind != PTX_TOKEN_WORD || p->token.length != strlen(word) ||
        memcmp(p->token.start, word, p->token.length) != 0)
        ptx_fail_expected(p, expected);
    ptx_advance(p);
}

/* , function_name label [+ n], inlined_at file line column: the position of the call. */
static struct place parse_inlined_at(struct parser *p)
{
    skip_word(p, "function_name", "function_name");
    ptx_expect_word(p, "the label of a function's name");
    ptx_parse_offset(p);
    ptx_expect_punct(p, ',', "',' before inlined_at");
    skip_word(p, "inlined_at", "inlined_at");
    return parse_position(p);
}

/* The file of a function is that of its first .loc. */
static int own_file(const struct parser *p)
{
    const struct place *places = (const struct place *)p->places.data;
    return p->places.size > 0 ? places[0].file : 0;
}

/* .loc file line column, perhaps inlined somewhere; line 0 belongs to no line: the one before stays. */
void ptx_parse_loc(struct parser *p)
{
    ptx_advance(p);
    struct place place = parse_position(p);
    if (ptx_accept_punct(p, ',')) {
        struct place call = parse_inlined_at(p);
        const struct place *known = find_place(p, &call);
        place.call = call.site;
        if (known && known->call.line > 0)
            place.from = known->from.line > 0 ? known->from : known->call;
        if (place.file != own_file(p)) {
            place.site = known ? known->site : call.site;
            place.call = known ? known->call : (struct ptx_loc){0};
            place.from = known ? known->from : (struct ptx_loc){0};
        }
    }
    remember_place(p, &place);
    p->no_line = place.line == 0;
    if (p->no_line)
        return;
    p->loc = (struct ptx_loc){place.file, place.line};
    p->site = place.site;
    p->call = place.call;
    p->from = place.from;
}

/* ---- afterwards ---------------------------------------------------------------------------------------- */

static void check_location(const struct ptx_module *module, struct ptx_loc *loc)
{
    if (loc->file >= module->file_count || !module->files[loc->file])
        *loc = (struct ptx_loc){0};
}

/* A .file may stand behind the .loc that names it, so this comes last. */
void ptx_check_locations(struct parser *p)
{
    const struct ptx_module *module = p->module;
    for (int i = 0; i < module->func_count; i++) {
        struct ptx_func *func = module->funcs[i];
        for (int k = 0; k < func->instr_count; k++) {
            check_location(module, &func->instrs[k].loc);
            check_location(module, &func->instrs[k].site);
            check_location(module, &func->instrs[k].call);
            check_location(module, &func->instrs[k].from);
        }
        for (int k = 0; k < func->var_count; k++)
            check_location(module, &func->vars[k]->loc);
    }
}
