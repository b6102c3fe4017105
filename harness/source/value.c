#include "harness/source/value.h"

#include "harness/source/value_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 12 /* variables of variables, and functions within functions */

/* A division of two integers drops the fraction; `fraction`: it is none. */
struct number {
    double value;
    bool fraction;
};

/* Parameters of a function that is evaluated at its call. */
struct frame {
    struct number value[VALUE_PARTS_MOST];
    int count;
};

struct parse {
    const struct value_context *context;
    const struct source_function *f; /* whose variables are meant; NULL: of no function */
    const struct frame *frame;       /* of f; NULL: it is not evaluated at a call */
    const char *s, *end;
    int depth;
    bool failed;
};

static struct number parse_all(struct parse *outer, const struct source_function *f,
                               const struct frame *frame, const char *begin, const char *end);
static struct number parse_choice(struct parse *p);
static struct number parse_unary(struct parse *p);

static struct number integer(double value)
{
    return (struct number){value, false};
}

static struct number unknown(struct parse *p)
{
    p->failed = true;
    return integer(0);
}

static double whole(double value)
{
    return value < 0 ? ceil(value) : floor(value);
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* What the only call of the function hands over. */
static struct number of_parameter(struct parse *p, int number)
{
    const struct source_function *caller = NULL;
    const char *s = value_only_call(p->context->source, p->f, &caller);
    for (int i = 0; s && i < number; i++) {
        s = value_end_of_part(s + 1, caller->end);
        s = *s == ',' ? s : NULL;
    }
    return s ? parse_all(p, caller, NULL, s + 1, value_end_of_part(s + 1, caller->end)) : unknown(p);
}

/* The name is a parameter of the function, and keeps the value that it got. */
static struct number of_argument(struct parse *p, const char *name, size_t length, int number)
{
    const struct value_context *c = p->context;
    if (p->frame)
        return number < p->frame->count ? p->frame->value[number] : unknown(p);
    for (int i = 0; p->f == c->entry && i < c->count; i++)
        if (c->names[i] && value_is_word(name, length, c->names[i]))
            return integer((double)c->args[i]);
    return p->f == c->entry ? unknown(p) : of_parameter(p, number);
}

/* Is the name a variable of the function, or a parameter that it changes? */
static bool is_variable(const struct source_function *f, const char *name, size_t length)
{
    for (const char *at = f->body; (at = value_find_word(at, f->end, name, length)) != NULL; at += length) {
        const char *next = value_skip_blanks(at + length, f->end);
        if (value_is_changed_at(at, length, f->body, f->end) || value_is_declared_at(at, f->body) ||
            (*next == '=' && next[1] != '='))
            return true;
    }
    return false;
}

static struct number of_constant(struct parse *p, const char *name, size_t length)
{
    const struct value_context *c = p->context;
    const char *begin, *end;
    for (int i = 0; i < 2; i++)
        if (c->macros[i] && value_find_macro(c->macros[i], name, length, &begin, &end))
            return parse_all(p, NULL, NULL, begin, end);
    if (value_find_constant(c->source, name, length, &begin, &end))
        return parse_all(p, NULL, NULL, begin, end);
    return unknown(p);
}

static struct number of_name(struct parse *p, const char *name, size_t length)
{
    struct value_definition definition;
    if (!p->f)
        return of_constant(p, name, length);
    if (value_definition(p->context, p->f, name, length, &definition)) {
        if (!definition.is_integer)
            return unknown(p);
        return integer(whole(parse_all(p, p->f, p->frame, definition.begin, definition.end).value));
    }
    if (is_variable(p->f, name, length))
        return unknown(p);
    const int number = value_find_parameter(p->context->source, p->f, name, length);
    return number >= 0 ? of_argument(p, name, length, number) : of_constant(p, name, length);
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

static bool of_library(const char *name, size_t length, const struct frame *a, struct number *result)
{
    static const char *const up[] = {"ceil", "ceilf", NULL}, *const down[] = {"floor", "floorf", NULL};
    const double x = a->value[0].value, y = a->value[1].value;
    const bool fraction = a->value[0].fraction || (a->count == 2 && a->value[1].fraction);
    if (a->count == 1 && value_is_one_of(name, length, up))
        *result = (struct number){ceil(x), true};
    else if (a->count == 1 && value_is_one_of(name, length, down))
        *result = (struct number){floor(x), true};
    else if (a->count == 2 && value_is_word(name, length, "min"))
        *result = (struct number){fmin(x, y), fraction};
    else if (a->count == 2 && value_is_word(name, length, "max"))
        *result = (struct number){fmax(x, y), fraction};
    else
        return false;
    return true;
}

/* A function of the library, or one of the student's whose body is one return. */
static struct number of_call(struct parse *p, const char *name, size_t length, const struct frame *arguments)
{
    const struct source *source = p->context->source;
    struct number result;
    if (of_library(name, length, arguments, &result))
        return result;
    for (int i = 0; i < source->count; i++) {
        const struct source_function *f = &source->function[i];
        if (!f->of_student || !value_is_word(name, length, f->name))
            continue;
        const char *s = value_skip_blanks(f->body + 1, f->end);
        if (!value_is_word(s, value_word_length(s, f->end), "return"))
            break;
        return parse_all(p, f, arguments, s + 6, value_end_of_part(s + 6, f->end));
    }
    return unknown(p);
}

/* Behind the opening parenthesis of a call. */
static struct number parse_call(struct parse *p, const char *name, size_t length)
{
    struct frame arguments = {.count = 0};
    while (!p->failed && arguments.count < VALUE_PARTS_MOST) {
        const char *end = value_end_of_part(p->s, p->end);
        if (end == p->end)
            break;
        arguments.value[arguments.count++] = parse_all(p, p->f, p->frame, p->s, end);
        p->s = end + 1;
        if (*end == ')')
            return of_call(p, name, length, &arguments);
    }
    return unknown(p);
}

/* ---- words and numbers ----------------------------------------------------------------------------------------- */

static const char *const integers[] = {"int",      "unsigned", "long",    "size_t", "short", "int64_t",
                                       "uint32_t", "uint64_t", "int32_t", "const",  NULL};
static const char *const reals[] = {"float", "double", "real", NULL};

/* "(int)" at the parenthesis: behind it, and whether it is a type without fractions; NULL: it is no cast. */
static const char *end_of_cast(const char *s, const char *end, bool *cuts)
{
    bool any = false;
    *cuts = true;
    for (s = value_skip_blanks(s + 1, end); s < end && value_in_word(*s); s = value_skip_blanks(s, end)) {
        const size_t length = value_word_length(s, end);
        if (value_is_one_of(s, length, reals))
            *cuts = false;
        else if (!value_is_one_of(s, length, integers))
            return NULL;
        s += length;
        any = true;
    }
    return any && s < end && *s == ')' ? s + 1 : NULL;
}

static struct number size_of(struct parse *p)
{
    static const char *const of_8[] = {"double", "size_t", "long", NULL}, *const of_4[] = {"float", "int",
                                                                                           "unsigned", NULL};
    const char *s = value_skip_blanks(p->s, p->end), *close = NULL;
    bool cuts;
    if (s < p->end && *s == '(')
        close = end_of_cast(s, p->end, &cuts);
    if (!close)
        return unknown(p);
    const char *word = value_skip_blanks(s + 1, p->end);
    const size_t length = value_word_length(word, p->end);
    p->s = close;
    if (value_is_word(word, length, "real"))
        return integer(p->context->real_size);
    if (value_is_one_of(word, length, of_8))
        return integer(8);
    return value_is_one_of(word, length, of_4) ? integer(4) : unknown(p);
}

/* Whether what follows a name makes something else of it: a member, an element, a name within another. */
static bool goes_on(const char *next, const char *end)
{
    return next < end && (strchr(".[{", *next) ||
                          (next + 1 < end && (memcmp(next, "->", 2) == 0 || memcmp(next, "::", 2) == 0)));
}

static struct number parse_word(struct parse *p)
{
    const char *word = p->s;
    const size_t length = value_word_length(p->s, p->end);
    p->s += length;
    const char *next = value_skip_blanks(p->s, p->end);
    if (value_is_word(word, length, "std") && next + 1 < p->end && memcmp(next, "::", 2) == 0) {
        p->s = value_skip_blanks(next + 2, p->end);
        return parse_word(p);
    }
    if (value_is_word(word, length, "sizeof"))
        return size_of(p);
    if (next < p->end && *next == '(') {
        p->s = next + 1;
        return parse_call(p, word, length);
    }
    return goes_on(next, p->end) || length == 0 ? unknown(p) : of_name(p, word, length);
}

static struct number parse_number(struct parse *p)
{
    char *end_integer, *end_real;
    const double value = (double)strtoll(p->s, &end_integer, 0), real = strtod(p->s, &end_real);
    const bool fraction = end_real > end_integer;
    p->s = fraction ? end_real : end_integer;
    while (p->s < p->end && *p->s && strchr("uUlLfF", *p->s))
        p->s++;
    return (struct number){fraction ? real : value, fraction};
}

/* ---- expressions --------------------------------------------------------------------------------------------- */

static struct number parse_parentheses(struct parse *p)
{
    bool cuts;
    const char *behind = end_of_cast(p->s, p->end, &cuts);
    if (behind) {
        p->s = behind;
        const struct number n = parse_unary(p);
        return (struct number){cuts ? whole(n.value) : n.value, !cuts};
    }
    p->s++;
    const struct number n = parse_choice(p);
    p->s = value_skip_blanks(p->s, p->end);
    if (p->s >= p->end || *p->s != ')')
        return unknown(p);
    p->s++;
    return n;
}

static struct number parse_unary(struct parse *p)
{
    p->s = value_skip_blanks(p->s, p->end);
    if (p->s >= p->end || p->failed)
        return unknown(p);
    const char sign = *p->s;
    if (isdigit((unsigned char)sign))
        return parse_number(p);
    if (value_in_word(sign))
        return parse_word(p);
    if (sign == '(')
        return parse_parentheses(p);
    if (sign != '-' && sign != '+' && sign != '!')
        return unknown(p);
    p->s++;
    const struct number n = parse_unary(p);
    return sign == '!' ? integer(n.value == 0)
                       : (struct number){sign == '-' ? -n.value : n.value, n.fraction};
}

/* Operators by how tightly they bind; the longer of two that begin alike stands first. */
static const struct {
    const char *text;
    int binds;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<<", 5}, {">>", 5}, {"<=", 4}, {">=", 4},
                 {"<", 4},  {">", 4},  {"+", 6},  {"-", 6},  {"*", 7},  {"/", 7},  {"%", 7}};

/* The number of the operator that follows; -1: none does. */
static int find_operator(const struct parse *p)
{
    const char *s = value_skip_blanks(p->s, p->end);
    for (int i = 0; i < (int)(sizeof operators / sizeof *operators); i++) {
        const size_t length = strlen(operators[i].text);
        if (s + length <= p->end && memcmp(s, operators[i].text, length) == 0)
            return i;
    }
    return -1;
}

static struct number shift(struct parse *p, bool left, double x, double by)
{
    if (by < 0 || by > 62)
        return unknown(p);
    return integer(left ? ldexp(whole(x), (int)by) : floor(ldexp(whole(x), -(int)by)));
}

static struct number compare(const char *text, double a, double b)
{
    const bool equal = text[1] == '=' && a == b;
    switch (text[0]) {
    case '=': return integer(a == b);
    case '!': return integer(a != b);
    case '<': return integer(a < b || equal);
    default: return integer(a > b || equal);
    }
}

static struct number compute(struct parse *p, const char *text, struct number a, struct number b)
{
    const bool fraction = a.fraction || b.fraction;
    if (strchr("/%", text[0]) && b.value == 0)
        return unknown(p);
    switch (text[0]) {
    case '|': return integer(a.value != 0 || b.value != 0);
    case '&': return integer(a.value != 0 && b.value != 0);
    case '+': return (struct number){a.value + b.value, fraction};
    case '-': return (struct number){a.value - b.value, fraction};
    case '*': return (struct number){a.value * b.value, fraction};
    case '/': return (struct number){fraction ? a.value / b.value : whole(a.value / b.value), fraction};
    case '%': return integer(fmod(a.value, b.value));
    default:
        return text[1] == text[0] && text[0] != '=' ? shift(p, text[0] == '<', a.value, b.value)
                                                    : compare(text, a.value, b.value);
    }
}

static struct number parse_binary(struct parse *p, int binds)
{
    struct number left = parse_unary(p);
    for (int i; !p->failed && (i = find_operator(p)) >= 0 && operators[i].binds >= binds;) {
        p->s = value_skip_blanks(p->s, p->end) + strlen(operators[i].text);
        left = compute(p, operators[i].text, left, parse_binary(p, operators[i].binds + 1));
    }
    return left;
}

static struct number parse_choice(struct parse *p)
{
    const struct number condition = parse_binary(p, 1);
    p->s = value_skip_blanks(p->s, p->end);
    if (p->failed || p->s >= p->end || *p->s != '?')
        return condition;
    p->s++;
    const struct number yes = parse_choice(p);
    p->s = value_skip_blanks(p->s, p->end);
    if (p->s >= p->end || *p->s != ':')
        return unknown(p);
    p->s++;
    const struct number no = parse_choice(p);
    return condition.value != 0 ? yes : no;
}

/* All of the text must be one expression. */
static struct number parse_all(struct parse *outer, const struct source_function *f,
                               const struct frame *frame, const char *begin, const char *end)
{
    struct parse p = {.context = outer->context,
                      .f = f,
                      .frame = frame,
                      .s = begin,
                      .end = end,
                      .depth = outer->depth + 1,
                      .failed = outer->depth >= DEPTH_MOST};
    const struct number n = p.failed ? integer(0) : parse_choice(&p);
    outer->failed = outer->failed || p.failed || value_skip_blanks(p.s, end) != end;
    return n;
}

bool value_of(const struct value_context *context, const struct source_function *f, const char *begin,
              const char *end, double *value)
{
    struct parse outer = {.context = context};
    *value = parse_all(&outer, f, NULL, begin, end).value;
    return !outer.failed && isfinite(*value);
}
