/*
 * Operands: registers, constants, symbols with an offset, addresses, vectors, argument lists, pairs.
 * Source: PTX ISA, chapter 6.
 */
#include <string.h>

#include "sim/ptx/ptx_parse.h"

/* Without the %, and without a component. Source: PTX ISA, chapter 10. */
static const char *const special_registers[] = {
    "tid",
    "ntid",
    "laneid",
    "warpid",
    "nwarpid",
    "ctaid",
    "nctaid",
    "smid",
    "nsmid",
    "gridid",
    "is_explicit_cluster",
    "clusterid",
    "nclusterid",
    "cluster_ctaid",
    "cluster_nctaid",
    "cluster_ctarank",
    "cluster_nctarank",
    "lanemask_eq",
    "lanemask_le",
    "lanemask_lt",
    "lanemask_ge",
    "lanemask_gt",
    "clock",
    "clock_hi",
    "clock64",
    "globaltimer",
    "globaltimer_lo",
    "globaltimer_hi",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_end",
    "reserved_smem_offset_cap",
    "reserved_smem_offset_0",
    "reserved_smem_offset_1",
    "reserved_smem_offset_2",
    "total_smem_size",
    "aggr_smem_size",
    "dynamic_smem_size",
    "current_graph_exec",
};

static bool is_numbered(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 && text[length] >= '0' && text[length] <= '9';
}

static bool is_special_register(const char *text)
{
    if (*text++ != '%')
        return false;
    for (size_t i = 0; i < sizeof special_registers / sizeof *special_registers; i++) {
        if (strcmp(text, special_registers[i]) == 0)
            return true;
    }
    return is_numbered(text, "envreg") || is_numbered(text, "pm");
}

/* A `.x` that follows the word before it without a gap: its text without the dot; else NULL. */
static const char *accept_suffix(struct parser *p, const char *word_end)
{
    if (p->token.kind != PTX_TOKEN_DOT || p->token.start != word_end)
        return NULL;
    const char *suffix = ptx_intern(p, p->token.start + 1, p->token.length - 1)->text;
    ptx_advance(p);
    return suffix;
}

static int component_index(struct parser *p, const char *suffix, int count)
{
    static const char components[] = "xyzwrgba";
    const char *found = suffix[1] == '\0' ? strchr(components, suffix[0]) : NULL;
    int index = found ? (int)(found - components) % 4 : count;
    if (index >= count)
        ptx_fail_at(p, p->word_line, p->word_column,
                    "found '.%s' behind a vector of %d, expected one of its components", suffix, count);
    return index;
}

/* A vector register without a component stands for all of them. */
static void expand_vector(struct parser *p, const struct symbol *symbol, struct ptx_operand *out)
{
    out->kind = PTX_VECTOR;
    out->count = symbol->count;
    out->list = ptx_arena_alloc(p, (size_t)symbol->count * sizeof *out->list);
    for (int i = 0; i < symbol->count; i++)
        out->list[i] = (struct ptx_operand){.kind = PTX_REG, .reg = symbol->reg + i};
}

static void parse_register(struct parser *p, const struct symbol *symbol, int index, const char *word_end,
                           struct ptx_operand *out)
{
    const char *suffix = accept_suffix(p, word_end);
    if (symbol->is_vector && !suffix) {
        expand_vector(p, symbol, out);
        return;
    }
    out->kind = PTX_REG;
    out->reg = symbol->reg + index;
    if (symbol->is_vector)
        out->reg += component_index(p, suffix, symbol->count);
    else
        out->name = suffix; /* the byte or half that a video instruction selects */
}

static void parse_special_register(struct parser *p, const struct ptx_token *word, const struct name *name,
                                   struct ptx_operand *out)
{
    if (!is_special_register(name->text))
        ptx_fail_at(p, word->line, word->column,
                    "found '%s', which is not declared here, expected a register", name->text);
    const char *word_end = word->start + word->length;
    const char *suffix = accept_suffix(p, word_end);
    out->kind = PTX_SREG;
    out->name = suffix ? ptx_intern(p, word->start, word->length + 1 + strlen(suffix))->text : name->text;
}

