/*
 * What the grader (trusted) and a worker (which runs the student's code) say to each other.
 *
 * The grader owns an arena of shared memory: a mailbox at offset 0, then slots, one a buffer. It
 * writes inputs into slots and sends one request over a pipe; the worker copies the slots into
 * buffers of its own, calls the student's function, copies everything back, and sends one reply.
 * Messages have a fixed size, a magic number, a version and a nonce that the reply repeats. The
 * grader believes nothing that it reads here: numbers are checked, strings are cut and cleaned.
 */
#ifndef HARNESS_PROTOCOL_H
#define HARNESS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/lab/binding.h"
#include "sim/model/sm.h"

#define PROTOCOL_MAGIC         0x4c414267u
#define PROTOCOL_VERSION       20u
#define PROTOCOL_MAX_SETS      32  /* input sets that a timed task rotates through */
#define PROTOCOL_MAX_HAZARDS   12  /* that are handed over; more are counted */
#define PROTOCOL_MAX_LINES     16  /* source lines with counters */
#define PROTOCOL_MAX_ORIGINS   5   /* elements whose origin is asked for at a time */
#define PROTOCOL_MAX_SOURCES   384 /* that are handed over of one of them; more are counted */
#define PROTOCOL_MAX_PLACES    32
#define PROTOCOL_MAX_NEEDS     96
#define PROTOCOL_MAX_PARTS     512 /* words of 8 bytes of what was copied back that are handed over */
#define PROTOCOL_MAX_QUESTIONS 2   /* accesses that are asked for at a time */
#define PROTOCOL_MAX_TRACES    4
#define PROTOCOL_MAX_TRACED    544 /* steps of a trace that are handed over */
#define PROTOCOL_MAX_STORES    8
#define PROTOCOL_MAX_STEPS     4
#define PROTOCOL_MAX_PATH      10
#define PROTOCOL_MAX_LAUNCHES  8
#define PROTOCOL_MAX_SHAPES    16
#define PROTOCOL_MAX_SAMPLES   256
#define PROTOCOL_PLACES        3 /* where the largest element is tried */
#define PROTOCOL_MAX_REMARKS   4
#define PROTOCOL_MAX_SEEN      8
#define PROTOCOL_PAGE          4096u /* slots and the mailbox are aligned to this */

enum protocol_request_kind {
    PROTOCOL_RUN = 1, /* copy in, call once, copy out */
    PROTOCOL_PREPARE, /* upload the slots as input set `set` and keep it; in its own memory if there is one */
    PROTOCOL_ROUND, /* deal out the sets' places, restore and poison each, then time one call on each (events) */
    PROTOCOL_FETCH,   /* copy the buffers of set `set` back into the slots */
    PROTOCOL_BATCH,   /* `runs` calls in turn over the sets, no events; reply when all is done */
    PROTOCOL_RELEASE, /* free all sets */
    PROTOCOL_MODEL, /* simulator: call once on buffers of `full` bytes each, of large grids run a sample only */
    PROTOCOL_TRY,   /* simulator: as RUN, in a copy of the process, changed or not */
    PROTOCOL_QUIT,
    PROTOCOL_HELLO, /* never sent: the kind of the worker's first reply */
};

/* Of a call at full size: a sample of the blocks is run; or all, and no time is modeled; or all by the device apart alone. */
enum protocol_whole { PROTOCOL_SAMPLE, PROTOCOL_ALL, PROTOCOL_ALL_APART };

enum protocol_role { PROTOCOL_IN, PROTOCOL_INOUT, PROTOCOL_OUT }; /* as enum lab_role */

struct protocol_buffer {
    char name[32];
    uint64_t offset; /* of the slot in the arena: guard, data, guard */
    uint64_t bytes;  /* of the data */
    uint64_t guard;  /* bytes before the data and after it; 0 on the simulator's device memory */
    uint32_t role;
    uint32_t on_host;
    uint32_t poison;  /* the byte that fills an OUT buffer beforehand */
    uint32_t element; /* bytes of one */
    uint64_t full; /* MODEL: bytes of the buffer; the slot's data is repeated in it. Nothing is copied back */
};

/* MODEL: what is put in the place request.largest_at, as a `real` and as a key. */
#define PROTOCOL_LARGEST_REAL 1e30f
#define PROTOCOL_LARGEST_KEY  UINT32_MAX

