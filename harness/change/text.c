/* What a change that makes it right says about the line, in the source's words as far as they stand there. */
#include "harness/change/change_internal.h"
#include "harness/lab/real.h"
#include "harness/source/names.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/ptx_change.h"

/* The comparison that stands in the line, if it is the only one: "<", "<=", ">" or ">="; else "". */
static const char *comparison_in(const char *line)
{
    const char *found = "";
    for (const char *at = line; *at; at++) {
        if (*at != '<' && *at != '>')
            continue;
        if (at[1] == *at || (at > line && (at[-1] == *at || at[-1] == '-')))
            return ""; /* a shift, a launch, an arrow */
        if (found[0])
            return "";
        found = *at == '<' ? at[1] == '=' ? "<=" : "<" : at[1] == '=' ? ">=" : ">";
    }
    return found;
}

/* ---- sentences ----------------------------------------------------------------------------------------- */

struct words {
    const struct protocol_change *change;
    const char *file; /* the student's, as a whole */
    char line[TRIAL_LINE];
    char *text;
    size_t size;
};

#define SAY(w, ...) text_append((w)->text, (w)->size, __VA_ARGS__)

static void say_equal(struct words *w)
{
    const char *is = comparison_in(w->line);
    if (is[0])
        SAY(w, "the comparison is off by one: with `%c%s` instead of `%s`", is[0], is[1] ? "" : "=", is);
    else
        SAY(w, "a comparison is off by one here: with the other one of < and <=, or > and >=");
}

static void say_sides(struct words *w)
{
    const char *is = comparison_in(w->line);
    if (is[0])
        SAY(w, "the comparison points the wrong way: with `%c%s` instead of `%s`", is[0] == '<' ? '>' : '<',
            is + 1, is);
    else
        SAY(w, "a comparison points the wrong way here: with its two sides exchanged");
}

/* The second text of the pair that begins with `op`; NULL: there is none. */
static const char *text_of(const char *const (*pairs)[2], size_t count, const char *op)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(op, pairs[i][0]) == 0)
            return pairs[i][1];
    return NULL;
}

static const char *source_name(const char *op)
{
    static const char *const names[][2] = {
        {"add", "+"},
        {"sub", "-"},
        {"mul", "*"},
        {"div", "/"},
        {"rem", "%"},
        {"min", "the smaller of the two"},
        {"max", "the larger of the two"},
        {"down", "__shfl_down_sync"},
        {"up", "__shfl_up_sync"},
        {"bfly", "__shfl_xor_sync"},
        {"idx", "__shfl_sync"},
        {"rzi", "dropping the fraction"},
        {"rni", "rounding to the nearest whole number"},
        {"rmi", "rounding down"},
        {"rpi", "rounding up"},
    };
    const char *name = text_of(names, sizeof names / sizeof *names, op);
    if (name)
        return name;
    return trial_builtin_name(op) ? trial_builtin_name(op) : op;
}

/* "atomicInc" for "inc" in a line that names it; NULL: it is no such operation. */
static const char *atomic_name(const struct words *w, const char *op)
{
    static const char *const names[][2] = {
        {"add", "atomicAdd"}, {"inc", "atomicInc"},   {"dec", "atomicDec"},
        {"min", "atomicMin"}, {"max", "atomicMax"},   {"and", "atomicAnd"},
        {"or", "atomicOr"},   {"exch", "atomicExch"}, {"xor", "atomicXor"}};
    return strstr(w->line, "atomic") ? text_of(names, sizeof names / sizeof *names, op) : NULL;
}

/* What people do not expect of it, in parentheses; "": nothing. */
static const char *surprise(const char *op)
{
    static const char *const known[][2] = {
        {"inc", " (atomicInc begins again at 0 once the place holds its second argument, the limit)"},
        {"dec", " (atomicDec begins again at its second argument, the limit, once the place holds 0)"},
        {"exch", " (atomicExch replaces whatever the place holds)"},
    };
    const char *text = text_of(known, sizeof known / sizeof *known, op);
    return text ? text : "";
}

