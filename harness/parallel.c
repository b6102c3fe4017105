#include "harness/parallel.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#define MOST_THREADS 16
#define LEAST_WORK   100000 /* elements that are worth a thread */

struct share {
    void (*part)(void *context, int64_t begin, int64_t end);
    void *context;
    int64_t begin, end;
    pthread_t thread;
    bool started;
};

static void *run_share(void *argument)
{
    const struct share *share = argument;
    share->part(share->context, share->begin, share->end);
    return NULL;
}

static int thread_count(int64_t count)
{
    int64_t threads = sysconf(_SC_NPROCESSORS_ONLN);
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    if (threads > count / LEAST_WORK)
        threads = count / LEAST_WORK;
    return threads < 1 ? 1 : (int)threads;
}

void parallel_for(int64_t count, void (*part)(void *context, int64_t begin, int64_t end), void *context)
{
    struct share shares[MOST_THREADS];
    const int threads = thread_count(count);
    for (int t = 0; t < threads; t++) {
        shares[t] = (struct share){part, context, count * t / threads, count * (t + 1) / threads, 0, false};
        if (t < threads - 1) /* the last share is the caller's own */
            shares[t].started = pthread_create(&shares[t].thread, NULL, run_share, &shares[t]) == 0;
        if (!shares[t].started)
            run_share(&shares[t]);
    }
    for (int t = 0; t < threads; t++)
        if (shares[t].started)
            pthread_join(shares[t].thread, NULL);
}
