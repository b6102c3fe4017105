/*
 * A litmus test: a few threads, a handful of memory operations each, and what may come out of them.
 *
 * The descriptions are in tests/litmus/NAME.litmus (tests/litmus/README.md explains the format). This header is
 * what reads them; execution.h is the memory model; generate.c makes CUDA kernels of them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    THREADS_MAX = 4,
    OPS_MAX = 8, /* per thread */
    LOCATIONS_MAX = 4,
    REGISTERS_MAX = 8,
    CONDITIONS_MAX = 8,
    TERMS_MAX = REGISTERS_MAX + LOCATIONS_MAX,
    TESTS_MAX = 256
};

/* PTX ISA, "Operation types", "Scope". A membar is a fence.sc; a bar is neither strong nor weak. */
enum op_kind { OP_LOAD, OP_STORE, OP_ATOM, OP_RED, OP_FENCE, OP_BAR_SYNC, OP_BAR_ARRIVE, OP_WARP_SYNC };
enum semantics { SEM_WEAK, SEM_VOLATILE, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC };
enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_GPU, SCOPE_SYS };
enum update { UPDATE_ADD, UPDATE_EXCH, UPDATE_CAS };

/* A number, or what a register of the thread holds. */
struct operand {
    bool is_register;
    int number;
};

struct op {
    enum op_kind kind;
    enum semantics semantics;
    enum scope scope;
    enum update update; /* atomics */
    int location;       /* -1: not a memory operation */
    int reg;            /* that it sets; -1: none */
    struct operand value, compare;
    int barrier; /* bar: its number in the description */
    int guard;   /* register that must hold guard_value, or the operation is left out; -1: always done */
    int guard_value;
    bool until; /* a load that is repeated until it gives until_value */
    int until_value;
    int line;      /* in the file */
    char text[64]; /* as it stands there */
};

struct litmus_thread {
    int block, warp, lane;
    int op_count;
    struct op op[OPS_MAX];
};

/* "forbidden a=1 b=0": no execution ends with all of these; "allowed": some execution does. */
struct condition {
    bool allowed;
    int line, count;
    struct {
        bool is_location; /* then `index` numbers a location and `value` is the last one there */
        int index, value;
    } term[TERMS_MAX];
};

struct litmus_test {
    char name[64];
    char file[128];
    int line;
    int thread_count, location_count, register_count, condition_count;
    struct litmus_thread thread[THREADS_MAX];
    char location[LOCATIONS_MAX][8], reg[REGISTERS_MAX][8]; /* names */
    int initial[LOCATIONS_MAX];
    bool shared;                  /* the locations are in shared memory, not in global */
    bool observed[LOCATIONS_MAX]; /* a condition names the location's last value: it is part of outcomes */
    struct condition condition[CONDITIONS_MAX];
    uint32_t races;           /* the locations that are expected to race in some interleaving */
    uint32_t weak_races;      /* those that race only in executions that are no interleaving */
    int blocks, warps, lanes; /* that it takes; lanes: rounded up to a power of two */
};

struct litmus_tests {
    int count;
    struct litmus_test test[TESTS_MAX];
};

/* Adds the tests of the file. What is wrong with it goes to stderr with its line, and ends the program (2). */
void litmus_read(struct litmus_tests *tests, const char *file);
/* The files that the arguments name, or all of tests/litmus/ in the order of their names. */
void litmus_read_all(struct litmus_tests *tests, int count, char **files);

/* ---- outcomes: the registers in order, then the last values of the locations ----------------------------- */

enum { VALUE_NONE = -1 }; /* of a register that nothing has set; of a location that no condition names */

struct outcome {
    int value[TERMS_MAX]; /* [register], [REGISTERS_MAX + location] */
};

bool outcome_equal(const struct outcome *a, const struct outcome *b);
bool outcome_matches(const struct outcome *outcome, const struct condition *condition);
/* "a=1 b=0 x=2", without what nothing has set. */
const char *outcome_text(const struct litmus_test *test, const struct outcome *outcome, char text[128]);
