/* Heads of kernels and functions. Source: PTX ISA, 5.1.6, 7.1 and 11.2 to 11.4. */
#include <string.h>

#include "sim/ptx/ptx_parse.h"

/* ---- parameters ---------------------------------------------------------------------------------------- */

/* (.param …, .param …) or nothing at all; in declaration order, each at its own alignment. */
static struct ptx_param *parse_params(struct parser *p, int *count, size_t *size)
{
    size_t from = p->list.size, offset = 0;
    *count = 0;
    if (!ptx_accept_punct(p, '('))
        return NULL;
    while (!ptx_accept_punct(p, ')')) {
        struct ptx_param param = {0};
        if (p->list.size > from)
            ptx_expect_punct(p, ',', "',' or ')' behind a parameter");
        ptx_parse_param(p, &param.var);
        size_t align = (size_t)param.var.align;
        param.offset = (offset + align - 1) / align * align;
        offset = param.offset + param.var.size;
        *(struct ptx_param *)ptx_buffer_push(p, &p->list, sizeof param) = param;
    }
    struct ptx_param *params = ptx_buffer_copy(p, &p->list, from);
    *count = (int)((p->list.size - from) / sizeof *params);
    p->list.size = from;
    if (size)
        *size = offset;
    return params;
}

static void declare_params(struct parser *p, struct ptx_param *params, int count)
{
    for (int i = 0; i < count; i++) {
        const char *text = params[i].var.name;
        if (strcmp(text, "_") != 0)
            ptx_declare(p, SYMBOL_VAR, ptx_intern(p, text, strlen(text)))->var = &params[i].var;
    }
}

/* ---- directives between head and body ------------------------------------------------------------------ */

static void parse_threads(struct parser *p, int threads[3])
{
    int count = 0;
    threads[1] = threads[2] = 1;
    do {
        if (count == 3)
            ptx_fail(p, "found more than three dimensions of a block");
        threads[count++] = (int)ptx_expect_int(p, 1, 1 << 30, "a number of threads");
    } while (ptx_accept_punct(p, ','));
}

/* Numbers, strings and commas up to the next directive: advice to ptxas that changes no result. */
static void skip_directive(struct parser *p)
{
    bool has_semicolon = ptx_is_dot(p, "pragma");
    ptx_advance(p);
    while (p->token.kind == PTX_TOKEN_INT || p->token.kind == PTX_TOKEN_STRING || ptx_is_punct(p, ','))
        ptx_advance(p);
    if (has_semicolon)
        ptx_expect_punct(p, ';', "';' behind .pragma");
}

static void parse_directives(struct parser *p, struct ptx_func *func)
{
    while (p->token.kind == PTX_TOKEN_DOT) {
        if (ptx_accept_dot(p, "maxntid"))
            parse_threads(p, func->maxntid);
        else if (ptx_accept_dot(p, "reqntid"))
            parse_threads(p, func->reqntid);
        else if (ptx_accept_dot(p, "reqnctapercluster"))
            parse_threads(p, func->reqnctapercluster);
        else if (ptx_accept_dot(p, "minnctapersm"))
            func->minnctapersm = (int)ptx_expect_int(p, 0, 1 << 30, "a number of blocks");
        else if (ptx_accept_dot(p, "noreturn"))
            func->is_noreturn = true;
        else
            skip_directive(p);
    }
}

/* ---- one entry for a prototype and its body ------------------------------------------------------------ */

/* The function called so far, or a new one. */
static struct ptx_func *enter_function(struct parser *p, struct name *name)
{
    struct symbol *symbol = name->symbol;
    if (symbol && symbol->kind == SYMBOL_FUNC)
        return symbol->func;
    struct ptx_func *func = ptx_arena_alloc(p, sizeof *func);
    ptx_declare(p, SYMBOL_FUNC, name)->func = func;
    *(struct ptx_func **)ptx_buffer_push(p, &p->module_funcs, sizeof func) = func;
    func->name = name->text;
    func->module = p->module;
    return func;
}

/* What a head says, before it is known whether a body follows. */
static void merge_head(struct ptx_func *func, const struct ptx_func *head, struct linkage linkage)
{
    func->is_visible |= linkage.is_visible;
    func->is_weak |= linkage.is_weak;
    func->is_noreturn |= head->is_noreturn;
    if (func->has_body)
        return;
    func->is_extern = linkage.is_extern;
    func->is_entry = head->is_entry;
    func->params = head->params;
    func->param_count = head->param_count;
    func->param_size = head->param_size;
    func->rets = head->rets;
    func->ret_count = head->ret_count;
    memcpy(func->maxntid, head->maxntid, sizeof func->maxntid);
    memcpy(func->reqntid, head->reqntid, sizeof func->reqntid);
    memcpy(func->reqnctapercluster, head->reqnctapercluster, sizeof func->reqnctapercluster);
    func->minnctapersm = head->minnctapersm;
}

void ptx_parse_function(struct parser *p, struct linkage linkage)
{
    struct ptx_func head = {.is_entry = ptx_is_dot(p, "entry")};
    ptx_advance(p);
    if (ptx_accept_dot(p, "attribute"))
        ptx_skip_attribute(p);
    if (!head.is_entry)
        head.rets = parse_params(p, &head.ret_count, NULL);
    struct name *name = ptx_expect_word(p, "the name of a function");
    struct ptx_func *func = enter_function(p, name);
    int line = p->word_line, column = p->word_column;
    head.params = parse_params(p, &head.param_count, &head.param_size);
    parse_directives(p, &head);
    if (ptx_is_punct(p, '{') && func->has_body)
        ptx_fail_at(p, line, column, "found a second body of '%s', expected one", name->text);
    merge_head(func, &head, linkage);
    if (ptx_accept_punct(p, ';'))
        return;
    if (!ptx_is_punct(p, '{'))
        ptx_fail_expected(p, "';' or '{' behind the head of a function");
    func->is_extern = false;
    p->scope_count = 0;
    ptx_scope_open(p);
    declare_params(p, func->rets, func->ret_count);
    declare_params(p, func->params, func->param_count);
    ptx_parse_body(p, func);
}
