/* Reads the descriptions of litmus tests: tests/litmus/README.md has the format. */
#include "tests/litmus/litmus.h"

#include <ctype.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *file;
    int line;
    struct litmus_test *test; /* NULL before the first one */
};

__attribute__((format(printf, 2, 3), noreturn)) static void fail(const struct reader *r, const char *format,
                                                                 ...)
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

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Splits at any of the separators; how many parts there are, at most `most`. */
static int split(char *text, const char *separators, char **part, int most)
{
    int count = 0;

    for (char *save, *p = strtok_r(text, separators, &save); p; p = strtok_r(NULL, separators, &save)) {
        if (count == most)
            return most + 1;
        part[count++] = p;
    }
    return count;
}

static bool is_number(const char *word)
{
    return isdigit((unsigned char)word[word[0] == '-']);
}

static int find_name(char names[][8], int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int add_name(const struct reader *r, char names[][8], int *count, int most, const char *name)
{
    int found = find_name(names, *count, name);

    if (found >= 0)
        return found;
    if (*count == most || strlen(name) > 7 || !isalpha((unsigned char)name[0]))
        fail(r, "'%s' is one name too many, or none", name);
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
            fail(r, "unknown modifier .%s", part[i]);
    }
    if (op->semantics == SEM_VOLATILE)
        op->scope = SCOPE_SYS;
    if ((op->semantics != SEM_WEAK) != (op->scope != SCOPE_NONE))
        fail(r, "a strong operation has a scope, a weak one has none: %s", op->text);
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
    int count = split(word, ".", part, 5);
    int kind = count > 0 && count <= 5 ? FIND(part[0], names) : -1;
    if (kind < 0)
        fail(r, "unknown operation: %s", op->text);
    op->kind = OP_LOAD + kind;
    read_modifiers(r, op, part, count);
}

static struct operand read_operand(const struct reader *r, const char *word)
{
    if (is_number(word))
        return (struct operand){false, atoi(word)};
    int reg = find_name(r->test->reg, r->test->register_count, word);
    if (reg < 0)
        fail(r, "register %s is not set above", word);
    return (struct operand){true, reg};
}

static int register_named(const struct reader *r, const char *word)
{
    return add_name(r, r->test->reg, &r->test->register_count, REGISTERS_MAX, word);
}

static int location_named(const struct reader *r, const char *word)
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
        fail(r, "too many or too few operands: %s", op->text);
    if (op->kind == OP_BAR_SYNC || op->kind == OP_BAR_ARRIVE)
        op->barrier = atoi(word[0]);
    if (op->kind == OP_LOAD || op->kind == OP_ATOM)
        op->reg = register_named(r, word[next++]);
    if (op->kind <= OP_RED)
        op->location = location_named(r, word[next++]);
    if (op->update == UPDATE_CAS)
        op->compare = read_operand(r, word[next++]);
    if (op->kind == OP_STORE || op->kind == OP_ATOM || op->kind == OP_RED)
        op->value = read_operand(r, word[next]);
}