static void say_operation(struct words *w)
{
    const char *from = source_name(w->change->from), *to = source_name(w->change->to);
    if (atomic_name(w, w->change->from) && strstr(w->line, atomic_name(w, w->change->from)) &&
        atomic_name(w, w->change->to)) {
        SAY(w, "the operation is wrong here%s: with %s instead of %s", surprise(w->change->from),
            atomic_name(w, w->change->to), atomic_name(w, w->change->from));
        return;
    }
    const bool signs = strchr("+-", from[0]) && strchr("+-", to[0]) && !from[1] && !to[1];
    if (strcmp(w->change->from, "neg") == 0)
        SAY(w, "the sign is wrong here: without the minus");
    else if (strcmp(w->change->from, "abs") == 0)
        SAY(w, "fabs does not belong here: without it");
    else if (signs && !strstr(w->line, from))
        SAY(w, "the sign is wrong here: with the opposite one");
    else
        SAY(w, "the operation is wrong here: with %s%s%s instead of %s%s%s",
            isalpha((unsigned char)to[0]) ? "" : "`", to, isalpha((unsigned char)to[0]) ? "" : "`",
            isalpha((unsigned char)from[0]) ? "" : "`", from, isalpha((unsigned char)from[0]) ? "" : "`");
}

static void say_order(struct words *w)
{
    const char *op = w->change->from;
    if (strcmp(op, "selp") == 0)
        SAY(w, "the two values to choose from are the wrong way around: with them exchanged");
    else
        SAY(w, "the two operands of the %s are the wrong way around: with them exchanged",
            strcmp(op, "sub") == 0   ? "subtraction"
            : strcmp(op, "shl") == 0 ? "shift"
            : strcmp(op, "shr") == 0 ? "shift"
                                     : "division");
}

static void say_builtin(struct words *w)
{
    const char *from = source_name(w->change->from), *to = source_name(w->change->to);
    if (strcmp(from, "number") == 0)
        SAY(w, "%g is used where the size of the block belongs: with %s instead", w->change->number[0], to);
    else if (strstr(w->line, from))
        SAY(w, "%s is wrong here: with %s instead", from, to);
    else
        SAY(w, "the value used here was computed from %s: with %s instead", from, to);
}

static void say_parameter(struct words *w)
{
    char from[64] = "", to[64] = "";
    const int *number = w->change->parameter;
    if (trial_parameter_name(w->file, w->change->kernel, number[0], from, sizeof from) &&
        trial_parameter_name(w->file, w->change->kernel, number[1], to, sizeof to))
        SAY(w, "%s is used where it should be %s: with %s instead of %s", from, to, to, from);
    else
        SAY(w, "a wrong parameter of the kernel is used here: with number %d instead of number %d",
            number[1] + 1, number[0] + 1);
}

static void name_number(double number, char text[48])
{
    if (isinf(number))
        text_set(text, 48, "%sinfinity", number < 0 ? "-" : "");
    else
        text_set(text, 48, "%.9g", number);
}

/* What an atomic operation adds where 1 is right. */
static void say_count(struct words *w)
{
    SAY(w, "a count grows by 1 for each element, and this adds a value instead: with the number 1 added");
}

static void say_convert(struct words *w)
{
    const char *what = w->change->from;
    if (strcmp(what, "number") == 0)
        SAY(w,
            "the number is converted to an integer here, which drops its fraction. Keep it a floating-point number or, where "
            "an integer must hold its bits, use %s: with the bits unchanged",
            sizeof(real) == sizeof(double) ? "__double_as_longlong(x)" : "__float_as_int(x)");
    else if (strcmp(what, "bits") == 0)
        SAY(w,
            "an integer is converted to a floating-point number here, though it holds the bits of one: with %s",
            sizeof(real) == sizeof(double) ? "__longlong_as_double(x)" : "__int_as_float(x)");
    else
        SAY(w, "the value is converted to an integer here, which drops its fraction: without that");
}

static void say_number(struct words *w)
{
    char from[48], to[48];
    if (strcmp(w->change->from, "variable") == 0) {
        say_count(w);
        return;
    }
    const double *number = w->change->number, by = number[1] - number[0];
    name_number(number[0], from);
    name_number(number[1], to);
    if (trial_stands_in(w->line, from) || !(fabs(by) == 1 || number[1] == 2 * number[0]))
        SAY(w, "the number %s is wrong here: with %s instead of %s", from, to, from);
    else if (fabs(by) == 1)
        SAY(w, "an index or limit is off by one here: with one %s", by > 0 ? "more" : "less");
    else
        SAY(w, "a number is too small here by a factor of 2: with twice as much");
}

static void say_shift(struct words *w)
{
    const double by = w->change->number[1] / w->change->number[0];
    if (by > 1)
        SAY(w, "a factor of %g is missing here: with %g times as much", by, by);
    else
        SAY(w, "the value computed here is %g times too large: with %s", 1 / by,
            by == 0.5 ? "half of it" : "a quarter of it");
}

