/* Declarations of variables, parameters and registers. Source: PTX ISA, 5.1, 5.2 and 5.4. */
#include <stdio.h>
#include <string.h>

#include "sim/ptx/ptx_parse.h"

static const struct {
    const char *name;
    enum ptx_space space;
} spaces[] = {
    {"global", PTX_GLOBAL}, {"const", PTX_CONST},        {"shared", PTX_SHARED}, {"local", PTX_LOCAL},
    {"param", PTX_PARAM},   {"shared::cta", PTX_SHARED}, {"tex", PTX_GLOBAL},
};

static int find_space(const struct parser *p)
{
    for (int i = 0; i < (int)(sizeof spaces / sizeof *spaces); i++) {
        if (ptx_is_dot(p, spaces[i].name))
            return i;
    }
    return -1;
}

bool ptx_starts_variable(const struct parser *p)
{
    return find_space(p) >= 0;
}

struct linkage ptx_parse_linkage(struct parser *p)
{
    struct linkage linkage = {0};
    for (;;) {
        if (ptx_accept_dot(p, "extern"))
            linkage.is_extern = true;
        else if (ptx_accept_dot(p, "visible"))
            linkage.is_visible = true;
        else if (ptx_accept_dot(p, "weak") || ptx_accept_dot(p, "common"))
            linkage.is_weak = true;
        else
            return linkage;
    }
}

/* ---- what stands before the name ----------------------------------------------------------------------- */

static int parse_align(struct parser *p)
{
    struct ptx_token at = p->token;
    int64_t align = ptx_expect_int(p, 1, LIMIT_ALIGN, "an alignment");
    if (align & (align - 1))
        ptx_fail_at(p, at.line, at.column, "found the alignment %lld, expected a power of two",
                    (long long)align);
    return (int)align;
}

/* .attribute(.managed) and the like: where memory lives is nothing that changes a result. */
void ptx_skip_attribute(struct parser *p)
{
    ptx_expect_punct(p, '(', "'(' behind .attribute");
    for (int open = 1; open > 0; ptx_advance(p)) {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_fail_expected(p, "')'");
        open += ptx_is_punct(p, '(');
        open -= ptx_is_punct(p, ')');
    }
}

static enum ptx_type parse_type(struct parser *p)
{
    char text[16];
    enum ptx_type type = PTX_NOTYPE;
    if (p->token.kind == PTX_TOKEN_DOT && p->token.length <= sizeof text) {
        memcpy(text, p->token.start + 1, p->token.length - 1);
        text[p->token.length - 1] = '\0';
        type = ptx_type_find(text);
    }
    if (type == PTX_NOTYPE)
        ptx_fail_expected(p, "a type such as .b32");
    ptx_advance(p);
    return type;
}

static int accept_vector(struct parser *p)
{
    return ptx_accept_dot(p, "v2") ? 2 : ptx_accept_dot(p, "v4") ? 4 : ptx_accept_dot(p, "v8") ? 8 : 1;
}

/* .ptr .global .align 4: what a kernel's pointer parameter points to; a hint for the compiler. */
static void skip_pointer_hints(struct parser *p)
{
    if (!ptx_accept_dot(p, "ptr"))
        return;
    while (p->token.kind == PTX_TOKEN_DOT) {
        bool is_align = ptx_is_dot(p, "align");
        ptx_advance(p);
        if (is_align)
            parse_align(p);
    }
}

static struct declaration parse_declaration(struct parser *p, struct linkage linkage)
{
    struct declaration d = {.linkage = linkage, .space = spaces[find_space(p)].space, .vector = 1};
    ptx_advance(p);
    for (;;) {
        if (ptx_accept_dot(p, "align"))
            d.align = parse_align(p);
        else if (ptx_accept_dot(p, "attribute"))
            ptx_skip_attribute(p);
        else if (d.vector == 1 && (d.vector = accept_vector(p)) > 1)
            continue;
        else
            break;
    }
    d.type = parse_type(p);
    if (d.type == PTX_PRED)
        ptx_fail(p, "found a variable of type .pred, expected one that has a size in memory");
    if (d.space == PTX_PARAM)
        skip_pointer_hints(p);
    if (ptx_accept_dot(p, "align")) /* .param .b8 .align 8: seen in hand-written code */
        d.align = parse_align(p);
    return d;
}

