/* The end of a grading that cannot go on, and the choice between GPU and simulator that two threads wait for. */
#include <pthread.h>

#include "harness/result/score.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t chosen = PTHREAD_COND_INITIALIZER;

void grader_give_up(struct grader *grader, const char *why)
{
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&grader->ending))
        text_set(grader->trouble, sizeof grader->trouble, "%s", why);
    atomic_store(&grader->ending, true);
    pthread_cond_broadcast(&chosen);
    pthread_mutex_unlock(&mutex);
    process_cancel();
}

bool grader_is_ending(const struct grader *grader)
{
    return process_interrupted() || atomic_load(&grader->ending);
}

void grader_wait_for_choice(struct grader *grader)
{
    pthread_mutex_lock(&mutex);
    while (!grader->backend_chosen && !grader_is_ending(grader))
        pthread_cond_wait(&chosen, &mutex);
    pthread_mutex_unlock(&mutex);
}

void grader_choose(struct grader *grader, enum grader_backend backend)
{
    pthread_mutex_lock(&mutex);
    grader->backend = backend;
    grader->backend_chosen = true;
    pthread_cond_broadcast(&chosen);
    pthread_mutex_unlock(&mutex);
}
