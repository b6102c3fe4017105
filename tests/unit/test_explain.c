/* Of several hazards, the one to tell. */
#include "test.h"
#include "harness/cause/explain.h"
#include "harness/cause/find.h"
#include "harness/result/grader.h"
#include "sim/hazard/reports.h"

static void add(struct protocol_mailbox *mailbox, const char *name, int here, int there)
{
    struct protocol_hazard *hazard = &mailbox->hazard[mailbox->hazard_count++];

    static const enum sim_hazard_class classes[] = {SIM_HAZARD_OUT_OF_BOUNDS, SIM_HAZARD_UNINITIALIZED,
                                                    SIM_HAZARD_RACE_SHARED, SIM_HAZARD_RACE_GLOBAL,
                                                    SIM_HAZARD_BARRIER};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(sim_hazard_class_name(classes[i]), name) == 0)
            hazard->class = classes[i];
    strcpy(hazard->name, name);
    strcpy(hazard->message, "…");
    hazard->here.line = here;
    hazard->there.line = there;
}

/* The headline for a read of line 12 that found nothing, followed by another hazard. */
static void expect_headline(const char *second, int here, int there, const char *headline, int line)
{
    struct protocol_mailbox *mailbox = calloc(1, sizeof *mailbox);
    struct grader_finding finding = {.reason = REASON_NONE};

    add(mailbox, "read of uninitialized memory", 12, 0);
    add(mailbox, second, here, there);
    assert_true(explain_hazards(mailbox, &finding));
    assert_non_null(strstr(finding.headline, headline));
    assert_int_equal(finding.line, line);
    free(mailbox);
}

TEST(test_race_explains_the_read)
{
    expect_headline("race in shared memory", 12, 10, "race in shared memory", 12);
    expect_headline("race in shared memory", 10, 12, "race in shared memory", 10);
}

TEST(test_other_hazards_do_not)
{
    expect_headline("race in shared memory", 20, 21, "uninitialized", 12);
    expect_headline("access out of bounds", 12, 0, "uninitialized", 12);
}

/* Half of a block does not come to the barrier: races and empty reads follow, in the same kernel. */
TEST(test_barrier_is_told_first)
{
    static const char *const followed[] = {"race in shared memory", "read of uninitialized memory",
                                           "race in global memory"};
    for (size_t i = 0; i < sizeof followed / sizeof *followed; i++) {
        struct protocol_mailbox *mailbox = calloc(1, sizeof *mailbox);
        struct grader_finding finding = {.reason = REASON_NONE};
        add(mailbox, followed[i], 12, 10);
        add(mailbox, "race in shared memory", 30, 12);
        add(mailbox, "barrier misuse", 20, 0);
        strcpy(mailbox->hazard[0].kernel, "tile");
        strcpy(mailbox->hazard[2].kernel, "tile");
        mailbox->hazard[2].parts_threads = true;
        assert_true(explain_hazards(mailbox, &finding));
        assert_int_equal(finding.line, 20);
        strcpy(mailbox->hazard[2].kernel, "other");
        finding = (struct grader_finding){.reason = REASON_NONE};
        assert_true(explain_hazards(mailbox, &finding));
        assert_int_not_equal(finding.line, 20);
        free(mailbox);
    }
}

/* A tile whose second barrier is missing: its rows race within a warp, its columns between warps. */
TEST(test_race_between_warps_is_told)
{
    struct protocol_mailbox *mailbox = calloc(1, sizeof *mailbox);
    struct grader_finding finding = {.reason = REASON_NONE};
    add(mailbox, "race in shared memory", 44, 36);
    mailbox->hazard[0].within_warp = true;
    add(mailbox, "race in shared memory", 20, 21);
    add(mailbox, "race in shared memory", 37, 44);
    assert_true(explain_hazards(mailbox, &finding));
    assert_int_equal(finding.line, 37);
    mailbox->hazard[2].within_warp = true;
    finding = (struct grader_finding){.reason = REASON_NONE};
    assert_true(explain_hazards(mailbox, &finding));
    assert_int_equal(finding.line, 44);
    free(mailbox);
}

/* "1 blocks" becomes shorter; what is told behind a hazard still begins at its first letter. */
TEST(test_consequence_stays_apart)
{
    struct grader_finding finding = {.detail =
                                         "/home/a/x.cu:3: a launch with 1 blocks.\nAfter that: 1 elements\n"};
    finding.consequence = (size_t)(strstr(finding.detail, "After") - finding.detail);
    cause_shorten(&finding, "/home/a/");
    assert_string_equal(finding.detail, "x.cu:3: a launch with 1 block.\nAfter that: 1 element\n");
    assert_string_equal(finding.detail + finding.consequence, "After that: 1 element\n");
}

RUN_ALL
