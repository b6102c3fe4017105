/* One file with the program many times, each time with another change. */
#include <stdlib.h>
#include <string.h>

#include "harness/change/edits.h"

struct writer {
    const struct program *program;
    const struct repair_edit *edit;
    int number; /* of the copy */
    const char *name;
    FILE *file;
};

static bool is_include(const struct program *p, const struct item *item)
{
    const char *text = p->text + p->tokens.token[item->first].at;
    return item->kind == ITEM_DIRECTIVE && strncmp(text + 1 + strspn(text + 1, " \t"), "include", 7) == 0;
}

static void write_span(const struct writer *w, int from, int to)
{
    const struct repair_edit *edit = w->edit;
    for (int i = 0; i < edit->parts; i++) {
        const struct repair_part *part = &edit->part[i];
        if (part->at < from || part->at >= to)
            continue;
        fwrite(w->program->text + from, 1, (size_t)(part->at - from), w->file);
        fputs(part->with, w->file);
        from = part->at + part->length;
    }
    if (from < to)
        fwrite(w->program->text + from, 1, (size_t)(to - from), w->file);
}

/* Functions in a namespace are C++'s. */
static int behind_extern_c(const struct program *p, const struct item *item)
{
    const struct tokens *t = &p->tokens;
    for (int i = item->first; i < item->last && i < item->first + 3; i++)
        if (token_is(t, i, "extern") && token_is(t, i + 1, "\"C\""))
            return i + 2;
    return item->first;
}

/* Constant memory has room for one program: the copies share what the first one declares there. */
static bool is_constant(const struct program *p, const struct item *item)
{
    for (int i = item->first; item->kind == ITEM_OTHER && i <= item->last; i++)
        if (token_is(&p->tokens, i, "__constant__"))
            return true;
    return false;
}

static void share_item(const struct writer *w, const struct item *item)
{
    const struct program *p = w->program;
    for (int i = 0; i < p->variable_count; i++) {
        const struct token *name = &p->tokens.token[p->variable[i].name];
        if (p->variable[i].first >= item->first && p->variable[i].name <= item->last)
            fprintf(w->file, "using change_0::%.*s;\n", name->length, p->text + name->at);
    }
}

static void write_item(const struct writer *w, const struct item *item)
{
    const struct token *token = w->program->tokens.token;
    const int first = behind_extern_c(w->program, item);
    if (item->kind == ITEM_DIRECTIVE && item->last > item->first)
        fprintf(w->file, "#undef %.*s\n", token[item->first + 1].length,
                w->program->text + token[item->first + 1].at);
    fprintf(w->file, "#line %d \"%d/%s\"\n", token[first].line, w->number, w->name);
    write_span(w, token[first].at, token[item->last].at + token[item->last].length);
    fputc('\n', w->file);
}

/* ---- the header's functions ---------------------------------------------------------------------------- */

/* `double lab03_sum(const real *d_x, int n)`: the declaration of the function that the item defines. */
static int declaration_of(const struct program *p, const struct item *item)
{
    char name[128];
    token_copy(&p->tokens, item->name, name, sizeof name);
    for (int i = 1; i + 1 < p->header.count; i++)
        if (token_is(&p->header, i, name) && token_is(&p->header, i + 1, "("))
            return i;
    return -1;
}

static int declaration_begin(const struct tokens *t, int name)
{
    int first = name;
    while (first > 0 && !token_in(t, first - 1, " ; { } ") && t->token[first - 1].kind != TOKEN_DIRECTIVE &&
           t->token[first - 1].kind != TOKEN_STRING && !t->token[first - 1].in_macro)
        first--;
    return first;
}

static void write_declaration(const struct writer *w, int name)
{
    const struct tokens *t = &w->program->header;
    const int first = declaration_begin(t, name), last = t->token[name + 1].match;
    const int begin = t->token[first].at, end = t->token[last].at + 1;
    fwrite(w->program->header_text + begin, 1, (size_t)(end - begin), w->file);
}

