/* A device that does what another process writes (sim/api/api_record.h): it does the same, and believes nothing. */
#define _GNU_SOURCE /* memfd_create, F_SETPIPE_SZ */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "sim/api/api_record.h"
#include "sim/memory/texture.h"
#include "test.h"
#include "tests/fuzz/device_program.h"

/* ---- records ------------------------------------------------------------------------------------------- */

static int records[2], answered[2];
static struct sim_follower *follower;
static char message[256];

static void send_bytes(const void *bytes, size_t count)
{
    assert_int_equal(write(records[1], bytes, count), count);
}

static void send_record(enum record_kind kind, uint64_t a, uint64_t b, uint64_t c, const void *bytes,
                        size_t count)
{
    const struct record_head head = {
        .magic = RECORD_MAGIC, .kind = kind, .bytes = (uint32_t)count, .a = a, .b = b, .c = c};
    send_bytes(&head, sizeof head);
    send_bytes(bytes, count);
}

static void send_mark(enum sim_mark_kind kind, uint64_t number)
{
    const uint64_t address[SIM_MARK_ADDRESSES] = {0};
    send_record(RECORD_MARK, kind, number, 0, address, sizeof address);
}

static void send_launch(const char *name, const void *arguments, uint32_t count, uint32_t blocks)
{
    struct record_launch launch = {.grid = {blocks, 1, 1},
                                   .block = {32, 1, 1},
                                   .name_bytes = (uint32_t)strlen(name) + 1,
                                   .argument_bytes = count};
    char bytes[512];
    memcpy(bytes, &launch, sizeof launch);
    memcpy(bytes + sizeof launch, name, launch.name_bytes);
    memcpy(bytes + sizeof launch + launch.name_bytes, arguments, count);
    send_record(RECORD_LAUNCH, 0, 0, 0, bytes, sizeof launch + launch.name_bytes + count);
}

/* All that was sent is followed up to a mark. */
static bool goes_on(void)
{
    struct sim_mark mark;
    send_mark(SIM_MARK_END, 5);
    const bool ok = sim_follow_to_mark(follower, &mark, message);
    if (!ok)
        return false;
    assert_int_equal(mark.kind, SIM_MARK_END);
    assert_int_equal(mark.number, 5);
    return true;
}

static void refused(const char *why)
{
    char rest[4096];
    assert_false(goes_on());
    if (!strstr(message, why))
        fail_msg("refused with \"%s\" and not \"%s\"", message, why);
    fcntl(records[0], F_SETFL, O_NONBLOCK);
    while (read(records[0], rest, sizeof rest) > 0)
        ;
    fcntl(records[0], F_SETFL, 0);
}

static int begin(void **state)
{
    (void)state;
    const struct program p = whole_program();
    assert_int_equal(pipe(records), 0);
    assert_int_equal(pipe(answered), 0);
    fcntl(records[1], F_SETPIPE_SZ, 1 << 20);
    follower = follow_program(&p, records[0], answered[0], message);
    sim_report_at_exit(false);
    sim_config(sim_current())->instruction_limit = 10000;
    sim_config(sim_current())->kernel_output = fopen("/dev/null", "w");
    return follower ? 0 : 1;
}

/* The address that the next allocation of so many bytes gets. */
static uint64_t allocate(size_t bytes)
{
    const sim_addr address = sim_mem_alloc(sim_current(), bytes, NULL);
    assert_true(address != 0);
    return address;
}

/* ---- tests --------------------------------------------------------------------------------------------- */

TEST(test_files)
{
    struct program p = whole_program();
    p.header.e_ident[0] = 0;
    assert_null(follow_program(&p, records[0], answered[0], message));
    assert_non_null(strstr(message, "it is no program"));
    assert_null(sim_follow(records[0], answered[0], "/nowhere", message));
}

TEST(test_copies_and_launches)
{
    const uint64_t to = allocate(64);
    uint32_t *view = sim_mem_host(sim_current(), to, 64);
    send_record(RECORD_LOAD, CODE_AT, 0, 0, "", 0);
    send_record(RECORD_WRITE, to, 0, 0, "abcdefgh", 8);
    send_record(RECORD_FILL, to + 8, 4, 1, "", 0);
    send_record(RECORD_MOVE, to + 12, to, 4, "", 0);
    send_record(RECORD_COPIED, RECORD_TO_DEVICE, 0, 0, "", 0);
    const struct {
        uint64_t to;
        uint32_t value;
    } __attribute__((packed)) arguments = {to + 16, 99};
    send_launch("store", &arguments, 12, 1);
    assert_true(goes_on());
    assert_memory_equal(view, "abcdefgh\1\1\1\1abcd", 16);
    assert_int_equal(view[4], 99);
    assert_int_equal(sim_last_result()->status, SIM_OK);
}