#define PROTOCOL_COPIED_BACK UINT32_MAX

/* An element of a buffer, or (buffer PROTOCOL_COPIED_BACK) all that was copied to the host last, at most 1 MiB. */
struct protocol_element {
    uint32_t buffer, size;           /* bytes */
    uint64_t offset;                 /* in bytes, of the buffer's data */
    uint32_t need_count, needs_more; /* needs_more: there are others that found no room */
    struct protocol_need {           /* what it should be made of, as in struct lab_need, in bytes */
        uint32_t buffer, size;
        int64_t first, count, stride;
    } need[PROTOCOL_MAX_NEEDS];
};

struct protocol_place {
    char file[192];
    int32_t line;                 /* 0: unknown */
    int32_t call_line, from_line; /* in the same file: as in struct sim_origin_place; else 0 */
};

struct protocol_thread {
    int32_t launch; /* of the call, from 0 */
    uint32_t block[3], thread[3];
};

/* What did the lanes of a warp access at this line? See struct sim_origin_question. */
struct protocol_question {
    struct protocol_place place;
    struct protocol_thread thread; /* its launch: -1: any */
    uint32_t has_thread, is_shared, loads, stores;
    int32_t buffer; /* `address` is an offset in its data; -1: it is an address, or shared memory's offset */
    uint64_t address;
};

/* What did a warp do, step by step, or (has_thread 0) all warps? See struct sim_origin_filter. */
struct protocol_filter {
    uint32_t wanted; /* 1 + enum sim_origin_traced_kind; 0: nothing */
    uint32_t has_thread;
    struct protocol_thread thread; /* its launch does not matter */
};

struct protocol_request {
    uint32_t magic, version;
    uint64_t nonce;
    uint32_t kind;
    uint32_t buffer_count;
    char task[32]; /* lab_binding.task */
    int64_t arg[LAB_MAX_ARGS];
    struct protocol_buffer buffer[LAB_MAX_BUFFERS];
    uint32_t set;
    uint32_t runs; /* BATCH: calls; FETCH: 1 for every buffer, 0 for the outputs only */
    /* FETCH, outputs only: which of their pieces, see harness/lab/pieces.h; 0: all. ROUND: which places. RUN: see changed_read */
    uint64_t draw;
    uint32_t hazards, counters; /* simulator: look for hazards, count */
    uint64_t instruction_limit; /* simulator: warp instructions per launch; 0: none */
    double processor_limit;     /* TRY: seconds of processor time, of two at most; 0: two */
    uint64_t schedule_seed;     /* simulator */
    uint32_t choice;       /* TRY: which of the changed copies of the source, from 1; 0: there is only one */
    uint32_t undisturbed;  /* simulator: see struct sim_config */
    uint64_t sample_work;  /* MODEL, simulator: see struct sim_config; 0: the usual */
    int32_t watched;       /* TRY, with counters: a line whose accesses of memory are counted; 0: none */
    uint32_t whole;        /* MODEL: enum protocol_whole */
    uint64_t changed_read; /* RUN, simulator: see struct sim_config; if not 0, what kernels print is lost */
    uint32_t elsewhere;    /* RUN: the buffers lie in other memory than those of the call before */
    uint64_t secret;       /* MODEL, device apart: what blocks and elements of a sample are drawn from */
    uint32_t
        gathered; /* MODEL, device apart: what buffer 0 holds, 1 + enum lab_type; 0: what is read of it is not asked */
    uint64_t
        largest_at; /* … 1 + where it holds the largest number of its type, beside what is repeated; 0: nowhere */
    uint32_t origin_count, question_count;
    struct protocol_element origin[PROTOCOL_MAX_ORIGINS];      /* simulator, RUN: where do they come from? */
    struct protocol_question question[PROTOCOL_MAX_QUESTIONS]; /* simulator, RUN */
    struct protocol_filter trace[PROTOCOL_MAX_TRACES];         /* simulator, RUN */
};

enum protocol_status {
    PROTOCOL_OK,
    PROTOCOL_NO_TASK,   /* binding.c has no such row */
    PROTOCOL_NO_MEMORY, /* the worker could not allocate or fill the buffers */
    PROTOCOL_LAUNCH,    /* cudaGetLastError after the student's function returned */
    PROTOCOL_EXECUTION, /* cudaDeviceSynchronize after it */
    PROTOCOL_COPY_BACK, /* the results could not be fetched */
};

