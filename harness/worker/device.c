/*
 * The simulated device apart from the student's code: a process of the grader's in which nothing of the student's runs but his
 * kernels. `--serve REQUEST REPLY ARENA MODEL RECORD PROGRAM`: it does what the worker has written to RECORD
 * (sim/api/api_record.h), with kernels from the file PROGRAM and inputs from the grader, and answers the requests that the worker
 * answers, too, when a byte behind the request says that the worker has answered. The grader believes what is here: outputs, hazards, counters, modeled time.
 */
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/lab/lab.h"
#include "harness/lab/real.h"
#include "harness/worker/backend.h"
#include "harness/worker/worker.h"
#include "sim/device/sim.h"

static struct {
    char *arena;
    uint64_t arena_bytes;
    struct protocol_mailbox *mailbox;
    struct protocol_request request;
    struct sim_follower *follower;
    FILE *nowhere;
    uint64_t address[LAB_MAX_BUFFERS]; /* of the buffers' data; 0: not told yet */
    char *host[LAB_MAX_BUFFERS];       /* MODEL: what host buffers hold, owned */
    bool is_running;                   /* the student's function: between BUFFERS and END */
    char message[256];
} device;

static bool wrong(const char *what)
{
    snprintf(device.message, sizeof device.message, "%s", what);
    return false;
}

/* ---- buffers ------------------------------------------------------------------------------------------- */

static char *slot_of(int i)
{
    return device.arena + device.request.buffer[i].offset + device.request.buffer[i].guard;
}

static uint64_t size_of(const struct protocol_buffer *spec)
{
    return device.request.kind == PROTOCOL_MODEL ? spec->full : spec->bytes;
}

/* Where the program says that a buffer lies, there must be an allocation of its size, and no other buffer. */
static bool is_buffer(int i)
{
    const struct sim_allocation *found = sim_mem_find(sim_current(), device.address[i]);
    bool is = found && !found->freed && found->address == device.address[i] &&
              found->size == size_of(&device.request.buffer[i]) &&
              sim_mem_is_device(sim_current(), (const void *)(uintptr_t)found->address);
    for (int other = 0; other < i; other++)
        is = is && device.address[other] != device.address[i];
    return is || wrong("a buffer is not where the program says");
}

static bool fill(int i)
{
    const struct protocol_buffer *spec = &device.request.buffer[i];
    void *data = (void *)(uintptr_t)device.address[i];
    if (device.request.kind == PROTOCOL_MODEL)
        return spec->role == PROTOCOL_OUT || spec->bytes == 0 ||
               backend_repeat(data, spec->full, slot_of(i), spec->bytes) ||
               wrong("a buffer cannot be filled");
    if (spec->role == PROTOCOL_OUT) {
        backend_poison(data, (int)spec->poison, spec->bytes);
        return true;
    }
    memcpy(sim_mem_host(sim_current(), device.address[i], spec->bytes), slot_of(i), spec->bytes);
    sim_mem_mark_written(sim_current(), device.address[i], spec->bytes);
    return true;
}

/* The one element that is not repeated: a kernel that leaves a part out would find the largest one in another. */
static bool put_largest(int i)
{
    const uint64_t at = device.request.largest_at - 1, size = device.request.buffer[i].element;
    void *to = sim_mem_host(sim_current(), device.address[i] + at * size, size);
    if (!to)
        return wrong("there is no such element");
    if (device.request.gathered == 1 + LAB_REAL)
        *(real *)to = PROTOCOL_LARGEST_REAL;
    else
        *(uint32_t *)to = PROTOCOL_LARGEST_KEY;
    return true;
}

/* What is only read on the host holds the same there and here. */
static bool know_host(int i)
{
    const struct protocol_buffer *spec = &device.request.buffer[i];
    const uint64_t size = size_of(spec);
    const char *memory = slot_of(i);
    if (spec->role != PROTOCOL_IN || spec->bytes == 0)
        return true;
    if (device.request.kind == PROTOCOL_MODEL) {
        free(device.host[i]);
        if (!(device.host[i] = malloc(size)))
            return wrong("not enough memory");
        for (uint64_t at = 0; at < size; at++)
            device.host[i][at] = memory[at % spec->bytes];
        memory = device.host[i];
    }
    sim_follow_host(device.follower, device.address[i], memory, size);
    return true;
}

static bool take_buffers(const struct sim_mark *mark)
{
    for (uint32_t i = 0; i < device.request.buffer_count; i++) {
        const struct protocol_buffer *spec = &device.request.buffer[i];
        device.address[i] = mark->address[i];
        if (size_of(spec) == 0)
            continue;
        if (spec->on_host ? !know_host((int)i) : !is_buffer((int)i) || !fill((int)i))
            return false;
        if (i == 0 && device.request.largest_at > 0 && !put_largest(0))
            return false;
    }
    return true;
}

