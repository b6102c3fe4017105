/*
 * The host's own accesses to memory that it shares with the device (pinned, registered, managed), while work that may
 * touch it is queued or the host has not waited for it. Such pages are closed (mprotect); an access of the host is noted
 * by a signal handler, done with the page open, and the page is closed again. So an access that the host may make is only
 * slower, and only while something is under way.
 *
 * Nothing is closed where another part of the program handles SIGSEGV itself (a sanitizer, a debugger's library).
 */
#ifndef SIM_API_PAGES_H
#define SIM_API_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct api_work;

/* Whether the host may have touched, or may still touch, what the work does before it waits for that. */
bool api_pages_wants(const struct api_work *work);
/* How many accesses have been noted so far. */
uint64_t api_pages_noted(void);
/* The work may touch memory that the host can reach: its pages are to be closed … */
void api_pages_watch(const struct api_work *work);
/* … now, until the host has waited for it. */
void api_pages_close(void);
/* All pages are open: the device works. */
void api_pages_open(void);
/* The host has waited for the work: files a hazard for each access before that. */
void api_pages_check(struct api_work *work);
/* Nothing is under way any more. */
void api_pages_forget(void);

#endif
