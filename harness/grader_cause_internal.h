/* Between grader_cause.c, which chooses what to say, grader_cause_elements.c and grader_cause_text.c. */
#ifndef HARNESS_GRADER_CAUSE_INTERNAL_H
#define HARNESS_GRADER_CAUSE_INTERNAL_H

#include "harness/grader_cause.h"

/* One wrong element, and what is known of it. */
struct cause {
    const struct call *call;
    const struct protocol_mailbox *mailbox;
    const struct protocol_origin *origin, *other; /* of this element, and of another one */
    int buffer;
    int64_t index;
    char name[64]; /* "d_y[256]" */
    char *text;
    size_t size;
    struct protocol_place *place;
};

#define SAY(c, ...) text_append((c)->text, (c)->size, __VA_ARGS__)

/* ---- grader_cause_text.c ------------------------------------------------------------------------------- */

void cause_name_element(const struct call *call, int buffer, int64_t index, char *name, size_t size);
/* The launch that the thread belongs to; NULL: not known. */
const struct protocol_launch *cause_launch(const struct cause *c, const struct protocol_thread *thread);
bool cause_is_flat(const uint32_t size[3]);
/* "thread 5 of block 1", or with all coordinates. */
void cause_name_thread(const struct cause *c, const struct protocol_thread *thread, char *text, size_t size);
/* "student.cu:37" */
void cause_name_place(const struct protocol_place *place, char *text, size_t size);
/* The first place that is given is that of the finding. */
void cause_set_place(struct cause *c, const struct protocol_place *place);
/* "scale<<<3, 256>>>", or with all sizes. */
void cause_name_launch(const struct protocol_launch *launch, char *text, size_t size);
/* Says which lines the value passed before it was stored. */
void cause_say_path(struct cause *c);
/*
 * What an index should depend on and does not: the launch has more than one of it, and this thread is not at 0, so
 * that it makes a difference here. NULL: nothing of the kind.
 */
const char *cause_lacking(const struct cause *c, uint32_t uses, const struct protocol_thread *thread);
/* Of an index that leads to the wrong element: why, if that is known. `what`: "reads", "stores". */
void cause_tell_index(struct cause *c, const struct protocol_place *place, uint32_t uses,
                      const struct protocol_thread *thread, const char *what);
/* Whether several threads stored the element, one over the other; says so. */
bool cause_tell_overwritten(struct cause *c);

/* ---- grader_cause_elements.c --------------------------------------------------------------------------- */

/* 1: told what is wrong with them; 0: the elements are those that belong to it; -1: not known. */
int cause_tell_elements(struct cause *c);

#endif
