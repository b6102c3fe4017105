/*
 * Between the files of the cause: cause/cause.c asks and chooses, the others tell one kind of cause each,
 * cause/text.c has the words that they share.
 */
#ifndef HARNESS_GRADER_CAUSE_INTERNAL_H
#define HARNESS_GRADER_CAUSE_INTERNAL_H

#include "harness/cause/cause.h"

/* How much a cause explains: of several wrong elements the one with the highest is told. */
enum cause_rank {
    CAUSE_NONE,
    CAUSE_FACTS,      /* where it is stored */
    CAUSE_ARITHMETIC, /* all elements are there */
    CAUSE_MISSING,
    CAUSE_DIFFERENCE, /* the error is exactly something that went into it */
    CAUSE_STEP,       /* a conversion */
    CAUSE_ABSENT,     /* an element is missing, or nothing is stored, and it is known why */
    CAUSE_DOUBLED,
    CAUSE_RESET,
    CAUSE_EXTRA,
    CAUSE_INSTEAD, /* one element instead of another */
    CAUSE_STATE,   /* what an earlier call left */
    CAUSE_UNDEFINED,
};

/* One wrong element, and what is known of it. */
struct cause {
    const struct call *call;
    const struct protocol_mailbox *mailbox;
    const struct protocol_origin *origin;
    int buffer;
    int64_t index;
    double want, got;
    bool untouched;      /* it must stay as it was */
    struct facts *facts; /* what is told; NULL: they are not wanted */
    char name[64];       /* "d_y[256]" */
    char *text;
    size_t size;
    const char *source; /* path of the student's file */
    struct protocol_place *place;
    enum cause_rank rank;
};

#define SAY(c, ...) text_append((c)->text, (c)->size, __VA_ARGS__)

/* The origin's things that went into the value. */
#define FOR_SOURCES(s, c)                                                                                    \
    for (const struct protocol_source *s = (c)->origin->source;                                              \
         (size_t)(s - (c)->origin->source) < (c)->origin->source_count &&                                    \
         s < (c)->origin->source + PROTOCOL_MAX_SOURCES;                                                     \
         s++)

/* ---- cause/text.c ------------------------------------------------------------------------------- */

void cause_name_element(const struct call *call, int buffer, int64_t index, char *name, size_t size);
/* "d_x[3]": the element at a byte of the call's buffer */
void cause_name_offset(const struct cause *c, uint32_t buffer, int64_t offset, char *text, size_t size);
/* The launch that the thread belongs to; NULL: not known. */
const struct protocol_launch *cause_launch(const struct cause *c, const struct protocol_thread *thread);
bool cause_is_flat(const uint32_t size[3]);
/*
 * "student.cu:61 (called at line 80)": where the host launches it. gcc may split a function in two, of which one
 * calls the other:
 * such a call, from the launch's own function, is left out.
 */
void cause_name_launched(const struct cause *c, const struct protocol_launch *launch, char *text,
                         size_t size);
/* "thread 5 of block 1", or with all coordinates. */
void cause_name_thread(const struct cause *c, const struct protocol_thread *thread, char *text, size_t size);
/* "student.cu:37", "student.cu:37 (called at line 60)" */
void cause_name_place(const struct cause *c, const struct protocol_place *place, char *text, size_t size);
/* A place of the origin's table. */
const struct protocol_place *cause_place_of(const struct cause *c, uint16_t number);
/* The first place that is given is that of the finding. */
void cause_set_place(struct cause *c, const struct protocol_place *place);
/* "scale<<<3, 256>>>", or with all sizes. */
void cause_name_launch(const struct protocol_launch *launch, char *text, size_t size);
/* "; what is stored is computed at student.cu:37", where that is another line than the store's. */
void cause_say_computed(struct cause *c);
/* The lines that the value passed before it was stored have to do with it; they are too many to be told. */
void cause_keep_path(const struct cause *c);
/*
 * Of an index that leads to the wrong element: why, if that is known.
 */
bool cause_tell_index(struct cause *c, const struct protocol_place *place, uint32_t uses,
                      const struct protocol_thread *thread, bool store);
/* Of the element's index: that the order in which threads come to an atomic operation decides it. */
void cause_tell_arrival(struct cause *c);
/* Whether two kernels stored the element; says so. */
bool cause_tell_overwritten(struct cause *c);
/* ---- cause/elements.c --------------------------------------------------------------------------- */

/* 1: told what is wrong with them; 0: the elements are those that belong to it; -1: not known. */
int cause_tell_elements(struct cause *c);

/* ---- cause/place.c ------------------------------------------------------------------------------ */

/* Whether the element must stay untouched, and was stored to; says so. */
bool cause_tell_untouched(struct cause *c);
/* Whether all that went into the element is what belongs to another one; says so. */
bool cause_say_displaced(struct cause *c);

/* ---- cause/absence.c ---------------------------------------------------------------------------- */

/* The text of the line without its end, fit for a terminal; false: it is not in the student's file. */
bool cause_read_line(const struct cause *c, const struct protocol_place *place, char line[512]);

/* Whether no thread stored the element; says so, and why. */
bool cause_tell_never_stored(struct cause *c);
/* Why the element that is missing was not read, or that it was; false: not known. */
bool cause_tell_not_read(struct cause *c);

/* ---- cause/type.c ------------------------------------------------------------------------------- */

/* Whether the element, a floating-point number, was stored as an integer; says so. */
bool cause_tell_type(struct cause *c);

/* ---- cause/values.c ----------------------------------------------------------------------------- */

bool cause_tell_undefined(struct cause *c);
/* Memory outside of the call's buffers that holds what it held when the call began. `all_right`: nothing else is wrong */
bool cause_tell_state(struct cause *c, bool all_right);
bool cause_tell_steps(struct cause *c);
/* Whether it is NaN, and where that came of numbers that are not; says so. */
bool cause_tell_nan(struct cause *c);
void cause_tell_arithmetic(struct cause *c);
/* Nothing is known of what it should be made of: the facts. */
void cause_tell_facts(struct cause *c);

/* ---- cause/unset.c ------------------------------------------------------------------------------ */

/* Whether the value depends on a variable of the device that this call has not set; says so. */
bool cause_tell_unset(struct cause *c);

/* ---- cause/host.c ------------------------------------------------------------------------------- */

/* All parts that were copied back are made of what they should be: what the host did with them. */
void cause_tell_host(struct cause *c);
/* The host adds elements of its own: whether the result is that of a plain sum, or of a correction with the wrong sign. */
bool cause_tell_host_sum(struct cause *c);

#endif
