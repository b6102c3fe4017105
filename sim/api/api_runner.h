/*
 * A thread that does queued work when the program waits for it otherwise than by the API: for a host function that wakes
 * it, for a word in pinned memory. It begins when the host has made no call for a while, and only in programs that have
 * host functions or memory that host and kernels share.
 */
#ifndef SIM_API_RUNNER_H
#define SIM_API_RUNNER_H

/* There is a thread from now on (in this process: a fork has to make its own). */
void api_runner_prepare(void);
/* Work is queued that the host may wait for; may be called by a signal handler. */
void api_runner_wake(void);
/* Both. */
void api_runner_start(void);

#endif
