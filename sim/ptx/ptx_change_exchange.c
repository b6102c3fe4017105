/* Two variables exchanged: in one line, or in a whole function. */
#include <string.h>

#include "sim/ptx/ptx_change_internal.h"

#define INPUTS 12 /* variables of a line; more are not tried */
#define PAIRED 5  /* … of which two pairs at once are */

/* ---- in a line ----------------------------------------------------------------------------------------- */

/* A variable that the line uses: a register that another line sets, or a built-in variable. */
struct input {
    int reg, class;
    const char *special; /* "%tid.x"; NULL: it is none */
    int parameter, line;
};

static bool is_here(const struct ptx_change_walk *w, const struct ptx_instr *instr)
{
    const struct ptx_loc *a = &w->instr->site, *b = &instr->site;
    return a->file == b->file && a->line == b->line;
}

static const char *special_of(const struct ptx_change_walk *w, const struct ptx_operand *operand)
{
    const struct ptx_instr *source = ptx_change_source(w->func, w->defined, operand);
    if (operand->kind == PTX_SREG)
        return operand->name;
    return source && strcmp(source->op, "mov") == 0 && source->operands[1].kind == PTX_SREG
               ? source->operands[1].name
               : NULL;
}

/* Only sets a register to what stands elsewhere. */
static bool only_fetches(const struct ptx_change_walk *w, const struct ptx_instr *instr)
{
    return (strcmp(instr->op, "mov") == 0 && instr->operand_count > 1 &&
            instr->operands[1].kind == PTX_SREG) ||
           ptx_change_parameter(w->func, instr) >= 0;
}

static bool is_same(const struct input *input, const struct ptx_operand *operand, const char *special)
{
    if (special && input->special)
        return strcmp(special, input->special) == 0;
    return !special && !input->special && operand->kind == PTX_REG && operand->reg == input->reg;
}

/* False: the operand is no variable, or one that the line sets itself. */
static bool input_of(const struct ptx_change_walk *w, const struct ptx_operand *operand, struct input *input)
{
    const struct ptx_change_variable *variables = ptx_change_variables(w);
    const char *special = special_of(w, operand);
    *input = (struct input){.reg = operand->reg, .special = special, .class = 1, .parameter = -1};
    if (special)
        return true;
    if (operand->kind != PTX_REG || operand->reg < 0 || variables[operand->reg].first < 0)
        return false;
    const struct ptx_instr *first = &w->func->instrs[variables[operand->reg].first];
    input->class = ptx_change_class(w, operand->reg);
    input->parameter = ptx_change_parameter(w->func, first);
    input->line = ptx_change_line(w, &variables[operand->reg]);
    return input->class > 0 && (input->parameter >= 0 || !is_here(w, first));
}

static int find_inputs(const struct ptx_change_walk *w, struct input inputs[INPUTS])
{
    int count = 0;
    for (int i = 0; i < w->func->instr_count; i++) {
        const struct ptx_instr *instr = &w->func->instrs[i];
        for (int k = 1; k < instr->operand_count && is_here(w, instr) && !only_fetches(w, instr); k++) {
            struct input input;
            bool known = !input_of(w, &instr->operands[k], &input);
            for (int j = 0; j < count && !known; j++)
                known = is_same(&inputs[j], &instr->operands[k], input.special);
            if (!known && count < INPUTS)
                inputs[count++] = input;
        }
    }
    return count;
}

static void use_instead(struct ptx_operand *operand, const struct input *input)
{
    if (input->special)
        *operand = (struct ptx_operand){.kind = PTX_SREG, .name = input->special, .reg = -1};
    else
        *operand = (struct ptx_operand){.kind = PTX_REG, .reg = input->reg};
}

static void exchange(struct ptx_change_walk *w, const struct input *a, const struct input *b)
{
    for (int i = 0; i < w->func->instr_count; i++) {
        struct ptx_instr *instr = &w->func->instrs[i];
        if (!is_here(w, instr) || only_fetches(w, instr) || instr->operand_count < 2)
            continue;
        struct ptx_operand *operands = ptx_edit_operands(w->func, instr);
        for (int k = 1; k < instr->operand_count; k++) {
            const char *special = special_of(w, &operands[k]);
            if (is_same(a, &operands[k], special))
                use_instead(&operands[k], b);
            else if (is_same(b, &operands[k], special))
                use_instead(&operands[k], a);
        }
    }
}

