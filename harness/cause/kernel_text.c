#include "harness/cause/kernel_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SAY(...) text_append(text, size, __VA_ARGS__)

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
    struct loop loop = {0};
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