struct protocol_reply {
    uint32_t magic, version;
    uint64_t nonce;
    uint32_t kind; /* of the request; PROTOCOL_HELLO for the first */
    uint32_t status;
    int32_t error;       /* cudaError_t */
    uint32_t real_bytes; /* sizeof(real) in the worker */
    char error_name[64];
    char error_text[160];
    double result[LAB_MAX_RESULTS];
    double milliseconds[PROTOCOL_MAX_SETS]; /* PROTOCOL_ROUND: event time of each set's call */
};

/* See struct sim_attendance. */
struct protocol_attendance {
    uint32_t threads, warp, named, reserved;
    uint32_t here[32], there[32], ended[32];
};

struct protocol_hazard {
    char name[48]; /* "race in shared memory" */
    char message[1024];
    struct protocol_place here, there;
    struct protocol_thread here_thread, there_thread; /* of no launch */
    uint64_t address;
    /* See struct sim_hazard; enum sim_hazard_class, _detail and _space. */
    uint32_t class, detail, space, writes;
    uint32_t there_writes, reserved; /* the other access of a race */
    uint16_t advice, advice_bytes;
    char array[80], object[96];
    bool within_warp, parts_threads;
    char kernel[64]; /* cut off */
    uint64_t count;
    struct protocol_attendance attendance;
};

/* A few of the simulator's counters, see struct sim_counters. */
struct protocol_counters {
    uint64_t launches, warp_instructions, thread_instructions;
    uint64_t branches, divergent_branches;
    uint64_t exchanges;
    uint64_t load_requests, load_sectors, load_sectors_ideal;
    uint64_t store_requests, store_sectors, store_sectors_ideal;
    uint64_t atomic_sectors;
    uint64_t shared_requests, shared_wavefronts, shared_wavefronts_ideal;
};

struct protocol_line {
    struct protocol_place place;
    struct protocol_counters counts;
};

/* Where a value came from, as sim/origin/origin.h has it: numbers only, the grader makes the words. */

/* Things of one kind that went into the value: elements of a buffer at equal distances, or one of another kind. */
struct protocol_source {
    uint32_t kind;    /* enum sim_origin_kind */
    int32_t buffer;   /* memory of the call's buffers, else -1 */
    int64_t offset;   /* buffer >= 0: of the first, in bytes of the buffer's data; else an address */
    int64_t distance; /* from one to the next, in bytes */
    uint64_t count, bits;
    uint32_t size, times, minus, index_times, index_uses, runs, ways;
    uint16_t has_second; /* another thread or line read the first one, too */
    uint16_t mixed;      /* the others may be read at other places */
    /* In protocol_origin.place; the last one: not known. */
    uint16_t place, second_place, minus_place, crossed, used;
    struct protocol_thread thread, second; /* of the first */
    char name[24];                         /* of the variable, where it is none of the call's buffers */
};

struct protocol_store {
    struct protocol_place place;
    struct protocol_thread thread;
    uint32_t is_atomic, index_uses, runs, goes_in;
    char instruction[48]; /* "atom.global.max.s32" */
};

/* Why nothing loads or stores an element: see struct sim_origin_absence. Addresses are bytes of the buffer's data. */
struct protocol_absence {
    uint32_t why, buffer;
    int64_t wanted; /* offset of the element */
    struct protocol_place place, guard;
    struct protocol_thread near;
    int64_t near_offset;
    uint32_t several, reserved; /* several: as in struct sim_origin_absence */
    struct protocol_place
        lost; /* DONE: the last that had to do with it, see struct sim_origin_lost; line 0: not known */
    uint32_t lost_stores, lost_refused;
};

struct protocol_step {
    uint32_t note, reserved; /* enum sim_origin_note */
    struct protocol_place place;
};

/*
 * A variable of the device of which the value depends on bytes that nothing had stored to in this call, and what the
 * host did before the launch that reads them. Lines are 0 for what did not happen.
 */
struct protocol_unset {
    char name[64];
    uint64_t offset, bytes, size; /* of the bytes that are read, and of the whole variable */
    uint32_t is_constant, is_zero;
    struct protocol_place read;
};