/* ---- name, bounds, layout ------------------------------------------------------------------------------ */

/* [4][8]: returns how many; the first bound may be missing, then it is 0. */
static int parse_bounds(struct parser *p, uint64_t bounds[LIMIT_DIMENSIONS])
{
    int count = 0;
    while (ptx_accept_punct(p, '[')) {
        if (count == LIMIT_DIMENSIONS)
            ptx_fail(p, "more than %d dimensions", LIMIT_DIMENSIONS);
        bounds[count] = 0;
        if (count > 0 || !ptx_is_punct(p, ']')) {
            struct constant bound = ptx_parse_constant(p);
            if (bound.kind != CONSTANT_INT || bound.bits == 0 || bound.bits > LIMIT_VARIABLE)
                ptx_fail(p, "found an array bound that is no positive integer of reasonable size");
            bounds[count] = bound.bits;
        }
        ptx_expect_punct(p, ']', "']'");
        count++;
    }
    return count;
}

/* Sizes of an array, its rows, …, one element; a vector is one more dimension. */
static struct shape parse_shape(struct parser *p, const struct declaration *d)
{
    uint64_t bounds[LIMIT_DIMENSIONS + 1];
    struct shape shape = {0};
    int count = parse_bounds(p, bounds);
    shape.is_open = count > 0 && bounds[0] == 0;
    if (d->vector > 1)
        bounds[count++] = (uint64_t)d->vector;
    shape.levels = count;
    shape.stride[count] = (uint64_t)ptx_type_size(d->type);
    for (int i = count - 1; i >= 0; i--) {
        if (bounds[i] > LIMIT_VARIABLE / shape.stride[i + 1])
            ptx_fail(p, "found a variable of more than 2^40 bytes");
        shape.stride[i] = bounds[i] * shape.stride[i + 1];
    }
    return shape;
}

static struct shape parse_declarator(struct parser *p, const struct declaration *d, struct ptx_var *var)
{
    struct name *name = ptx_expect_word(p, "the name of a variable");
    int line = p->word_line, column = p->word_column;
    struct shape shape = parse_shape(p, d);
    int element = ptx_type_size(d->type), natural = element * d->vector;
    *var = (struct ptx_var){.name = name->text,
                            .space = d->space,
                            .type = d->type,
                            .align = d->align == 0        ? natural
                                     : d->align < element ? element
                                                          : d->align,
                            .size = shape.stride[0],
                            .is_extern = d->linkage.is_extern,
                            .is_visible = d->linkage.is_visible,
                            .is_weak = d->linkage.is_weak,
                            .loc = p->loc,
                            .scope = p->scopes[p->depth].number};
    p->word_line = line; /* the name again: a bound may have been a word too */
    p->word_column = column;
    return shape;
}

/* ---- variables ----------------------------------------------------------------------------------------- */

/* The variable of a module that `var` declares again: an extern one and its definition are one. */
static struct ptx_var *find_declared(struct parser *p, const struct name *name, const struct ptx_var *var)
{
    const struct symbol *symbol = name->symbol;
    if (p->depth > 0 || !symbol || symbol->kind != SYMBOL_VAR)
        return NULL;
    bool is_same = symbol->var->space == var->space && symbol->var->type == var->type;
    return is_same && (symbol->var->is_extern || var->is_extern) ? symbol->var : NULL;
}

static struct ptx_var *add_variable(struct parser *p, const struct ptx_var *var)
{
    struct name *name = ptx_intern(p, var->name, strlen(var->name));
    struct ptx_var *known = find_declared(p, name, var);
    if (known) {
        if (!var->is_extern)
            *known = *var;
        return known;
    }
    struct ptx_var *added = ptx_arena_alloc(p, sizeof *added);
    *added = *var;
    ptx_declare(p, SYMBOL_VAR, name)->var = added;
    struct buffer *list = p->depth > 0 ? &p->vars : &p->module_vars;
    *(struct ptx_var **)ptx_buffer_push(p, list, sizeof added) = added;
    return added;
}

