/*
 * Names and scopes. Every word of the text is interned once; a declaration hangs itself on its name
 * and hides the declaration further out until its scope ends. Looking up is then a pointer away.
 */
#include <string.h>

#include "sim/ptx/ptx_parse.h"

static uint32_t hash_text(const char *start, size_t length)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)start[i]) * 16777619u;
    return hash;
}

static void grow_names(struct parser *p)
{
    size_t slots = p->name_slots ? p->name_slots * 2 : 1024;
    struct name **table = ptx_arena_alloc(p, slots * sizeof *table);
    for (size_t i = 0; i < p->name_slots; i++) {
        for (struct name *name = p->names[i], *next; name; name = next) {
            next = name->next;
            name->next = table[name->hash & (slots - 1)];
            table[name->hash & (slots - 1)] = name;
        }
    }
    p->names = table;
    p->name_slots = slots;
}

static struct name *find_name(const struct parser *p, const char *start, size_t length, uint32_t hash)
{
    if (p->name_slots == 0)
        return NULL;
    for (struct name *name = p->names[hash & (p->name_slots - 1)]; name; name = name->next) {
        if (name->hash == hash && name->length == length && memcmp(name->text, start, length) == 0)
            return name;
    }
    return NULL;
}

struct name *ptx_intern(struct parser *p, const char *start, size_t length)
{
    uint32_t hash = hash_text(start, length);
    struct name *name = find_name(p, start, length, hash);
    if (name)
        return name;
    if (p->name_count >= p->name_slots)
        grow_names(p);
    name = ptx_arena_alloc(p, sizeof *name);
    *name = (struct name){.text = ptx_arena_text(p, start, length),
                          .length = length,
                          .hash = hash,
                          .next = p->names[hash & (p->name_slots - 1)]};
    p->names[hash & (p->name_slots - 1)] = name;
    p->name_count++;
    return name;
}

/* Hangs a new symbol into `slot` of its name and into the current scope. */
static struct symbol *push_symbol(struct parser *p, struct name *name, struct symbol **slot)
{
    if (*slot && (*slot)->scope_depth == p->depth)
        ptx_fail_at(p, p->word_line, p->word_column,
                    "found '%s' declared twice in one scope, expected another name", name->text);
    struct scope *scope = &p->scopes[p->depth];
    struct symbol *symbol = ptx_arena_alloc(p, sizeof *symbol);
    *symbol =
        (struct symbol){.name = name, .scope_depth = p->depth, .outer = *slot, .before = scope->symbols};
    *slot = symbol;
    scope->symbols = symbol;
    return symbol;
}

struct symbol *ptx_declare(struct parser *p, enum symbol_kind kind, struct name *name)
{
    struct symbol *symbol = push_symbol(p, name, &name->symbol);
    symbol->kind = kind;
    return symbol;
}

struct symbol *ptx_declare_range(struct parser *p, struct name *prefix, int first, int count)
{
    struct symbol *symbol = push_symbol(p, prefix, &prefix->range);
    symbol->kind = SYMBOL_REG;
    symbol->reg = first;
    symbol->count = count;
    return symbol;
}

/* The innermost range called `prefix` that holds `number`. */
static struct symbol *find_in_range(const struct parser *p, const char *prefix, size_t length,
                                    uint64_t number)
{
    const struct name *name = find_name(p, prefix, length, hash_text(prefix, length));
    struct symbol *range = name ? name->range : NULL;
    while (range && number >= (uint64_t)range->count)
        range = range->outer;
    return range;
}

/*
 * %r12 may be number 12 of %r<…> or number 2 of %r1<…>. The innermost scope wins, and the exact
 * name before a range.
 */
