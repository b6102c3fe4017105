/* What an SM does in time, in spans that grow as time goes on: when there are too many, two become one. */
#include "sim/model/sm.h"

#include <stddef.h>
#include <string.h>

#define FIRST_SPAN 16.0 /* cycles */

/* The rows lie one behind the other: `doing`, `issued`, `bytes`. */
#define ROWS (SIM_SM_DOINGS + 2)
_Static_assert(offsetof(struct sim_sm, bytes) ==
                   offsetof(struct sim_sm, doing) + (ROWS - 1) * SIM_SM_SPANS * sizeof(float),
               "rows side by side");

static float *row_of(struct sim_sm *sm, int row)
{
    return (float *)((char *)sm + offsetof(struct sim_sm, doing)) + row * SIM_SM_SPANS;
}

void sm_begin(struct sim_sm *sm)
{
    memset(sm, 0, sizeof *sm);
    sm->seconds = FIRST_SPAN;
}

static void widen(struct sim_sm *sm)
{
    for (int r = 0; r < ROWS; r++) {
        float *row = row_of(sm, r);
        for (int i = 0; i < SIM_SM_SPANS; i++)
            row[i] = i < SIM_SM_SPANS / 2 ? row[2 * i] + row[2 * i + 1] : 0;
    }
    sm->seconds *= 2;
}

void sm_add(struct sim_sm *sm, float row[SIM_SM_SPANS], double from, double to, double amount)
{
    if (!(to > from))
        return;
    while (to > SIM_SM_SPANS * sm->seconds)
        widen(sm);
    for (int i = (int)(from / sm->seconds); i < SIM_SM_SPANS && i * sm->seconds < to; i++) {
        const double begin = i * sm->seconds, end = begin + sm->seconds;
        row[i] += (float)(amount * ((to < end ? to : end) - (from > begin ? from : begin)));
    }
}

/* A last span that is not whole is left out, unless it is the only one. */
void sm_end(struct sim_sm *sm, double end, double clock_ghz)
{
    const double whole = end / sm->seconds;
    sm->spans = whole < 1 ? 1 : whole > SIM_SM_SPANS ? SIM_SM_SPANS : (int)whole;
    if (whole < 1)
        sm->seconds = end;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < SIM_SM_SPANS; i++)
            row_of(sm, r)[i] = i < sm->spans ? (float)(row_of(sm, r)[i] / sm->seconds) : 0;
    sm->seconds /= clock_ghz * 1e9;
}

double sim_sm_mean(const struct sim_sm *sm, const float row[SIM_SM_SPANS])
{
    double sum = 0;
    for (int i = 0; i < sm->spans; i++)
        sum += (double)row[i];
    return sm->spans > 0 ? sum / sm->spans : 0;
}
