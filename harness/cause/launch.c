#include "harness/cause/launch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lab/real.h"
#include "harness/source/source.h"
#include "harness/source/value_internal.h"

/* The student's file, read for one finding. */
struct reading {
    struct source source;
    struct value_context value;
    char *texts[2]; /* the student's file and the lab's header, as they are */
    const struct source_function *launcher;
    const char *launch; /* its first <<<; NULL: no function of the task has one */
};

#define SAY(...) text_append(text, size, __VA_ARGS__)

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (file && getdelim(&text, &size, 0, file) < 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* False: the task's function is not in the file. End it in any case. */
static bool begin_reading(const struct grader *grader, const struct call *call, struct reading *r)
{
    char name[160], root[sizeof grader->build.root], path[sizeof root + sizeof name];
    memset(r, 0, sizeof *r);
    build_read_source(&grader->build, &r->source);
    text_set(name, sizeof name, "%s/%s.h", the_lab.folder, the_lab.name);
    r->texts[0] = read_text(grader->build.source_path);
    if (build_find(&grader->build, name, root)) {
        text_set(path, sizeof path, "%s/%s", root, name);
        r->texts[1] = read_text(path);
    }
    r->value = (struct value_context){.source = &r->source,
                                      .macros = {r->texts[0], r->texts[1]},
                                      .entry = source_entry(&r->source, call->task->id),
                                      .names = call->task->arg_names,
                                      .args = call->run.arg,
                                      .count = LAB_MAX_ARGS,
                                      .real_size = (int)sizeof(real)};
    r->launcher = source_launcher(&r->source, call->task->id, &r->launch);
    return r->value.entry != NULL;
}

static void end_reading(struct reading *r)
{
    source_free(&r->source);
    free(r->texts[0]);
    free(r->texts[1]);
}

/* An expression of the file, on one line and not too long; as it is written, with its strings. */
static void copy_expression(const char *begin, const char *end, char *text, size_t size)
{
    size_t length = 0;
    begin = value_skip_blanks(begin, end);
    while (end > begin && isspace((unsigned char)end[-1]))
        end--;
    for (; begin < end && length + 4 < size; begin++)
        if (!isspace((unsigned char)*begin) || !isspace((unsigned char)begin[-1]))
            text[length++] = isspace((unsigned char)*begin) ? ' ' : *begin;
    text[length] = '\0';
    if (begin < end)
        strcpy(text + length, "...");
}

/* The parenthesis that closes the one at `s`, or `end`. */
static const char *close_of(const char *s, const char *end)
{
    for (int depth = 0; s < end; s++) {
        depth += *s == '(' || *s == '{' ? 1 : *s == ')' || *s == '}' ? -1 : 0;
        if (depth == 0)
            return s;
    }
    return end;
}

/* A variable in the expression that is computed in one place. */
struct variable {
    char name[64];
    char computed[96]; /* its expression */
    const char *begin, *end;
    int line;          /* where it is computed */
    char returns[128]; /* what a function returns that computes it, and its line; "": none does */
    bool known;
    double value;
};

/* ", and tile_count returns rows * columns at line 12", if that is all that computes the variable. */
static void find_returned(const struct reading *r, const struct value_definition *definition,
                          struct variable *out)
{
    const char *s = definition->begin, *end = definition->end;
    const size_t length = value_word_length(s, end);
    char returned[80];
    if (length == 0 || s + length >= end || s[length] != '(' || close_of(s + length, end) + 1 < end)
        return;
    for (int i = 0; i < r->source.count; i++) {
        const struct source_function *f = &r->source.function[i];
        const char *back = f->of_student && value_is_word(s, length, f->name)
                               ? value_find_word(f->body, f->end, "return", 6)
                               : NULL;
        if (!back)
            continue;
        copy_expression(back + 6, value_end_of_part(back + 6, f->end), returned, sizeof returned);
        text_set(out->returns, sizeof out->returns, " (which returns %s at line %d)", returned,
                 value_line(&r->value, back));
        return;
    }
}

static bool find_variable(const struct reading *r, const struct source_function *f, const char *begin,
                          const char *end, struct variable *out)
{
    for (const char *s = begin; s < end;) {
        const size_t length = value_word_length(s, end);
        struct value_definition definition;
        if (length == 0) {
            s++;
            continue;
        }
        if (!isdigit((unsigned char)*s) && length < sizeof out->name &&
            value_definition(&r->value, f, s, length, &definition) && definition.is_integer) {
            text_set(out->name, sizeof out->name, "%.*s", (int)length, s);
            copy_expression(definition.begin, definition.end, out->computed, sizeof out->computed);
            out->line = definition.line;
            out->begin = definition.begin;
            out->end = definition.end;
            out->returns[0] = '\0';
            find_returned(r, &definition, out);
            out->known = value_of(&r->value, f, s, s + length, &out->value);
            return true;
        }
        s += length;
    }
    return false;
}

/* ---- why nothing was launched ------------------------------------------------------------------------------ */

/* A condition of which it depends whether a function comes to a place. */
struct blocker {
    const struct source_function *f; /* NULL: there is none */
    const char *begin, *end;         /* of the condition */
    bool returns, holds;             /* the function returns there; else the place is passed over */
};

static bool begins_with(const char *s, const char *end, const char *word)
{
    return value_is_word(s, value_word_length(s, end), word);
}

/* Behind the statement that begins at `s`. */
static const char *end_of_statement(const char *s, const char *end)
{
    s = value_skip_blanks(s, end);
    if (s < end && *s == '{') {
        const char *close = close_of(s, end);
        return close < end ? close + 1 : end;
    }
    const bool is_if = begins_with(s, end, "if");
    if (is_if || begins_with(s, end, "for") || begins_with(s, end, "while")) {
        while (s < end && *s != '(')
            s++;
        const char *close = close_of(s, end);
        s = end_of_statement(close < end ? close + 1 : end, end);
        const char *next = value_skip_blanks(s, end);
        return is_if && begins_with(next, end, "else") ? end_of_statement(next + 4, end) : s;
    }
    while (s < end && *s != ';')
        s++;
    return s < end ? s + 1 : end;
}

/* One if in front of a place, and what it means for it. */
struct branch {
    const char *begin, *end;   /* the condition */
    const char *body, *behind; /* what it decides, with its else; */
    const char *other;         /* the else; `behind`: there is none */
};

static struct branch take_branch(const char *s, const char *end)
{
    struct branch b;
    while (s < end && *s != '(')
        s++;
    b.begin = s + 1;
    b.end = close_of(s, end);
    b.body = b.end < end ? b.end + 1 : end;
    /* Without its else, the statement that the condition decides. */
    b.other = end_of_statement(b.body, end);
    const char *next = value_skip_blanks(b.other, end);
    b.behind = begins_with(next, end, "else") ? end_of_statement(next + 4, end) : b.other;
    return b;
}

/* The first condition that keeps the function from the place `target`, as far as their values are known. */
static void find_blocker(const struct reading *r, const struct source_function *f, const char *target,
                         struct blocker *found)
{
    for (const char *s = f->body + 1; s < target;) {
        const size_t length = value_word_length(s, target);
        if (length == 0 || !value_is_word(s, length, "if")) {
            s += length > 0 ? length : 1;
            continue;
        }
        const struct branch b = take_branch(s, f->end);
        const bool within = target >= b.body && target < b.other,
                   in_else = target >= b.other && target < b.behind;
        const bool returns = !within && !in_else && value_find_word(b.body, b.other, "return", 6) != NULL;
        double value;
        if (within || in_else || returns) {
            const bool known = value_of(&r->value, f, b.begin, b.end, &value);
            if (known && (value != 0) == (returns || in_else)) {
                *found = (struct blocker){f, b.begin, b.end, returns, returns || in_else};
                return;
            }
        }
        s = within ? b.body : in_else ? b.other : b.behind;
    }
}

static void find_reason(const struct reading *r, struct blocker *found)
{
    const struct source_function *entry = r->value.entry;
    *found = (struct blocker){.f = NULL};
    if (r->launcher != entry) {
        const char *call =
            value_find_word(entry->body, entry->end, r->launcher->name, strlen(r->launcher->name));
        if (call)
            find_blocker(r, entry, call, found);
    }
    if (!found->f)
        find_blocker(r, r->launcher, r->launch, found);
}

/*
 * What the condition does, with the line where it stands: "lab02_reduce_blocks returns at line 57, because blocks ==
 * 0 holds".
 */
static void say_condition(const struct reading *r, const struct blocker *b, bool here, char *text,
                          size_t size)
{
    char condition[96], at[32];
    copy_expression(b->begin, b->end, condition, sizeof condition);
    text_set(at, sizeof at, here ? "here" : "at line %d", value_line(&r->value, b->begin));
    if (b->returns)
        SAY("%s returns %s, because %s is true", b->f->name, at, condition);
    else
        SAY("the launch is skipped %s, because %s %s", at, condition, b->holds ? "is true" : "is false");
}

static int say_reason(const struct reading *r, const struct blocker *found, char *text, size_t size)
{
    struct variable variable;
    const bool computed = find_variable(r, found->f, found->begin, found->end, &variable) && variable.known;
    const bool empty = computed && variable.value == 0;
    if (empty)
        SAY("No kernel was launched: %s, computed here as %s%s, is 0 in this case, and ", variable.name,
            variable.computed, variable.returns);
    else
        SAY("No kernel was launched: ");
    say_condition(r, found, !empty, text, size);
    if (computed && !empty)
        SAY(" (%s, computed at line %d as %s, is %.10g)", variable.name, variable.line, variable.computed,
            variable.value);
    SAY(".\n");
    if (empty)
        launch_say_division(&r->value, found->f, variable.begin, variable.end, text, size);
    return empty ? variable.line : value_line(&r->value, found->begin);
}

/* The sentence, and the line that it is about. */
static int say_none(const struct reading *r, char *text, size_t size)
{
    struct blocker found;
    if (!r->launch) {
        SAY("No kernel was launched: %s has no launch, kernel<<<blocks, threads>>>(...).\n",
            r->value.entry->name);
        return r->value.entry->first;
    }
    find_reason(r, &found);
    if (found.f)
        return say_reason(r, &found, text, size);
    SAY("No kernel was launched, though %s has a launch at line %d: it is not reached before the call ends.\n",
        r->launcher->name, value_line(&r->value, r->launch));
    return r->value.entry->first;
}

void launch_explain_none(const struct grader *grader, const struct call *call, struct grader_finding *finding)
{
    const struct fact *none = fact_find(&finding->facts, FACT_NO_LAUNCH);
    char said[1024] = "";
    struct reading r;
    if (finding->line > 0 || !none)
        return;
    if (begin_reading(grader, call, &r)) {
        finding->line = say_none(&r, said, sizeof said);
        text_set(finding->file, sizeof finding->file, "%s", grader->build.source);
        const char *slash = strrchr(finding->file, '/');
        text_set(finding->cause, sizeof finding->cause, "%s:%d: %sNothing else stores %s.\n",
                 slash ? slash + 1 : finding->file, finding->line, said, none->name[0]);
    }
    end_reading(&r);
}

/* ---- where the number of blocks comes from ------------------------------------------------------------------- */

/* The launch whose place is this line: in it, or in the statement that it begins. */
static const char *launch_at(const struct reading *r, int line, const struct source_function **f)
{
    for (int i = 0; i < r->source.count; i++) {
        *f = &r->source.function[i];
        if (!(*f)->of_student || line < (*f)->first || line > (*f)->last)
            continue;
        for (const char *s = (*f)->body; (s = strstr(s, "<<<")) != NULL && s < (*f)->end; s += 3)
            if (value_line(&r->value, s) == line)
                return s + 3;
    }
    return NULL;
}

/* `too_few`: what is wrong is that there are too few blocks. */
static void say_blocks(const struct reading *r, int line, bool too_few, char *text, size_t size)
{
    const struct source_function *f = NULL;
    struct variable variable;
    char written[96];
    const char *grid = launch_at(r, line, &f), *end = grid ? value_end_of_part(grid, f->end) : NULL;
    if (grid && too_few)
        launch_say_division(&r->value, f, grid, end, text, size);
    if (!grid || memchr(grid, ',', (size_t)(end - grid)) /* one variable of several */ ||
        !find_variable(r, f, grid, end, &variable) || variable.line == line)
        return;
    copy_expression(grid, end, written, sizeof written);
    SAY(strncmp(written, variable.name, strlen(variable.name)) == 0 && !strpbrk(written, "+-*/(")
            ? "The number of blocks there, %s, is computed at line %d: %s%s"
            : "The number of blocks there depends on %s, which is computed at line %d: %s%s",
        variable.name, variable.line, variable.computed, variable.returns);
    if (variable.known)
        SAY("%s is %.10g in this case", variable.returns[0] ? ". It" : ", which", variable.value);
    SAY(".\n");
    if (too_few)
        launch_say_division(&r->value, f, variable.begin, variable.end, text, size);
}

static bool is_refused_for(const struct grader_finding *finding, enum sim_remark_detail detail)
{
    const struct fact *remark = fact_find(&finding->facts, FACT_REMARK);
    return remark && remark->detail == detail;
}

static bool is_too_small(const struct grader_finding *finding)
{
    return fact_find(&finding->facts, FACT_FEW_BLOCKS) || is_refused_for(finding, SIM_REMARK_NO_BLOCKS);
}

/* The same name, without folders. */
static bool is_of_file(const char *file, const char *source)
{
    const char *a = strrchr(file, '/'), *b = strrchr(source, '/');
    return strcmp(a ? a + 1 : file, b ? b + 1 : source) == 0;
}

/* Of the launch in this file whose number of blocks may be wrong; 0: none is known. */
static int line_of_launch(const struct grader_finding *finding, const char *source)
{
    const struct fact *launch = fact_find(&finding->facts, FACT_FEW_BLOCKS);
    if (!launch)
        launch = fact_find(&finding->facts, FACT_LAUNCHED);
    if (launch)
        return is_of_file(launch->place[0].file, source) ? launch->place[0].line : 0;
    return is_refused_for(finding, SIM_REMARK_NO_BLOCKS) && is_of_file(finding->file, source) ? finding->line
                                                                                              : 0;
}

void launch_explain_blocks(const struct grader *grader, const struct call *call,
                           struct grader_finding *finding)
{
    struct reading r;
    char *text = finding->cause[0] ? finding->cause : finding->detail;
    const size_t size = finding->cause[0] ? sizeof finding->cause : sizeof finding->detail;
    const int line = line_of_launch(finding, grader->build.source);
    if (line == 0 || fact_find(&finding->facts, FACT_NO_LAUNCH))
        return;
    if (begin_reading(grader, call, &r))
        say_blocks(&r, line, is_too_small(finding), text, size);
    end_reading(&r);
}