/* The group is the first one of its line in this function. */
static bool begins_line(const struct ptx_change_walk *w)
{
    for (int g = 0; &w->set->groups[g] != w->group; g++) {
        const struct ptx_change_member *member = &w->set->members[w->set->groups[g].first];
        if (member->func == w->func && is_here(w, &member->func->instrs[member->instr]))
            return false;
    }
    return true;
}

/* Two pairs at once, of variables that are no built-in ones: row and column, and rows and columns. */
static void offer_two(struct ptx_change_walk *w, const struct input *inputs, const int at[4])
{
    struct ptx_change change = {.from = "", .to = ""};
    for (int i = 0; i < 4; i++) {
        if (inputs[at[i]].special || inputs[at[i]].class != inputs[at[0]].class)
            return;
        change.parameter[i] = inputs[at[i]].parameter;
        change.line[i] = inputs[at[i]].line;
    }
    change.number[0] = 2; /* pairs */
    if (!ptx_change_is_wanted(w, &change, w->instr->site))
        return;
    exchange(w, &inputs[at[0]], &inputs[at[1]]);
    exchange(w, &inputs[at[2]], &inputs[at[3]]);
}

static void offer_pairs(struct ptx_change_walk *w, const struct input *inputs, int count)
{
    for (int a = 0; a < count && count <= PAIRED; a++)
        for (int b = a + 1; b < count; b++)
            for (int c = a + 1; c < count; c++)
                for (int d = c + 1; d < count && !w->made; d++)
                    if (b != c && b != d)
                        offer_two(w, inputs, (const int[4]){a, b, c, d});
}

/* The register in which parameter `number` lies; -1: the function has not loaded it before the line. */
static int register_of(const struct ptx_change_walk *w, int number)
{
    const struct ptx_change_variable *variables = ptx_change_variables(w);
    const int here = (int)(w->instr - w->func->instrs);
    for (int reg = 0; reg < w->func->reg_count; reg++)
        if (variables[reg].first >= 0 && variables[reg].first < here &&
            ptx_change_parameter(w->func, &w->func->instrs[variables[reg].first]) == number)
            return reg;
    return -1;
}

static bool is_among(const struct input *inputs, int count, int parameter)
{
    for (int i = 0; i < count; i++)
        if (inputs[i].parameter == parameter)
            return true;
    return false;
}

/*
 * The pair exchanged, and the parameter that goes with one of them replaced by that of the other: rows and columns of
 * a table.
 */
static void offer_with_parameter(struct ptx_change_walk *w, const struct input *inputs, int count,
                                 const struct input *a, const struct input *b)
{
    for (int p = 0; p < count; p++) {
        const int is = inputs[p].parameter;
        for (int to = 0; to < w->func->param_count && is >= 0 && !w->made; to++) {
            struct input other = {.class = inputs[p].class, .parameter = to, .reg = register_of(w, to)};
            const struct ptx_var *x = &w->func->params[is].var, *y = &w->func->params[to].var;
            const struct ptx_change change = {.from = "",
                                              .to = "",
                                              .parameter = {a->parameter, b->parameter, is, to},
                                              .line = {a->line, b->line},
                                              .number = {3}};
            if (&inputs[p] == a || &inputs[p] == b || other.reg < 0 || x->type != y->type ||
                is_among(inputs, count, to) || !ptx_change_is_wanted(w, &change, w->instr->site))
                continue;
            exchange(w, a, b);
            exchange(w, &inputs[p], &other); /* which the line does not use */
        }
    }
}

