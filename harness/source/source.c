#include "harness/source/source.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "harness/source/line.h"

/* ---- functions ----------------------------------------------------------------------------------------- */

/* What stands before a bracket at the level of the file. */
struct head {
    int name;         /* the last name before parentheses, or that of a struct; -1: there is none */
    bool transparent; /* namespace, extern "C" */
    bool is_struct;
};

static const struct head nothing = {.name = -1};

static void take_name(struct head *head, const struct tokens *t, int i)
{
    if (token_in(t, i, " namespace extern ")) {
        head->transparent = true;
    } else if (token_in(t, i, " struct class ")) {
        head->is_struct = true;
        head->name = -1;
    } else if (token_is(t, i + 1, "(") || (head->is_struct && head->name < 0)) {
        head->name = i;
    }
}

static void add_function(struct source *source, const struct tokens *t, int name, int open, bool of_student)
{
    const int close = t->token[open].match;
    if (source->count == SOURCE_FUNCTIONS)
        return;
    struct source_function *f = &source->function[source->count++];
    *f = (struct source_function){.first = t->token[name].line,
                                  .last = t->token[close].line,
                                  .of_student = of_student,
                                  .open = open,
                                  .close = close};
    token_copy(t, name, f->name, sizeof f->name);
}

static void find_functions(struct source *source, const struct tokens *t, bool of_student)
{
    struct head head = nothing;
    for (int i = 0; i < t->count; i++) {
        const int match = t->token[i].match;
        if (t->token[i].in_macro || t->token[i].kind == TOKEN_DIRECTIVE)
            continue;
        if (token_is_name(t, i))
            take_name(&head, t, i);
        else if (token_is(t, i, ";"))
            head = nothing;
        if (token_is(t, i, "{")) {
            const bool enters = head.transparent && head.name < 0;
            if (head.name >= 0)
                add_function(source, t, head.name, i, of_student);
            head = nothing;
            i = enters ? i : match;
        } else if (match > i) {
            i = match;
        }
    }
}

static void take_text(struct source *source, char **text, struct tokens *tokens)
{
    if (*text && tokens_read(tokens, *text)) {
        find_functions(source, tokens, text == &source->student);
        return;
    }
    tokens_free(tokens); /* then every task may use everything */
    free(*text);
    *text = NULL;
}

void source_take(struct source *source, char *student, char *binding)
{
    memset(source, 0, sizeof *source);
    source->student = student;
    source->binding = binding;
    take_text(source, &source->student, &source->of_student);
    take_text(source, &source->binding, &source->of_binding);
}

void source_read(struct source *source, const char *student_path, const char *binding_path)
{
    source_take(source, trial_read_file(student_path), trial_read_file(binding_path));
}

void source_free(struct source *source)
{
    tokens_free(&source->of_student);
    tokens_free(&source->of_binding);
    free(source->student);
    free(source->binding);
    memset(source, 0, sizeof *source);
}

/* ---- who uses what ------------------------------------------------------------------------------------- */

struct walk {
    const struct source *source;
    bool seen[SOURCE_FUNCTIONS];
    int line;
    const struct source_function *first; /* of the student's file that was reached */
    bool of_student;                     /* a function of the student's file was reached, */
    bool found;                          /* and one that contains the line */
};

static const struct tokens *tokens_of(const struct source *source, const struct source_function *f)
{
    return f->of_student ? &source->of_student : &source->of_binding;
}

/* Whether token `i` of `t` names function `f`: one of the same file hides those of the other. */
static bool names(const struct source *source, const struct tokens *t, int i, const struct source_function *f)
{
    if (!token_is(t, i, f->name))
        return false;
    for (int k = 0; k < source->count && tokens_of(source, f) != t; k++)
        if (tokens_of(source, &source->function[k]) == t && token_is(t, i, source->function[k].name))
            return false;
    return true;
}

/* The functions that token `i` names, and all that they use. */
static void visit(struct walk *walk, const struct tokens *t, int i)
{
    for (int k = 0; k < walk->source->count && token_is_name(t, i) && !t->token[i].in_macro; k++) {
        const struct source_function *f = &walk->source->function[k];
        if (walk->seen[k] || !names(walk->source, t, i, f))
            continue;
        walk->seen[k] = true;
        walk->of_student = walk->of_student || f->of_student;
        if (!walk->first && f->of_student)
            walk->first = f;
        walk->found = walk->found || (f->of_student && walk->line >= f->first && walk->line <= f->last);
        for (int at = f->open; at < f->close; at++)
            visit(walk, tokens_of(walk->source, f), at);
    }
}

/* From its row in binding.c, {"reduce", run_reduce}. */
static void walk_task(struct walk *walk, const char *task_id)
{
    const struct tokens *t = &walk->source->of_binding;
    char name[64];
    text_set(name, sizeof name, "\"%.40s\"", task_id);
    for (int i = 0; i + 3 < t->count; i++)
        if (token_is(t, i, "{") && token_is(t, i + 1, name)) {
            visit(walk, t, i + 3);
            return;
        }
}

bool source_uses_line(const struct source *source, const char *task_id, int line)
{
    struct walk walk = {.source = source, .line = line};
    walk_task(&walk, task_id);
    return !walk.of_student || walk.found;
}

const struct source_function *source_entry(const struct source *source, const char *task_id)
{
    struct walk walk = {.source = source};
    walk_task(&walk, task_id);
    return walk.first;
}

bool source_is_empty(const struct source_function *function)
{
    return function->close == function->open + 1;
}

bool source_uses_name(const struct source *source, const char *task_id, const char *name)
{
    struct walk walk = {.source = source};
    walk_task(&walk, task_id);
    for (int k = 0; k < source->count; k++) {
        const struct source_function *f = &source->function[k];
        for (int i = f->open; f->of_student && (walk.seen[k] || !walk.of_student) && i < f->close; i++)
            if (token_is(&source->of_student, i, name))
                return true;
    }
    return false;
}