struct protocol_origin {
    uint32_t known, incomplete;
    struct protocol_unset unset;  /* size 0: there is none */
    struct protocol_place copied; /* COPIED_BACK: where; known 0: nothing was */
    uint64_t store_count;
    struct protocol_store
        store[PROTOCOL_MAX_STORES]; /* the last ones, newest first; at its end the very first one */
    uint32_t source_count;          /* all; the first PROTOCOL_MAX_SOURCES are below */
    uint32_t step_count;
    struct protocol_source source[PROTOCOL_MAX_SOURCES];
    struct protocol_step step[PROTOCOL_MAX_STEPS];
    uint32_t path_count, reserved2;
    struct protocol_place
        path[PROTOCOL_MAX_PATH]; /* lines through which the value went, the last one first */
    struct protocol_place place[PROTOCOL_MAX_PLACES];
    /* The first element that it needs and that did not go into it; or, if it was not stored, the element itself. */
    struct protocol_absence absence;
    struct protocol_place computed;                          /* as in struct sim_origin */
    struct protocol_place fork_made, fork_use[2], fork_join; /* as in struct sim_origin_fork */
    struct protocol_thread fork_thread, fork_user[2], fork_joiner;
    uint32_t fork_itself, fork_shuffled, reserved;
    uint64_t copied_bytes, parts[PROTOCOL_MAX_PARTS]; /* COPIED_BACK: how many bytes, and the first of them */
};

/* Elements of an OUT buffer that several threads stored to: see struct sim_origin_overlap. */
struct protocol_overlap {
    uint64_t count;
    int64_t offset;
    struct protocol_thread thread[2];
    struct protocol_place place[2];
    uint32_t index_uses, reserved; /* of the second store */
};

struct protocol_launch {
    char kernel[96]; /* as in the source */
    uint32_t grid[3], block[3];
    struct protocol_place place; /* of the host's launch */
};

/* See struct sim_shape. */
struct protocol_shape {
    char kernel[256];
    uint32_t grid[3], block[3];
    uint64_t dynamic_shared;
};

/* See struct sim_remark. */
struct protocol_remark {
    uint32_t kind, detail; /* enum sim_remark_kind and _detail */
    struct protocol_place place;
    char name[128];
    char text[512];
};

/* What costs most in the launch that takes longest, as sim/model/waste.h has it. */
struct protocol_waste {
    uint32_t kind, reserved; /* enum sim_waste_kind; 0: not known */
    double seconds;          /* of launch_seconds */
    double launch_seconds;
    double figure[2];
    struct protocol_launch launch;
    struct protocol_place place; /* in the kernel; line 0: it is a matter of the launch */
};

/* Of the launch that takes longest: see struct sim_arithmetic. `flops` of the call: of all its launches. */
#define PROTOCOL_ARITHMETIC_LINES 3
struct protocol_arithmetic {
    double flops, flops_of_launch;
    uint32_t count, reserved;
    double line_flops[PROTOCOL_ARITHMETIC_LINES];
    struct protocol_place line[PROTOCOL_ARITHMETIC_LINES];
};

/* See struct sim_alone; of the launch that takes longest. place.line 0: there is none. */
struct protocol_alone {
    struct protocol_place place;
    double times, share;
    uint32_t threads, each_warp, what, reserved; /* what: enum sim_alone_what */
};

/* See struct sim_habits; of the launch that takes longest. A line of 0: it has none of them. */
struct protocol_habits {
    char kernel[96]; /* as in the source */
    struct protocol_place kept, loads;
    double kept_times;
    double in_flight, behind;
    struct protocol_waste apart;
};

/* The launches of one line of the program: see struct sim_site. */
struct protocol_site {
    uint64_t launches, blocks, idle_blocks;
    uint64_t all_blocks, fewest_blocks, most_blocks;
    double seconds;
    struct protocol_launch launch;
};

/* The answer to a question: see struct sim_origin_lanes. */
struct protocol_lanes {
    uint32_t known, is_store, is_atomic, is_shared, size, lanes, cost, least;
    struct protocol_thread first; /* thread of the warp, in thread[0] its number in the block */
    uint64_t address[32];
};