static void say_place(struct words *w)
{
    char name[64];
    const bool known = trial_array_name(w->line, strcmp(w->change->from, "ld") != 0, name);
    SAY(w, "an index is off by one here: with the %s element%s%s",
        w->change->number[1] > 0 ? "next" : "previous", known ? " of " : "", known ? name : "");
}

static void say_skip(struct words *w)
{
    if (strcmp(w->change->from, "st") == 0)
        SAY(w, "this store overwrites a value that should stay: without it");
    else
        SAY(w, "this atomic operation is one too many: without it");
}

static void say_variable(struct words *w)
{
    char from[64] = "", to[64] = "";
    const bool known = trial_variable_name(w->file, w->change, 1, to);
    if (!known)
        text_set(to, sizeof to, "%s", "the value");
    SAY(w, "the wrong variable is used here: with %s (line %d)", to, w->change->line[1]);
    if (trial_variable_name(w->file, w->change, 0, from) && trial_stands_in(w->line, from) &&
        strcmp(from, to) != 0)
        SAY(w, " instead of %s", from);
}

/* The compiler may turn both conditions round, and && becomes || then: the line says which it was. */
static void say_connect(struct words *w)
{
    const bool both = strstr(w->line, "&&") && !strstr(w->line, "||"),
               either = strstr(w->line, "||") && !strstr(w->line, "&&");
    if (both || either)
        SAY(w, "two conditions are connected wrongly here: with `%s` instead of `%s`", both ? "||" : "&&",
            both ? "&&" : "||");
    else
        SAY(w, "two conditions are connected wrongly here: with the other one of && and ||");
}

static void say_exchange(struct words *w)
{
    char a[64], b[64], c[64], d[64];
    const bool names = trial_variable_name(w->file, w->change, 0, a) &&
                       trial_variable_name(w->file, w->change, 1, b) && strcmp(a, b) != 0;
    if (w->change->number[0] == 3) {
        if (names && trial_variable_name(w->file, w->change, 2, c) &&
            trial_variable_name(w->file, w->change, 3, d))
            SAY(w, "%s and %s are exchanged here, and %s is used where %s belongs: with each in its place", a,
                b, c, d);
        else
            SAY(w, "variables are exchanged here: with each in its place");
        return;
    }
    if (w->change->number[0] == 2) {
        if (names && trial_variable_name(w->file, w->change, 2, c) &&
            trial_variable_name(w->file, w->change, 3, d))
            SAY(w, "%s and %s are exchanged here, and so are %s and %s: with each in the other's place", a, b,
                c, d);
        else
            SAY(w, "two pairs of variables are exchanged here: with each in the other's place");
        return;
    }
    if (names)
        SAY(w, "%s and %s are exchanged here: with each in the other's place", a, b);
    else
        SAY(w, "two variables are exchanged here, those of lines %d and %d: with each in the other's place",
            w->change->line[0], w->change->line[1]);
}

static void say_axes(struct words *w)
{
    SAY(w, "%s and %s are exchanged in this kernel: with each in the other's place",
        source_name(w->change->from), source_name(w->change->to));
}

static void say_arguments(struct words *w)
{
    char a[64], b[64];
    const int *number = w->change->parameter;
    if (trial_parameter_name(w->file, w->change->kernel, number[0], a, sizeof a) &&
        trial_parameter_name(w->file, w->change->kernel, number[1], b, sizeof b))
        SAY(w, "the arguments for %s and %s are exchanged: with each in the other's place", a, b);
    else
        SAY(w, "arguments number %d and %d are exchanged: with each in the other's place", number[0] + 1,
            number[1] + 1);
}

static void say_factor(struct words *w)
{
    const double *number = w->change->number;
    if (strcmp(w->change->from, "number") == 0)
        SAY(w, "a factor of %g is missing here: with %g instead of %g", number[1], number[0] * number[1],
            number[0]);
    else if (w->change->to[0] == '%')
        SAY(w, "%s is not multiplied by %s here: with %s * %s instead of %s", source_name(w->change->from),
            source_name(w->change->to), source_name(w->change->from), source_name(w->change->to),
            source_name(w->change->from));
    else if (w->change->from[0] == '%')
        SAY(w, "a factor of %g is missing here: with %s * %g instead of %s", number[1],
            source_name(w->change->from), number[1], source_name(w->change->from));
    else
        SAY(w, "a factor of %g is missing here: with %g times the loop's variable", number[1], number[1]);
}

