#include "harness/base/phase.h"

#include <pthread.h>

#include "harness/base/clock.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double seconds[PHASE_COUNT];

const char *phase_name(enum phase phase)
{
    static const char *const names[] = {
        [PHASE_START] = "start",         [PHASE_CALIBRATE] = "calibrate", [PHASE_INPUTS] = "inputs",
        [PHASE_SIMULATOR] = "simulator", [PHASE_CAUSES] = "causes",       [PHASE_TRIALS] = "trials",
        [PHASE_GPU_CASES] = "gpu_cases", [PHASE_JUDGING] = "judging",     [PHASE_TIMING] = "timing",
        [PHASE_FETCHING] = "fetching",   [PHASE_VERIFYING] = "verifying"};
    return names[phase];
}

double phase_add(enum phase phase, double begun)
{
    const double now = process_clock();
    pthread_mutex_lock(&mutex);
    seconds[phase] += now - begun;
    pthread_mutex_unlock(&mutex);
    return now;
}

double phase_seconds(enum phase phase)
{
    pthread_mutex_lock(&mutex);
    const double sum = seconds[phase];
    pthread_mutex_unlock(&mutex);
    return sum;
}
