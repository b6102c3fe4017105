/* The interpreter's own reader of PTX. */
#include "program.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

bool has_word(const struct instruction *instruction, const char *word)
{
    for (int i = 1; i < instruction->word_count; i++)
        if (strcmp(instruction->words[i], word) == 0)
            return true;
    return false;
}

const struct variable *program_variable(const struct program *program, const char *name)
{
    for (int i = 0; i < program->variable_count; i++)
        if (strcmp(program->variables[i].name, name) == 0)
            return &program->variables[i];
    return NULL;
}

static int find_register(const struct program *program, const char *name)
{
    for (int i = 0; i < program->register_count; i++)
        if (strcmp(program->registers[i].name, name) == 0)
            return i;
    return -1;
}

static int need_register(const struct program *program, const char *name)
{
    int reg = find_register(program, name);
    if (reg < 0)
        fail("interpreter: no register %s", name);
    return reg;
}

static uint64_t start_of(enum space space)
{
    switch (space) {
    case SHARED: return SHARED_START;
    case LOCAL: return LOCAL_START;
    case CONST: return CONST_START;
    case PARAM: return PARAM_START;
    default: return GLOBAL_START;
    }
}

/* ---- opcodes ------------------------------------------------------------------------------------------- */

static bool is_type(const char *word, struct type *type)
{
    char kind = word[0];
    if (strcmp(word, "pred") == 0) {
        *type = (struct type){'p', 1};
        return true;
    }
    int bits = atoi(word + 1);
    if (strchr("usb", kind) == NULL || (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return false;
    *type = (struct type){kind, bits};
    return true;
}

static void read_opcode(struct instruction *in, char *text)
{
    static const char *const spaces[] = {"", "global", "shared", "local", "const", "param"};
    in->vector = 1;
    for (char *rest, *word = strtok_r(text, ".", &rest); word; word = strtok_r(NULL, ".", &rest)) {
        struct type type;
        if (in->word_count == WORDS)
            fail("interpreter: too many modifiers at %s", word);
        snprintf(in->words[in->word_count++], sizeof in->words[0], "%s", word);
        if (is_type(word, &type)) {
            if (in->type.bits) { /* the first of two is the result's */
                in->from = type;
                continue;
            }
            in->type = in->from = type;
        }
        for (enum space s = GLOBAL; s <= PARAM; s++)
            if (in->space == GENERIC && strcmp(word, spaces[s]) == 0)
                in->space = s;
        if (strcmp(word, "v2") == 0 || strcmp(word, "v4") == 0)
            in->vector = word[1] - '0';
    }
}

/* ---- operands ------------------------------------------------------------------------------------------ */

static bool is_special(const char *text, enum special *special)
{
    static const char *const names[] = {"%tid.x", "%ntid.x", "%ctaid.x", "%laneid"};
    for (int i = 0; i < 4; i++)
        if (strcmp(text, names[i]) == 0) {
            *special = (enum special)i;
            return true;
        }
    return false;
}

/* "name+4", "%r-8", "name" */
static void read_address(const struct program *p, struct operand *o, char *text)
{
    char *plus = strpbrk(text, "+-");
    o->kind = ADDRESS;
    if (plus) {
        o->value = (uint64_t)strtoll(plus, NULL, 0);
        if (plus[0] == '+' && plus[1] == '-')
            o->value = (uint64_t)strtoll(plus + 1, NULL, 0);
        *plus = '\0';
    }
    o->reg = text[0] == '%' ? need_register(p, text) : -1;
    if (o->reg >= 0)
        return;
    const struct variable *v = program_variable(p, text);
    if (!v)
        fail("interpreter: no variable %s", text);
    o->value += start_of(v->space) + v->offset;
}

static void read_list(const struct program *p, struct operand *o, char *text)
{
    o->kind = LIST;
    for (char *rest, *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        name += strspn(name, " ");
        if (o->count == ELEMENTS)
            fail("interpreter: too many elements");
        o->list[o->count++] = need_register(p, name);
    }
}

static void read_name(const struct program *p, struct operand *o, char *text)
{
    char *second = strchr(text, '|');
    if (second) {
        *second = '\0';
        o->second = need_register(p, second + 1);
    }
    o->negated = text[0] == '!';
    text += o->negated;
    const struct variable *v = program_variable(p, text);
    if (text[0] == '%' && is_special(text, &o->special)) {
        o->kind = SPECIAL;
    } else if (text[0] == '%') {
        o->kind = REGISTER;
        o->reg = need_register(p, text);
    } else if (isdigit((unsigned char)text[0]) || text[0] == '-') {
        o->kind = IMMEDIATE;
        o->value = text[0] == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
    } else if (v) {
        o->kind = IMMEDIATE;
        o->value = start_of(v->space) + v->offset;
    } else {
        o->kind = LABEL;
        snprintf(o->label, sizeof o->label, "%s", text);
    }
}

/* The end of an operand: a comma outside of brackets. */
static char *operand_end(char *text)
{
    int depth = 0;
    for (; *text && (depth || *text != ','); text++)
        depth += (*text == '[' || *text == '{') - (*text == ']' || *text == '}');
    return text;
}

static void read_operands(const struct program *p, struct instruction *in, char *text)
{
    while (*(text += strspn(text, " "))) {
        if (in->operand_count == OPERANDS)
            fail("interpreter: too many operands at %s", text);
        struct operand *o = &in->operands[in->operand_count++];
        char *end = operand_end(text), *next = *end ? end + 1 : end;
        *end = '\0';
        *o = (struct operand){.reg = -1, .second = -1};
        if (*text == '[' || *text == '{') {
            text[strcspn(text, "]}")] = '\0';
            if (*text == '[')
                read_address(p, o, text + 1);
            else
                read_list(p, o, text + 1);
        } else {
            read_name(p, o, text);
        }
        text = next;
    }
}

static void read_instruction(struct program *p, char *text, int line)
{
    if (p->count == INSTRUCTIONS)
        fail("interpreter: the program is too long");
    struct instruction *in = &p->instructions[p->count++];
    *in = (struct instruction){.line = line, .guard = -1};
    if (*text == '@') {
        char *end = strchr(text, ' ');
        *end = '\0';
        in->guard_negated = text[1] == '!';
        in->guard = need_register(p, text + 1 + in->guard_negated);
        text = end + 1;
    }
    char *opcode = text, *operands = text + strcspn(text, " ");
    if (*operands)
        *operands++ = '\0';
    read_opcode(in, opcode);
    read_operands(p, in, operands);
    in->run = interpret_find(in);
}

/* ---- declarations -------------------------------------------------------------------------------------- */

/* ".reg .b32 %r<8>", ".reg .pred %use" */
static void read_registers(struct program *p, const char *text)
{
    char type[8], name[8];
    int count = -1;
    if (sscanf(text, ".reg .%7s %7[^<]<%d>", type, name, &count) < 2)
        fail("interpreter: cannot read %s", text);
    struct type t;
    if (!is_type(type, &t))
        fail("interpreter: no type %s", type);
    for (int i = 0; i < (count < 0 ? 1 : count); i++) {
        if (p->register_count == REGISTERS)
            fail("interpreter: too many registers");
        char *to = p->registers[p->register_count].name;
        if (count < 0)
            snprintf(to, 16, "%s", name);
        else
            snprintf(to, 16, "%.4s%d", name, i % 1000);
        p->registers[p->register_count++].bits = t.bits;
    }
}

static void read_bytes(unsigned char *to, size_t size, const char *text)
{
    for (size_t i = 0; i < size; i++) {
        char *end;
        to[i] = (unsigned char)strtoul(text, &end, 0);
        text = end + strspn(end, ", ");
    }
}

/* ".shared .align 16 .b8 name[64]", ".const .align 16 .b8 name[2] = {1, 2}", ".param .u64 name" */
static void read_variable(struct program *p, const char *text)
{
    char space[8], name[16];
    unsigned size = 8;
    if (sscanf(text, ".%7s .align 16 .b8 %15[^[][%u]", space, name, &size) != 3 &&
        sscanf(text, ".%7s .u64 %15s", space, name) != 2)
        fail("interpreter: cannot read %s", text);
    if (p->variable_count == VARIABLES)
        fail("interpreter: too many variables");
    struct variable *v = &p->variables[p->variable_count++];
    snprintf(v->name, sizeof v->name, "%s", name);
    v->space = strcmp(space, "shared") == 0  ? SHARED
               : strcmp(space, "local") == 0 ? LOCAL
               : strcmp(space, "const") == 0 ? CONST
               : strcmp(space, "param") == 0 ? PARAM
                                             : GLOBAL;
    v->size = size;
    v->offset = p->size[v->space];
    p->size[v->space] += (size + 15) / 16 * 16;
    const char *bytes = strchr(text, '{');
    if (bytes && v->space == CONST && p->size[CONST] <= sizeof p->constants)
        read_bytes(p->constants + v->offset, size, bytes + 1);
}

/* ---- lines --------------------------------------------------------------------------------------------- */

struct label {
    char name[16];
    int at;
};

static void resolve_labels(struct program *p, const struct label *labels, int count)
{
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < p->instructions[i].operand_count; k++) {
            struct operand *o = &p->instructions[i].operands[k];
            int found = 0;
            for (; o->kind == LABEL && found < count && strcmp(labels[found].name, o->label) != 0; found++)
                ;
            if (o->kind == LABEL && found == count)
                fail("interpreter: no label %s", o->label);
            if (o->kind == LABEL)
                o->value = (uint64_t)labels[found].at;
        }
}

void program_read(struct program *p, const char *text)
{
    static struct label labels[1024];
    int label_count = 0, line = 0;
    char *copy = strdup(text), *rest;
    memset(p, 0, sizeof *p);
    for (char *at = strtok_r(copy, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
        line++;
        at += strspn(at, " ");
        at[strcspn(at, ";")] = '\0';
        size_t length = strlen(at);
        if (strncmp(at, ".reg ", 5) == 0) {
            read_registers(p, at);
        } else if (strncmp(at, ".shared", 7) == 0 || strncmp(at, ".local", 6) == 0 ||
                   strncmp(at, ".const", 6) == 0 || strncmp(at, ".global", 7) == 0 ||
                   strncmp(at, ".param", 6) == 0) {
            at[length - (at[length - 1] == ',')] = '\0';
            read_variable(p, at);
        } else if (length && at[length - 1] == ':') {
            at[length - 1] = '\0';
            if (label_count == 1024)
                fail("interpreter: too many labels");
            labels[label_count].at = p->count;
            snprintf(labels[label_count++].name, sizeof labels[0].name, "%s", at);
        } else if (length && at[0] != '.' && !strchr("(){}", at[0])) {
            read_instruction(p, at, line);
        }
    }
    resolve_labels(p, labels, label_count);
    free(copy);
}
