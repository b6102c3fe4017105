/* The module: what stands outside of functions, and ptx_parse itself. Source: PTX ISA, 11.1 and 11.6. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/ptx_parse.h"

/* ---- .version, .target, .address_size ------------------------------------------------------------------ */

static void parse_version(struct parser *p)
{
    if (!ptx_accept_dot(p, "version"))
        ptx_fail_expected(p, ".version: PTX begins with it");
    const char *text = p->token.start, *dot = memchr(text, '.', p->token.length);
    if (p->token.kind != PTX_TOKEN_F64 || !dot || dot - text > 3 ||
        p->token.length - (size_t)(dot - text) != 2)
        ptx_fail_expected(p, "a version such as 8.0");
    for (; text < dot; text++)
        p->module->version = p->module->version * 10 + *text - '0';
    p->module->version = p->module->version * 10 + dot[1] - '0';
    ptx_advance(p);
}

/* .target sm_90a, debug */
static void parse_target_list(struct parser *p)
{
    do {
        struct name *name = ptx_expect_word(p, "a target such as sm_80");
        if (strncmp(name->text, "sm_", 3) == 0)
            p->module->target = (int)strtol(name->text + 3, NULL, 10) % 10000;
        else if (strcmp(name->text, "debug") == 0)
            p->module->is_debug = true;
    } while (ptx_accept_punct(p, ','));
}

static void parse_address_size(struct parser *p)
{
    int line = p->token.line, column = p->token.column;
    p->module->address_size = (int)ptx_expect_int(p, 32, 64, "a number of bits");
    if (p->module->address_size != 64)
        ptx_fail_at(p, line, column, "found addresses of %d bits, expected 64", p->module->address_size);
}

/* Debug information, up to the end of its braces. */
static void skip_section(struct parser *p)
{
    ptx_advance(p);
    while (p->token.kind == PTX_TOKEN_DOT || p->token.kind == PTX_TOKEN_WORD || ptx_is_punct(p, ','))
        ptx_advance(p);
    ptx_skip_braces(p);
}

/* ---- .alias -------------------------------------------------------------------------------------------- */

struct alias {
    struct ptx_func *func, *target;
};

static struct ptx_func *expect_function(struct parser *p)
{
    struct name *name = ptx_expect_word(p, "the name of a function");
    if (!name->symbol || name->symbol->kind != SYMBOL_FUNC)
        ptx_fail_at(p, p->word_line, p->word_column,
                    "found '%s', which is not declared here, expected a function", name->text);
    return name->symbol->func;
}

/* .alias name, target; the target's body may still follow. */
static void parse_alias(struct parser *p)
{
    struct alias alias;
    alias.func = expect_function(p);
    ptx_expect_punct(p, ',', "',' behind the alias");
    alias.target = expect_function(p);
    ptx_expect_punct(p, ';', "';' behind .alias");
    *(struct alias *)ptx_buffer_push(p, &p->aliases, sizeof alias) = alias;
}

/* An alias becomes a function of its own name with the target's body. */
static void resolve_aliases(struct parser *p)
{
    const struct alias *aliases = (const struct alias *)p->aliases.data;
    for (size_t i = 0; i < p->aliases.size / sizeof *aliases; i++) {
        struct ptx_func *func = aliases[i].func, named = *func;
        if (func->has_body)
            continue;
        *func = *aliases[i].target;
        func->name = named.name;
        func->is_visible = named.is_visible;
        func->is_weak = named.is_weak;
    }
}

/* ---- everything ---------------------------------------------------------------------------------------- */

static void parse_module_directive(struct parser *p)
{
    struct linkage linkage = ptx_parse_linkage(p);
    if (ptx_is_dot(p, "entry") || ptx_is_dot(p, "func"))
        ptx_parse_function(p, linkage);
    else if (ptx_starts_variable(p))
        ptx_parse_variables(p, linkage);
    else if (ptx_accept_dot(p, "target"))
        parse_target_list(p);
    else if (ptx_accept_dot(p, "address_size"))
        parse_address_size(p);
    else if (ptx_is_dot(p, "file"))
        ptx_parse_file(p);
    else if (ptx_is_dot(p, "loc"))
        ptx_parse_loc(p);
    else if (ptx_is_dot(p, "section"))
        skip_section(p);
    else if (ptx_accept_dot(p, "alias"))
        parse_alias(p);
    else if (ptx_is_dot(p, "pragma"))
        ptx_skip_to_semicolon(p);
    else
        ptx_fail_expected(p, "a directive such as .entry, .func or .global");
}

