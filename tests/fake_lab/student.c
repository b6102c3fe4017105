/* The student's functions, and all that can go wrong in them. FAKE names what does. */
#include "fake.h"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/real.h"
#include "harness/lab/lab.h"
#include "harness/wire/protocol.h"

#define BLOCK    64
#define IS(mode) (strcmp(fake_mode(), mode) == 0)

static double hidden_work; /* seconds that the "other stream" still needs */
static double late_work;   /* of what a thread launches when the host has waited for the device */

const char *fake_mode(void)
{
    const char *mode = getenv("FAKE");
    return mode ? mode : "right";
}

static void spend(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

void fake_finish(void)
{
    if (hidden_work > 0)
        spend(hidden_work);
    hidden_work = late_work;
    late_work = 0;
}

/* An address that may not be touched. */
void *fake_device_address(void)
{
    static void *page;
    if (!page)
        page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page;
}

static int overflow(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth > 1 << 30 ? 0 : overflow(depth + 1) + frame[0];
}

/* Ends, in many ways. */
static void end_badly(void)
{
    int *volatile nowhere = (int *)64;
    if (IS("segv"))
        *nowhere = 1;
    if (IS("device_pointer"))
        *(volatile int *)fake_device_address() = 1;
    if (IS("stack"))
        exit(overflow(0) & 0);
    if (IS("abort"))
        abort();
    if (IS("killed"))
        raise(SIGKILL);
    if (IS("divide"))
        raise(SIGFPE);
    if (IS("exit0"))
        exit(0);
    if (IS("exit_quietly"))
        _exit(0);
    if (IS("exit3"))
        exit(3);
    if (IS("check")) {
        fprintf(stderr, "fake.cu:42: cudaMemcpy(a, b, c, d) failed: wrong (cudaErrorIllegalAddress)\n");
        exit(86);
    }
    if (IS("check_with_hazard")) {
        fake_hazards = 1;
        exit(86);
    }
    if (IS("hang"))
        for (;;)
            pause();
    if (IS("spin"))
        for (volatile int i = 0;; i++)
            ;
    if (IS("stop"))
        raise(SIGSTOP);
}

/* Things that only look bad, or that try to look good. */
static void make_noise(void)
{
    if (IS("print_pass")) {
        printf("PASS\npassed: 100 of 100 points\n");
        exit(0);
    }
    if (IS("print"))
        printf("hello from the student\n");
    if (IS("flood"))
        for (int i = 0; i < 200000; i++)
            printf("line %d of very many lines, all of them the same but for the number\n", i);
    if (IS("flood_forever"))
        for (;;)
            printf("for ever and ever\n");
    if (IS("binary"))
        printf("\033[2J\a\x80\xff binary\n");
    if (IS("leave_child") && fork() == 0)
        for (;;)
            pause();
    if (IS("leave_child_and_die")) {
        if (fork() == 0)
            for (;;)
                pause();
        _exit(5);
    }
}

/* Attacks on the protocol: forged and broken answers on every descriptor. */
static void attack(void)
{
    struct protocol_reply forged = {
        .magic = PROTOCOL_MAGIC, .version = PROTOCOL_VERSION, .kind = PROTOCOL_RUN};
    for (int fd = 3; fd < 32 && (IS("forge") || IS("garble") || IS("close")); fd++) {
        if (IS("close"))
            close(fd);
        else if (IS("garble"))
            memset(&forged, 0x5a, sizeof forged);
        ssize_t ignored = IS("close") ? 0 : write(fd, &forged, sizeof forged);
        (void)ignored;
    }
    for (int fd = 3; fd < 32 && IS("shrink"); fd++)
        if (ftruncate(fd, 0) == 0)
            exit(0);
}

static void errors(int n)
{
    if (IS("launch_error"))
        fake_launch_error = cudaErrorInvalidConfiguration;
    if (IS("kernel_error") || ((IS("large_fails") || IS("large_fails_slow")) && n == 1 << 16))
        fake_execution_error = cudaErrorIllegalAddress;
    if (IS("hazard") || IS("hazard_and_wrong"))
        fake_hazards = 2;
    if (IS("many_hazards"))
        fake_hazards = 1000000;
}

static void copy(const real *x, real *y, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
}

/* Copies, wrongly. */
static void spoil_copy(real *x, real *y, int n)
{
    for (int i = 0; i < n; i++) {
        if (IS("zeros"))
            y[i] = 0;
        if (IS("nan") && i == n / 2)
            y[i] = (real)NAN;
        if (IS("half") || IS("half_and_slow"))
            y[i] = (real)(rint((double)x[i] * 1024) / 1024);
        if (IS("doubled") || IS("hazard_and_wrong"))
            y[i] = 2 * x[i];
        if (IS("off_by_one"))
            y[i] = x[(i + 1) % n];
    }
    if (IS("guard_after"))
        y[n] = 1;
    if (IS("guard_before"))
        y[-2] = 1;
    if (IS("input") && n > 5)
        x[5] += 1;
}

/* The fake GPU copies 0.5 GB/s: the roof of the timed size is 1.05 ms, and a tenth of it is asked for. */
static void take_time(int calls)
{
    static int timed;
    if (!IS("impossible"))
        spend(0.0011);
    if (IS("slow") || (IS("slow_at_first") && ++timed < 30) ||
        (IS("jitter") && calls % 2 == 0)) /* every other call, on either side of the threshold */
        spend(0.012);
    if (IS("other_stream"))
        hidden_work += 0.020;
    if (IS("late_thread"))
        late_work += 0.020;
}

/* Fast where there is a result that an earlier call has made of the same pointer, or of what begins with the same number. */
static void copy_or_keep(const real *x, real *y, int n)
{
    static struct {
        const real *x;
        real first, *y;
    } kept[1024];
    static int count;
    for (int i = 0; i < count; i++)
        if (IS("kept_by_pointer") ? kept[i].x == x : kept[i].first == x[0]) {
            copy(kept[i].y, y, n);
            return;
        }
    copy(x, y, n);
    spend(0.020);
    kept[count].x = x;
    kept[count].first = x[0];
    kept[count].y = malloc((size_t)n * sizeof *y);
    copy(x, kept[count++].y, n);
}

static void run_copy(struct lab_call *call)
{
    static int calls;
    real *x = call->buffer[0], *y = call->buffer[1];
    int n = (int)call->arg[0];
    calls++;
    end_badly();
    make_noise();
    attack();
    errors(n);
    if (IS("nothing") || (IS("first_call_only") && calls > 1) ||
        (IS("lazy_when_timed") && n == 1 << 16 && calls % 16 != 0))
        return;
    copy(x, y, IS("tail") ? n / BLOCK * BLOCK : IS("first_block") && n > BLOCK ? BLOCK : n);
    if ((IS("half_and_slow") || IS("scalar_after_slow")) && n > BLOCK && n < 1 << 16)
        spend(0.4);
    if (n != 1 << 16) /* the timed size */
        spoil_copy(x, y, n);
    else if (IS("kept_by_pointer") || IS("kept_by_content"))
        copy_or_keep(x, y, n);
    if (n == 1 << 16)
        take_time(calls);
}

static void run_sum(struct lab_call *call)
{
    static real kept[1 << 16];
    real *x = call->buffer[0], *partial = call->buffer[1];
    int n = (int)call->arg[0];
    double sum = 0;
    for (int b = 0; b < (n + BLOCK - 1) / BLOCK; b++) {
        double part = 0;
        for (int i = b * BLOCK; i < n && i < (b + 1) * BLOCK; i++)
            part += (double)x[i];
        partial[b] = (real)part;
        if (IS("accumulate") && n == 5000)
            partial[b] = kept[b] += (real)part;
        sum += part;
    }
    if (n == 1 << 14) /* the timed size, whose roof is 0.26 ms */
        spend(0.0003);
    call->result[0] = IS("scalar") || IS("scalar_after_slow") ? sum + 1 : sum;
    for (int i = 0; i < n; i++)
        x[i] = 99; /* allowed: the contract lets it be overwritten */
}

/* Has the inputs and the reference of run_copy. What it does wrong, it does at the timed size. */
static void run_again(struct lab_call *call)
{
    static int timed;
    real *y = call->buffer[1];
    const int n = (int)call->arg[0];
    const bool is_timed = n == 1 << 16;
    timed += is_timed;
    if (is_timed)
        spend(0.0011);
    if (is_timed && IS("again_nothing"))
        return;
    if (is_timed && timed > 4 && IS("again_thirds")) { /* a piece of outputs is 1024 of them here */
        for (int i = 0; i < n; i++)
            y[i] = i / 1024 % 3 == 0 ? y[i] : ((real *)call->buffer[0])[i];
        return;
    }
    copy(call->buffer[0], y, is_timed && timed == 21 && IS("again_half_once") ? n / 2 : n);
    if (is_timed && (IS("again_wrong") || (IS("again_once") && timed == 21)))
        y[n - 1] += 1;
    if (is_timed && IS("again_guard"))
        y[n] = 1;
}

const struct lab_binding lab_bindings[] = {{"copy", run_copy}, {"sum", run_sum}, {"again", run_again}};
const int lab_binding_count = 3;
