/* Bodies of functions: nested blocks, declarations, statements. Source: PTX ISA, 4.3 and 7.1. */
#include <string.h>

#include "sim/ptx/ptx_parse.h"

static void begin_body(struct parser *p, struct ptx_func *func)
{
    p->func = func;
    ptx_forget_locations(p);
    p->last_place = -1;
    p->regs.size = p->vars.size = p->instrs.size = p->tables.size = p->fixups.size = 0;
}

/* Whether the text can run past its last instruction, or branch to behind it. */
static bool runs_off_the_end(const struct parser *p)
{
    int count = (int)(p->instrs.size / sizeof(struct ptx_instr));
    if (count == 0 || p->last_place == count)
        return true;
    const struct ptx_instr *last = (const struct ptx_instr *)p->instrs.data + count - 1;
    return last->guard >= 0 || (strcmp(last->op, "ret") != 0 && strcmp(last->op, "exit") != 0);
}

static void end_body(struct parser *p, struct ptx_func *func)
{
    if (runs_off_the_end(p))
        ptx_append_return(p);
    ptx_scope_close(p);
    func->has_body = true;
    func->regs = ptx_buffer_copy(p, &p->regs, 0);
    func->reg_count = (int)(p->regs.size / sizeof *func->regs);
    func->vars = ptx_buffer_copy(p, &p->vars, 0);
    func->var_count = (int)(p->vars.size / sizeof *func->vars);
    func->instrs = ptx_buffer_copy(p, &p->instrs, 0);
    func->instr_count = (int)(p->instrs.size / sizeof *func->instrs);
    func->tables = ptx_buffer_copy(p, &p->tables, 0);
    func->table_count = (int)(p->tables.size / sizeof *func->tables);
    p->func = NULL;
    ptx_forget_locations(p);
}

static void parse_body_directive(struct parser *p)
{
    struct linkage linkage = ptx_parse_linkage(p);
    if (ptx_starts_variable(p))
        ptx_parse_variables(p, linkage);
    else if (ptx_is_dot(p, "reg"))
        ptx_parse_registers(p);
    else if (ptx_is_dot(p, "loc"))
        ptx_parse_loc(p);
    else if (ptx_is_dot(p, "file"))
        ptx_parse_file(p);
    else if (ptx_is_dot(p, "pragma"))
        ptx_skip_to_semicolon(p);
    else
        ptx_fail_expected(p, "a directive that may stand in a function");
}

void ptx_parse_body(struct parser *p, struct ptx_func *func)
{
    int line = p->token.line, column = p->token.column, outermost = p->depth;
    begin_body(p, func);
    ptx_advance(p);
    while (!ptx_is_punct(p, '}') || p->depth > outermost) {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_fail_at(p, line, column,
                        "the body of '%s' is never closed, expected '}' before the end of the text",
                        func->name);
        if (p->token.kind == PTX_TOKEN_DOT)
            parse_body_directive(p);
        else if (ptx_accept_punct(p, '{'))
            ptx_scope_open(p);
        else if (ptx_is_punct(p, '}')) {
            ptx_scope_close(p);
            ptx_advance(p);
        } else if (!ptx_accept_punct(p, ';'))
            ptx_parse_statement(p);
    }
    end_body(p, func);
    ptx_advance(p);
}
