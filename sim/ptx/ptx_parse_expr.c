/*
 * Constant expressions: C's operators on 64-bit integers, signed unless an operand is unsigned, and
 * + - * / and comparisons on doubles. Unlike in C, ~ and % give unsigned results, and a shift counts
 * modulo 64. Where the manual leaves a choice (& of signed numbers), this is what ptxas does.
 *
 * Source: PTX ISA, 4.5.3 to 4.5.6.
 */
#include <string.h>

#include "sim/ptx/ptx_parse.h"

double ptx_constant_to_double(struct constant c)
{
    double number;
    float single;
    switch (c.kind) {
    case CONSTANT_F64: memcpy(&number, &c.bits, sizeof number); return number;
    case CONSTANT_F32: memcpy(&single, &(uint32_t){(uint32_t)c.bits}, sizeof single); return single;
    default: return c.is_unsigned ? (double)c.bits : (double)(int64_t)c.bits;
    }
}

static struct constant from_int(uint64_t bits, bool is_unsigned)
{
    return (struct constant){.kind = CONSTANT_INT, .is_unsigned = is_unsigned, .bits = bits};
}

static struct constant from_double(double number)
{
    struct constant c = {.kind = CONSTANT_F64};
    memcpy(&c.bits, &number, sizeof number);
    return c;
}

static bool is_true(struct constant c)
{
    return c.kind == CONSTANT_INT ? c.bits != 0 : ptx_constant_to_double(c) != 0;
}

/* Weakest first, as in C. */
static const struct {
    int punct, precedence;
} binary_operators[] = {
    {PTX_OP_OR, 1},  {PTX_OP_AND, 2}, {'|', 3}, {'^', 4},       {'&', 5},       {PTX_OP_EQ, 6},
    {PTX_OP_NE, 6},  {'<', 7},        {'>', 7}, {PTX_OP_LE, 7}, {PTX_OP_GE, 7}, {PTX_OP_SHL, 8},
    {PTX_OP_SHR, 8}, {'+', 9},        {'-', 9}, {'*', 10},      {'/', 10},      {'%', 10},
};

static int precedence_here(const struct parser *p)
{
    for (size_t i = 0; i < sizeof binary_operators / sizeof *binary_operators; i++) {
        if (ptx_is_punct(p, binary_operators[i].punct))
            return binary_operators[i].precedence;
    }
    return 0;
}

static uint64_t shift_right(struct constant a, uint64_t by)
{
    return a.is_unsigned || (int64_t)a.bits >= 0 ? a.bits >> by : ~(~a.bits >> by);
}

