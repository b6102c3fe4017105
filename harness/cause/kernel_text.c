#include "harness/cause/kernel_text.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SAY(...) text_append(text, size, __VA_ARGS__)
#define NAMES    8

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_word_at(const char *begin, const char *s, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(s, word, length) == 0 && !in_name(s[length]) && (s == begin || !in_name(s[-1]));
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* The function of the student's file that the line is in; NULL: it is in none. */
static const struct source_function *function_at(const struct source *source, int line)
{
    for (int i = 0; i < source->count; i++)
        if (source->function[i].of_student && line >= source->function[i].first &&
            line <= source->function[i].last)
            return &source->function[i];
    return NULL;
}

static const char *begin_of_line(const char *text, int line)
{
    while (text && --line > 0 && (text = strchr(text, '\n')))
        text++;
    return text;
}

/* The parenthesis that closes the one at `s`, or `end`. */
static const char *close_of(const char *s, const char *end)
{
    for (int depth = 0; s < end; s++) {
        depth += strchr("([{", *s) && *s ? 1 : strchr(")]}", *s) && *s ? -1 : 0;
        if (depth == 0)
            return s;
    }
    return end;
}

/* Of a name that stands in [begin, end): its length, and *at; 0: there is no other one. Members do not count. */
static size_t next_name(const char *begin, const char **at, const char *end)
{
    const char *s = *at;
    while (s < end &&
           (!in_name(*s) || isdigit((unsigned char)*s) || (s > begin && (s[-1] == '.' || in_name(s[-1])))))
        s++;
    const char *from = s;
    while (s < end && in_name(*s))
        s++;
    *at = from;
    return (size_t)(s - from);
}

static bool is_name(const char *s, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(s, word, length) == 0;
}

/* ---- loops --------------------------------------------------------------------------------------------- */

/* A loop: its head, from "for" or "while" to the parenthesis that closes it, and its body. */
struct loop {
    const char *head, *open, *close, *end;
};

/* Behind the statement that begins at `s`, as far as a loop's body needs it: a block, or up to a semicolon. */
static const char *end_of_body(const char *s, const char *end)
{
    while (s < end && isspace((unsigned char)*s))
        s++;
    if (s < end && *s == '{')
        return close_of(s, end);
    while (s < end && *s != ';')
        s = *s == '(' ? close_of(s, end) : s + 1;
    return s;
}

/* The innermost loop of the function around the place. */
static bool find_loop(const struct source_function *f, const char *from, const char *to, struct loop *loop)
{
    bool found = false;
    for (const char *s = f->body; s < to && s < f->end; s++) {
        if (!is_word_at(f->body, s, "for") && !is_word_at(f->body, s, "while"))
            continue;
        const char *open = s + strcspn(s, "(;");
        if (open >= f->end || *open != '(')
            continue;
        const char *close = close_of(open, f->end), *end = end_of_body(close + 1, f->end);
        if (end < from)
            continue;
        *loop = (struct loop){.head = s, .open = open, .close = close, .end = end};
        found = true;
    }
    return found;
}

/* Is the name given a value in [begin, end)? */
static bool is_changed(const char *begin, const char *end, const char *name, size_t length)
{
    for (const char *s = begin; s < end; s++) {
        if (strncmp(s, name, length) != 0 || in_name(s[length]) || (s > begin && in_name(s[-1])))
            continue;
        const char *next = s + length;
        if (s - begin >= 2 && (strncmp(s - 2, "++", 2) == 0 || strncmp(s - 2, "--", 2) == 0 || s[-1] == '&'))
            return true;
        while (next < end && *next == ' ')
            next++;
        if (strncmp(next, "++", 2) == 0 || strncmp(next, "--", 2) == 0 || (*next == '=' && next[1] != '='))
            return true;
        if ((strchr("+-*/%&|^", *next) && next[1] == '=') || strncmp(next, "<<=", 3) == 0 ||
            strncmp(next, ">>=", 3) == 0)
            return true;
    }
    return false;
}

/* What the condition tests, if only plain variables, and nothing in the loop changes any of them. */
static void say_unchanged(const struct loop *loop, char *text, size_t size)
{
    const char *begin = loop->open + 1, *end = loop->close;
    char names[160] = "";
    if (is_word_at(loop->head, loop->head, "for")) {
        begin += strcspn(begin, ";");
        end = begin < end ? begin + 1 + strcspn(begin + 1, ";") : end;
        begin += begin < end;
    }
    int count = 0;
    for (const char *s = begin; s < end; s++)
        if (strchr("([*", *s))
            return; /* what it tests may be changed by others */
    for (const char *s = begin;; count++) {
        const size_t length = next_name(begin, &s, end);
        if (length == 0)
            break;
        if (is_changed(end, loop->end, s, length) || is_changed(begin, end, s, length))
            return;
        text_append(names, sizeof names, "%s%.*s", count ? " and " : "", (int)length, s);
        s += length;
    }
    if (count > 0 && count <= 2)
        SAY(" Nothing in it changes %s.", names);
}

bool kernel_text_loop(const struct source *source, const char *file, int line, char *text, size_t size)
{
    const struct source_function *f = source->student ? function_at(source, line) : NULL;
    const char *at = f ? begin_of_line(source->student, line) : NULL;
    struct loop loop;
    if (!at || !find_loop(f, at, at + strcspn(at, "\n"), &loop))
        return false;
    SAY("The loop begins at %s:%d: ", file, line_of(source->student, loop.head));
    if (loop.close - loop.head < 80 && !memchr(loop.head, '\n', (size_t)(loop.close - loop.head)))
        SAY("%.*s.", (int)(loop.close + 1 - loop.head), loop.head);
    else
        SAY("its condition stands there.");
    say_unchanged(&loop, text, size);
    SAY("\n");
    return true;
}

/* ---- guards -------------------------------------------------------------------------------------------- */

/* Is the variable of the function computed from the number of a thread or a block? */
static bool is_position(const struct source_function *f, const char *name, size_t length)
{
    for (const char *s = f->body; s < f->end; s++) {
        if (strncmp(s, name, length) != 0 || in_name(s[length]) || in_name(s[-1]))
            continue;
        const char *next = s + length + strspn(s + length, " ");
        if (*next != '=' || next[1] == '=')
            continue;
        const char *end = next + strcspn(next, ";");
        for (; next < end; next++)
            if (is_word_at(f->body, next, "threadIdx") || is_word_at(f->body, next, "blockIdx"))
                return true;
    }
    return false;
}

/* Does a condition in front of the place have the name: of an if, a loop, or a choice with a question mark? */
static bool is_tested(const struct source_function *f, const char *to, const char *name, size_t length)
{
    static const char *const heads[] = {"if", "while", "for"};
    for (const char *s = f->body; s < to; s++) {
        const char *end = NULL;
        for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
            if (is_word_at(f->body, s, heads[i]))
                end = close_of(s + strcspn(s, "("), f->end);
        if (*s == '?') /* what stands in front of it, back to where the statement begins */
            for (end = s--; s > f->body && !strchr(";{}", *s);)
                s--;
        if (!end)
            continue;
        for (const char *at = s; at < end; at++)
            if (strncmp(at, name, length) == 0 && !in_name(at[length]) && !in_name(at[-1]))
                return true;
        s = end;
    }
    return false;
}

/* Does the index that begins with `open` belong to the array: array[, or array[...][? */
static bool is_index_of(const char *begin, const char *open, const char *array, bool was)
{
    const char *end = open;
    while (end > begin && end[-1] == ' ')
        end--;
    if (end > begin && end[-1] == ']')
        return was;
    const size_t length = strlen(array);
    return (size_t)(end - begin) >= length && strncmp(end - length, array, length) == 0 &&
           ((size_t)(end - begin) == length || !in_name(end[-(ptrdiff_t)length - 1]));
}

/* What is collected of an index: the variables that come from a thread's number, and whether conditions test them. */
struct positions {
    char tested[160], untested[160];
    int tested_count, untested_count;
};

static void add_position(const struct source_function *f, const char *end, const char *s, size_t length,
                         struct positions *p)
{
    char name[64];
    text_set(name, sizeof name, "%.*s", (int)length, s);
    if (is_name(s, length, "threadIdx") || source_has_word(p->tested, name) ||
        source_has_word(p->untested, name) || !is_position(f, s, length))
        return;
    if (is_tested(f, end, s, length))
        text_append(p->tested, sizeof p->tested, "%s%s", p->tested_count++ ? " and " : "", name);
    else
        text_append(p->untested, sizeof p->untested, "%s%s", p->untested_count++ ? " and " : "", name);
}

/* Of all indexes of the array in [at, end). */
static struct positions positions_in(const struct source_function *f, const char *at, const char *end,
                                     const char *array)
{
    struct positions p = {.tested = ""};
    bool is_its = false;
    for (const char *open = at; open && open < end; open++) {
        if (*open != '[' || !(is_its = is_index_of(at, open, array, is_its)))
            continue;
        const char *close = close_of(open, end);
        for (const char *s = open; s < close && p.tested_count + p.untested_count < NAMES;) {
            const size_t length = next_name(open, &s, close);
            if (length == 0)
                break;
            add_position(f, end, s, length, &p);
            s += length;
        }
    }
    return p;
}

bool kernel_text_guard(const struct source *source, const char *file, int line, const char *array, bool half,
                       char *text, size_t size)
{
    const struct source_function *f = source->student ? function_at(source, line) : NULL;
    const char *at = f ? begin_of_line(source->student, line) : NULL;
    if (!at)
        return false;
    const struct positions p = positions_in(f, at, at + strcspn(at, "\n"), array);
    const bool one = p.untested_count == 1;
    if (p.untested_count == 0 || (half && p.tested_count == 0))
        return false;
    if (half)
        SAY("%s:%d: the index here uses %s and %s, and the conditions before it test only %s.\n", file, line,
            p.tested, p.untested, p.tested);
    else
        SAY("%s:%d: the index here uses %s, and no condition before it tests %s.\n", file, line, p.untested,
            one ? p.untested : "them");
    return true;
}

/* ---- findings ------------------------------------------------------------------------------------------ */

static const char *file_of(const struct grader *grader)
{
    const char *slash = strrchr(grader->build.source, '/');
    return slash ? slash + 1 : grader->build.source;
}

static bool is_in_file(const struct grader *grader, const struct grader_finding *finding)
{
    const char *slash = strrchr(finding->file, '/');
    return finding->line > 0 && strcmp(slash ? slash + 1 : finding->file, file_of(grader)) == 0;
}

/* In front of what is said in detail. */
static void put_first(struct grader_finding *finding, const char *said)
{
    char rest[sizeof finding->detail];
    text_set(rest, sizeof rest, "%s", finding->detail);
    text_set(finding->detail, sizeof finding->detail, "%s%s", said, rest);
    finding->consequence += strlen(said);
}

/* Functions that change nothing, and that nvcc does not warn of. */
static const char *const pure[] = {"fma",
                                   "fmaf",
                                   "__fmaf_rn",
                                   "__fma_rn",
                                   "min",
                                   "max",
                                   "fmin",
                                   "fminf",
                                   "fmax",
                                   "fmaxf",
                                   "fabs",
                                   "fabsf",
                                   "abs",
                                   "sqrt",
                                   "sqrtf",
                                   "__shfl_down_sync",
                                   "__shfl_up_sync",
                                   "__shfl_xor_sync",
                                   "powf",
                                   "pow",
                                   "exp",
                                   "__shfl_sync",
                                   "expf",
                                   NULL};

static const char *unused_call(const struct source_function *f, const char **name)
{
    static const char *const heads[] = {"for", "if", "while"};
    const char *head_ends = NULL,
               *last = NULL; /* of the last head of a loop or an if; the last character but blanks */
    for (const char *s = f->body; s < f->end; s++) {
        const bool begins = !last || strchr(";{}", *last) || last == head_ends;
        for (int i = 0; i < 3; i++)
            if (is_word_at(f->body, s, heads[i])) {
                const char *open = s + strlen(heads[i]);
                open += strspn(open, " \n");
                head_ends = open < f->end && *open == '(' ? close_of(open, f->end) : head_ends;
            }
        for (int i = 0; begins && pure[i]; i++) {
            const char *open = s + strlen(pure[i]), *close;
            if (!is_word_at(f->body, s, pure[i]) || *open != '(')
                continue;
            close = close_of(open, f->end);
            if (close < f->end && close[1 + strspn(close + 1, " \n")] == ';') {
                *name = pure[i];
                return s;
            }
        }
        if (!isspace((unsigned char)*s))
            last = s;
    }
    return NULL;
}

bool kernel_text_unused(const struct source *source, const char *task, char *text, size_t size, int *line)
{
    for (int i = 0; i < source->count; i++) {
        const struct source_function *f = &source->function[i];
        const char *name, *at;
        if (!f->of_student || !f->body || !(at = unused_call(f, &name)))
            continue;
        *line = line_of(source->student, at);
        if (!source_uses_line(source, task, *line))
            continue;
        SAY("the value of %s() is used nowhere here: the function changes none of its arguments, so that what it returns is "
            "lost. Assign it: x = %s(...);",
            name, name);
        return true;
    }
    return false;
}

void kernel_explain_loop(const struct grader *grader, struct grader_finding *finding)
{
    struct source source;
    char said[512] = "";
    if (!fact_is_hazard(&finding->facts, SIM_HAZARD_ENDLESS) || !is_in_file(grader, finding))
        return;
    build_read_source(&grader->build, &source);
    if (kernel_text_loop(&source, file_of(grader), finding->line, said, sizeof said))
        put_first(finding, said);
    source_free(&source);
}

void kernel_explain_guard(const struct grader *grader, struct grader_finding *finding)
{
    const struct fact *hazard = fact_find(&finding->facts, FACT_HAZARD);
    const bool stores = hazard && hazard->detail == SIM_DETAIL_STORES;
    struct source source;
    char said[512] = "";
    if (finding->cause[0] || !hazard || (hazard->what != SIM_HAZARD_OUT_OF_BOUNDS && !stores) ||
        !hazard->name[0][0] || !is_in_file(grader, finding))
        return;
    build_read_source(&grader->build, &source);
    if (kernel_text_guard(&source, file_of(grader), finding->line, hazard->name[0], stores, said,
                          sizeof said)) {
        put_first(finding, said);
        fact_guess(&finding->facts, "a guard is missing there.");
    }
    source_free(&source);
}
