/* common/timer.h: medians and spreads of known times; times of a kernel make sense, modeled or measured. */
#include "common/lab.h"

__global__ void add_up(float *x, int rounds)
{
    float y = x[threadIdx.x];
    for (int r = 0; r < rounds; r++)
        y = y * 0.999f + 0.001f;
    x[threadIdx.x] = y;
}

struct problem {
    float *d_x;
    int rounds, calls;
};

static void work(void *context)
{
    struct problem *problem = (struct problem *)context;
    problem->calls++;
    add_up<<<1, 32>>>(problem->d_x, problem->rounds);
}

static void describe(const char *what, float *milliseconds, int runs)
{
    const struct timing t = timer_describe(milliseconds, runs);
    printf("%s: %d runs, least %g, median %g, most %g, spread %g\n", what, t.runs, t.least, t.median, t.most,
           t.spread);
}

static void known_times(void)
{
    float odd[] = {5, 1, 4, 2, 3}, even[] = {8, 2, 6, 4}, two[] = {3, 1}, one[] = {7};
    float outlier[] = {1, 1, 1000, 1, 1, 1, 1, 1, 1};
    describe("odd", odd, 5);
    describe("even", even, 4);
    describe("two", two, 2);
    describe("one", one, 1);
    describe("none", one, 0);
    describe("one of nine took long", outlier, 9);
}

static const char *yes(bool condition)
{
    return condition ? "yes" : "no";
}

static void kernels(struct problem *problem)
{
    struct timer timer;
    float ms = -1;
    const struct timing some = timer_median(work, problem, 2, 5);
    printf("2 warm-ups and 5 runs: %d calls, %d timed; in order: %s\n", problem->calls, some.runs,
           yes(0 < some.least && some.least <= some.median && some.median <= some.most && some.spread >= 0));
    problem->rounds *= 50;
    printf("more work takes longer: %s\n", yes(timer_median(work, problem, 1, 4).median > some.median));
    problem->calls = 0;
    const struct timing one = timer_median(work, problem, 0, 1), none = timer_median(work, problem, 3, 0);
    printf("one run: %s; no runs: %s; %d calls\n", yes(one.median > 0 && one.spread == 0),
           yes(none.runs == 0 && none.median == 0), problem->calls);

    CHECK(timer_init(&timer));
    const float single = timer_batch(&timer, work, problem, 1), batch = timer_batch(&timer, work, problem, 8);
    printf("a call in a batch costs as much as one, or less: %s\n", yes(batch > 0 && batch < 1.5f * single));
    CHECK(timer_start(&timer));
    CHECK(timer_stop(&timer));
    CHECK(timer_milliseconds(&timer, &ms));
    printf("nothing takes next to nothing: %s\n", yes(ms >= 0 && ms < single));
    CHECK(timer_destroy(&timer));
}

int main(void)
{
    struct problem problem = {NULL, 2000, 0};
    CHECK(cudaMalloc(&problem.d_x, 32 * sizeof(float)));
    CHECK(cudaMemset(problem.d_x, 0, 32 * sizeof(float)));
    known_times();
    kernels(&problem);
    CHECK(cudaFree(problem.d_x));
    return 0;
}