/* The names of the parameters, with commas between. */
static void write_arguments(const struct writer *w, int name)
{
    const struct tokens *t = &w->program->header;
    const int close = t->token[name + 1].match;
    if (close == name + 3 && token_is(t, name + 2, "void"))
        return;
    for (int i = name + 2; i <= close; i++) {
        int k = i - 1;
        if (!token_is(t, i, ",") && i != close)
            continue;
        if (token_is(t, k, "]"))
            k = t->token[k].match - 1;
        if (i == close && k == name + 1)
            return;
        fprintf(w->file, "%.*s%s", t->token[k].length, w->program->header_text + t->token[k].at,
                i == close ? "" : ", ");
    }
}

static void write_choice(const struct writer *w, const struct item *item, int count)
{
    const int name = declaration_of(w->program, item);
    const struct token *called = &w->program->tokens.token[item->name];
    if (name < 0)
        return;
    fputs("extern \"C\" ", w->file);
    write_declaration(w, name);
    fputs("\n{\n    switch (repair_choice) {\n", w->file);
    for (int k = 0; item->is_used && k < count; k++) {
        fprintf(w->file, "    case %d: return change_%d::%.*s(", k + 1, k, called->length,
                w->program->text + called->at);
        write_arguments(w, name);
        fputs(");\n", w->file);
    }
    fputs("    default: abort();\n    }\n}\n", w->file);
}

bool repair_write(const struct repair *repair, const int *number, int count, const char *name, FILE *file)
{
    const struct program *p = repair_program(repair);
    struct writer w = {.program = p, .name = name, .file = file};
    fputs("#include <stdlib.h>\n#include <stdio.h>\n#include <math.h>\n", file);
    for (int i = 0; i < p->item_count; i++)
        if (p->item[i].kind == ITEM_DIRECTIVE) {
            const struct token *first = &p->tokens.token[p->item[i].first],
                               *last = &p->tokens.token[p->item[i].last];
            fprintf(file, "%.*s\n", last->at + last->length - first->at, p->text + first->at);
        }
    for (w.number = 0; w.number < count; w.number++) {
        w.edit = repair_edit(repair, number[w.number]);
        fprintf(file, "namespace change_%d {\n", w.number);
        for (int i = 0; i < p->item_count; i++)
            if (p->item[i].is_extern_c && p->item[i].is_used && declaration_of(p, &p->item[i]) >= 0) {
                write_declaration(&w, declaration_of(p, &p->item[i]));
                fputs(";\n", file);
            }
        for (int i = 0; i < p->item_count; i++)
            if (w.number > 0 && is_constant(p, &p->item[i]))
                share_item(&w, &p->item[i]);
            else if (p->item[i].is_used && !is_include(p, &p->item[i]))
                write_item(&w, &p->item[i]);
        fputs("}\n", file);
    }
    fputs("#line 1 \"choice\"\nextern \"C\" int repair_choice;\nint repair_choice;\n", file);
    for (int i = 0; i < p->item_count; i++)
        if (p->item[i].is_extern_c)
            write_choice(&w, &p->item[i], count);
    return !ferror(file);
}

/* "in function `change_17::lab01_copy(...)': undefined reference", as the linker says it. */
static int error_of_linker(const char *line)
{
    static const char mark[] = "in function `change_";
    const char *at = strstr(line, mark);
    char *end;
    const long number = at ? strtol(at + sizeof mark - 1, &end, 10) : -1;
    return at && strncmp(end, "::", 2) == 0 ? (int)number : -1;
}

/* "17/student.cu(12): warning ...": the 17, and what follows the file's name; -1: it is no such line. */
static int copy_of(const char *line, const char *name, const char **rest)
{
    char *end;
    const char *slash = strchr(line, '/');
    if (!slash || strncmp(slash + 1, name, strlen(name)) != 0)
        return -1;
    const char *digits = slash;
    while (digits > line && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    const long number = strtol(digits, &end, 10);
    *rest = slash + 1 + strlen(name);
    return digits < slash && end == slash ? (int)number : -1;
}

int repair_error_of(const char *line, const char *name)
{
    const char *rest;
    const int copy = copy_of(line, name, &rest);
    return copy >= 0 && strstr(rest, "error") ? copy : error_of_linker(line);
}

int repair_warning_of(const char *line, const char *name, const char **text)
{
    const char *rest;
    const int copy = copy_of(line, name, &rest);
    *text = copy >= 0 ? strstr(rest, "warning") : NULL;
    return *text ? copy : -1;
}
