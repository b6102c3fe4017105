/* What is wrong with one call. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/result/fact.h"

enum pattern {
    PATTERN_NONE,
    PATTERN_UNWRITTEN,   /* nothing was written */
    PATTERN_ACCUMULATED, /* result of this call plus that of the one before */
    PATTERN_TAIL,        /* right up to somewhere, then not written */
    PATTERN_ZERO,
    PATTERN_NAN,
    PATTERN_FACTOR, /* a constant factor */
    PATTERN_SHIFTED,
    PATTERN_REVERSED,
    PATTERN_TRANSPOSED,
    PATTERN_PRECISION, /* nearly right */
};

#define PATTERN_WORDS 400

enum grader_reason {
    REASON_NONE,
    REASON_VALUES,    /* outputs or scalar results out of tolerance */
    REASON_GUARD,     /* wrote outside of a buffer */
    REASON_INPUT,     /* changed a read-only input */
    REASON_HAZARD,    /* the simulator saw a race, an access out of bounds … */
    REASON_LAUNCH,    /* a launch failed */
    REASON_EXECUTION, /* a kernel failed */
    REASON_CHECK,     /* CHECK ended the program */
    REASON_EXIT,      /* the program called exit */
    REASON_SIGNAL,    /* the program crashed */
    REASON_TIMEOUT,
    REASON_EXCEEDED,    /* it took more memory or room on the disk than it may */
    REASON_NO_WORK,     /* the results are right, but the device has not computed them */
    REASON_PROTOCOL,    /* the worker answered nonsense */
    REASON_ENVIRONMENT, /* no memory, no device: not the student's fault, nothing was graded */
};
const char *reason_key(enum grader_reason reason); /* "wrong-values": for JSON and tests */

/* How much is known of why a case failed: of several, the one of which most is known is told first. */
enum grader_known {
    KNOWN_WHERE, /* of values: where they come from, at most */
    KNOWN_MORE,
    KNOWN_WHY,   /* what is there instead of what */
    KNOWN_PROVED /* by another run: with a change of the source, without optimization, in another order */
};

/* Why a case failed, in words. */
#define GRADER_SAMPLES 5

struct grader_finding {
    enum grader_reason reason;
    enum pattern pattern;
    struct facts facts;
    double off; /* the largest error that is told with a value */
    char cause
        [1536]; /* lines, as in `detail`; the first one says why. "": not known, the headline says what */
    char headline[512];
    char detail[3072];         /* lines, each ended by a newline */
    char shape[PATTERN_WORDS]; /* of REASON_VALUES, in words; of no use where the value is traced */
    char file[192];            /* "" if no place is known */
    int line, call_line;       /* call_line: where its function is called; 0: not known */
    int buffer;                /* REASON_VALUES: the first wrong element; buffer -1: a returned value */
    int64_t element;
    int64_t sample[GRADER_SAMPLES]; /* wrong elements, the first one first, others spread over all of them */
    double want[GRADER_SAMPLES], got[GRADER_SAMPLES];
    bool untouched[GRADER_SAMPLES]; /* it must stay as it was */
    int sample_count;
    /* One line: the change with which it is right, or why none was found; "": none was looked for. */
    char change[1024];
    enum grader_known known;
    size_t consequence; /* of a hazard: where in `detail` it begins; at its end: there is none */
};