TEST(test_host_memory)
{
    static const char own[16] = "own of this one";
    const uint64_t to = allocate(16);
    sim_follow_host(follower, 0x5000, own, sizeof own);
    send_record(RECORD_WRITE_FROM, to, 0x5004, 4, "", 0);
    assert_true(goes_on());
    assert_memory_equal(sim_mem_host(sim_current(), to, 4), "of t", 4);
    send_record(RECORD_WRITE_FROM, to, 0x5004, 4, "", 0); /* known up to the mark */
    refused("memory of the host that is not known");
    char *there = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    send_record(RECORD_ADOPT, (uintptr_t)there, 8192, 0, "", 0);
    refused("memory of the host that cannot be shared"); /* this process has something there */
    munmap(there, 8192);
    send_record(RECORD_ADOPT, (uintptr_t)there + 100, 5000, 0, "", 0);
    send_record(RECORD_WRITE, (uintptr_t)there + 100, 0, 0, "here", 4);
    assert_true(goes_on());
    assert_memory_equal(there + 100, "here", 4);
    send_record(RECORD_FREE, (uintptr_t)there + 100, 0, 0, "", 0);
    send_record(RECORD_ADOPT, (uintptr_t)there + 96, 5000, 0, "", 0);
    assert_true(goes_on());
    assert_int_equal(there[100], 0);
}

TEST(test_wrong_records)
{
    const uint64_t to = allocate(64);
    struct texture texture = {.kind = 77};
    send_bytes("no record at all, no record at all, no record at all, no", 56);
    refused("is no record");
    send_record((enum record_kind)99, 0, 0, 0, "", 0);
    refused("unknown kind");
    send_record(RECORD_PROGRAM, 0, 1, 0, "", 0);
    refused("begins at another address");
    send_record(RECORD_LOAD, CODE_AT + 8, 0, 0, "", 0);
    refused("no code for the device");
    send_record(RECORD_ALLOCATE, to, 64, 0, "", 0);
    refused("an allocation of another device");
    send_record(RECORD_FREE, to + 1, 0, 0, "", 0);
    refused("never allocated");
    send_record(RECORD_WRITE, to + 60, 0, 0, "too long", 8);
    refused("are not device memory");
    send_record(RECORD_MOVE, to, UINT64_MAX - 3, 8, "", 0);
    refused("are not device memory");
    send_record(RECORD_READ, 0x1000, to + 1, UINT64_MAX, "", 0);
    refused("are not device memory");
    send_record(RECORD_TEXTURE, 1, 0, 0, &texture, sizeof texture);
    refused("a texture that cannot be");
    send_record(RECORD_MARK, SIM_MARK_END, 0, 0, "", 0);
    refused("a mark that cannot be");
}

TEST(test_wrong_launches)
{
    send_record(RECORD_LAUNCH, 0, 0, 0, "short", 5);
    refused("cut off");
    send_launch("absent", "", 0, 1);
    refused("there is no kernel absent");
    send_launch("store", "four", 4, 1);
    refused("arguments that the kernel store does not have");
    send_launch("nothing", "four", 4, 1);
    refused("arguments that the kernel nothing does not have");
    send_launch("nothing", "", 0, 0);
    refused("that no device accepts");
    send_launch("store", "nowhere here", 12, 1);
    refused("where nothing is allocated"); /* a fault ends the call */
}

/* Who waits for what never comes is told that the program has answered. */
TEST(test_answer_without_end)
{
    struct sim_mark mark;
    char byte;
    send_mark(SIM_MARK_BEGIN, 1);
    assert_int_equal(write(answered[1], "", 1), 1);
    assert_true(sim_follow_to_mark(follower, &mark, message));
    assert_false(sim_follow_to_mark(follower, &mark, message));
    assert_non_null(strstr(message, "answered before it had told of its call"));
    assert_int_equal(read(answered[0], &byte, 1), 1);
}

/* What sim/api writes in another process comes out here. */
TEST(test_both_ends)
{
    const pid_t other = fork();
    if (other == 0) {
        char *d = NULL, h[100];
        memset(h, 3, sizeof h);
        sim_record_to(records[1]);
        sim_record_mark(&(struct sim_mark){.kind = SIM_MARK_BUFFERS});
        cudaMalloc((void **)&d, 100);
        cudaMemcpy(d, h, 50, cudaMemcpyHostToDevice);
        cudaMemset(d + 50, 4, 25);
        cudaMemcpy(d + 75, d, 25, cudaMemcpyDeviceToDevice);
        cudaDeviceSynchronize();
        sim_record_mark(&(struct sim_mark){.kind = SIM_MARK_END, .number = (uintptr_t)d});
        _exit(0);
    }
    struct sim_mark mark = {.kind = SIM_MARK_BEGIN};
    while (mark.kind != SIM_MARK_END && sim_follow_to_mark(follower, &mark, message))
        ;
    waitpid(other, NULL, 0);
    assert_int_equal(mark.kind, SIM_MARK_END);
    const char *d = sim_mem_host(sim_current(), mark.number, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(d[i], i < 50 || i >= 75 ? 3 : 4);
}

int main(void)
{
    return RUN_WITH(begin, NULL);
}
