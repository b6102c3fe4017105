/* Reads one operation of a litmus test: tests/litmus/README.md has the list. */
#include "tests/litmus/read.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void read_fail(const struct reader *r, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "%s:%d: ", r->file, r->line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

/* ---- words ------------------------------------------------------------------------------------------------ */

int read_split(char *text, const char *separators, char **part, int most)
{
    int count = 0;

    for (char *save, *p = strtok_r(text, separators, &save); p; p = strtok_r(NULL, separators, &save)) {
        if (count == most)
            return most + 1;
        part[count++] = p;
    }
    return count;
}

bool read_is_number(const char *word)
{
    return isdigit((unsigned char)word[word[0] == '-']);
}

int read_find_name(char names[][8], int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int add_name(const struct reader *r, char names[][8], int *count, int most, const char *name)
{
    int found = read_find_name(names, *count, name);

    if (found >= 0)
        return found;
    if (*count == most || strlen(name) > 7 || !isalpha((unsigned char)name[0]))
        read_fail(r, "'%s' is one name too many, or none", name);
    strcpy(names[*count], name);
    return (*count)++;
}

/* ---- operations ------------------------------------------------------------------------------------------- */

static int find_word(const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}
#define FIND(word, words) find_word(word, words, sizeof(words) / sizeof *(words))

static const char *const semantics_words[] = {"weak",    "volatile", "relaxed", "acquire",
                                              "release", "acq_rel",  "sc"};
static const char *const scope_words[] = {"", "cta", "gpu", "sys"};
static const char *const update_words[] = {"add", "exch", "cas"};

/* The modifiers of "ld.acquire.gpu", behind the first point. A volatile operation is relaxed at system scope. */
static void read_modifiers(const struct reader *r, struct op *op, char **part, int count)
{
    for (int i = 1; i < count; i++) {
        int semantics = FIND(part[i], semantics_words), scope = FIND(part[i], scope_words);
        int update = FIND(part[i], update_words);

        if (semantics >= 0)
            op->semantics = (enum semantics)semantics;
        else if (scope > 0)
            op->scope = (enum scope)scope;
        else if (update >= 0)
            op->update = (enum update)update;
        else
            read_fail(r, "unknown modifier .%s", part[i]);
    }
    if (op->semantics == SEM_VOLATILE)
        op->scope = SCOPE_SYS;
    if ((op->semantics != SEM_WEAK) != (op->scope != SCOPE_NONE))
        read_fail(r, "a strong operation has a scope, a weak one has none: %s", op->text);
}

static void read_opcode(const struct reader *r, struct op *op, char *word)
{
    static const char *const names[] = {"ld", "st", "atom", "red", "fence"};
    static const char *const membars[] = {"", "membar.cta", "membar.gl", "membar.sys"};
    static const char *const barriers[] = {"bar.sync", "bar.arrive", "warpsync"};
    char *part[5];
    int barrier = FIND(word, barriers), membar = FIND(word, membars);

    if (barrier >= 0) {
        op->kind = OP_BAR_SYNC + barrier;
        return;
    }
    if (membar > 0) {
        op->kind = OP_FENCE, op->semantics = SEM_SC, op->scope = (enum scope)membar;
        return;
    }
    int count = read_split(word, ".", part, 5);
    int kind = count > 0 && count <= 5 ? FIND(part[0], names) : -1;
    if (kind < 0)
        read_fail(r, "unknown operation: %s", op->text);
    op->kind = OP_LOAD + kind;
    read_modifiers(r, op, part, count);
}

static struct operand read_operand(const struct reader *r, const char *word)
{
    if (read_is_number(word))
        return (struct operand){false, atoi(word)};
    int reg = read_find_name(r->test->reg, r->test->register_count, word);
    if (reg < 0)
        read_fail(r, "register %s is not set above", word);
    return (struct operand){true, reg};
}

static int register_named(const struct reader *r, const char *word)
{
    return add_name(r, r->test->reg, &r->test->register_count, REGISTERS_MAX, word);
}

int read_location(const struct reader *r, const char *word)
{
    return add_name(r, r->test->location, &r->test->location_count, LOCATIONS_MAX, word);
}

/* Behind the opcode: "a, x" of a load, "x, 1" of a store, "a, x, 0, 1" of a cas, "x, 1" of a red, "1" of a bar. */
static void read_operands(const struct reader *r, struct op *op, char **word, int count)
{
    static const int wanted[] = {[OP_LOAD] = 2,     [OP_STORE] = 2,      [OP_ATOM] = 3,     [OP_RED] = 2,
                                 [OP_BAR_SYNC] = 1, [OP_BAR_ARRIVE] = 1, [OP_WARP_SYNC] = 0};
    int next = 0;

    if (count != wanted[op->kind] + (op->update == UPDATE_CAS))
        read_fail(r, "too many or too few operands: %s", op->text);
    if (op->kind == OP_BAR_SYNC || op->kind == OP_BAR_ARRIVE)
        op->barrier = atoi(word[0]);
    if (op->kind == OP_LOAD || op->kind == OP_ATOM)
        op->reg = register_named(r, word[next++]);
    if (op->kind <= OP_RED)
        op->location = read_location(r, word[next++]);
    if (op->update == UPDATE_CAS)
        op->compare = read_operand(r, word[next++]);
    if (op->kind == OP_STORE || op->kind == OP_ATOM || op->kind == OP_RED)
        op->value = read_operand(r, word[next]);
}

void read_op(const struct reader *r, struct litmus_thread *thread, char *text)
{
    char *word[10];

    if (thread->op_count == OPS_MAX)
        read_fail(r, "more than %d operations in a thread", OPS_MAX);
    struct op *op = &thread->op[thread->op_count++];
    memset(word, 0, sizeof word);
    *op = (struct op){.location = -1, .reg = -1, .guard = -1, .line = r->line};
    snprintf(op->text, sizeof op->text, "%s", text);
    int count = read_split(text, " ,", word, 10), from = 0;
    if (count < 1 || count > 10)
        read_fail(r, "cannot read this operation: %s", op->text);
    if (strcmp(word[0], "if") == 0) {
        if (count < 5 || strcmp(word[2], "=") != 0)
            read_fail(r, "expected 'if REGISTER = NUMBER OPERATION': %s", op->text);
        op->guard = read_operand(r, word[1]).number;
        op->guard_value = atoi(word[3]);
        from = 4;
    }
    if (count - from > 3 && strcmp(word[count - 2], "until") == 0) {
        op->until = true;
        op->until_value = atoi(word[count - 1]);
        count -= 2;
    }
    read_opcode(r, op, word[from]);
    read_operands(r, op, word + from + 1, count - from - 1);
}