static void say_change(struct words *w)
{
    switch ((enum ptx_change_kind)w->change->kind) {
    case PTX_CHANGE_OPPOSITE:
        SAY(w, "the condition is reversed, the wrong way around: with its opposite");
        break;
    case PTX_CHANGE_EQUAL: say_equal(w); break;
    case PTX_CHANGE_SIDES: say_sides(w); break;
    case PTX_CHANGE_OPERATION: say_operation(w); break;
    case PTX_CHANGE_CONVERT: say_convert(w); break;
    case PTX_CHANGE_ORDER: say_order(w); break;
    case PTX_CHANGE_SIGN: SAY(w, "a product has the wrong sign here: with the opposite one"); break;
    case PTX_CHANGE_BUILTIN: say_builtin(w); break;
    case PTX_CHANGE_EXCHANGE: say_exchange(w); break;
    case PTX_CHANGE_AXES: say_axes(w); break;
    case PTX_CHANGE_ARGUMENTS: say_arguments(w); break;
    case PTX_CHANGE_PARAMETER: say_parameter(w); break;
    case PTX_CHANGE_NUMBER: say_number(w); break;
    case PTX_CHANGE_PLACE: say_place(w); break;
    case PTX_CHANGE_SHIFT: say_shift(w); break;
    case PTX_CHANGE_ADD:
        SAY(w, "this store replaces the value there and should add to it: with += instead of =");
        break;
    case PTX_CHANGE_SKIP: say_skip(w); break;
    case PTX_CHANGE_CONNECT: say_connect(w); break;
    case PTX_CHANGE_VARIABLE: say_variable(w); break;
    case PTX_CHANGE_FACTOR: say_factor(w); break;
    case PTX_CHANGE_WITHOUT:
        SAY(w, "there is one %s too many here: without it",
            strcmp(w->change->from, "divisor") == 0 ? "division" : w->change->from);
        break;
    default: SAY(w, "the condition is wrong here: if it always gave the same answer"); break;
    }
}

void trial_say_outcome(int wrong, int failing, char *text, size_t size)
{
    if (failing == 1)
        text_append(text, size, ", the failing case comes out right (tried in the simulator).");
    else if (wrong == failing)
        text_append(text, size, ", all %d failing cases come out right (tried in the simulator).", failing);
    else
        text_append(text, size, ", all failing cases that were tried in the simulator come out right.");
}

void trial_sentence(const struct grader_build *build, const struct protocol_change *change, int wrong,
                    int failing, char *text, size_t size)
{
    char *file = trial_read_file(build->source_path);
    struct words w = {.change = change, .file = file, .text = text, .size = size};
    const char *slash = strrchr(build->source, '/');
    trial_take_line(file, change->place.line, w.line);
    text_set(text, size, "%s:%d", slash ? slash + 1 : build->source, change->place.line);
    if (change->place.call_line > 0)
        SAY(&w, " (called at line %d)", change->place.call_line);
    SAY(&w, ": ");
    say_change(&w);
    trial_say_outcome(wrong, failing, text, size);
    free(file);
}

/* Does the change concern a condition? */
static bool is_of_condition(const struct protocol_change *change)
{
    switch ((enum ptx_change_kind)change->kind) {
    case PTX_CHANGE_OPPOSITE:
    case PTX_CHANGE_EQUAL:
    case PTX_CHANGE_SIDES:
    case PTX_CHANGE_ALWAYS:
    case PTX_CHANGE_NEVER: return true;
    default: return false;
    }
}

static bool has_condition(const char *line)
{
    static const char *const signs[] = {"==",   "!=",      "<=",    ">=", " < ", " > ",
                                        "if (", "while (", "for (", "&&", "||",  "?"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(line, signs[i]))
            return true;
    return false;
}

#define FURTHER 3 /* lines */

/*
 * The compiler gives a comparison the line of what it compares, where that is computed right before: the condition stands
 * in one of the next lines then.
 */
static int line_of_condition(const char *file, int line)
{
    char text[TRIAL_LINE];
    for (int i = 0; i <= FURTHER; i++) {
        trial_take_line(file, line + i, text);
        if (has_condition(text))
            return line + i;
        if (i > 0 && strchr(text, '}'))
            break;
    }
    return line;
}

void trial_locate(const struct grader_build *build, struct protocol_change *change)
{
    char *file = trial_read_file(build->source_path);
    if (is_of_condition(change))
        change->place.line = line_of_condition(file, change->place.line);
    const int line = change->kind == PTX_CHANGE_ARGUMENTS ? trial_launch_line(file, change->kernel) : 0;
    change->place.line = line > 0 ? line : change->place.line;
    free(file);
}
