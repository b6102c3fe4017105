/* What was copied back is right, and the host returns another number: what it did with the parts. */
#include "harness/cause/internal.h"
#include "harness/lab/real.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The parts that were copied back, as the host has them. */
struct parts {
    double part[PROTOCOL_MAX_PARTS * 8 / sizeof(real)];
    int count;
    double sum, tolerance;
};

static bool take_parts(const struct cause *c, struct parts *parts)
{
    const uint64_t bytes = c->origin->copied_bytes;
    real part;
    *parts = (struct parts){.count = (int)(bytes / sizeof(real))};
    if (bytes > sizeof c->origin->parts || bytes % sizeof(real) != 0 || parts->count == 0)
        return false;
    for (int i = 0; i < parts->count; i++) {
        memcpy(&part, (const char *)c->origin->parts + (size_t)i * sizeof part, sizeof part);
        parts->part[i] = (double)part;
        parts->sum += (double)part;
        parts->tolerance += 1e-6 * fabs((double)part);
    }
    return true;
}

static bool is_close(const struct parts *parts, double a, double b)
{
    return isfinite(a) && fabs(a - b) <= parts->tolerance;
}

/* ---- where the host uses them ------------------------------------------------------------------------------ */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the line uses the name for something else than to free it. */
static bool uses(const char *line, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)) != NULL; at += length)
        if ((at == line || !is_name(at[-1])) && !is_name(at[length]) && !strstr(line, "free(") &&
            !strstr(line, "Free("))
            return true;
    return false;
}

/* A function's lines in the student's file, and a name in it. */
struct use {
    char name[64];
    int first; /* line after which it is looked for */
    int line;  /* of its first use; 0: none */
    char text[512];
};

/* The first use of use->name below use->first, up to the end of the function; `element`: with [. */
static void find_use(const struct cause *c, struct use *use)
{
    FILE *file = fopen(c->source, "r");
    char line[512];
    for (int number = 1; file && !use->line && fgets(line, sizeof line, file); number++) {
        if (number <= use->first)
            continue;
        if (line[0] == '}')
            break;
        if (!uses(line, use->name))
            continue;
        use->line = number;
        text_set(use->text, sizeof use->text, "%s", line);
    }
    if (file)
        fclose(file);
}

/* The function that is called with the name, and the number of the argument that it is; false: none is. */
static bool find_call(const struct use *use, char *function, size_t size, int *argument)
{
    const char *at = strstr(use->text, use->name), *begin = at;
    *argument = 0;
    while (begin > use->text && begin[-1] != '(' && begin[-1] != '[' && begin[-1] != ';') {
        begin--;
        *argument += *begin == ',';
    }
    if (begin == use->text || begin[-1] != '(' || at[strlen(use->name)] == '[')
        return false;
    const char *end = --begin;
    while (begin > use->text && is_name(begin[-1]))
        begin--;
    text_set(function, size, "%.*s", (int)(end - begin), begin);
    return end > begin;
}

/* The name of a function's parameter: the last word before the comma or the parenthesis. */
static bool name_parameter(const char *list, int number, char *name, size_t size)
{
    const char *end;
    while (number > 0 && (list = strchr(list, ',')) != NULL) {
        list++;
        number--;
    }
    if (!list)
        return false;
    end = list + strcspn(list, ",)");
    while (end > list && !is_name(end[-1]))
        end--;
    const char *begin = end;
    while (begin > list && is_name(begin[-1]))
        begin--;
    text_set(name, size, "%.*s", (int)(end - begin), begin);
    return end > begin;
}

/* Goes on in the function that the name is given to, if it is in the file. */
static void follow_call(const struct cause *c, struct use *use)
{
    char function[64], line[512];
    struct use inner = {.line = 0};
    int argument;
    FILE *file;
    if (!find_call(use, function, sizeof function, &argument) || !(file = fopen(c->source, "r")))
        return;
    for (int number = 1; !inner.first && fgets(line, sizeof line, file); number++) {
        const char *at = strstr(line, function);
        const char *list = at && !isspace((unsigned char)line[0]) ? strchr(at, '(') : NULL;
        if (list && !strchr(line, ';') && !is_name(at[strlen(function)]) &&
            name_parameter(list + 1, argument, inner.name, sizeof inner.name))
            inner.first = number;
    }
    fclose(file);
    if (inner.first)
        find_use(c, &inner);
    if (inner.line)
        *use = inner;
}