void ptx_parse_variables(struct parser *p, struct linkage linkage)
{
    struct declaration d = parse_declaration(p, linkage);
    do {
        struct ptx_var parsed;
        struct shape shape = parse_declarator(p, &d, &parsed);
        struct ptx_var *var = add_variable(p, &parsed);
        if (!ptx_is_punct(p, '='))
            continue;
        if (d.space != PTX_GLOBAL && d.space != PTX_CONST)
            ptx_fail(p, "found an initializer of '%s', expected one only for .global and .const", var->name);
        ptx_advance(p);
        ptx_parse_initialiser(p, var, &shape);
    } while (ptx_accept_punct(p, ','));
    ptx_expect_punct(p, ';', "';' behind a declaration");
}

void ptx_parse_param(struct parser *p, struct ptx_var *var)
{
    if (ptx_is_dot(p, "reg"))
        ptx_fail(p,
                 "found a parameter in a register, expected .param: register parameters are not supported");
    if (!ptx_is_dot(p, "param"))
        ptx_fail_expected(p, ".param");
    struct declaration d = parse_declaration(p, (struct linkage){0});
    parse_declarator(p, &d, var);
}

/* ---- registers ----------------------------------------------------------------------------------------- */

/* Room for `count` more registers of the type; their names are up to the caller. */
static struct ptx_reg *add_registers(struct parser *p, size_t count, enum ptx_type type, int *first)
{
    p->register_count += count;
    if (p->register_count > LIMIT_REGISTERS)
        ptx_fail(p, "more than %d registers in one module", LIMIT_REGISTERS);
    *first = (int)(p->regs.size / sizeof(struct ptx_reg));
    struct ptx_reg *regs = ptx_buffer_push(p, &p->regs, count * sizeof *regs);
    for (size_t i = 0; i < count; i++)
        regs[i].type = type;
    return regs;
}

/* %r<17> behind its name. */
static void parse_register_range(struct parser *p, struct name *prefix, enum ptx_type type)
{
    char text[16];
    int first, count = (int)ptx_expect_int(p, 1, LIMIT_REGISTERS, "a number of registers");
    ptx_expect_punct(p, '>', "'>'");
    ptx_declare_range(p, prefix, 0, count);
    struct ptx_reg *regs = add_registers(p, (size_t)count, type, &first);
    prefix->range->reg = first;
    for (int i = 0; i < count; i++) {
        size_t digits = (size_t)snprintf(text, sizeof text, "%d", i);
        char *name = ptx_arena_alloc(p, prefix->length + digits + 1);
        memcpy(name, prefix->text, prefix->length);
        memcpy(name + prefix->length, text, digits);
        regs[i].name = name;
    }
}

static void declare_register(struct parser *p, struct name *name, enum ptx_type type, int vector)
{
    int first;
    struct symbol *symbol = ptx_declare(p, SYMBOL_REG, name);
    struct ptx_reg *regs = add_registers(p, (size_t)vector, type, &first);
    symbol->reg = first;
    symbol->count = vector;
    symbol->is_vector = vector > 1;
    for (int i = 0; i < vector; i++) {
        char *text = ptx_arena_alloc(p, name->length + 3);
        memcpy(text, name->text, name->length);
        if (vector > 1)
            memcpy(text + name->length, (char[]){'.', "xyzwrgba"[i]}, 2);
        regs[i].name = text;
    }
}

void ptx_parse_registers(struct parser *p)
{
    ptx_advance(p);
    int vector = accept_vector(p);
    enum ptx_type type = parse_type(p);
    do {
        struct name *name = ptx_expect_word(p, "the name of a register");
        if (ptx_accept_punct(p, '<'))
            parse_register_range(p, name, type);
        else
            declare_register(p, name, type, vector);
    } while (ptx_accept_punct(p, ','));
    ptx_expect_punct(p, ';', "',' or ';' behind a register");
}
