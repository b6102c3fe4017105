/*
 * A worker process seen from the grader: started when first needed, asked over pipes, killed with
 * all its children when it is late, and started afresh after it died.
 */
#ifndef HARNESS_GRADER_PROCESS_H
#define HARNESS_GRADER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "harness/base/clock.h"
#include "harness/wire/arena.h"
#include "harness/wire/protocol.h"

#define CAPTURE_SIZE 8192 /* bytes of the program's output that are kept */

struct capture {
    char text[CAPTURE_SIZE];
    size_t length;
};

struct process {
    char path[4096]; /* of the worker's executable */
    char model[32];  /* the device that the simulator models, by its key */
    struct arena *arena;
    pid_t pid;  /* 0: not running */
    bool ready; /* it has said hello */
    int request_fd, reply_fd, out_fd, err_fd;
    char device[128];
    struct capture out, err; /* of the last exchange */
    uint64_t nonce;
    int starts;   /* how often it was started */
    int calls;    /* of the student's functions, since it was started */
    double asked; /* when the last request was sent, */
    bool sent;    /* if it could be */
    /*
     * A worker on the simulator may have a second process, which does the same with a device of its own, without the student's
     * code (worker/device.c): started, asked and stopped with it. NULL: it has none.
     */
    struct process *device_apart;
    const char *
        program; /* of such a process: the worker's executable; of a worker: other PTX than its own; else NULL */
};

enum exchange_outcome {
    EXCHANGE_REPLY,
    EXCHANGE_NO_START, /* the program could not be started, or found no device: see text */
    EXCHANGE_DIED,     /* wait_status says how */
    EXCHANGE_TIMEOUT,  /* killed */
    EXCHANGE_EXCEEDED, /* killed, for what text says */
    EXCHANGE_GARBLED,  /* answered nonsense; killed */
};

#define EXCHANGE_TEXT 512

struct exchange {
    enum exchange_outcome outcome;
    int wait_status;
    double seconds; /* the grader's own clock, from request to answer */
    char text[EXCHANGE_TEXT];
    char said[2048]; /* the simulator's own lines on stderr, taken out of the program's */
    struct protocol_reply reply;
    struct protocol_mailbox
        mailbox; /* copied, every string ended and cleaned; what the device apart knows is from there */
    bool apart;  /* the device apart was asked, too, … */
    char no_device[256]; /* … and what came of it, if it does not answer; "": it did */
};

/* Set by SIGINT and SIGTERM: exchanges then end early and process_interrupted says so. */
void process_catch_interrupts(void);
bool process_interrupted(void);
/* From now on every exchange ends at once, in all threads. */
void process_cancel(void);

void process_init(struct process *process, const char *path, const char *model, struct arena *arena);
void process_kill(struct process *process); /* the whole group */
void process_stop(struct process *process); /* kills it, and waits */
/* Seconds that its main thread, ready to run, has waited for a processor; 0: not known. */
double process_queued(pid_t pid);
/* Stops it; when it is started again, it models this device. */
void process_set_model(struct process *process, const char *model);

/*
 * A worker dies with the thread that started it, at the latest. process_start begins to start it, if it does not run,
 * and does not wait; process_hello waits until it is ready. False, with exchange->text: it could not be started.
 */
bool process_start(struct process *process);
bool process_hello(struct process *process, struct exchange *exchange);

/*
 * Sends `request` (whose head is filled in here) and waits for the answer, at most `timeout`
 * seconds, while the worker's output is read and the progress line moves. Afterwards the worker is
 * either ready for the next request or stopped.
 */
void process_ask(struct process *process, struct protocol_request *request, uint32_t kind, double timeout,
                 struct exchange *exchange);

/* The two halves of process_ask, for a worker that is ready: in between there is time for other work. */
bool process_send(struct process *process, struct protocol_request *request, uint32_t kind);
void process_receive(struct process *process, const struct protocol_request *request, double timeout,
                     struct exchange *exchange);

/*
 * A trusted helper that answers: to a line on its standard input it prints key=value lines and, behind them, the line
 * "end". helper_ask gives what stands before that; false if it ends or is late. It is stopped by
 * helper_stop, and ends by itself when its standard input does.
 */
struct helper {
    pid_t pid; /* 0: not running */
    int in, out;
};
bool helper_start(struct helper *helper, const char *path, const char *argument);
bool helper_ask(struct helper *helper, const char *question, double timeout, struct capture *answer);
void helper_kill(struct helper *helper);
void helper_stop(struct helper *helper); /* kills it, and waits */

/* Value of `key` in the "key=value" lines of `text`; false if it is not there. */
bool process_value(const char *text, const char *key, char *value, size_t size);

#endif