static void read_line(const struct cause *c, int number, char *line, int size)
{
    FILE *file = fopen(c->source, "r");
    text_set(line, (size_t)size, "%s", "");
    for (int at = 0; file && at < number && fgets(line, size, file);)
        at++;
    if (file)
        fclose(file);
}

/* Where the host uses what was copied back. */
static void say_use(struct cause *c)
{
    struct use use = {.first = c->origin->copied.line};
    struct protocol_place place = c->origin->copied;
    char line[512];
    read_line(c, place.line, line, sizeof line);
    if (!cause_name_copied(line, false, use.name, sizeof use.name))
        return;
    find_use(c, &use);
    if (use.line)
        follow_call(c, &use);
    if (!use.line)
        return;
    place.line = use.line;
    SAY(c, "The host uses %s at line %d.\n", use.name, use.line);
    *c->place = place;
}

/* ---- what it did with them ----------------------------------------------------------------------------------- */

/* What comes out if some parts at the beginning or the end are left out; false: not what came out. */
static bool tell_range(struct cause *c, const struct parts *parts)
{
    double sum = 0;
    for (int i = 0; i < parts->count; i++) {
        sum += parts->part[i];
        if (i + 1 < parts->count && is_close(parts, c->got, parts->sum - sum)) {
            SAY(c,
                "The host adds too few parts: the result is the sum without the first %s%.0d%s, so the loop begins too late.\n",
                i == 0 ? "part, part 0" : "", i == 0 ? 0 : i + 1, i == 0 ? "" : " parts");
            return true;
        }
        if (is_close(parts, c->got, sum) && i + 1 < parts->count) {
            SAY(c, "The host adds only the first %d of %d parts: the last ones are left out.\n", i + 1,
                parts->count);
            return true;
        }
    }
    return false;
}

static double sum_in_integers(const struct parts *parts)
{
    int sum = 0;
    for (int i = 0; i < parts->count; i++)
        sum = (int)(sum + parts->part[i]);
    return sum;
}

static bool tell_result(struct cause *c, const struct parts *parts)
{
    if (c->got == sum_in_integers(parts) && parts->tolerance < 0.5) {
        SAY(c, "The result is what the host gets by adding in an integer variable: each fraction is lost.\n");
        return true;
    }
    if (is_close(parts, c->got, -parts->sum)) {
        SAY(c, "The result has the wrong sign.\n");
        return true;
    }
    if (is_close(parts, c->got, 2 * parts->sum)) {
        SAY(c, "The host counts each part twice.\n");
        return true;
    }
    if (c->got == 0 && parts->count > 0) {
        SAY(c, "The host adds none of them: %s never added.\n",
            parts->count == 1 ? "part 0, the only one, is" : "the parts are");
        return true;
    }
    return tell_range(c, parts);
}

void cause_tell_host(struct cause *c)
{
    char at[256];
    struct parts parts;
    cause_name_place(c, &c->origin->copied, at, sizeof at);
    cause_set_place(c, &c->origin->copied);
    c->rank = CAUSE_DIFFERENCE;
    if (c->origin->copied_bytes % sizeof(real) != 0) {
        SAY(c,
            "Only %llu byte%s copied back at %s, of the %llu that are there: the size of a copy is in bytes, not in elements.\n",
            (unsigned long long)c->origin->copied_bytes, c->origin->copied_bytes == 1 ? " is" : "s are", at,
            (unsigned long long)c->origin->copied_of);
        return;
    }
    if (!take_parts(c, &parts) || !is_close(&parts, c->want, parts.sum)) {
        SAY(c,
            "The values copied back at %s include every element once, as they should: the host computes the wrong result from them, or does not copy or use all of them.\n",
            at);
        return;
    }
    fact_add(c->facts, FACT_PARTS, FACT_SEEN, &c->origin->copied)->value[0] = parts.count;
    SAY(c, "The kernels are right: the %d part%s copied back at %s add%s up to %.6g.\n", parts.count,
        parts.count == 1 ? "" : "s", at, parts.count == 1 ? "s" : "", parts.sum);
    if (!tell_result(c, &parts))
        SAY(c, "The host computes the wrong result from them.\n");
    say_use(c);
}

/* ---- copied too early ---------------------------------------------------------------------------------------- */

