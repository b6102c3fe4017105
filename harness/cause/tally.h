/* Which elements of an input went into a wrong value, beside those that should have. */
#ifndef HARNESS_GRADER_CAUSE_TALLY_H
#define HARNESS_GRADER_CAUSE_TALLY_H

#include "harness/cause/internal.h"

/* How often each element of a buffer went into the value, beside how often it should. */
enum { NEEDED = 1, OPTIONAL, LEFT_OUT };

struct tally {
    int buffer;
    bool counted, of_many, any_times; /* as in struct lab_need */
    bool is_factor;                   /* others may be multiplied by 0 */
    bool is_product;                  /* its elements are multiplied by those of another buffer */
    bool by_zero;                     /* what is missing is multiplied by 0 */
    int64_t count;
    uint32_t *got;
    unsigned char *need; /* NEEDED; OPTIONAL: it may go in; LEFT_OUT: of the only row, but not chosen */
    /* Elements. cancelled: of the missing ones, those that are added and subtracted again. */
    int64_t missing, extra, doubled, needed, cancelled;
    int64_t first_missing, first_extra, first_doubled, first_cancelled;
    uint32_t times;   /* of the one doubled first */
    bool all_doubled; /* all that are needed went in equally often */
};

/* Of buffer `buffer`, with `rows` rows of needs. False: out of memory. tally_free releases it in both cases. */
bool tally_make(struct tally *t, const struct cause *c, int buffer, const struct lab_need *need, int rows);
void tally_free(struct tally *t);

/* The source in which the element is; NULL: it did not go in. */
const struct protocol_source *tally_source(const struct cause *c, const struct tally *t, int64_t element);
/* Of an element that is added and subtracted again: says so, and where. */
void cause_say_cancelled(struct cause *c, const struct tally *t);
/* The elements that are missing, or those that do not belong there: "d_x[3], d_x[5], d_x[7] and 9 more". */
void tally_name(const struct cause *c, const struct tally *t, bool missing, char *text, size_t size);

/* ---- cause/sum.c -------------------------------------------------------------------------------- */

/* Two threads, or two lines, read the element. */
void cause_say_readers(struct cause *c, const struct protocol_source *s);
/* What a thread has at one place goes in more than once; `s`: the element in question, or NULL. */
void cause_say_fork(struct cause *c, const struct protocol_source *s);
/* Whether others go in more than once while some are missing; says so. */
bool cause_say_doubled(struct cause *c, const struct tally *t);

#endif
