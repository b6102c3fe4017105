/*
 * A worker process seen from the grader: started when first needed, asked over pipes, killed with
 * all its children when it is late, and started afresh after it died.
 */
#ifndef HARNESS_GRADER_PROCESS_H
#define HARNESS_GRADER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "harness/grader_arena.h"
#include "harness/protocol.h"

#define CAPTURE_SIZE 8192 /* bytes of the program's output that are kept; the rest is counted */

struct capture {
    char text[CAPTURE_SIZE];
    size_t length;
    size_t total;
};

struct process {
    char path[4096]; /* of the worker's executable */
    char model[32];  /* the device that the simulator models, by its key */
    struct arena *arena;
    pid_t pid; /* 0: not running */
    int request_fd, reply_fd, out_fd, err_fd;
    char device[128];
    struct capture out, err; /* of the last exchange */
    uint64_t nonce;
};

enum exchange_outcome {
    EXCHANGE_REPLY,
    EXCHANGE_NO_START, /* the program could not be started, or found no device: see text */
    EXCHANGE_DIED,     /* wait_status says how */
    EXCHANGE_TIMEOUT,  /* killed */
    EXCHANGE_GARBLED,  /* answered nonsense; killed */
};

struct exchange {
    enum exchange_outcome outcome;
    int wait_status;
    double seconds; /* the grader's own clock, from request to answer */
    char text[512];
    char said[2048]; /* the simulator's own lines on stderr, taken out of the program's */
    struct protocol_reply reply;
    struct protocol_mailbox mailbox; /* copied, every string ended and cleaned */
};

/* Set by SIGINT and SIGTERM: exchanges then end early and process_interrupted says so. */
void process_catch_interrupts(void);
bool process_interrupted(void);

void process_init(struct process *process, const char *path, const char *model, struct arena *arena);
void process_stop(struct process *process); /* kills the whole group, waits */

/*
 * Sends `request` (whose head is filled in here) and waits for the answer, at most `timeout`
 * seconds, while the worker's output is read and the progress line moves. Afterwards the worker is
 * either ready for the next request or stopped.
 */
void process_ask(struct process *process, struct protocol_request *request, uint32_t kind, double timeout,
                 struct exchange *exchange);

/* Runs a trusted helper and keeps what it prints: `out`, at most CAPTURE_SIZE bytes.
   Gives its wait status, or -1 if it could not be started or was late. */
int process_run(const char *path, const char *argument, double timeout, struct capture *out);

/* Value of `key` in the "key=value" lines of `text`; false if it is not there. */
bool process_value(const char *text, const char *key, char *value, size_t size);

double process_clock(void); /* monotonic, seconds */

#endif