bool cause_tell_early(struct cause *c)
{
    char copy[256], store[256], launched[256], line[512], name[64];
    const struct protocol_origin *o = c->origin;
    const struct protocol_thread by = {.launch = o->early_launch};
    const struct protocol_launch *launch = cause_launch(c, &by);
    if (o->early.line == 0 || !launch ||
        (o->early_buffer > 0 && c->call->run.buffer[o->early_buffer - 1].role != LAB_OUT))
        return false;
    read_line(c, o->early.line, line, sizeof line);
    if (!cause_name_copied(line, true, name, sizeof name))
        text_set(name, sizeof name, "%s", o->early_name[0] ? o->early_name : "What the kernel computes");
    cause_name_place(c, &o->early, copy, sizeof copy);
    cause_name_place(c, &o->early_store, store, sizeof store);
    cause_name_launched(c, launch, launched, sizeof launched);
    SAY(c,
        "%s is copied to the host at %s before the kernel that stores it is launched: %s, at %s, which stores at %s. The "
        "host gets what the memory held until then. Copy after the launch.\n",
        name, copy, launch->kernel, launched, store);
    cause_set_place(c, &o->early);
    c->rank = CAUSE_EARLY;
    return true;
}

/* ---- sums of the host alone ----------------------------------------------------------------------------------- */

/* Kahan's sum; `sign` -1: what was lost is added where it should be subtracted; 0: it is not used. */
static double sum_in_order(const real *x, int64_t count, int sign)
{
    volatile real sum = 0, lost = 0;
    for (int64_t i = 0; i < count; i++) {
        const volatile real part = x[i] - (real)sign * lost;
        const volatile real next = sum + part;
        const volatile real grown = next - sum;
        lost = grown - part;
        sum = next;
    }
    return (double)sum;
}

/* A statement of a function that gives a variable a value. */
struct assignment {
    char name[64];
    int line;
    bool subtracts;
};

#define ASSIGNMENTS 32

/* "lost = (next - sum) - part;", "real lost = 0;", "sum += part;" */
static bool take_assignment(const char *line, int number, struct assignment *to)
{
    const char *equals = strchr(line, '='), *end = equals;
    if (!equals || equals == line || equals[1] == '=' || strchr("<>!", equals[-1]) || strstr(line, "for ("))
        return false;
    while (end > line && (isspace((unsigned char)end[-1]) || strchr("+-", end[-1])))
        end--;
    const char *begin = end;
    while (begin > line && is_name(begin[-1]))
        begin--;
    text_set(to->name, sizeof to->name, "%.*s", (int)(end - begin), begin);
    to->line = number;
    to->subtracts = strchr(equals, '-') || equals[-1] == '-';
    return end > begin;
}

/* Those of the function whose lines begin behind `first`; but for what it returns. */
static int assignments_of(const struct cause *c, int first, struct assignment list[ASSIGNMENTS])
{
    char line[512];
    int count = 0;
    FILE *file = fopen(c->source, "r");
    for (int number = 1; file && fgets(line, sizeof line, file); number++) {
        char *comment = strstr(line, "//");
        if (number > first && line[0] == '}')
            break;
        if (comment)
            *comment = '\0';
        if (number > first && count < ASSIGNMENTS && take_assignment(line, number, &list[count]))
            count++;
        for (int i = count - 1; strstr(line, "return") && number > first && i >= 0; i--)
            if (uses(line, list[i].name))
                list[i].subtracts = false;
    }
    if (file)
        fclose(file);
    return count;
}

/* The variable that is set to a difference in the loop, and kept from one turn to the next: the lines that set it, of
   which the last one is returned; 0: there is none. */
static int say_correction(struct cause *c, int first, bool aloud)
{
    struct assignment list[ASSIGNMENTS];
    const int count = assignments_of(c, first, list);
    for (int i = 0; i < count; i++) {
        int lines = 0, last = 0;
        for (int k = 0; k < count; k++) {
            lines += strcmp(list[k].name, list[i].name) == 0;
            last = strcmp(list[k].name, list[i].name) == 0 ? k : last;
        }
        if (!list[i].subtracts || lines < 2)
            continue;
        if (!aloud)
            return list[last].line;
        SAY(c, "The correction, %s, gets its values at lines ", list[i].name);
        for (int k = 0; k < count; k++)
            if (strcmp(list[k].name, list[i].name) == 0)
                SAY(c, "%d%s", list[k].line, k == last ? ".\n" : --lines == 1 ? " and " : ", ");
        return list[last].line;
    }
    return 0;
}