static void parse_module(struct parser *p)
{
    struct ptx_module *module = p->module;
    ptx_advance(p);
    parse_version(p);
    while (p->token.kind != PTX_TOKEN_END) {
        if (!ptx_accept_punct(p, ';'))
            parse_module_directive(p);
    }
    module->vars = ptx_buffer_copy(p, &p->module_vars, 0);
    module->var_count = (int)(p->module_vars.size / sizeof *module->vars);
    module->funcs = ptx_buffer_copy(p, &p->module_funcs, 0);
    module->func_count = (int)(p->module_funcs.size / sizeof *module->funcs);
    module->files = ptx_buffer_copy(p, &p->files, 0);
    module->file_count = (int)(p->files.size / sizeof *module->files);
    resolve_aliases(p);
    ptx_check_locations(p);
}

static void release_parser(struct parser *p)
{
    struct buffer *buffers[] = {&p->module_vars, &p->module_funcs, &p->files,  &p->aliases, &p->regs,
                                &p->vars,        &p->instrs,       &p->tables, &p->fixups,  &p->list,
                                &p->bytes,       &p->relocs,       &p->places};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        free(buffers[i]->data);
    free(p);
}

/* Runs the parser up to its end or its first mistake. */
static bool run_parser(struct parser *p, const char *text, size_t length)
{
    ptx_lexer_init(&p->lexer, text, length);
    if (setjmp(p->on_error) != 0)
        return false;
    if (length > INT_MAX)
        ptx_fail(p, "PTX of more than 2 GB");
    parse_module(p);
    return true;
}

/* For those who want to assemble it. Without memory for it there is no text, and that is all. */
static void keep_text(struct parser *p, const char *text, size_t length)
{
    if (setjmp(p->on_error) != 0)
        return;
    p->module->text = ptx_arena_text(p, text, length);
    p->module->text_length = strnlen(p->module->text, length); /* in a fat binary it ends in zeros */
}

struct ptx_module *ptx_parse(const char *text, size_t length, struct ptx_error *error)
{
    *error = (struct ptx_error){0};
    struct parser *p = calloc(1, sizeof *p);
    struct ptx_module *module = calloc(1, sizeof *module);
    struct arena *arena = calloc(1, sizeof *arena);
    if (!p || !module || !arena) {
        strcpy(error->message, "out of memory");
        free(p);
        free(module);
        free(arena);
        return NULL;
    }
    p->error = error;
    p->module = module;
    p->arena = module->arena = arena;
    if (!run_parser(p, text, length)) {
        ptx_module_free(module);
        module = NULL;
    } else {
        keep_text(p, text, length);
    }
    release_parser(p);
    return module;
}

void ptx_module_free(struct ptx_module *module)
{
    if (!module)
        return;
    for (int i = 0; i < module->part_count; i++)
        ptx_module_free(module->parts[i]);
    free(module->cubin);
    if (module->part_count > 0) { /* a linked one's arrays are its own, not the arena's */
        free(module->parts);
        free(module->vars);
        free(module->funcs);
        free(module->files);
    }
    if (module->arena)
        ptx_arena_free(module->arena);
    free(module->arena);
    free(module);
}

bool ptx_has_modifier(const struct ptx_instr *instr, const char *word)
{
    for (int i = 0; i < instr->mod_count; i++)
        if (strcmp(instr->mods[i], word) == 0)
            return true;
    return false;
}

bool ptx_names(const struct ptx_operand *operand, int reg)
{
    if ((operand->kind == PTX_REG || operand->kind == PTX_ADDRESS) && operand->reg == reg)
        return true;
    for (int i = 0; operand->list && i < operand->count; i++)
        if (ptx_names(&operand->list[i], reg))
            return true;
    return false;
}

bool ptx_writes(const struct ptx_instr *instr, int reg)
{
    return instr->operand_count > 0 && instr->operands[0].kind != PTX_ADDRESS &&
           ptx_names(&instr->operands[0], reg);
}

struct ptx_func *ptx_module_find_func(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->func_count; i++) {
        if (strcmp(module->funcs[i]->name, name) == 0)
            return module->funcs[i];
    }
    return NULL;
}

struct ptx_var *ptx_module_find_var(const struct ptx_module *module, const char *name)
{
    for (int i = 0; i < module->var_count; i++) {
        if (strcmp(module->vars[i]->name, name) == 0)
            return module->vars[i];
    }
    return NULL;
}
