/*
 * The host's own accesses to memory that it shares with the device (pinned, registered, managed), while work that may
 * touch it is queued or the host has not waited for it. Such pages are closed (mprotect); a signal handler notes an
 * access of the host, lets the one instruction happen with the page open (by the processor's trap flag), and closes
 * it again. So an access that the host may make is only slower, and only while something is under way; after many of
 * them a page stays open, and after very many the range (api_pages_fault.c).
 *
 * Nothing is closed where something else in the program handles SIGSEGV (a sanitizer), or hazards are off.
 */
#ifndef SIM_API_PAGES_H
#define SIM_API_PAGES_H

#include "sim/stream/clock.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct api_work;

/* Bytes that some work may touch, until the host has waited for what the clock covers. */
struct api_page_range {
    uintptr_t first, end;           /* the bytes … */
    uintptr_t page_first, page_end; /* … and the pages that are closed for them */
    int protection;                 /* PROT_NONE, or PROT_READ where the host may read */
    struct stream_clock clock;
    uint16_t *page_accesses; /* by the host, for each page; owned */
    unsigned accesses;       /* of the host, so far */
    bool closed, given_up;
};

/* One access of the host, as the signal handler saw it. */
struct api_host_access {
    uintptr_t address,
        last; /* the first byte of one, or of several side by side by one instruction, and the last one's */
    const void *callers[4]; /* from the instruction outwards, as return addresses; NULL: no more */
    bool is_write;
    bool in_function; /* of a stream */
};

#define API_HOST_ACCESSES 4096

struct api_pages {
    struct api_page_range *ranges;
    unsigned count, room;
    unsigned changing; /* odd while the list changes: the handler of another thread waits */
    bool any_closed;
    uint64_t begin;          /* accesses noted before the last call that queued work: none of them goes on */
    uint64_t function_begin; /* accesses noted before the host function that runs */
    bool in_function;        /* one runs, with pages closed */
    uint64_t noted;          /* accesses since the device was made; the last API_HOST_ACCESSES are kept */
    struct api_host_access accesses[API_HOST_ACCESSES];
};

/* How many accesses have been noted so far. */
uint64_t api_pages_noted(void);
/* Whether the host may have touched, or may still touch, what the work does before it waits for that. */
bool api_pages_wants(const struct api_work *work);
/* The work may touch memory that the host can reach: its pages are to be closed … */
void api_pages_watch(const struct api_work *work);
/* … now, until the host has waited for it. */
void api_pages_close(void);
/* All pages are open: the device works. */
void api_pages_open(void);
/* A host function of a stream runs in between: with pages closed, and what it touches goes to work->touched. */
void api_pages_begin_function(struct api_work *work);
void api_pages_end_function(struct api_work *work);
/* The host has waited for the work: files a hazard for each access before that. */
void api_pages_check(struct api_work *work);
/* The host has waited for more: what no work may touch any more is no longer watched. */
void api_pages_forget(void);
/* Whether the address lies in the program's own code, not in a library's. */
bool api_pages_is_program(const void *address);
/* Where the interrupted host code was, as an access that is noted; `all`: with its callers in any case. */
struct api_host_access api_pages_access(uintptr_t address, void *context, bool all);
/* The line of the program itself: the access may have been made by a function of the C library. */
struct api_source api_pages_source_of(const struct api_host_access *access);
/* SIGSEGV: true if it was such an access, and the program goes on. */
bool api_pages_fault(const siginfo_t *info, void *context);
/* SIGTRAP: the handler. */
void api_pages_stepped(int number, siginfo_t *info, void *context);

#endif
