/* Reads the descriptions of litmus tests: tests/litmus/README.md has the format. */
#include "tests/litmus/read.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return text;
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
            read_fail(r, "more columns than threads");
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
    int count = read_split(text, " ", word, THREADS_MAX + 2);
    bool listed = count > 1 && strcmp(word[0], "blocks") == 0;

    if (!listed && (count != 3 || !read_is_number(word[0])))
        read_fail(r, "expected 'N other blocks', 'N same block', 'N same warp' or 'blocks 0 0 1'");
    test->thread_count = listed ? count - 1 : atoi(word[0]);
    if (test->thread_count < 1 || test->thread_count > THREADS_MAX)
        read_fail(r, "1 to %d threads", THREADS_MAX);
    for (int t = 0; t < test->thread_count; t++) {
        struct litmus_thread *thread = &test->thread[t];
        if (listed)
            thread->block = atoi(word[t + 1]);
        else if (strcmp(word[1], "other") == 0)
            thread->block = t;
        if (thread->block < 0 || thread->block >= THREADS_MAX)
            read_fail(r, "blocks are numbered from 0 to %d", THREADS_MAX - 1);
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
        read_fail(r, "expected 'test NAME: PLACES', and at most %d tests", TESTS_MAX);
    *colon = '\0';
    for (int i = 0; i < tests->count; i++)
        if (strcmp(tests->test[i].name, text) == 0)
            read_fail(r, "there is another test %s", text);
    r->test = &tests->test[tests->count++];
    *r->test = (struct litmus_test){.line = r->line};
    snprintf(r->test->name, sizeof r->test->name, "%s", text);
    snprintf(r->test->file, sizeof r->test->file, "%s", r->file);
    char *comma = strchr(colon + 1, ',');
    if (comma) {
        *comma = '\0';
        r->test->shared = strcmp(trim(comma + 1), "shared") == 0;
        if (!r->test->shared)
            read_fail(r, "expected 'shared'");
    }
    read_places(r, colon + 1);
}

/* "a=1 b=0 x=2" */
static void read_condition(const struct reader *r, bool allowed, char *text)
{
    struct litmus_test *test = r->test;
    char *word[TERMS_MAX];
    int count = read_split(text, " ", word, TERMS_MAX);

    if (test->condition_count == CONDITIONS_MAX || count > TERMS_MAX)
        read_fail(r, "too many conditions or terms");
    struct condition *condition = &test->condition[test->condition_count++];
    *condition = (struct condition){.allowed = allowed, .line = r->line, .count = count};
    for (int i = 0; i < count; i++) {
        char *equals = strchr(word[i], '=');
        if (!equals)
            read_fail(r, "expected NAME=NUMBER, not %s", word[i]);
        *equals = '\0';
        int reg = read_find_name(test->reg, test->register_count, word[i]);
        int location = read_find_name(test->location, test->location_count, word[i]);
        if (reg < 0 && location < 0)
            read_fail(r, "there is no register or location %s", word[i]);
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
    int count = read_split(text, " ", word, LOCATIONS_MAX);
    uint32_t set = 0;

    if (count == 1 && strcmp(word[0], "none") == 0)
        return 0;
    for (int i = 0; i < count; i++) {
        int location = read_find_name(r->test->location, r->test->location_count, word[i]);
        if (location < 0)
            read_fail(r, "there is no location %s", word[i]);
        set |= 1u << location;
    }
    return set;
}

static void read_initial(const struct reader *r, char *text)
{
    char *equals = strchr(text, '=');

    if (!equals)
        read_fail(r, "expected init NAME=NUMBER");
    *equals = '\0';
    r->test->initial[read_location(r, trim(text))] = atoi(equals + 1);
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
        read_fail(r, "expected 'test NAME: PLACES'");
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
        read_fail(r, "cannot read this line: %s", text);
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
