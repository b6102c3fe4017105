/*
 * How many blocks and warps of each kernel an SM holds, and what limits them.
 *
 *     occupancy [--device NAME] [--block N] [--shared BYTES] [--shared-per-thread BYTES] FILE
 *     occupancy [--device NAME] [...] --registers N        a kernel that takes so many registers per thread
 *     occupancy [--device NAME] --code                     only the compute capability to compile for, as in 90
 *     occupancy [--device NAME] --key                      only the device's short name, as in h100
 *
 * FILE is what nvcc -Xptxas -v printed. --shared and --shared-per-thread: dynamic shared memory, per block and per
 * thread of it, on top of what the kernel declares. --launches FILE: the launches that there are, as the grader's
 * --launches prints them: rows for these instead of a table of block sizes. Exit status: 0, or 2 for arguments that
 * make no sense.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "calculators/device.h"
#include "calculators/launches.h"
#include "calculators/limits.h"
#include "calculators/ptxas.h"

#define MOST_KERNELS 256
#define MOST_SHAPES  256

struct launches {
    struct launch_shape shape[MOST_SHAPES];
    int count;
};

struct request {
    const char *device, *file;
    int block;     /* 0: a table of block sizes */
    int registers; /* -1: from the file */
    long shared, shared_per_thread;
    const char *launches; /* a file, or NULL */
    bool code, key;
};

static int usage(const char *what)
{
    fprintf(
        stderr,
        "%s%soccupancy [--device NAME] [--block N] [--shared BYTES] [--shared-per-thread BYTES] [--launches FILE] "
        "FILE | --registers N | --code | --key\nFILE: what nvcc -Xptxas -v printed\n",
        what, *what ? "\n" : "");
    return 2;
}

/* A whole number from `least` to `most`; -1 otherwise. */
static long number(const char *text, long least, long most)
{
    char *end;
    const long value = strtol(text, &end, 0);
    return *text && !*end && value >= least && value <= most ? value : -1;
}

static bool read_arguments(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                            {"block", required_argument, NULL, 'b'},
                                            {"shared", required_argument, NULL, 's'},
                                            {"shared-per-thread", required_argument, NULL, 't'},
                                            {"launches", required_argument, NULL, 'l'},
                                            {"code", no_argument, NULL, 'c'},
                                            {"key", no_argument, NULL, 'k'},
                                            {"registers", required_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    *request = (struct request){.registers = -1};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        long value = 0;
        switch (c) {
        case 'd': request->device = optarg; break;
        case 'l': request->launches = optarg; break;
        case 'c': request->code = true; break;
        case 'k': request->key = true; break;
        case 'b': request->block = (int)(value = number(optarg, 1, 1024)); break;
        case 'r': request->registers = (int)(value = number(optarg, 1, 255)); break;
        case 's': request->shared = value = number(optarg, 0, 1 << 20); break;
        case 't': request->shared_per_thread = value = number(optarg, 0, 1 << 20); break;
        default: return false;
        }
        if (value < 0)
            return false;
    }
    request->file = optind < argc ? argv[optind] : NULL;
    return request->code || request->key || (request->file != NULL) != (request->registers > 0);
}

static void print_device(const struct sim_profile *p)
{
    const char *const end = strstr(p->name, " (simulated)");
    printf(
        "%.*s, compute capability %d.%d. Each SM has room for\n%d threads (%d warps), %d registers, %zu KB of "
        "shared memory and %d blocks.\n",
        end ? (int)(end - p->name) : 60, p->name, p->cc_major, p->cc_minor, p->threads_per_sm,
        p->threads_per_sm / 32, p->registers_per_sm, p->shared_per_sm / 1024, p->blocks_per_sm);
}

static void print_limit(int blocks)
{
    if (blocks == LIMIT_NONE)
        printf(" %9s", "-");
    else
        printf(" %9d", blocks);
}

static void print_row(const struct sim_profile *profile, const struct ptxas_kernel *kernel, unsigned threads,
                      size_t dynamic)
{
    const size_t shared = kernel->shared_static + dynamic;
    const struct block_limits l = limits_of(profile, kernel->registers, shared, threads);
    printf("  %6u %8zu", threads, shared);
    print_limit(l.threads);
    print_limit(l.registers);
    print_limit(l.shared);
    print_limit(l.slots);
    printf(" %8d %6d %7.1f %%   %s\n", l.blocks, l.blocks * (int)((threads + 31) / 32), 100 * l.occupancy,
           l.blocks == 0 ? "cannot be launched" : l.limiter);
}