/* A word: register, variable, function, special register, or a label to be found later. */
static void parse_word(struct parser *p, struct ptx_operand *out)
{
    struct ptx_token word = p->token;
    struct name *name = ptx_expect_word(p, "an operand");
    int index;
    const struct symbol *symbol = ptx_lookup(p, name, &index);
    if (symbol && symbol->kind == SYMBOL_REG) {
        parse_register(p, symbol, index, word.start + word.length, out);
    } else if (symbol && symbol->kind == SYMBOL_VAR) {
        out->kind = PTX_SYMBOL;
        out->var = symbol->var;
        out->value = ptx_parse_offset(p);
    } else if (symbol) {
        out->kind = PTX_FUNC;
        out->func = symbol->func;
    } else if (strcmp(name->text, "_") == 0) {
        out->kind = PTX_SINK;
    } else if (name->text[0] == '%') {
        parse_special_register(p, &word, name, out);
    } else {
        out->kind = PTX_NAME;
        out->name = name->text;
        ptx_use_label(p, name, word.line, word.column, NULL, NULL);
    }
}

static struct ptx_token next_token(const struct parser *p)
{
    struct ptx_lexer ahead = p->lexer;
    return ptx_lexer_next(&ahead);
}

static bool is_separator(const struct ptx_token *token)
{
    return token->kind == PTX_TOKEN_PUNCT && token->length == 1 && strchr(",;]})", *token->start) != NULL;
}

static void parse_number(struct parser *p, struct ptx_operand *out)
{
    static const enum ptx_operand_kind kinds[] = {
        [CONSTANT_INT] = PTX_INT, [CONSTANT_F32] = PTX_F32_BITS, [CONSTANT_F64] = PTX_F64_BITS};
    struct ptx_token next = next_token(p);
    if (ptx_is_warp_size(&p->token) && is_separator(&next)) {
        *out = (struct ptx_operand){.kind = PTX_SREG, .reg = -1, .name = "WARP_SZ"};
        ptx_advance(p);
        return;
    }
    struct constant c = ptx_parse_constant(p);
    out->kind = kinds[c.kind];
    out->value = (int64_t)c.bits;
}

static void parse_scalar(struct parser *p, struct ptx_operand *out)
{
    *out = (struct ptx_operand){.reg = -1};
    struct ptx_token next = next_token(p);
    bool is_sign = ptx_is_punct(p, '!') || ptx_is_punct(p, '-');
    if (is_sign && next.kind == PTX_TOKEN_WORD && !ptx_is_warp_size(&next)) {
        ptx_advance(p);
        parse_word(p, out);
        if (out->kind != PTX_REG)
            ptx_fail_at(p, next.line, next.column, "found no register behind a sign, expected one");
        out->negated = true;
    } else if (ptx_starts_constant(p)) {
        parse_number(p, out);
    } else if (p->token.kind == PTX_TOKEN_WORD) {
        parse_word(p, out);
    } else {
        ptx_fail_expected(p, "an operand");
    }
}

/* Moves what was pushed on p->list since `from` into the arena. */
static void take_list(struct parser *p, size_t from, struct ptx_operand *out)
{
    out->list = ptx_buffer_copy(p, &p->list, from);
    out->count = (int)((p->list.size - from) / sizeof *out->list);
    p->list.size = from;
}

static void push_operand(struct parser *p, const struct ptx_operand *operand)
{
    *(struct ptx_operand *)ptx_buffer_push(p, &p->list, sizeof *operand) = *operand;
}

/* After the opening bracket: scalars up to `close`. */
static void parse_list(struct parser *p, enum ptx_operand_kind kind, int close, struct ptx_operand *out)
{
    size_t from = p->list.size;
    *out = (struct ptx_operand){.kind = kind, .reg = -1};
    while (!ptx_accept_punct(p, close)) {
        struct ptx_operand element;
        if (p->list.size > from)
            ptx_expect_punct(p, ',', close == ')' ? "',' or ')'" : "',' or '}'");
        parse_scalar(p, &element);
        push_operand(p, &element);
    }
    take_list(p, from, out);
}

