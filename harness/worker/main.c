/*
 * main of both workers. `--serve REQUEST REPLY ARENA MODEL [RECORD [PTX]]` (file descriptors and the key of the device to model)
 * says which device there is, and answers the grader's requests until it hangs up. RECORD: where all that is done with the
 * device is written, for worker/device.c; 0: nowhere. PTX: a file with other device code than the program's.
 */
#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/lab/real.h"
#include "harness/worker/backend.h"
#include "harness/worker/worker.h"
#include "sim/device/sim.h"

static struct worker the_worker;

bool sim_record_comes(void)
{
    return true;
}

/* The student's code called exit, perhaps in CHECK: what the simulator saw must not be lost. */
static void on_exit_in_case(void)
{
    if (the_worker.mailbox->student_running)
        backend_collect(the_worker.request, the_worker.mailbox);
}

static bool map_arena(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || (uint64_t)info.st_size < sizeof(struct protocol_mailbox))
        return false;
    the_worker.arena_bytes = (uint64_t)info.st_size;
    the_worker.arena = mmap(NULL, the_worker.arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (the_worker.arena == MAP_FAILED)
        return false;
    the_worker.mailbox = (struct protocol_mailbox *)the_worker.arena;
    if (the_worker.arena_bytes >= protocol_first_slot())
        backend_share_lines(the_worker.arena + protocol_lines(), PROTOCOL_LINES_BYTES);
    return true;
}

static void answer(const struct protocol_request *request, struct protocol_reply *reply)
{
    the_worker.request = request;
    switch (request->kind) {
    case PROTOCOL_RUN: worker_run_case(&the_worker, reply); break;
    case PROTOCOL_TRY: worker_try(&the_worker, reply); break;
    case PROTOCOL_MODEL: worker_model(&the_worker, reply); break;
    case PROTOCOL_PREPARE: worker_prepare(&the_worker, reply); break;
    case PROTOCOL_ROUND: worker_round(&the_worker, reply); break;
    case PROTOCOL_FETCH: worker_fetch(&the_worker, reply); break;
    case PROTOCOL_BATCH: worker_batch(&the_worker, reply); break;
    case PROTOCOL_RELEASE: worker_release(&the_worker); break;
    default: break;
    }
}

static bool say_hello(const char *model, int reply_fd)
{
    struct protocol_reply reply = {0};
    protocol_init_reply(&reply, NULL);
    reply.real_bytes = sizeof(real);
    struct protocol_mailbox *mailbox = the_worker.mailbox;
    if (!backend_open(model, mailbox->device, sizeof mailbox->device)) {
        snprintf(reply.error_text, sizeof reply.error_text, "%.150s", mailbox->device);
        reply.status = PROTOCOL_NO_MEMORY;
    }
    return protocol_write(reply_fd, &reply, sizeof reply);
}

static int serve(int request_fd, int reply_fd, int arena_fd, const char *model, int record_fd)
{
    if (!map_arena(arena_fd))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 1 << 16); /* what was printed before a crash is kept */
    worker_catch_faults(the_worker.mailbox);
    if (!say_hello(model, reply_fd))
        return 2;
    if (record_fd > 0)
        signal(SIGPIPE, SIG_IGN);
    backend_record(record_fd);
    atexit(on_exit_in_case); /* after the runtime's own handlers, so that it runs before them */
    struct protocol_request request;
    while (protocol_read(request_fd, &request, sizeof request) && request.kind != PROTOCOL_QUIT) {
        struct protocol_reply reply = {0};
        protocol_init_reply(&reply, &request);
        const char *wrong = protocol_check_request(&request, the_worker.arena_bytes);
        if (wrong) {
            fprintf(stderr, "worker: %s\n", wrong);
            return 2;
        }
        answer(&request, &reply);
        if (!protocol_write(reply_fd, &reply, sizeof reply))
            return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc >= 6 && argc <= 8 && strcmp(argv[1], "--serve") == 0 &&
        (argc < 8 || backend_take_program(argv[7])))
        return serve(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), argv[5], argc > 6 ? atoi(argv[6]) : 0);
    fprintf(stderr, "This is the part of the grader that runs your code; start ./grader instead.\n");
    return 2;
}