/* What one more block per SM would take, where the kernel can give it: fewer registers, or less shared memory. */
static void print_advice(const struct sim_profile *profile, const struct ptxas_kernel *kernel,
                         unsigned threads, size_t dynamic)
{
    const size_t shared = kernel->shared_static + dynamic;
    const struct block_limits l = limits_of(profile, kernel->registers, shared, threads);
    const int more = l.blocks + 1;
    if (more > l.threads || more > l.slots)
        return;
    printf("    For %d blocks per SM:", more);
    if (l.registers < more)
        printf(" at most %d registers per thread (now %d)", limits_registers_for(profile, threads, more),
               kernel->registers);
    if (l.shared < more)
        printf("%s at most %zu bytes of shared memory per block (now %zu)", l.registers < more ? ", and" : "",
               limits_shared_for(profile, threads, more), shared);
    printf(".\n");
}

static void print_head(const struct ptxas_kernel *kernel)
{
    printf("\n%s: %d registers per thread, %zu bytes of static shared memory", kernel->name,
           kernel->registers, kernel->shared_static);
    if (kernel->spill_stores + kernel->spill_loads > 0)
        printf("; spills: %zu bytes stored and %zu loaded per thread", kernel->spill_stores,
               kernel->spill_loads);
    putchar('\n');
}

static void print_columns(void)
{
    printf(
        "                         blocks that each limit allows\n"
        "   block   shared   threads registers    shared    blocks resident  warps occupancy   limited by\n");
}

/* One block size, or a table of them. */
static void print_sizes(const struct sim_profile *profile, const struct request *request,
                        const struct ptxas_kernel *kernel)
{
    print_columns();
    for (unsigned threads = 32; threads <= 1024; threads *= 2) {
        if (request->block > 0)
            threads = (unsigned)request->block;
        const size_t dynamic = (size_t)request->shared + (size_t)request->shared_per_thread * threads;
        print_row(profile, kernel, threads, dynamic);
        if (request->block > 0) {
            print_advice(profile, kernel, threads, dynamic);
            break;
        }
    }
}

/* The launches of kernels[which]. False: there are none. */
static bool print_launches(const struct sim_profile *profile, const struct ptxas_kernel *kernels, int which,
                           const struct launches *launches)
{
    bool found = false;
    for (int i = 0; i < launches->count; i++) {
        const struct launch_shape *shape = &launches->shape[i];
        if (shape->kernel != which)
            continue;
        printf("  as %s launches it:\n", shape->tasks);
        print_columns();
        print_row(profile, &kernels[which], shape->threads, shape->shared_dynamic);
        print_advice(profile, &kernels[which], shape->threads, shape->shared_dynamic);
        found = true;
    }
    return found;
}

static void print_kernel(const struct sim_profile *profile, const struct request *request,
                         const struct ptxas_kernel *kernels, int which, const struct launches *launches)
{
    print_head(&kernels[which]);
    if (print_launches(profile, kernels, which, launches))
        return;
    if (request->launches)
        printf(
            "  No task that is timed launches it. For other block sizes, without dynamic shared memory:\n");
    print_sizes(profile, request, &kernels[which]);
}

/* What ptxas says, or a kernel that has only the registers asked for. -1: the file cannot be read. */
static int read_kernels(const struct request *request, struct ptxas_kernel *kernels)
{
    if (!request->file) {
        kernels[0].registers = request->registers;
        strcpy(kernels[0].name, "a kernel");
        return 1;
    }
    FILE *in = fopen(request->file, "r");
    if (!in)
        return -1;
    const int count = ptxas_read(in, kernels, MOST_KERNELS);
    fclose(in);
    return count;
}

static bool read_launches(const struct request *request, struct launches *launches)
{
    FILE *in = request->launches ? fopen(request->launches, "r") : NULL;
    if (!request->launches)
        return true;
    if (!in)
        return false;
    launches->count = launches_read(in, launches->shape, MOST_SHAPES);
    fclose(in);
    return true;
}

int main(int argc, char **argv)
{
    static struct ptxas_kernel kernels[MOST_KERNELS];
    static struct launches launches;
    struct request request;
    char message[256];
    if (!read_arguments(argc, argv, &request))
        return usage("");
    const struct sim_profile *profile = device_choose(request.device, message);
    if (!profile)
        return usage(message);
    if (request.code || request.key) {
        if (request.code)
            printf("%d\n", sim_profile_code(profile));
        else
            printf("%s\n", profile->key);
        return 0;
    }
    const int count = read_kernels(&request, kernels);
    if (count < 0 || !read_launches(&request, &launches))
        return usage("the file cannot be read");
    if (count == 0)
        return usage("there is no kernel in that file");
    launches_match(launches.shape, launches.count, kernels, count);
    print_device(profile);
    for (int i = 0; i < count; i++)
        print_kernel(profile, &request, kernels, i, &launches);
    return 0;
}
