/*
 * Checks what the descriptions of the litmus tests expect against the memory model.
 *
 *     oracle [-v] [FILE...]    all of tests/litmus/, or these; -v: also every outcome and every racing pair
 *
 * Exit: 0 if every expectation holds, 1 if one does not, 2 if something cannot be read.
 */
#include "tests/litmus/verdict.h"

#include <stdio.h>
#include <string.h>

static bool is_possible(const struct verdict *verdict, const struct condition *condition)
{
    for (int i = 0; i < verdict->count; i++)
        if (outcome_matches(&verdict->outcome[i], condition))
            return true;
    return false;
}

static int check_conditions(const struct litmus_test *test, const struct verdict *verdict)
{
    int wrong = 0;

    for (int i = 0; i < test->condition_count; i++) {
        const struct condition *condition = &test->condition[i];
        if (is_possible(verdict, condition) == condition->allowed)
            continue;
        printf("%s:%d: %s: the model %s this\n", test->file, condition->line, test->name,
               condition->allowed ? "forbids" : "allows");
        wrong++;
    }
    return wrong;
}

static const char *locations_text(const struct litmus_test *test, uint32_t set, char text[64])
{
    strcpy(text, set ? "" : " none");
    for (int l = 0; l < test->location_count; l++) {
        if (set >> l & 1) {
            strcat(text, " ");
            strcat(text, test->location[l]);
        }
    }
    return text;
}

static int check_races(const struct litmus_test *test, const struct verdict *verdict)
{
    char expected[64], found[64];
    uint32_t races = race_locations(test, &verdict->interleaved_races);
    uint32_t weak = race_locations(test, &verdict->races) & ~races;
    int wrong = 0;

    if (races != test->races) {
        printf("%s:%d: %s: races%s are expected, but there are%s\n", test->file, test->line, test->name,
               locations_text(test, test->races, expected), locations_text(test, races, found));
        wrong++;
    }
    if (weak != test->weak_races) {
        printf("%s:%d: %s: weak races%s are expected, but there are%s\n", test->file, test->line, test->name,
               locations_text(test, test->weak_races, expected), locations_text(test, weak, found));
        wrong++;
    }
    return wrong;
}

static void show_races(const struct litmus_test *test, const struct verdict *verdict)
{
    for (int a = 0; a < OP_IDS; a++) {
        for (int b = a + 1; b < OP_IDS; b++) {
            if (!(verdict->races.with[a] >> b & 1))
                continue;
            printf("    race: %s (thread %d) and %s (thread %d)%s\n",
                   test->thread[a / OPS_MAX].op[a % OPS_MAX].text, a / OPS_MAX,
                   test->thread[b / OPS_MAX].op[b % OPS_MAX].text, b / OPS_MAX,
                   verdict->interleaved_races.with[a] >> b & 1 ? "" : ", in no interleaving");
        }
    }
}

static void show(const struct litmus_test *test, const struct verdict *verdict)
{
    char text[128];

    printf("%s: %ld candidates, %ld allowed, %ld interleavings\n", test->name, verdict->candidates,
           verdict->executions, verdict->interleavings);
    for (int i = 0; i < verdict->count; i++)
        printf("    %s%s\n", outcome_text(test, &verdict->outcome[i], text),
               verdict->interleaved[i] ? "" : "    (no interleaving)");
    show_races(test, verdict);
}

int main(int count, char **arguments)
{
    static struct litmus_tests tests;
    static struct verdict verdict;
    bool verbose = count > 1 && strcmp(arguments[1], "-v") == 0;
    int wrong = 0, allowed = 0, forbidden = 0, racy = 0;

    litmus_read_all(&tests, count - 1 - verbose, arguments + 1 + verbose);
    for (int i = 0; i < tests.count; i++) {
        const struct litmus_test *test = &tests.test[i];
        verdict_find(test, &verdict);
        wrong += check_conditions(test, &verdict) + check_races(test, &verdict);
        for (int c = 0; c < test->condition_count; c++)
            test->condition[c].allowed ? allowed++ : forbidden++;
        racy += test->races != 0;
        if (verbose)
            show(test, &verdict);
    }
    printf(
        "%d litmus tests, %d of them with races; %d outcomes expected to be allowed and %d forbidden: %d not as "
        "expected\n",
        tests.count, racy, allowed, forbidden, wrong);
    return wrong > 0;
}