static uint64_t divide(struct parser *p, uint64_t a, uint64_t b, bool is_unsigned)
{
    if (b == 0)
        ptx_fail(p, "found a division by zero in a constant expression");
    if (is_unsigned)
        return a / b;
    if (b == UINT64_MAX) /* by -1: the one quotient that can overflow */
        return 0 - a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t modulo(struct parser *p, uint64_t a, uint64_t b)
{
    if (b == 0)
        ptx_fail(p, "found a division by zero in a constant expression");
    return a % b;
}

static bool compare_ints(int op, uint64_t a, uint64_t b, bool is_unsigned)
{
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    switch (op) {
    case '<': return less;
    case '>': return !less && a != b;
    case PTX_OP_LE: return less || a == b;
    case PTX_OP_GE: return !less;
    case PTX_OP_EQ: return a == b;
    default: return a != b;
    }
}

static struct constant apply_ints(struct parser *p, int op, struct constant a, struct constant b)
{
    bool is_unsigned = a.is_unsigned || b.is_unsigned;
    switch (op) {
    case '|': return from_int(a.bits | b.bits, is_unsigned);
    case '^': return from_int(a.bits ^ b.bits, is_unsigned);
    case '&': return from_int(a.bits & b.bits, is_unsigned);
    case '%': return from_int(modulo(p, a.bits, b.bits), true);
    case '+': return from_int(a.bits + b.bits, is_unsigned);
    case '-': return from_int(a.bits - b.bits, is_unsigned);
    case '*': return from_int(a.bits * b.bits, is_unsigned);
    case '/': return from_int(divide(p, a.bits, b.bits, is_unsigned), is_unsigned);
    case PTX_OP_SHL: return from_int(a.bits << (b.bits & 63), a.is_unsigned);
    case PTX_OP_SHR: return from_int(shift_right(a, b.bits & 63), a.is_unsigned);
    default: return from_int(compare_ints(op, a.bits, b.bits, is_unsigned), false);
    }
}

static struct constant apply_doubles(struct parser *p, int op, double a, double b)
{
    switch (op) {
    case '+': return from_double(a + b);
    case '-': return from_double(a - b);
    case '*': return from_double(a * b);
    case '/': return from_double(a / b);
    case '<': return from_int(a < b, false);
    case '>': return from_int(a > b, false);
    case PTX_OP_LE: return from_int(a <= b, false);
    case PTX_OP_GE: return from_int(a >= b, false);
    case PTX_OP_EQ: return from_int(a == b, false);
    case PTX_OP_NE: return from_int(a != b, false);
    default: ptx_fail(p, "found an integer operator between floating-point constants");
    }
}

static struct constant apply(struct parser *p, int op, struct constant a, struct constant b)
{
    if (op == PTX_OP_AND)
        return from_int(is_true(a) && is_true(b), false);
    if (op == PTX_OP_OR)
        return from_int(is_true(a) || is_true(b), false);
    if (a.kind == CONSTANT_INT && b.kind == CONSTANT_INT)
        return apply_ints(p, op, a, b);
    return apply_doubles(p, op, ptx_constant_to_double(a), ptx_constant_to_double(b));
}

static struct constant negate(struct constant c)
{
    if (c.kind == CONSTANT_INT)
        c.bits = 0 - c.bits;
    else
        c.bits ^= c.kind == CONSTANT_F32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
    return c;
}

static struct constant apply_unary(struct parser *p, int op, struct constant c)
{
    switch (op) {
    case '-': return negate(c);
    case '!': return from_int(!is_true(c), false);
    case '+': return c;
    default:
        if (c.kind != CONSTANT_INT)
            ptx_fail(p, "found ~ before a floating-point constant, expected an integer");
        return from_int(~c.bits, true);
    }
}

static struct constant parse_unary(struct parser *p);

/* After the parenthesis: `.s64) x`, `.u64) x` or `expression )`. */
static struct constant parse_parenthesis(struct parser *p)
{
    bool to_unsigned = ptx_is_dot(p, "u64");
    if (!to_unsigned && !ptx_is_dot(p, "s64")) {
        struct constant inner = ptx_parse_constant(p);
        ptx_expect_punct(p, ')', "')'");
        return inner;
    }
    ptx_advance(p);
    ptx_expect_punct(p, ')', "')' after the type of a cast");
    struct constant c = parse_unary(p);
    if (c.kind != CONSTANT_INT)
        ptx_fail(p, "found a floating-point constant behind an integer cast");
    return from_int(c.bits, to_unsigned);
}

bool ptx_is_warp_size(const struct ptx_token *token)
{
    return token->kind == PTX_TOKEN_WORD && token->length == 7 && memcmp(token->start, "WARP_SZ", 7) == 0;
}

bool ptx_starts_constant(const struct parser *p)
{
    switch (p->token.kind) {
    case PTX_TOKEN_INT:
    case PTX_TOKEN_F32:
    case PTX_TOKEN_F64: return true;
    case PTX_TOKEN_WORD: return ptx_is_warp_size(&p->token);
    default:
        return ptx_is_punct(p, '(') || ptx_is_punct(p, '-') || ptx_is_punct(p, '+') || ptx_is_punct(p, '!') ||
               ptx_is_punct(p, '~');
    }
}

static struct constant parse_literal(struct parser *p)
{
    struct constant c = from_int(32, false);
    if (!ptx_is_warp_size(&p->token)) {
        c.kind = p->token.kind == PTX_TOKEN_F32   ? CONSTANT_F32
                 : p->token.kind == PTX_TOKEN_F64 ? CONSTANT_F64
                                                  : CONSTANT_INT;
        c.bits = p->token.value;
        c.is_unsigned = p->token.is_unsigned;
    }
    ptx_advance(p);
    return c;
}

static struct constant parse_unary(struct parser *p)
{
    if (!ptx_starts_constant(p))
        ptx_fail_expected(p, "a number");
    if (p->token.kind != PTX_TOKEN_PUNCT)
        return parse_literal(p);
    if (++p->expression_depth > LIMIT_EXPRESSION_DEPTH)
        ptx_fail(p, "more than %d parentheses or signs inside each other", LIMIT_EXPRESSION_DEPTH);
    int op = (int)p->token.value;
    ptx_advance(p);
    struct constant c = op == '(' ? parse_parenthesis(p) : apply_unary(p, op, parse_unary(p));
    p->expression_depth--;
    return c;
}

/* Operators of at least this precedence, from the left (precedence climbing). */
static struct constant parse_binary(struct parser *p, struct constant left, int least)
{
    for (int precedence; (precedence = precedence_here(p)) >= least && precedence > 0;) {
        int op = (int)p->token.value;
        ptx_advance(p);
        struct constant right = parse_unary(p);
        while (precedence_here(p) > precedence)
            right = parse_binary(p, right, precedence + 1);
        left = apply(p, op, left, right);
    }
    return left;
}

struct constant ptx_parse_constant(struct parser *p)
{
    struct constant condition = parse_binary(p, parse_unary(p), 1);
    if (!ptx_is_punct(p, '?'))
        return condition;
    if (++p->expression_depth > LIMIT_EXPRESSION_DEPTH)
        ptx_fail(p, "more than %d conditions inside each other", LIMIT_EXPRESSION_DEPTH);
    ptx_advance(p);
    struct constant yes = ptx_parse_constant(p);
    ptx_expect_punct(p, ':', "':' of a ?: expression");
    struct constant no = ptx_parse_constant(p);
    p->expression_depth--;
    return is_true(condition) ? yes : no;
}

int64_t ptx_parse_offset(struct parser *p)
{
    uint64_t sum = 0;
    while (ptx_is_punct(p, '+') || ptx_is_punct(p, '-')) {
        bool minus = ptx_is_punct(p, '-');
        ptx_advance(p);
        struct constant term = parse_binary(p, parse_unary(p), 10);
        if (term.kind != CONSTANT_INT)
            ptx_fail(p, "found a floating-point constant in an address, expected an integer");
        sum += minus ? 0 - term.bits : term.bits;
    }
    return (int64_t)sum;
}
