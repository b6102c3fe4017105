/* Statements of a body: labels, tables of labels, guards and opcodes. Source: PTX ISA, 4.3 and 9.3. */
#include <string.h>

#include "sim/ptx/ptx_parse.h"

/* "ld.global.v2.f32" into its base and its modifiers; once for every spelling in the module. */
static const struct opcode *split_opcode(struct parser *p, struct name *name)
{
    if (name->opcode)
        return name->opcode;
    struct opcode *opcode = ptx_arena_alloc(p, sizeof *opcode);
    size_t base = strcspn(name->text, ".");
    for (const char *dot = name->text + base; *dot; dot += 1 + strcspn(dot + 1, "."))
        opcode->mod_count++;
    const char **mods = ptx_arena_alloc(p, (size_t)opcode->mod_count * sizeof *mods);
    const char *dot = name->text + base;
    for (int i = 0; i < opcode->mod_count; i++) {
        size_t length = strcspn(dot + 1, ".");
        mods[i] = ptx_intern(p, dot + 1, length)->text;
        dot += 1 + length;
    }
    opcode->op = ptx_intern(p, name->text, base)->text;
    opcode->mods = mods;
    name->opcode = opcode;
    return opcode;
}

/* `word` was read; the modifiers follow it without a gap. */
static void parse_opcode(struct parser *p, const struct ptx_token *word, struct ptx_instr *instr)
{
    const char *end = word->start + word->length;
    while (p->token.kind == PTX_TOKEN_DOT && p->token.start == end) {
        end += p->token.length;
        ptx_advance(p);
    }
    struct name *name = ptx_intern(p, word->start, (size_t)(end - word->start));
    const struct opcode *opcode = split_opcode(p, name);
    instr->text = name->text;
    instr->op = opcode->op;
    instr->mods = opcode->mods;
    instr->mod_count = opcode->mod_count;
}

/* After the @. */
static void parse_guard(struct parser *p, struct ptx_instr *instr)
{
    int index;
    instr->guard_negated = ptx_accept_punct(p, '!');
    struct name *name = ptx_expect_word(p, "a predicate register");
    const struct symbol *symbol = ptx_lookup(p, name, &index);
    const struct ptx_reg *regs = (const struct ptx_reg *)p->regs.data;
    if (!symbol || symbol->kind != SYMBOL_REG || symbol->is_vector ||
        regs[symbol->reg + index].type != PTX_PRED)
        ptx_fail_at(p, p->word_line, p->word_column,
                    "found '%s' as a guard, expected a declared .pred register", name->text);
    instr->guard = symbol->reg + index;
}

static void push_instruction(struct parser *p, const struct ptx_instr *instr)
{
    *(struct ptx_instr *)ptx_buffer_push(p, &p->instrs, sizeof *instr) = *instr;
}

static struct ptx_instr new_instruction(const struct parser *p, int line)
{
    return (struct ptx_instr){.guard = -1,
                              .loc = p->loc,
                              .no_line = p->no_line,
                              .site = p->site,
                              .call = p->call,
                              .from = p->from,
                              .ptx_line = line,
                              .scope = p->scopes[p->depth].number};
}

/* `name: .branchtargets a, b, …;` after the directive's own word. */
static void parse_branch_table(struct parser *p, const struct name *name)
{
    size_t from = p->list.size, first_fixup = p->fixups.size;
    do {
        const struct name *target = ptx_expect_word(p, "a label");
        ptx_use_label(p, target, p->word_line, p->word_column, NULL, NULL);
        ptx_buffer_push(p, &p->list, sizeof(int));
    } while (ptx_accept_punct(p, ','));
    ptx_expect_punct(p, ';', "',' or ';'");

    int *targets = ptx_buffer_copy(p, &p->list, from);
    int count = (int)((p->list.size - from) / sizeof(int));
    p->list.size = from;
    struct fixup *fixups = (struct fixup *)(p->fixups.data + first_fixup);
    for (int i = 0; i < count; i++)
        fixups[i].target = &targets[i];
    *(struct ptx_branch_table *)ptx_buffer_push(p, &p->tables, sizeof(struct ptx_branch_table)) =
        (struct ptx_branch_table){.name = name->text, .targets = targets, .count = count};
}

/* After `name:` */
static void parse_label(struct parser *p, struct name *name)
{
    if (ptx_accept_dot(p, "branchtargets")) {
        ptx_declare_label(p, name, false);
        parse_branch_table(p, name);
    } else if (ptx_is_dot(p, "calltargets") || ptx_is_dot(p, "callprototype")) {
        ptx_declare_label(p, name, false);
        ptx_skip_to_semicolon(p); /* an indirect call is checked where it arrives */
    } else {
        p->last_place = ptx_declare_label(p, name, true)->instr;
    }
}

void ptx_parse_statement(struct parser *p)
{
    struct ptx_instr instr = new_instruction(p, p->token.line);
    bool is_guarded = ptx_accept_punct(p, '@');
    if (is_guarded)
        parse_guard(p, &instr);
    struct ptx_token word = p->token;
    struct name *name = ptx_expect_word(p, is_guarded ? "an instruction behind its guard"
                                                      : "an instruction, a label, a directive or '}'");
    if (!is_guarded && ptx_accept_punct(p, ':')) {
        parse_label(p, name);
        return;
    }
    instr.ptx_line = word.line;
    parse_opcode(p, &word, &instr);
    ptx_parse_operands(p, &instr);
    push_instruction(p, &instr);
}

void ptx_append_return(struct parser *p)
{
    struct ptx_instr instr = new_instruction(p, p->token.line);
    struct name *name = ptx_intern(p, "ret", 3);
    instr.text = instr.op = name->text;
    instr.mods = split_opcode(p, name)->mods;
    push_instruction(p, &instr);
}
