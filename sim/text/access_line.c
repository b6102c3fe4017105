#include "sim/text/access_line.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/text/c_source.h"
#include "sim/text/place.h"

#define LINES_BELOW 12 /* that are looked at */

struct correction {
    struct ptx_module *module;
    struct c_source *sources; /* one for each of the module's files; text NULL: was not read, or cannot be */
    bool *read;
};

static const struct c_source *source_of(struct correction *c, int file)
{
    if (file <= 0 || file >= c->module->file_count || !c->module->files[file])
        return NULL;
    if (!c->read[file])
        c->sources[file] = c_source_read(c->module->files[file]);
    c->read[file] = true;
    return c->sources[file].text ? &c->sources[file] : NULL;
}

/* Line `line` without blanks before it and behind it, and without a comment at its end. */
static void line_text(const struct c_source *source, int line, char text[C_LINE_SIZE])
{
    strcpy(text, c_skip_blanks(source->text[line - 1]));
    char *comment = strstr(text, "/*");
    if (comment)
        *comment = '\0';
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
}

static bool is_keyword(const char *name, size_t length)
{
    static const char *const words[] = {"if", "for", "while", "switch", "else", "return"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncmp(words[i], name, length) == 0)
            return true;
    return false;
}

/* Something is called, or it looks so: "name(" or "name<". */
static bool has_call(const char *text)
{
    for (const char *at = text; *at;) {
        const size_t length = c_name_length(at);
        if (length > 0 && (at[length] == '(' || at[length] == '<') && !is_keyword(at, length))
            return true;
        at += length > 0 ? length : 1;
        while (length == 0 && at[-1] && isdigit((unsigned char)at[-1]) && c_is_name(*at))
            at++; /* the rest of a number */
    }
    return false;
}

static bool names_one_of(const char *text, struct ptx_var *const *vars, int count)
{
    char name[C_NAME_LENGTH];
    for (int i = 0; i < count; i++) {
        place_variable_name(vars[i]->name, name, sizeof name);
        if (c_find_word(text, text, name))
            return true;
    }
    return false;
}

/* One of the text's names is that of a reference, in the function's lines: "int &count". */
static bool names_reference(const struct c_source *source, struct c_lines lines, const char *text)
{
    for (int l = lines.first; l <= lines.last; l++)
        for (const char *mark = strchr(source->text[l - 1], '&'); mark; mark = strchr(mark + 1, '&')) {
            char name[C_NAME_LENGTH];
            const size_t length = c_name_length(mark + 1);
            if (length == 0 || length >= sizeof name)
                continue;
            memcpy(name, mark + 1, length);
            name[length] = '\0';
            if (c_find_word(text, text, name))
                return true;
        }
    return false;
}

/* No index, pointer or call in it, and no variable of the device. */
static bool accesses_nothing(const struct correction *c, const struct ptx_func *func, const char *text)
{
    for (const char *star = strchr(text, '*'); star; star = strchr(star + 1, '*'))
        if (star == text || star[-1] != ' ' || (star[1] != ' ' && star[1] != '='))
            return false;
    return !strchr(text, '[') && !strstr(text, "->") && !has_call(text) &&
           !names_one_of(text, c->module->vars, c->module->var_count) &&
           !names_one_of(text, func->vars, func->var_count);
}

/* "if (i < n) {", "} else {", "for (int i = 0; i < n; i++)": only a statement below it can be under it. */
static bool is_control(const char *text)
{
    const char *at = *text == '}' ? c_skip_blanks(text + 1) : text;
    if (!is_keyword(at, c_name_length(at)) || strncmp(at, "return", 6) == 0)
        return false;
    const char last = text[strlen(text) - 1];
    return last == '{' || last == ')' || strcmp(at, "else") == 0;
}

/* Stores if `store`, else loads. */
static bool accesses(const char *text, bool store)
{
    const char *first = strchr(text, '[');
    if (!first)
        return false;
    const char *behind = c_skip_brackets(first, '[', ']');
    const bool stores = c_is_assigned(behind);
    if (store || !stores)
        return store == stores;
    return behind[0] != '=' || strchr(behind, '[');
}

/*
 * The line below with an access of the kind; behind a condition the first statement must be it.
 * 0: there is none.
 */
static int line_below(const struct c_source *source, int line, bool store, bool at_once)
{
    const struct c_lines lines = c_function_around(source, line);
    char text[C_LINE_SIZE];
    for (int l = line + 1; l <= lines.last && l <= line + LINES_BELOW; l++) {
        line_text(source, l, text);
        if (accesses(text, store))
            return l;
        if (at_once && *text && *text != '{' && *text != '#' && !is_control(text))
            return 0;
    }
    return 0;
}

static bool uses(const struct ptx_instr *instr, int reg)
{
    for (int k = 0; k < instr->operand_count; k++)
        if (ptx_names(&instr->operands[k], reg))
            return true;
    return false;
}

/* A load that belongs to no line gets that of the first operation behind it that uses what it loads. */
static void take_line_of_use(const struct ptx_func *func, struct ptx_instr *load)
{
    if (!load->no_line || strcmp(load->op, "ld") != 0 || load->operands[0].kind != PTX_REG)
        return;
    const int reg = load->operands[0].reg;
    for (const struct ptx_instr *use = load + 1; use < func->instrs + func->instr_count; use++) {
        if (ptx_writes(use, reg))
            return;
        if (use->no_line || !uses(use, reg))
            continue;
        load->loc = use->loc;
        load->site = use->site;
        load->call = use->call;
        load->from = use->from;
        return;
    }
}

static void correct(struct correction *c, const struct ptx_func *func, struct ptx_instr *instr)
{
    const bool store = strcmp(instr->op, "st") == 0;
    if ((!store && strcmp(instr->op, "ld") != 0) ||
        (!ptx_has_modifier(instr, "global") && !ptx_has_modifier(instr, "shared")))
        return;
    const struct c_source *source = source_of(c, instr->site.file);
    const int line = instr->site.line;
    if (!source || line <= 0 || line > source->count)
        return;
    char text[C_LINE_SIZE];
    line_text(source, line, text);
    if (!*text || !accesses_nothing(c, func, text) ||
        names_reference(source, c_function_around(source, line), text))
        return;
    const bool control = is_control(text);
    if (!control && (store || !strchr(text, '=')))
        return;
    const int below = line_below(source, line, store, control);
    if (below == 0)
        return;
    if (instr->loc.file == instr->site.file && instr->loc.line == line)
        instr->loc.line = below;
    instr->site.line = below;
}

void access_lines_correct(struct ptx_module *module)
{
    struct correction c = {.module = module};
    c.sources = calloc((size_t)module->file_count + 1, sizeof *c.sources);
    c.read = calloc((size_t)module->file_count + 1, sizeof *c.read);
    for (int f = 0; c.sources && c.read && f < module->func_count; f++) {
        struct ptx_func *func = module->funcs[f];
        for (int i = 0; i < func->instr_count; i++) {
            take_line_of_use(func, &func->instrs[i]);
            correct(&c, func, &func->instrs[i]);
        }
    }
    for (int i = 0; c.sources && i < module->file_count; i++)
        free(c.sources[i].text);
    free(c.sources);
    free(c.read);
}
