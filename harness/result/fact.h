/*
 * What was found out about something that is wrong, as data: from the simulator, the worker, the compiler, launches and
 * changes that were tried. Made once, by whoever sees it; words come last, and nothing is read back out of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "harness/wire/protocol.h"
#include "sim/device/sim.h"

enum fact_kind {
    FACT_TEXT,      /* known in words only */
    FACT_HAZARD,    /* `what`: enum sim_hazard_class, `detail`: enum sim_hazard_detail; name[0]: the array */
    FACT_REMARK,    /* what the host did; `what`: enum sim_remark_kind, `detail`: enum sim_remark_detail */
    FACT_ERROR,     /* of a call or a launch: name[0]: CUDA's name of it */
    FACT_TRAP,      /* a thread came to one */
    FACT_NO_MEMORY, /* the grader or the worker has none */
    FACT_DEVICE_POINTER, /* host code followed one; name[0]: its name, or "" */
    FACT_NO_LAUNCH,      /* no kernel was launched */
    FACT_FEW_BLOCKS,     /* the grid is too small; place[0]: the launch, line 0: not known */
    FACT_MANY_BLOCKS,    /* there are more blocks than elements */
    FACT_NOT_STORED,     /* no thread stores the element */
    FACT_MISSING,        /* an element that belongs to the value is missing in it, or lost on its way */
    FACT_STORED_TWICE,   /* other elements are stored more than once */
    FACT_DOUBLED,        /* an element goes in more than once: value[0] times */
    FACT_NO_VALUE,       /* the value depends on a variable that has none */
    FACT_PARTS,          /* the kernels are right, and so are value[0] parts that are copied back */
    FACT_VALUE,          /* element[0] of name[0] should be value[0] and is value[1] */
    FACT_TRIED,          /* with a change of line place[0] it is right */
    FACT_AFTER_OTHERS,   /* only after other calls: alone the case is right */
    FACT_BY_LUCK, /* right or wrong by luck: that it is right with a change of the program proves nothing */
    FACT_KIND_COUNT
};

enum fact_strength {
    FACT_SEEN,  /* in a run */
    FACT_PROVED /* there is no other way: by the text of the program, or by a run with a change */
};

struct fact {
    enum fact_kind kind;
    enum fact_strength strength;
    uint32_t what, detail, space;     /* space: of a hazard, enum sim_hazard_space */
    bool writes;                      /* the access at place[0] stores */
    struct protocol_place place[2];   /* line 0: none */
    struct protocol_thread thread[2]; /* launch -1 and all 0 where there is none: see `threads` */
    int threads;                      /* of those above */
    int elements;                     /* of these: */
    int64_t element[2];
    double value[2];
    char name[2][128];
};

#define FACTS_MOST 12
#define FACT_LINES 24

struct facts {
    int count;
    struct fact fact[FACTS_MOST];
    /* Lines of the student's file that have to do with it, in the order in which they are told. */
    int line_count, line[FACT_LINES];
};

const char *fact_kind_key(enum fact_kind kind); /* "hazard": for JSON and tests */
const char *fact_detail_key(uint32_t detail);   /* of a hazard: "null-pointer"; "": nothing more is known */
int fact_value_count(enum fact_kind kind);      /* of `value` */
const char *fact_strength_key(enum fact_strength strength);
/* One more, of which nothing but this is set; `place` NULL: none is known. The last one is replaced if there is no room. */
struct fact *fact_add(struct facts *facts, enum fact_kind kind, enum fact_strength strength,
                      const struct protocol_place *place);
/* All of the others, and their lines. */
void fact_add_all(struct facts *facts, const struct facts *others);
/* Of one element, of this array. */
struct fact *fact_add_element(struct facts *facts, enum fact_kind kind, enum fact_strength strength,
                              int64_t element, const char *array);
/* The first of the kind; NULL: there is none. */
const struct fact *fact_find(const struct facts *facts, enum fact_kind kind);
void fact_add_line(struct facts *facts, int line);
/* The line, and those of the calls that lead there. */
void fact_add_lines(struct facts *facts, const struct protocol_place *place);

/* ---- hazards and errors ---- */

bool fact_is_race(uint32_t class);      /* of threads, streams, or with the host */
bool fact_is_unwritten(uint32_t class); /* what is read holds no value yet */
/* Whether the hazard that is told is of this class, or one of these. */
bool fact_is_hazard(const struct facts *facts, enum sim_hazard_class class);
bool fact_is_racing(const struct facts *facts);
bool fact_is_unwritten_read(const struct facts *facts);
void fact_add_hazard(struct facts *facts, const struct protocol_hazard *hazard);
void fact_add_error(struct facts *facts, const char *name); /* "cudaErrorInvalidValue" */
/* What the host fills too late: what is missing where it is needed stands elsewhere. */
bool fact_is_late(uint32_t remark);
bool fact_is_misplaced(const struct facts *facts);
/* With a change of this line it is right. */
void fact_add_tried(struct facts *facts, const char *file, int line);
bool fact_is_error(const struct facts *facts, const char *name);