/* "[if a = 1] OPCODE OPERANDS [until 1]" */
static void read_op(const struct reader *r, struct litmus_thread *thread, char *text)
{
    char *word[10];

    if (thread->op_count == OPS_MAX)
        fail(r, "more than %d operations in a thread", OPS_MAX);
    struct op *op = &thread->op[thread->op_count++];
    memset(word, 0, sizeof word);
    *op = (struct op){.location = -1, .reg = -1, .guard = -1, .line = r->line};
    snprintf(op->text, sizeof op->text, "%s", text);
    int count = split(text, " ,", word, 10), from = 0;
    if (count < 1 || count > 10)
        fail(r, "cannot read this operation: %s", op->text);
    if (strcmp(word[0], "if") == 0) {
        if (count < 5 || strcmp(word[2], "=") != 0)
            fail(r, "expected 'if REGISTER = NUMBER OPERATION': %s", op->text);
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

/* One row: an operation of each thread, or nothing, between bars. */
static void read_row(const struct reader *r, char *text)
{
    struct litmus_test *test = r->test;

    for (int t = 0; text != NULL; t++) {
        char *bar = strchr(text, '|');
        if (bar)
            *bar = '\0';
        if (t >= test->thread_count)
            fail(r, "more columns than threads");
        text = trim(text);
        if (*text)
            read_op(r, &test->thread[t], text);
        text = bar ? bar + 1 : NULL;
    }
}

/* ---- where the threads are ---------------------------------------------------------------------------------- */

static int power_of_two(int least)
{
    int power = 1;

    while (power < least)
        power *= 2;
    return power;
}

static void count_places(struct litmus_test *test)
{
    int lanes = 0;

    test->blocks = test->warps = 0;
    for (int t = 0; t < test->thread_count; t++) {
        const struct litmus_thread *thread = &test->thread[t];
        test->blocks = thread->block >= test->blocks ? thread->block + 1 : test->blocks;
        test->warps = thread->warp >= test->warps ? thread->warp + 1 : test->warps;
        lanes = thread->lane >= lanes ? thread->lane + 1 : lanes;
    }
    test->lanes = power_of_two(lanes);
}

/* "other blocks", "same block", "same warp", or "blocks 0 0 1": threads of one block are in warps of their own. */
static void read_places(const struct reader *r, char *text)
{
    struct litmus_test *test = r->test;
    char *word[THREADS_MAX + 2];
    int used[THREADS_MAX] = {0};
    int count = split(text, " ", word, THREADS_MAX + 2);
    bool listed = count > 1 && strcmp(word[0], "blocks") == 0;

    if (!listed && (count != 3 || !is_number(word[0])))
        fail(r, "expected 'N other blocks', 'N same block', 'N same warp' or 'blocks 0 0 1'");
    test->thread_count = listed ? count - 1 : atoi(word[0]);
    if (test->thread_count < 1 || test->thread_count > THREADS_MAX)
        fail(r, "1 to %d threads", THREADS_MAX);
    for (int t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->thread[t];
        if (listed)
            thread->block = atoi(word[t + 1]);
        else if (strcmp(word[1], "other") == 0)
            thread->block = t;
        if (thread->block < 0 || thread->block >= THREADS_MAX)
            fail(r, "blocks are numbered from 0 to %d", THREADS_MAX - 1);
        if (!listed && strcmp(word[2], "warp") == 0)
            thread->lane = t;
        else
            thread->warp = used[thread->block]++;
    }
    count_places(test);
}

/* ---- one line ----------------------------------------------------------------------------------------------- */

/* "NAME: PLACES[, shared]" */
static void read_head(struct reader *r, struct litmus_tests *tests, char *text)
{
    char *colon = strrchr(text, ':');

    if (tests->count == TESTS_MAX || !colon)
        fail(r, "expected 'test NAME: PLACES', and at most %d tests", TESTS_MAX);
    *colon = '\0';
    for (int i = 0; i < tests->count; i++)
        if (strcmp(tests->test[i].name, text) == 0)
            fail(r, "there is another test %s", text);
    r->test = &tests->test[tests->count++];
    *r->test = (struct litmus_test){.line = r->line};
    snprintf(r->test->name, sizeof r->test->name, "%s", text);
    snprintf(r->test->file, sizeof r->test->file, "%s", r->file);
    char *comma = strchr(colon + 1, ',');
    if (comma) {
        *comma = '\0';
        r->test->shared = strcmp(trim(comma + 1), "shared") == 0;
        if (!r->test->shared)
            fail(r, "expected 'shared'");
    }
    read_places(r, colon + 1);
}

/* "a=1 b=0 x=2" */
static void read_condition(const struct reader *r, bool allowed, char *text)
{
    struct litmus_test *test = r->test;
    char *word[TERMS_MAX];
    int count = split(text, " ", word, TERMS_MAX);

    if (test->condition_count == CONDITIONS_MAX || count > TERMS_MAX)
        fail(r, "too many conditions or terms");
    struct condition *condition = &test->condition[test->condition_count++];
    *condition = (struct condition){.allowed = allowed, .line = r->line, .count = count};
    for (int i = 0; i < count; i++) {
        char *equals = strchr(word[i], '=');
        if (!equals)
            fail(r, "expected NAME=NUMBER, not %s", word[i]);
        *equals = '\0';
        int reg = find_name(test->reg, test->register_count, word[i]);
        int location = find_name(test->location, test->location_count, word[i]);
        if (reg < 0 && location < 0)
            fail(r, "there is no register or location %s", word[i]);
        condition->term[i].is_location = reg < 0;
        condition->term[i].index = reg < 0 ? location : reg;
        condition->term[i].value = atoi(equals + 1);
        if (reg < 0)
            test->observed[location] = true;
    }
}

static uint32_t read_locations(const struct reader *r, char *text)
{
    char *word[LOCATIONS_MAX];
    int count = split(text, " ", word, LOCATIONS_MAX);
    uint32_t set = 0;

    if (count == 1 && strcmp(word[0], "none") == 0)
        return 0;
    for (int i = 0; i < count; i++) {
        int location = find_name(r->test->location, r->test->location_count, word[i]);
        if (location < 0)
            fail(r, "there is no location %s", word[i]);
        set |= 1u << location;
    }
    return set;
}

static void read_initial(const struct reader *r, char *text)
{
    char *equals = strchr(text, '=');

    if (!equals)
        fail(r, "expected init NAME=NUMBER");
    *equals = '\0';
    r->test->initial[location_named(r, trim(text))] = atoi(equals + 1);
}

static bool begins(char **text, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0 || (*text)[length] != ' ')
        return false;
    *text = trim(*text + length);
    return true;
}

static void read_line(struct reader *r, struct litmus_tests *tests, char *line)
{
    bool row = isspace((unsigned char)line[0]);
    char *text = trim(line);

    if (*text == '\0' || *text == '#')
        return;
    if (!row && begins(&text, "test"))
        read_head(r, tests, text);
    else if (!r->test)
        fail(r, "expected 'test NAME: PLACES'");
    else if (row)
        read_row(r, text);
    else if (begins(&text, "init"))
        read_initial(r, text);
    else if (begins(&text, "forbidden"))
        read_condition(r, false, text);
    else if (begins(&text, "allowed"))
        read_condition(r, true, text);
    else if (begins(&text, "races"))
        r->test->races = read_locations(r, text);
    else if (begins(&text, "weak races"))
        r->test->weak_races = read_locations(r, text);
    else if (!begins(&text, "why"))
        fail(r, "cannot read this line: %s", text);
}

void litmus_read(struct litmus_tests *tests, const char *file)
{
    struct reader r = {.file = file};
    char line[512];
    FILE *source = fopen(file, "r");

    if (!source) {
        perror(file);
        exit(2);
    }
    while (fgets(line, sizeof line, source)) {
        r.line++;
        read_line(&r, tests, line);
    }
    fclose(source);
}

void litmus_read_all(struct litmus_tests *tests, int count, char **files)
{
    glob_t found;

    tests->count = 0;
    for (int i = 0; i < count; i++)
        litmus_read(tests, files[i]);
    if (count > 0)
        return;
    if (glob("tests/litmus/*.litmus", 0, NULL, &found) != 0) {
        fputs("there is no tests/litmus/*.litmus here: run this in the repository's root\n", stderr);
        exit(2);
    }
    for (size_t i = 0; i < found.gl_pathc; i++)
        litmus_read(tests, found.gl_pathv[i]);
    globfree(&found);
}

/* ---- outcomes ----------------------------------------------------------------------------------------------- */

bool outcome_equal(const struct outcome *a, const struct outcome *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool outcome_matches(const struct outcome *outcome, const struct condition *condition)
{
    for (int i = 0; i < condition->count; i++) {
        int index = condition->term[i].index + (condition->term[i].is_location ? REGISTERS_MAX : 0);
        if (outcome->value[index] != condition->term[i].value)
            return false;
    }
    return true;
}

const char *outcome_text(const struct litmus_test *test, const struct outcome *outcome, char text[128])
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < TERMS_MAX; i++) {
        bool is_register = i < REGISTERS_MAX;
        const char *name = is_register ? test->reg[i] : test->location[i - REGISTERS_MAX];
        if (outcome->value[i] != VALUE_NONE)
            length += (size_t)snprintf(text + length, 128 - length, "%s%s=%d", length ? " " : "", name,
                                       outcome->value[i]);
    }
    return text;
}