static bool give_buffers(void)
{
    for (uint32_t i = 0; i < device.request.buffer_count && device.request.kind == PROTOCOL_RUN; i++) {
        const struct protocol_buffer *spec = &device.request.buffer[i];
        if (spec->on_host || spec->bytes == 0)
            continue;
        if (!is_buffer((int)i))
            return false;
        memcpy(slot_of((int)i), sim_mem_host(sim_current(), device.address[i], spec->bytes), spec->bytes);
    }
    return true;
}

/* ---- samples of results -------------------------------------------------------------------------------- */

#define PROBES  65536
#define SAMPLES 128 /* of one output: of a sixteenth that is wrong, one misses all with probability 3e-4 */

/* SplitMix64: nothing that a kernel could know. */
static uint64_t drawn(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static const void *element_at(int i, uint64_t index)
{
    const uint32_t size = device.request.buffer[i].element;
    return sim_mem_host(sim_current(), device.address[i] + index * size, size);
}

/* What differs from fresh memory, a block has stored that was run. */
static bool is_stored(int i, uint64_t index)
{
    static const unsigned char fresh[8] = {0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5}; /* sim/memory */
    const void *data = element_at(i, index);
    return data && memcmp(data, fresh, device.request.buffer[i].element) != 0;
}

static bool take_sample(int i, uint64_t index, struct protocol_sample *to)
{
    const uint32_t size = device.request.buffer[i].element;
    const uint64_t beside = index ^ 1;
    if (!element_at(i, index) || (device.mailbox->sampled_blocks > 0 && !is_stored(i, index)))
        return false;
    *to = (struct protocol_sample){.buffer = (uint32_t)i, .index = index};
    to->lonely = beside < device.request.buffer[i].full / size && !is_stored(i, beside);
    memcpy(to->bytes, element_at(i, index), size);
    return true;
}

static void give_samples(int i, uint64_t *state)
{
    const struct protocol_buffer *spec = &device.request.buffer[i];
    const uint64_t count = spec->element > 0 && spec->element <= 8 ? spec->full / spec->element : 0;
    int given = 0;
    for (int k = 0; count > 0 && k < PROBES && given < SAMPLES; k++)
        if (device.mailbox->sample_count < PROTOCOL_MAX_SAMPLES &&
            take_sample(i, drawn(state) % count, &device.mailbox->sample[device.mailbox->sample_count])) {
            device.mailbox->sample_count++;
            given++;
        }
}

static void give_all_samples(void)
{
    uint64_t state = device.request.secret;
    device.mailbox->sample_count = 0;
    for (uint32_t i = 0; i < device.request.buffer_count && device.request.kind == PROTOCOL_MODEL; i++)
        if (device.request.buffer[i].role == PROTOCOL_OUT && !device.request.buffer[i].on_host)
            give_samples((int)i, &state);
}

/* ---- bytes that count ---------------------------------------------------------------------------------- */

static double moved(int i, bool is_write)
{
    const double size = (double)size_of(&device.request.buffer[i]);
    const double bytes = (double)sim_mem_moved_bytes(sim_current(), device.address[i], is_write);
    return bytes < size ? bytes : size;
}

/* Of the call's own buffers: what is moved elsewhere, or once more, is no work of the task. */
static void count_bytes(void)
{
    double bytes = 0, stored = 1;
    for (uint32_t i = 0; i < device.request.buffer_count; i++) {
        const struct protocol_buffer *spec = &device.request.buffer[i];
        if (spec->on_host || size_of(spec) == 0)
            continue;
        const double size = (double)size_of(spec), read = moved((int)i, false), changed = moved((int)i, true);
        bytes += spec->role == PROTOCOL_IN ? fmin(read + changed, size) /* by atomic operations, if at all */
                 : spec->role == PROTOCOL_OUT ? changed
                                              : read + changed;
        if (spec->role == PROTOCOL_OUT)
            stored = fmin(stored, changed / size);
    }
    device.mailbox->stored_share = stored;
    device.mailbox->model_bytes = bytes;
}

/* ---- what kernels have read ---------------------------------------------------------------------------- */

#define SECTOR 32

static void gather_sector(uint64_t first, uint64_t end, uint64_t period)
{
    struct protocol_mailbox *to = device.mailbox;
    const bool is_real = device.request.gathered == 1 + LAB_REAL;
    const uint64_t size = device.request.buffer[0].element;
    for (uint64_t at = first; at + size <= end; at += size) {
        const void *element = slot_of(0) + at % period;
        const double value = is_real ? (double)*(const real *)element : (double)*(const uint32_t *)element;
        to->read_sum += value;
        if (value > to->read_largest) {
            to->read_largest = value;
            to->read_largest_at = at / size;
        }
    }
}

/* Each of the sectors read so far is as likely as the others. */
static void draw_place(uint64_t element, uint64_t sectors, uint64_t *state)
{
    for (int i = 0; i < PROTOCOL_PLACES; i++)
        if (drawn(state) % sectors == 0)
            device.mailbox->read_at[i] = element;
}

/* The input's elements, as the grader has them, in the sectors that the last launch has read. */
static void gather(void)
{
    const struct protocol_buffer *input = &device.request.buffer[0];
    const uint64_t size = size_of(input), period = protocol_period(input->bytes, size);
    uint64_t sectors = 0, state = device.request.secret;
    device.mailbox->read_sum = 0;
    device.mailbox->read_largest = -DBL_MAX;
    for (uint64_t word = 0; period > 0 && word * 64 * SECTOR < size; word++)
        for (uint64_t bits = sim_mem_sectors_read(sim_current(), device.address[0], word); bits;
             bits &= bits - 1) {
            const uint64_t first = SECTOR * (64 * word + (uint64_t)__builtin_ctzll(bits));
            gather_sector(first, first + SECTOR < size ? first + SECTOR : size, period);
            draw_place(first / input->element, ++sectors, &state);
        }
}

/* ---- requests ------------------------------------------------------------------------------------------ */

static bool take_mark(const struct sim_mark *mark)
{
    if (mark->number != device.request.nonce)
        return wrong("the program did something between two calls");
    if (device.is_running != (mark->kind == SIM_MARK_END))
        return wrong("the program said that its call begins or ends");
    device.is_running = mark->kind == SIM_MARK_BUFFERS;
    switch (mark->kind) {
    case SIM_MARK_BEGIN:
        backend_begin(&device.request, device.mailbox);
        sim_config(sim_current())->kernel_output = device.nowhere;
        return true;
    case SIM_MARK_BUFFERS: return take_buffers(mark);
    case SIM_MARK_END:
        backend_collect(&device.request, device.mailbox);
        if (device.request.kind == PROTOCOL_MODEL)
            count_bytes();
        if (device.request.gathered)
            gather();
        give_all_samples();
        return give_buffers();
    }
    return false;
}

static bool answer(void)
{
    struct sim_mark mark;
    memset(device.address, 0, sizeof device.address);
    device.is_running = false;
    do {
        if (!sim_follow_to_mark(device.follower, &mark, device.message) || !take_mark(&mark))
            return false;
    } while (mark.kind != SIM_MARK_END);
    return true;
}

/* Where values came from, the worker finds out. */
static bool take_request(int fd)
{
    struct protocol_request *request = &device.request;
    if (!protocol_read(fd, request, sizeof *request) || request->kind == PROTOCOL_QUIT ||
        protocol_check_request(request, device.arena_bytes))
        return false;
    request->origin_count = request->question_count = 0;
    memset(request->trace, 0, sizeof request->trace);
    return true;
}

static bool map_arena(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || (uint64_t)info.st_size < protocol_first_slot())
        return false;
    device.arena_bytes = (uint64_t)info.st_size;
    device.arena = mmap(NULL, device.arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    device.mailbox = (struct protocol_mailbox *)device.arena;
    return device.arena != MAP_FAILED;
}

static bool say_hello(const char *model, int record_fd, int request_fd, const char *program, int reply_fd)
{
    struct protocol_reply reply = {.real_bytes = sizeof(real)};
    protocol_init_reply(&reply, NULL);
    if (backend_open(model, device.message, sizeof device.message))
        device.follower = sim_follow(record_fd, request_fd, program, device.message);
    if (!device.follower) {
        reply.status = PROTOCOL_NO_MEMORY;
        snprintf(reply.error_text, sizeof reply.error_text, "%.150s", device.message);
    }
    backend_share_lines(device.arena + protocol_lines(), PROTOCOL_LINES_BYTES);
    return protocol_write(reply_fd, &reply, sizeof reply) && device.follower;
}

static int serve(int request_fd, int reply_fd, const char *model, int record_fd, const char *program)
{
    device.nowhere = fopen("/dev/null", "w");
    if (!device.nowhere || !say_hello(model, record_fd, request_fd, program, reply_fd))
        return 2;
    dup2(fileno(device.nowhere),
         STDOUT_FILENO); /* a pipe would fill: the grader listens to the worker first */
    dup2(fileno(device.nowhere), STDERR_FILENO);
    while (take_request(request_fd)) {
        struct protocol_reply reply = {0};
        protocol_init_reply(&reply, &device.request);
        char answered;
        const bool known = answer() && protocol_read(request_fd, &answered, 1);
        if (!known) {
            reply.status = PROTOCOL_EXECUTION;
            snprintf(reply.error_text, sizeof reply.error_text, "%.150s", device.message);
        }
        if (!protocol_write(reply_fd, &reply, sizeof reply) || !known)
            return known ? 2 : 0;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "--serve") == 0 && map_arena(atoi(argv[4])))
        return serve(atoi(argv[2]), atoi(argv[3]), argv[5], atoi(argv[6]), argv[7]);
    fprintf(stderr, "This is the part of the grader that simulates the device; start ./grader instead.\n");
    return 2;
}