void ptx_change_offer_exchange(struct ptx_change_walk *w)
{
    struct input inputs[INPUTS];
    const int count = begins_line(w) ? find_inputs(w, inputs) : 0;
    for (int a = 0; a < count && !w->made; a++)
        for (int b = a + 1; b < count && !w->made; b++) {
            const struct ptx_change change = {.from = inputs[a].special ? inputs[a].special : "",
                                              .to = inputs[b].special ? inputs[b].special : "",
                                              .parameter = {inputs[a].parameter, inputs[b].parameter},
                                              .line = {inputs[a].line, inputs[b].line}};
            if (inputs[a].class == inputs[b].class && ptx_change_is_wanted(w, &change, w->instr->site))
                exchange(w, &inputs[a], &inputs[b]);
            else if (inputs[a].class == inputs[b].class && !inputs[a].special && !inputs[b].special &&
                     count <= PAIRED && !w->made)
                offer_with_parameter(w, inputs, count, &inputs[a], &inputs[b]);
        }
    offer_pairs(w, inputs, count);
}

/* ---- in a whole function ------------------------------------------------------------------------------- */

/* The function's first line in the file; line 0: it has none there. */
static struct ptx_loc first_site(const struct ptx_change_walk *w)
{
    for (int i = 0; i < w->func->instr_count; i++)
        if (ptx_change_is_in_file(w->func, w->func->instrs[i].site, w->scope->file))
            return w->func->instrs[i].site;
    return (struct ptx_loc){0};
}

static void exchange_specials(const struct ptx_func *func, const char *a, const char *b)
{
    for (int i = 0; i < func->instr_count; i++) {
        struct ptx_instr *instr = &func->instrs[i];
        for (int k = 1; k < instr->operand_count; k++) {
            const char *name = instr->operands[k].kind == PTX_SREG ? instr->operands[k].name : "";
            if (strcmp(name, a) == 0 || strcmp(name, b) == 0)
                ptx_edit_operands(func, instr)[k].name = strcmp(name, a) == 0 ? b : a;
        }
    }
}

static bool uses_special(const struct ptx_func *func, const char *name)
{
    for (int i = 0; i < func->instr_count; i++)
        for (int k = 1; k < func->instrs[i].operand_count; k++)
            if (func->instrs[i].operands[k].kind == PTX_SREG &&
                strcmp(func->instrs[i].operands[k].name, name) == 0)
                return true;
    return false;
}

void ptx_change_offer_axes(struct ptx_change_walk *w)
{
    static const char *const axes[][2] = {{"%ctaid.x", "%ctaid.y"}, {"%tid.x", "%tid.y"}};
    const struct ptx_loc site = first_site(w);
    for (int i = 0; i < 2 && !w->made && site.line > 0; i++) {
        const struct ptx_change change = {.from = axes[i][0], .to = axes[i][1], .parameter = {-1, -1}};
        if (uses_special(w->func, axes[i][0]) && uses_special(w->func, axes[i][1]) &&
            ptx_change_is_wanted(w, &change, site))
            exchange_specials(w->func, axes[i][0], axes[i][1]);
    }
}

static void exchange_parameters(const struct ptx_func *func, int a, int b)
{
    for (int i = 0; i < func->instr_count; i++) {
        struct ptx_instr *instr = &func->instrs[i];
        const int is = ptx_change_parameter(func, instr);
        if (is == a || is == b)
            ptx_edit_operands(func, instr)[1].var = &func->params[is == a ? b : a].var;
    }
}

static bool uses_parameter(const struct ptx_func *func, int number)
{
    for (int i = 0; i < func->instr_count; i++)
        if (ptx_change_parameter(func, &func->instrs[i]) == number)
            return true;
    return false;
}

void ptx_change_offer_arguments(struct ptx_change_walk *w)
{
    const struct ptx_loc site = first_site(w);
    for (int a = 0; a < w->func->param_count && w->func->is_entry && site.line > 0; a++)
        for (int b = a + 1; b < w->func->param_count && !w->made; b++) {
            const struct ptx_var *x = &w->func->params[a].var, *y = &w->func->params[b].var;
            const struct ptx_change change = {.from = "", .to = "", .parameter = {a, b}};
            if (x->type == y->type && x->size == y->size && uses_parameter(w->func, a) &&
                uses_parameter(w->func, b) && ptx_change_is_wanted(w, &change, site))
                exchange_parameters(w->func, a, b);
        }
}
