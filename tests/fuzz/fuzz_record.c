/*
 * Fuzz target: what a program's process writes for the device apart (sim/api/api_record.h): heads that nearly fit, with bytes
 * behind them that may be a launch, and words of the fuzzer's choice. That device does what it says or refuses with a reason.
 */
#define _GNU_SOURCE /* memfd_create, F_SETPIPE_SZ */
#include "fuzz.h"

#include <fcntl.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "sim/memory/texture.h"
#include "tests/fuzz/device_program.h"
#include "tests/fuzz/draw.h"

static int records[2], answered[2];
static uint64_t base; /* of memory that is there */

static struct sim_follower *begin(char message[256])
{
    const struct program p = whole_program();
    if (pipe(records) != 0 || pipe(answered) != 0)
        abort();
    fcntl(records[1], F_SETPIPE_SZ, 1 << 20);
    struct sim_follower *follower = follow_program(&p, records[0], answered[0], message);
    sim_report_at_exit(false);
    sim_config(sim_current())->instruction_limit = 10000;
    sim_config(sim_current())->kernel_output = fopen("/dev/null", "w");
    return follower;
}

static void send_record(const struct record_head *head, const void *bytes)
{
    if (write(records[1], head, sizeof *head) != sizeof *head ||
        (head->bytes > 0 && write(records[1], bytes, head->bytes) != (ssize_t)head->bytes))
        abort();
}

static uint64_t draw_number(void)
{
    switch (draw(8)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return draw(64);
    case 3: return draw(4096);
    case 4: return base;
    case 5: return base + draw(8192);
    case 6: return UINT64_MAX - draw(16);
    default: return CODE_AT;
    }
}

static size_t draw_launch(unsigned char bytes[512])
{
    const struct record_launch launch = {.grid = {(uint32_t)draw(4), 1, 1},
                                         .block = {(uint32_t)draw(2000), 1, 1},
                                         .dynamic_shared = draw(4) ? 0 : draw_number(),
                                         .name_bytes = draw(8) ? 6 : (uint32_t)draw(40),
                                         .argument_bytes = draw(8) ? 12 : (uint32_t)draw(40)};
    memcpy(bytes, &launch, sizeof launch);
    memcpy(bytes + sizeof launch, "store", 6);
    return sizeof launch + launch.name_bytes + launch.argument_bytes;
}

static void send_anything(void)
{
    unsigned char bytes[512];
    const uint64_t size = draw(3) ? draw_number() % 65536 : draw_number();
    struct record_head head = {.magic = draw(200) ? RECORD_MAGIC : 0,
                               .kind = 1 + (uint32_t)draw(RECORD_MARK)};
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(draw_any() % 3 ? draw_any() % 4 : draw_any() % 256);
    head.bytes = (uint32_t)(draw(4) ? draw(sizeof bytes) : 0);
    if (head.kind == RECORD_LAUNCH && draw(4))
        head.bytes = (uint32_t)draw_launch(bytes);
    if (head.kind == RECORD_TEXTURE && draw(2))
        head.bytes = sizeof(struct texture);
    if (head.kind == RECORD_MARK && draw(2))
        head.bytes = SIM_MARK_ADDRESSES * sizeof(uint64_t);
    const bool is_row = head.kind == RECORD_FILL || head.kind == RECORD_REPEAT || head.kind == RECORD_MOVE;
    head.a = draw_number();
    head.b = is_row ? draw_number() : size;
    head.c = is_row ? size : draw_number();
    for (uint64_t words = draw(8); words > 0; words--) /* behind the head, of the fuzzer's own choice */
        bytes[draw(sizeof bytes)] = (unsigned char)draw(256);
    send_record(&head, bytes);
}

static void drain(void)
{
    char rest[4096];
    fcntl(records[0], F_SETFL, O_NONBLOCK);
    while (read(records[0], rest, sizeof rest) > 0)
        ;
    fcntl(records[0], F_SETFL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sim_follower *follower;
    static const uint64_t nowhere[SIM_MARK_ADDRESSES];
    const struct record_head end = {
        .magic = RECORD_MAGIC, .kind = RECORD_MARK, .bytes = sizeof nowhere, .a = SIM_MARK_END, .b = 5};
    char message[256] = "";
    if (!follower && !(follower = begin(message)))
        abort();
    cudaDeviceReset();
    base = sim_mem_alloc(sim_current(), 4096, NULL);
    draw_from(data, size);
    for (uint64_t i = draw(12) + 1; i > 0; i--)
        send_anything();
    send_record(&end, nowhere);
    for (struct sim_mark mark = {0}; mark.number != 5;)
        if (!sim_follow_to_mark(follower, &mark, message)) {
            if (!message[0])
                abort(); /* a refusal has a reason */
            break;
        }
    drain();
    return 0;
}
