/*
 * Initializers: numbers, addresses, and braces inside each other as in C.
 * Source: PTX ISA, 5.4.4.
 */
#include <string.h>

#include "sim/ptx/ptx_parse.h"

/* The bytes at `position`, grown with zeroes where nothing was written yet. */
static unsigned char *bytes_at(struct parser *p, uint64_t position, size_t size)
{
    uint64_t end = position + size;
    if (end > LIMIT_INITIALISED)
        ptx_fail(p, "found an initializer of more than %d bytes", LIMIT_INITIALISED);
    if (p->bytes.size < end)
        ptx_buffer_push(p, &p->bytes, end - p->bytes.size);
    return (unsigned char *)p->bytes.data + position;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static uint64_t float_bits(struct constant c)
{
    float single = (float)ptx_constant_to_double(c);
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return c.kind == CONSTANT_F32 ? (uint32_t)c.bits : bits;
}

static uint64_t double_bits(struct constant c)
{
    double number = ptx_constant_to_double(c);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void store_constant(struct parser *p, enum ptx_type type, uint64_t position, struct constant c)
{
    size_t size = (size_t)ptx_type_size(type);
    bool is_floating = type == PTX_F32 || type == PTX_F64;
    if (!is_floating && c.kind == CONSTANT_F64 && size < 8)
        ptx_fail(p, "found a floating-point number of 64 bits, expected an element of %zu bytes", size);
    uint64_t bits = type == PTX_F32 ? float_bits(c) : type == PTX_F64 ? double_bits(c) : c.bits;
    unsigned char *bytes = bytes_at(p, position, size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = i < 8 ? (unsigned char)(bits >> 8 * i) : 0;
}

/* ---- addresses ----------------------------------------------------------------------------------------- */

/* The byte that a mask such as 0xFF00 selects, as a shift in bits. */
static int mask_shift(struct parser *p, struct constant mask)
{
    for (int shift = 0; shift < 64; shift += 8) {
        if (mask.kind == CONSTANT_INT && mask.bits == (uint64_t)0xFF << shift)
            return shift;
    }
    ptx_fail(p, "found a mask that does not select one byte of an address, expected 0xFF, 0xFF00 …");
}

/* A variable or a function and an offset. */
static void parse_target(struct parser *p, struct ptx_reloc *reloc)
{
    int index;
    struct name *name = ptx_expect_word(p, "a number, or the name of a variable or function");
    const struct symbol *symbol = ptx_lookup(p, name, &index);
    if (!symbol || symbol->kind == SYMBOL_REG)
        ptx_fail_at(p, p->word_line, p->word_column,
                    "found '%s', which is not declared here, expected a variable or function", name->text);
    reloc->var = symbol->var;
    reloc->func = symbol->func;
    reloc->addend += ptx_parse_offset(p);
}

/* symbol, symbol+8, generic(symbol)+8 */
static void parse_symbol(struct parser *p, struct ptx_reloc *reloc)
{
    struct ptx_lexer ahead = p->lexer;
    struct ptx_token next = ptx_lexer_next(&ahead);
    bool is_call = next.kind == PTX_TOKEN_PUNCT && next.value == '(';
    if (is_call && p->token.length == 7 && memcmp(p->token.start, "generic", 7) == 0) {
        ptx_advance(p);
        ptx_advance(p);
        reloc->generic = true;
        parse_target(p, reloc);
        ptx_expect_punct(p, ')', "')' behind generic(symbol");
        reloc->addend += ptx_parse_offset(p);
    } else {
        parse_target(p, reloc);
    }
}

/* Eight masked bytes of one address, one after the other, are one relocation of eight bytes. */
static bool continues(const struct ptx_reloc *last, const struct ptx_reloc *next)
{
    return last->offset + (size_t)last->size == next->offset && last->shift + 8 * last->size == next->shift &&
           last->generic == next->generic && last->addend == next->addend && last->var == next->var &&
           last->func == next->func;
}

static void add_reloc(struct parser *p, const struct ptx_reloc *reloc)
{
    size_t count = p->relocs.size / sizeof *reloc;
    struct ptx_reloc *last = count ? (struct ptx_reloc *)p->relocs.data + count - 1 : NULL;
    bytes_at(p, reloc->offset, (size_t)reloc->size);
    if (last && reloc->size == 1 && continues(last, reloc))
        last->size++;
    else
        *(struct ptx_reloc *)ptx_buffer_push(p, &p->relocs, sizeof *reloc) = *reloc;
}

/* ---- one element, and braces --------------------------------------------------------------------------- */

static void parse_element(struct parser *p, const struct ptx_var *var, uint64_t position)
{
    int size = ptx_type_size(var->type);
    struct ptx_reloc reloc = {.offset = position, .size = size < 8 ? size : 8};
    if (p->token.kind == PTX_TOKEN_WORD && !ptx_is_warp_size(&p->token)) {
        parse_symbol(p, &reloc);
        add_reloc(p, &reloc);
        return;
    }
    struct constant c = ptx_parse_constant(p);
    if (!ptx_accept_punct(p, '(')) {
        store_constant(p, var->type, position, c);
        return;
    }
    reloc.shift = mask_shift(p, c);
    reloc.size = 1;
    parse_symbol(p, &reloc);
    ptx_expect_punct(p, ')', "')' behind a masked address");
    bytes_at(p, position, (size_t)size);
    add_reloc(p, &reloc);
}

/* After the { of `level`, whose bytes begin at `position`. Recursion ends with the shape's levels. */
static void parse_braces(struct parser *p, const struct ptx_var *var, const struct shape *shape, int level,
                         uint64_t position)
{
    bool is_open = level == 0 && shape->is_open;
    uint64_t end = is_open ? LIMIT_INITIALISED : position + shape->stride[level];
    while (!ptx_accept_punct(p, '}')) {
        bool is_nested = ptx_is_punct(p, '{');
        if (is_nested && level + 1 >= shape->levels)
            ptx_fail_expected(p, "a number: there is no further dimension");
        uint64_t size = shape->stride[is_nested ? level + 1 : shape->levels];
        if (size > end - position)
            ptx_fail(p, "found more initializers of '%s' than it has elements", var->name);
        if (ptx_accept_punct(p, '{'))
            parse_braces(p, var, shape, level + 1, position);
        else
            parse_element(p, var, position);
        position += size;
        if (!ptx_is_punct(p, '}'))
            ptx_expect_punct(p, ',', "',' or '}' in an initializer");
    }
}

void ptx_parse_initialiser(struct parser *p, struct ptx_var *var, struct shape *shape)
{
    p->bytes.size = p->relocs.size = 0;
    if (var->type == PTX_TEXREF && ptx_is_punct(p, '{')) {
        ptx_skip_braces(p); /* addr_mode_0 = wrap …: textures are bound by the host */
        return;
    }
    if (ptx_accept_punct(p, '{'))
        parse_braces(p, var, shape, 0, 0);
    else
        parse_element(p, var, 0);
    if (shape->is_open) {
        uint64_t row = shape->stride[1];
        var->size = (p->bytes.size + row - 1) / row * row;
    }
    if (var->size > LIMIT_INITIALISED - p->initialised_size)
        ptx_fail(p, "found initialized variables of more than %d bytes in all", LIMIT_INITIALISED);
    p->initialised_size += var->size;
    var->init = ptx_arena_alloc(p, var->size);
    if (p->bytes.size > 0)
        memcpy(var->init, p->bytes.data, p->bytes.size);
    var->reloc_count = (int)(p->relocs.size / sizeof *var->relocs);
    var->relocs = ptx_buffer_copy(p, &p->relocs, 0);
}