struct symbol *ptx_lookup(struct parser *p, const struct name *name, int *index)
{
    struct symbol *best = name->symbol;
    uint64_t number = 0, place = 1;
    *index = 0;
    for (size_t at = name->length; at > 1 && place <= LIMIT_REGISTERS; place *= 10) {
        char digit = name->text[--at];
        if (digit < '0' || digit > '9')
            break;
        number += (uint64_t)(digit - '0') * place;
        if (digit == '0' && at + 1 < name->length)
            continue; /* %r01 is not number 1 of %r */
        struct symbol *range = find_in_range(p, name->text, at, number);
        if (range && (!best || range->scope_depth > best->scope_depth)) {
            best = range;
            *index = (int)number;
        }
    }
    return best;
}

struct label *ptx_declare_label(struct parser *p, struct name *name, bool is_place)
{
    struct scope *scope = &p->scopes[p->depth];
    if (name->label && name->label->scope_depth == p->depth)
        ptx_fail_at(p, p->word_line, p->word_column,
                    "found the label '%s' twice in one scope, expected another name", name->text);
    struct label *label = ptx_arena_alloc(p, sizeof *label);
    *label = (struct label){.name = name,
                            .scope_depth = p->depth,
                            .outer = name->label,
                            .before = scope->labels,
                            .is_place = is_place,
                            .instr = (int)(p->instrs.size / sizeof(struct ptx_instr))};
    name->label = label;
    scope->labels = label;
    return label;
}

void ptx_use_label(struct parser *p, const struct name *name, int line, int column,
                   struct ptx_operand *operand, int *target)
{
    struct fixup *fixup = ptx_buffer_push(p, &p->fixups, sizeof *fixup);
    *fixup = (struct fixup){
        .name = (struct name *)name, .line = line, .column = column, .operand = operand, .target = target};
}

void ptx_scope_open(struct parser *p)
{
    if (p->depth >= LIMIT_SCOPE_DEPTH)
        ptx_fail(p, "more than %d blocks inside each other", LIMIT_SCOPE_DEPTH);
    p->scopes[++p->depth] =
        (struct scope){.first_fixup = p->fixups.size / sizeof(struct fixup), .number = p->scope_count++};
}

static void apply_fixup(struct parser *p, const struct fixup *fixup, const struct label *label)
{
    if (fixup->target) {
        if (!label->is_place)
            ptx_fail_at(p, fixup->line, fixup->column, "found '%s', expected the label of an instruction",
                        label->name->text);
        *fixup->target = label->instr;
    } else if (label->is_place) {
        fixup->operand->kind = PTX_LABEL;
        fixup->operand->name = NULL;
        fixup->operand->value = label->instr;
    } /* a table's or prototype's name stays PTX_NAME */
}

/* Settles the uses of this scope's labels; the others wait for the scope around it. */
static void settle_fixups(struct parser *p, const struct scope *scope)
{
    struct fixup *fixups = (struct fixup *)p->fixups.data;
    size_t count = p->fixups.size / sizeof *fixups, kept = scope->first_fixup;
    for (size_t i = scope->first_fixup; i < count; i++) {
        const struct label *label = fixups[i].name->label;
        if (label && label->scope_depth == p->depth)
            apply_fixup(p, &fixups[i], label);
        else
            fixups[kept++] = fixups[i];
    }
    p->fixups.size = kept * sizeof *fixups;
    if (p->depth == 1 && kept > 0)
        ptx_fail_at(
            p, fixups[0].line, fixups[0].column,
            "found '%s', which is not declared here, expected a register, variable, function or label",
            fixups[0].name->text);
}

void ptx_scope_close(struct parser *p)
{
    struct scope *scope = &p->scopes[p->depth];
    settle_fixups(p, scope);
    for (struct label *label = scope->labels; label; label = label->before)
        label->name->label = label->outer;
    for (struct symbol *symbol = scope->symbols; symbol; symbol = symbol->before) {
        struct name *name = symbol->name;
        *(name->range == symbol ? &name->range : &name->symbol) = symbol->outer;
    }
    p->depth--;
}