static void parse_vector(struct parser *p, struct ptx_operand *out)
{
    int line = p->token.line, column = p->token.column;
    ptx_advance(p);
    parse_list(p, PTX_VECTOR, '}', out);
    for (int i = 0; i < out->count; i++) {
        enum ptx_operand_kind kind = out->list[i].kind;
        if (kind != PTX_REG && kind != PTX_INT && kind != PTX_F32_BITS && kind != PTX_F64_BITS &&
            kind != PTX_SINK)
            ptx_fail_at(p, line, column, "found a vector whose element %d is neither register, number nor _",
                        i);
    }
}

/* The coordinates, sampler and the like behind the base of [tex, {x, y}]. */
static void parse_address_list(struct parser *p, struct ptx_operand *out)
{
    size_t from = p->list.size;
    while (ptx_accept_punct(p, ',')) {
        struct ptx_operand element;
        if (ptx_is_punct(p, '{'))
            parse_vector(p, &element);
        else
            parse_scalar(p, &element);
        push_operand(p, &element);
    }
    if (p->list.size == from)
        return;
    take_list(p, from, out);
    if (out->count == 1 && out->list[0].kind == PTX_VECTOR) {
        out->count = out->list[0].count;
        out->list = out->list[0].list;
    }
}

static void parse_address(struct parser *p, struct ptx_operand *out)
{
    struct ptx_operand base;
    ptx_advance(p);
    int line = p->token.line, column = p->token.column;
    parse_scalar(p, &base);
    *out = (struct ptx_operand){.kind = PTX_ADDRESS, .reg = -1, .value = base.value, .var = base.var};
    if (base.kind == PTX_REG && !base.negated && !base.name) {
        out->reg = base.reg;
        out->value = ptx_parse_offset(p);
    } else if (base.kind != PTX_SYMBOL && base.kind != PTX_INT) {
        ptx_fail_at(p, line, column,
                    "found no address between the brackets, expected [register + number], "
                    "[variable + number] or [number], all declared");
    }
    parse_address_list(p, out);
    ptx_expect_punct(p, ']', "']'");
}

/* After the `a` of a|b. */
static void parse_pair(struct parser *p, struct ptx_operand *out)
{
    size_t from = p->list.size;
    struct ptx_operand second;
    push_operand(p, out);
    ptx_advance(p);
    parse_scalar(p, &second);
    push_operand(p, &second);
    *out = (struct ptx_operand){.kind = PTX_PAIR, .reg = -1};
    take_list(p, from, out);
}

static void parse_operand(struct parser *p, bool is_call, struct ptx_operand *out)
{
    if (ptx_is_punct(p, '[')) {
        parse_address(p, out);
    } else if (ptx_is_punct(p, '{')) {
        parse_vector(p, out);
    } else if (is_call && ptx_accept_punct(p, '(')) {
        parse_list(p, PTX_LIST, ')', out);
    } else {
        parse_scalar(p, out);
        if (ptx_is_punct(p, '|'))
            parse_pair(p, out);
    }
}

/*
 * Names waiting for their label were noted in the order of the text; now that the operands stand
 * where they will stay, each note learns its operand.
 */
static struct fixup *place_names(struct fixup *fixup, struct ptx_operand *operands, int count)
{
    for (int i = 0; i < count; i++) {
        if (operands[i].kind == PTX_NAME)
            fixup++->operand = &operands[i];
        else
            fixup = place_names(fixup, operands[i].list, operands[i].count);
    }
    return fixup;
}

void ptx_parse_operands(struct parser *p, struct ptx_instr *instr)
{
    size_t from = p->list.size, first_fixup = p->fixups.size;
    bool is_call = strcmp(instr->op, "call") == 0;
    while (!ptx_accept_punct(p, ';')) {
        struct ptx_operand operand;
        if (p->list.size > from)
            ptx_expect_punct(p, ',', "',' or ';'");
        parse_operand(p, is_call, &operand);
        push_operand(p, &operand);
    }
    struct ptx_operand all = {0};
    take_list(p, from, &all);
    instr->operands = all.list;
    instr->operand_count = all.count;
    if (p->fixups.size > first_fixup)
        place_names((struct fixup *)(p->fixups.data + first_fixup), all.list, all.count);
}
