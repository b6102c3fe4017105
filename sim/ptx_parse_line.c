/* .file and .loc: where in the CUDA source an instruction comes from. Source: PTX ISA, 11.5. */
#include <limits.h>
#include <string.h>

#include "ptx_parse.h"

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

static struct ptx_loc parse_position(struct parser *p)
{
    struct ptx_loc loc;
    loc.file = (int)ptx_expect_int(p, 0, LIMIT_FILE_INDEX, "the number of a file");
    loc.line = (int)ptx_expect_int(p, 0, INT_MAX, "a line number");
    ptx_expect_int(p, 0, INT_MAX, "a column number");
    return loc;
}

static void skip_word(struct parser *p, const char *word, const char *expected)
{
    if (p->token.kind != PTX_TOKEN_WORD || p->token.length != strlen(word) ||
        memcmp(p->token.start, word, p->token.length) != 0)
        ptx_fail_expected(p, expected);
    ptx_advance(p);
}

/* .loc file line column [, function_name label [+ n], inlined_at file line column] */
void ptx_parse_loc(struct parser *p)
{
    ptx_advance(p);
    p->loc = parse_position(p);
    if (!ptx_accept_punct(p, ','))
        return;
    skip_word(p, "function_name", "function_name");
    ptx_expect_word(p, "the label of a function's name");
    ptx_parse_offset(p);
    ptx_expect_punct(p, ',', "',' before inlined_at");
    skip_word(p, "inlined_at", "inlined_at");
    parse_position(p);
}

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
        for (int k = 0; k < func->instr_count; k++)
            check_location(module, &func->instrs[k].loc);
        for (int k = 0; k < func->var_count; k++)
            check_location(module, &func->vars[k]->loc);
    }
}