enum { PROTOCOL_OTHER, PROTOCOL_ACCESS, PROTOCOL_BARRIER, PROTOCOL_SHUFFLE };

/* See struct sim_origin_traced. */
struct protocol_step_done {
    uint32_t what;
    int32_t line; /* of the trace's file; 0: of another one, or not known */
    uint32_t instructions, reserved;
    struct protocol_lanes lanes;
};

/* The answer to a filter. */
struct protocol_trace {
    uint64_t all; /* steps that there were; the first ones are below */
    uint32_t count, reserved;
    char file[192]; /* of the first step that has one */
    struct protocol_step_done step[PROTOCOL_MAX_TRACED];
};

/* TRY: how the call ended in the copy of the process. */
struct protocol_trial {
    uint32_t ended; /* 1: the call came to its end, and outputs are in their slots */
    uint32_t status;
    uint32_t at_limit, reserved; /* at_limit: the call was ended by the instruction limit */
    double processor_seconds;    /* of the copy of the worker, host code included */
    uint64_t accesses;           /* of the line that is watched: requests of warps */
    double result[LAB_MAX_RESULTS];
};

/* An element of an output as the device has left it. */
struct protocol_sample {
    uint32_t buffer;
    uint32_t lonely; /* the one beside it is not stored */
    uint64_t index;
    unsigned char bytes[8]; /* as many as the element has */
};

/* At offset 0 of the arena; cleared by the grader before each request. */
struct protocol_mailbox {
    char device[128];
    uint64_t buffer_address[LAB_MAX_BUFFERS]; /* of the data, as given to the student's function */
    uint64_t fault_address;                   /* of a SIGSEGV or SIGBUS in host code */
    uint32_t fault_seen, fault_in_device_memory;
    struct protocol_place fault_place; /* of the student's code, when it crashed */
    uint32_t fault_in_call;            /* … in a call of the CUDA runtime that begins there */
    uint32_t fault_on_stack;           /* … because the stack has no more room, */
    uint32_t fault_repeats, reserved7; /* … and the function there calls itself again and again */
    uint32_t student_running;          /* 1 while the student's function is on the stack */
    uint32_t hazard_count;             /* all; the first PROTOCOL_MAX_HAZARDS are below */
    struct protocol_hazard hazard[PROTOCOL_MAX_HAZARDS];
    char launch_error[1024];    /* the simulator's account of a launch that failed */
    uint32_t launch_status;     /* … and why: enum sim_status */
    uint32_t trapped;           /* a thread came to a trap, … */
    struct protocol_place trap; /* … here */
    uint32_t line_count, reserved;
    struct protocol_line line[PROTOCOL_MAX_LINES];
    struct protocol_counters counters;
    double model_seconds; /* modeled time of the launches of this request */
    double model_bytes;   /* of the IN buffers that were read, and of the OUT buffers that were stored */
    double model_error;   /* of model_seconds, because a sample was run: standard error, as a part of it */
    double unlike_error;  /* the same, because blocks are unlike those that the time model watched */
    double rough_share;   /* the part of model_seconds that is not modeled from machine code */
    double stored_share;  /* MODEL, device apart: of the bytes of that OUT buffer of which least was stored */
    /* MODEL, device apart: of the elements of buffer 0 that kernels have read; and where the largest of them is */
    double read_sum, read_largest;
    uint64_t read_largest_at, read_at[PROTOCOL_PLACES]; /* read_at: drawn among those that were read */
    uint64_t sampled_blocks;     /* blocks that were run in launches of which a sample was */
    char limiter[64];            /* what holds the kernel back that takes longest, in the model's words */
    struct protocol_waste waste; /* MODEL */
    struct protocol_arithmetic arithmetic; /* MODEL */
    struct protocol_alone alone;           /* MODEL */
    struct protocol_habits habits;         /* MODEL */
    struct sim_sm sm;                      /* MODEL: of the launch that `habits` is of; blocks 0: not known */
    struct protocol_site idle, busy; /* with most idle blocks, and with most launches; place.line 0: none */
    uint32_t shape_count, sample_count; /* MODEL: that are handed over */
    struct protocol_shape shape[PROTOCOL_MAX_SHAPES];
    /* MODEL: some elements, drawn by the device apart; unless all blocks are run, of those that some have stored to */
    struct protocol_sample sample[PROTOCOL_MAX_SAMPLES];
    uint64_t grid_blocks;              /* of the last launch; 0: not known */
    uint32_t blocks_per_sm, sm_count;  /* of it resident at a time, on how many SMs */
    uint64_t print_count;              /* simulator: calls of printf in kernels, */
    struct protocol_place first_print; /* and where the first of them stands */
    uint64_t leaked_bytes;
    uint32_t leaked_count, reserved2;
    char leaked_name[128]; /* the newest of them: "the allocation of student.cu:57 (64 bytes)" */
    uint64_t
        again_count; /* simulator: stores of what another warp's thread had stored to global memory already, */
    struct protocol_place again_place;                 /* and where the first of them stands */
    char again_object[96];                             /* "d_y[3] in global memory" */
    double result[PROTOCOL_MAX_SETS][LAB_MAX_RESULTS]; /* PROTOCOL_ROUND */
    uint32_t remark_count, reserved4;                  /* that are handed over */
    struct protocol_remark remark[PROTOCOL_MAX_REMARKS];
    struct protocol_remark note; /* what is right and takes time for nothing; line 0: nothing is known */
    struct protocol_place
        two_steps; /* an atomic behind which others came in, before the thread wrote the same word */
    int32_t second_step, reserved8; /* again, at this line; two_steps.line 0: there is none */
    struct protocol_place
        float_sum;     /* an atomic that added a real number in global memory; line 0: there is none */
    char changed[160]; /* variables of the device that earlier calls changed: names, with blanks between */
    struct protocol_place stopped; /* where the kernel was launched that stopped; line 0: not known */
    struct protocol_place
        kept; /* device memory that was allocated, while nothing was copied back; line 0: none */
    uint32_t launch_count, reserved3; /* with an origin asked for: all; the first ones are below */
    struct protocol_launch launch[PROTOCOL_MAX_LAUNCHES];
    struct protocol_overlap overlap; /* of the buffer of the first element that was asked for */
    struct protocol_origin origin[PROTOCOL_MAX_ORIGINS];
    struct protocol_lanes answer[PROTOCOL_MAX_QUESTIONS];
    struct protocol_trace trace[PROTOCOL_MAX_TRACES];
    struct protocol_trial trial;
    uint32_t seen_count, reserved6;                /* TRY */
    struct protocol_place seen[PROTOCOL_MAX_SEEN]; /* launches as they stand in the program */
};