/* The line where the function begins that the task calls; 0: it is not found. */
static int function_line(const struct cause *c)
{
    char line[512], wanted[96];
    int found = 0;
    FILE *file = fopen(c->source, "r");
    text_set(wanted, sizeof wanted, "_%s(", c->call->task->id);
    for (int number = 1; file && !found && fgets(line, sizeof line, file); number++)
        if (strstr(line, wanted) && !isspace((unsigned char)line[0]) && !strchr(line, ';'))
            found = number;
    if (file)
        fclose(file);
    return found;
}

/* The function that the task calls, and where it uses the name. */
static void find_in_function(struct cause *c, const char *name)
{
    struct use use = {.line = 0, .first = function_line(c)};
    text_set(use.name, sizeof use.name, "%s", name);
    if (use.first)
        find_use(c, &use);
    if (!use.line)
        return;
    const char *base = strrchr(c->source, '/');
    text_set(c->place->file, sizeof c->place->file, "%s", base ? base + 1 : c->source);
    const int correction = say_correction(c, use.first, true);
    c->place->line = correction ? correction : use.line;
}

#define FEW_PARTS 64

/* Of a few numbers: which one is missing in the sum, and which one is in it twice; each may be none. */
static bool tell_terms(struct cause *c, const struct lab_buffer *buffer)
{
    const real *x = buffer->data;
    const int count = (int)buffer->count;
    double sizes = 0;
    int missing = -1, twice = -1, ways = 0;
    for (int i = 0; i < count && count <= FEW_PARTS; i++)
        sizes += fabs((double)x[i]);
    const double least = sizes * count * (sizeof(real) == sizeof(float) ? 1e-7 : 1e-16);
    for (int i = -1; i < count && count <= FEW_PARTS; i++)
        for (int k = -1; k < count; k++) {
            const double lost = i < 0 ? 0 : (double)x[i], more = k < 0 ? 0 : (double)x[k];
            if (i == k || fabs(c->want - c->got - (lost - more)) > least)
                continue;
            missing = i;
            twice = k;
            ways++;
        }
    if (ways != 1)
        return false;
    if (missing >= 0)
        SAY(c, "%s[%d] is missing in the sum", buffer->name, missing);
    if (twice >= 0)
        SAY(c, "%s%s[%d] is in it twice", missing >= 0 ? ", and " : "Of the sum: ", buffer->name, twice);
    SAY(c, ".\n");
    return true;
}

/* Beside what a plain sum would give: the correction for what rounding loses, and not the sum, is wrong. */
static bool tell_correction(struct cause *c, double plain)
{
    const double off = fabs(c->got - c->want), plain_off = fabs(plain - c->want);
    if (!isfinite(c->got))
        SAY(c, "The host's sum is not a number.\n");
    else if (off <= plain_off)
        return false;
    else if (say_correction(c, function_line(c), false))
        SAY(c,
            "The result is further off (%.2g) than a plain sum of the same numbers would be (%.2g): the correction for "
            "rounding errors is itself wrong. It must be the error of the last addition: what the sum grew by, minus "
            "what was added.\n",
            off, plain_off);
    else if (!tell_terms(c, &c->call->run.buffer[0]))
        SAY(c,
            "The result is further off (%.2g) than rounding alone would leave a plain sum (%.2g): numbers are missing in it, "
            "or are in it more than once.\n",
            off, plain_off);
    return true;
}

bool cause_tell_host_sum(struct cause *c)
{
    const struct lab_buffer *buffer = c->call->run.buffer;
    if (c->call->run.buffer_count != 1 || !buffer->on_host || buffer->type != LAB_REAL || c->buffer >= 0 ||
        buffer->count < 2)
        return false;
    if (c->got == sum_in_order(buffer->data, buffer->count, 0))
        SAY(c,
            "The result is that of a plain sum, to the last bit: the correction for rounding errors has no effect. Either it is never used, or each iteration of the loop resets it to 0.\n");
    else if (c->got == sum_in_order(buffer->data, buffer->count, -1))
        SAY(c,
            "The result is, to the last bit, that of a correction with the wrong sign: what each addition loses is subtracted once more instead of being added.\n");
    else if (!tell_correction(c, sum_in_order(buffer->data, buffer->count, 0)))
        return false;
    find_in_function(c, buffer->name);
    c->rank = CAUSE_DIFFERENCE;
    return true;
}