/* Where the source lines are kept that any worker of this grading has looked up (sim/text/line_memory.h): zeros at first. */
#define PROTOCOL_LINES_BYTES 65536
uint64_t protocol_lines(void);

/* MODEL: of a slot of so many bytes, these are repeated in a buffer of `full`. */
uint64_t protocol_period(uint64_t bytes, uint64_t full);

/* Where the first slot begins. */
uint64_t protocol_first_slot(void);

/* Bytes that a slot takes in the arena, guards and alignment included. */
uint64_t protocol_slot_bytes(const struct protocol_buffer *buffer);

/* Sets magic, version and kind in a zeroed message. */
void protocol_init_request(struct protocol_request *request, uint32_t kind, uint64_t nonce);
void protocol_init_reply(struct protocol_reply *reply, const struct protocol_request *request);

/* NULL, or what is wrong with a message: not ours, another version, a slot outside the arena … */
const char *protocol_check_request(const struct protocol_request *request, uint64_t arena_bytes);
const char *protocol_check_reply(const struct protocol_reply *reply, uint32_t kind, uint64_t nonce);

/* Cuts a string field at `size`, and cleans it (base/clean.h). For everything that comes from the worker and will be printed. */
void protocol_clean(char *text, size_t size);

/*
 * The same for all of a mailbox: afterwards strings end, counts are no larger than their arrays or fit into an int, a place
 * has no negative line, and a buffer's number with an offset in it is that of a byte of the request's buffers, as far as it
 * is told at all; numbers that cannot be become 0. `request`: what was asked; NULL: nothing was.
 */
void protocol_clean_mailbox(struct protocol_mailbox *mailbox, const struct protocol_request *request);

/* All of `size` bytes, through interruptions. False: end of file or an error. */
bool protocol_write(int fd, const void *data, size_t size);
bool protocol_read(int fd, void *data, size_t size);

#endif
