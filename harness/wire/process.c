/* Starting, asking, hearing, killing workers. */
#define _GNU_SOURCE
#include "harness/wire/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/phase.h"
#include "harness/base/progress.h"
#include "harness/base/text.h"
#include "harness/lab/real.h"
#include "harness/wire/evidence.h"
#include "harness/wire/keeper.h"
#include "harness/wire/sandbox.h"

#define START_TIMEOUT 60.0 /* creating a CUDA context on a busy machine takes seconds */
#define MOST_QUEUED   9.0  /* times as long as it may take: its own threads may be what it waits for */
#define WATCH_SECONDS 0.3  /* how often it is looked what the worker takes */
#define SLICE_MS      100  /* how often the progress line moves and a silent death is noticed */

static volatile sig_atomic_t interrupted;
static atomic_bool canceled;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void process_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: poll must return */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

bool process_interrupted(void)
{
    return interrupted != 0;
}

void process_cancel(void)
{
    atomic_store(&canceled, true);
}

void process_init(struct process *process, const char *path, const char *model, struct arena *arena)
{
    memset(process, 0, sizeof *process);
    snprintf(process->path, sizeof process->path, "%s", path);
    snprintf(process->model, sizeof process->model, "%s", model);
    process->arena = arena;
    process->request_fd = process->reply_fd = process->out_fd = process->err_fd = -1;
}

/* ---- starting ------------------------------------------------------------------------------------------ */

static void connect_standard(int out_fd, int err_fd)
{
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(out_fd, 1);
    dup2(err_fd, 2);
}

struct pipes {
    int request[2], reply[2], out[2], err[2];
};

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool open_pipes(struct pipes *p)
{
    memset(p, -1, sizeof *p);
    return pipe2(p->request, O_CLOEXEC) == 0 && pipe2(p->reply, O_CLOEXEC) == 0 &&
           pipe2(p->out, O_CLOEXEC) == 0 && pipe2(p->err, O_CLOEXEC) == 0;
}

static void close_pipes(struct pipes *p)
{
    int *fd = (int *)p;
    for (size_t i = 0; i < sizeof *p / sizeof *fd; i++)
        close_fd(&fd[i]);
}

/* `record`: the worker's end or the device's of what is done with the device; -1: there is none. */
static void exec_worker(const struct process *process, const struct sandbox *sandbox, const struct pipes *p,
                        pid_t parent, int record)
{
    connect_standard(p->out[1], p->err[1]);
    const int wire[4] = {p->request[0], p->reply[1], process->arena->fd, record};
    sandbox_enter(sandbox, parent, wire, record >= 0 ? 4 : 3);
    char *const arguments[] = {(char *)process->path,
                               "--serve",
                               "3",
                               "4",
                               "5",
                               (char *)process->model,
                               record >= 0        ? "6"
                               : process->program ? "0"
                                                  : NULL,
                               (char *)process->program,
                               NULL};
    execve(process->path, arguments, sandbox ? sandbox->environment : environ);
    dprintf(2, "%s: %s\n", process->path, strerror(errno));
    _exit(127);
}

static bool spawn(struct process *process, int record)
{
    struct pipes p;
    pid_t parent = getpid();
    struct sandbox *sandbox = sandbox_create(SANDBOX_WORKER, process->path);
    sandbox_grant(sandbox, process->program, SANDBOX_READ);
    const bool can = open_pipes(&p) && (sandbox || !sandbox_is_on());
    process->pid = can ? fork() : -1;
    if (process->pid == 0)
        exec_worker(process, sandbox, &p, parent, record);
    sandbox_free(sandbox);
    if (process->pid < 0) {
        process->pid = 0;
        close_pipes(&p);
        return false;
    }
    keeper_add(process->pid);
    process->request_fd = p.request[1], process->reply_fd = p.reply[0];
    process->out_fd = p.out[0], process->err_fd = p.err[0];
    p.request[1] = p.reply[0] = p.out[0] = p.err[0] = -1;
    close_pipes(&p);
    fcntl(process->out_fd, F_SETFL, O_NONBLOCK);
    fcntl(process->err_fd, F_SETFL, O_NONBLOCK);
    fcntl(process->reply_fd, F_SETFL, O_NONBLOCK);
    return true;
}

/* It has what the worker writes to it in one piece, mostly. */
#define RECORD_BYTES (1 << 20)

/* Both, with a pipe between them. */
static bool spawn_with_device(struct process *process)
{
    int record[2];
    if (pipe2(record, O_CLOEXEC) != 0)
        return false;
    fcntl(record[1], F_SETPIPE_SZ, RECORD_BYTES);
    const bool started = spawn(process->device_apart, record[0]) && spawn(process, record[1]);
    close(record[0]);
    close(record[1]);
    return started;
}

/* ---- stopping ------------------------------------------------------------------------------------------ */

static void close_all(struct process *process)
{
    close_fd(&process->request_fd);
    close_fd(&process->reply_fd);
    close_fd(&process->out_fd);
    close_fd(&process->err_fd);
}

/* The status of a process that has ended, or will at once: its pipe is closed. */
static int reap(struct process *process)
{
    int status = 0;
    for (int i = 0; i < 20; i++) {
        if (waitpid(process->pid, &status, WNOHANG) == process->pid) {
            kill(-process->pid, SIGKILL); /* what it may have left behind */
            keeper_remove(process->pid);
            process->pid = 0;
            process->ready = false;
            return status;
        }
        usleep(10000);
    }
    kill(-process->pid, SIGKILL); /* it closed the pipe but lives on */
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
        ;
    keeper_remove(process->pid);
    process->pid = 0;
    process->ready = false;
    return status;
}

void process_kill(struct process *process)
{
    if (process->pid > 0) {
        kill(-process->pid, SIGKILL);
        kill(process->pid, SIGKILL);
    }
}

void process_stop(struct process *process)
{
    process_kill(process);
    if (process->pid > 0) {
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        keeper_remove(process->pid);
        process->pid = 0;
    }
    process->ready = false;
    close_all(process);
    if (process->device_apart)
        process_stop(process->device_apart);
}

void process_set_model(struct process *process, const char *model)
{
    process_stop(process);
    snprintf(process->model, sizeof process->model, "%s", model);
    if (process->device_apart)
        process_set_model(process->device_apart, model);
}

/* ---- hearing ------------------------------------------------------------------------------------------- */

/* Takes what is there; false at the end of the stream. */
static bool hear(int fd, struct capture *capture)
{
    char piece[4096];
    for (;;) {
        ssize_t count = read(fd, piece, sizeof piece);
        if (count < 0)
            return errno == EAGAIN || errno == EINTR;
        if (count == 0)
            return false;
        size_t room = CAPTURE_SIZE - 1 - capture->length;
        size_t kept = (size_t)count < room ? (size_t)count : room;
        memcpy(capture->text + capture->length, piece, kept);
        capture->length += kept;
        capture->text[capture->length] = 0;
        if ((size_t)count < sizeof piece)
            return true;
    }
}

static bool has_ended(const struct process *process)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

/* Reads more of the reply; false at the end of the stream. */
static bool hear_reply(const struct process *process, struct protocol_reply *reply, size_t *have)
{
    ssize_t count = read(process->reply_fd, (char *)reply + *have, sizeof *reply - *have);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR;
    *have += (size_t)count;
    return count > 0;
}

/* Now and then. */
static bool exceeds(const struct process *process, double *last, char why[EXCHANGE_TEXT])
{
    const double now = process_clock();
    if (now - *last < WATCH_SECONDS)
        return false;
    *last = now;
    return sandbox_is_exceeded(process->pid, why, EXCHANGE_TEXT);
}

double process_queued(pid_t pid)
{
    char path[64];
    unsigned long long waited = 0;
    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*u %llu", &waited) != 1)
        waited = 0;
    if (file)
        fclose(file);
    return 1e-9 * (double)waited;
}

/* Of the process and of its device apart, which it may have to wait for. */
static double queued(const struct process *process)
{
    const struct process *apart = process->device_apart;
    return process_queued(process->pid) + (apart && apart->pid != 0 ? process_queued(apart->pid) : 0);
}

/*
 * Waits for one whole reply. What the process, ready to run, waits for a processor does not count, up to a limit.
 * EXCHANGE_EXCEEDED: why.
 */
static enum exchange_outcome listen_for(struct process *process, double deadline,
                                        struct protocol_reply *reply, char why[EXCHANGE_TEXT])
{
    double looked = process_clock();
    const double queued_before = queued(process), most = MOST_QUEUED * (deadline - looked);
    size_t have = 0;
    struct pollfd watched[3] = {{.fd = process->reply_fd, .events = POLLIN},
                                {.fd = process->out_fd, .events = POLLIN},
                                {.fd = process->err_fd, .events = POLLIN}};
    for (;;) {
        double left = deadline - process_clock();
        if (left <= 0)
            left += fmin(queued(process) - queued_before, most);
        if (left <= 0 || interrupted || atomic_load(&canceled))
            return EXCHANGE_TIMEOUT;
        int ready = poll(watched, 3, left * 1000 < SLICE_MS ? (int)(left * 1000) + 1 : SLICE_MS);
        progress_tick();
        if (watched[1].revents && !hear(process->out_fd, &process->out))
            watched[1].fd = -1;
        if (watched[2].revents && !hear(process->err_fd, &process->err))
            watched[2].fd = -1;
        if (ready > 0 && watched[0].revents && !hear_reply(process, reply, &have))
            return EXCHANGE_DIED;
        if (have == sizeof *reply)
            return EXCHANGE_REPLY;
        if (ready == 0 && has_ended(process))
            return EXCHANGE_DIED; /* a child of its own keeps the pipe open */
        if (exceeds(process, &looked, why))
            return EXCHANGE_EXCEEDED;
    }
}

/* Lines that begin with "simulator: " explain a failed call; they are not the program's output. */
static void take_simulator_lines(struct capture *err, struct exchange *exchange)
{
    static const char mark[] = "simulator: ";
    char *to = err->text;
    for (char *line = err->text, *next; *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        if (strncmp(line, mark, sizeof mark - 1) == 0) {
            text_append(exchange->said, sizeof exchange->said, "%.*s\n", (int)(length - (sizeof mark - 1)),
                        line + sizeof mark - 1);
            continue;
        }
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    err->length = (size_t)(to - err->text);
    *to = 0;
}

/* After a CUDA error nothing in that process can be relied on, whoever asked. */
static bool leaves_an_error(uint32_t status)
{
    return status != PROTOCOL_OK && status != PROTOCOL_NO_TASK && status != PROTOCOL_NO_MEMORY;
}

/* It did not answer in time: it writes into the mailbox where it is, and ends. */
static void ask_for_place(const struct process *process)
{
    siginfo_t ended = {0};
    kill(process->pid, SIGXCPU);
    for (int i = 0; i < 50 && ended.si_pid == 0; i++) {
        usleep(10000);
        if (waitid(P_PID, (id_t)process->pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0)
            return;
    }
}

/* After the wait: what came with it, and how the process is. */
static void finish(struct process *process, const struct protocol_request *request, struct exchange *exchange)
{
    if (exchange->outcome == EXCHANGE_DIED)
        exchange->wait_status = reap(process);
    hear(process->out_fd, &process->out);
    hear(process->err_fd, &process->err);
    protocol_clean(process->out.text, CAPTURE_SIZE);
    protocol_clean(process->err.text, CAPTURE_SIZE);
    take_simulator_lines(&process->err, exchange);
    memcpy(&exchange->mailbox, process->arena->base, sizeof exchange->mailbox);
    if (exchange->apart && !exchange->no_device[0])
        evidence_take(&exchange->mailbox, (const struct protocol_mailbox *)process->device_apart->arena->base,
                      request->kind);
    protocol_clean_mailbox(&exchange->mailbox, request);
    protocol_clean(exchange->reply.error_name, sizeof exchange->reply.error_name);
    protocol_clean(exchange->reply.error_text, sizeof exchange->reply.error_text);
    if (exchange->outcome != EXCHANGE_REPLY || leaves_an_error(exchange->reply.status) ||
        exchange->no_device[0] || (process->device_apart && exchange->reply.status != PROTOCOL_OK))
        process_stop(process);
    if (exchange->outcome == EXCHANGE_EXCEEDED)
        sandbox_clear();
}

static void clear(struct process *process)
{
    memset(process->arena->base, 0, sizeof(struct protocol_mailbox));
    memset(&process->out, 0, sizeof process->out);
    memset(&process->err, 0, sizeof process->err);
}

/* ---- asking -------------------------------------------------------------------------------------------- */

static void fail_start(struct exchange *exchange, const char *why)
{
    exchange->outcome = EXCHANGE_NO_START;
    text_set(exchange->text, sizeof exchange->text, "%.*s", (int)strcspn(why, "\n"), why);
}

bool process_start(struct process *process)
{
    if (process->pid != 0)
        return true;
    clear(process);
    process->calls = 0;
    process->starts++;
    return process->device_apart ? spawn_with_device(process) : spawn(process, -1);
}

bool process_hello(struct process *process, struct exchange *exchange)
{
    const double begun = process_clock();
    memset(exchange, 0, sizeof *exchange);
    if (process->ready)
        return true;
    if (!process_start(process)) {
        fail_start(exchange, strerror(errno));
        return false;
    }
    exchange->outcome = listen_for(process, begun + START_TIMEOUT, &exchange->reply, exchange->text);
    finish(process, NULL, exchange);
    phase_add(PHASE_START, begun);
    const char *wrong = NULL;
    if (exchange->outcome == EXCHANGE_TIMEOUT)
        wrong = "it did not start within a minute";
    else if (exchange->outcome == EXCHANGE_EXCEEDED)
        wrong = exchange->text;
    else if (exchange->outcome == EXCHANGE_DIED)
        wrong = exchange->said[0]     ? exchange->said
                : process->err.length ? process->err.text
                                      : "it ended before it was ready";
    else
        wrong = protocol_check_reply(&exchange->reply, PROTOCOL_HELLO, 0);
    if (!wrong && exchange->reply.status != PROTOCOL_OK)
        wrong = exchange->reply.error_text;
    if (!wrong && exchange->reply.real_bytes != sizeof(real))
        wrong = "grader and worker were built for different types of real";
    if (wrong) {
        process_stop(process);
        fail_start(exchange, wrong);
        return false;
    }
    snprintf(process->device, sizeof process->device, "%s", exchange->mailbox.device);
    process->ready = true;
    if (!process->device_apart || process_hello(process->device_apart, exchange))
        return true;
    process_stop(process);
    return false;
}

/* Calls of the student's function; what is tried in a copy of the worker leaves nothing behind. */
static bool is_for_both(uint32_t kind)
{
    return kind == PROTOCOL_RUN || kind == PROTOCOL_MODEL;
}

/* A program that knew what is drawn, or where the largest element lies, could do the work for that alone. */
static bool process_write(const struct process *process, const struct protocol_request *request)
{
    struct protocol_request told = *request;
    if (process->device_apart)
        told.secret = told.gathered = told.largest_at = 0;
    return protocol_write(process->request_fd, &told, sizeof told);
}

bool process_send(struct process *process, struct protocol_request *request, uint32_t kind)
{
    process->sent = false;
    if (!process->ready)
        return false;
    clear(process);
    if (process->device_apart && is_for_both(kind)) {
        process->device_apart->nonce = process->nonce;
        process_send(process->device_apart, request, kind);
    }
    protocol_init_request(request, kind, ++process->nonce);
    process->asked = process_clock();
    process->calls += kind == PROTOCOL_RUN;
    process->sent = process_write(process, request);
    return process->sent;
}

/* What the device apart answers to the same request. NULL: it has done what the worker says that was done; else why not. */
static const char *hear_device(struct process *device, const struct protocol_request *request,
                               double deadline, struct protocol_reply *reply)
{
    char why[EXCHANGE_TEXT];
    const enum exchange_outcome outcome =
        device->pid != 0 && device->sent ? listen_for(device, deadline, reply, why) : EXCHANGE_DIED;
    if (outcome == EXCHANGE_TIMEOUT)
        return "it does not come to an end";
    if (outcome != EXCHANGE_REPLY || protocol_check_reply(reply, request->kind, request->nonce))
        return "the process ended";
    protocol_clean(reply->error_text, sizeof reply->error_text);
    return reply->status == PROTOCOL_OK ? NULL : reply->error_text;
}

static void ask_device(const struct process *process, const struct protocol_request *request, double timeout,
                       struct exchange *exchange)
{
    struct protocol_reply reply;
    protocol_write(process->device_apart->request_fd, "", 1); /* the worker has answered */
    const char *why =
        hear_device(process->device_apart, request, process_clock() + exchange->seconds + timeout, &reply);
    exchange->apart = true;
    snprintf(exchange->no_device, sizeof exchange->no_device, "%s", why ? why : "");
}

void process_receive(struct process *process, const struct protocol_request *request, double timeout,
                     struct exchange *exchange)
{
    memset(exchange, 0, sizeof *exchange);
    exchange->outcome = EXCHANGE_DIED;
    if (process->pid == 0)
        return;
    if (process->sent)
        exchange->outcome = listen_for(process, process->asked + timeout, &exchange->reply, exchange->text);
    exchange->seconds = process_clock() - process->asked;
    if (exchange->outcome == EXCHANGE_TIMEOUT && !interrupted && !atomic_load(&canceled))
        ask_for_place(process);
    const char *wrong = NULL;
    if (exchange->outcome == EXCHANGE_REPLY)
        wrong = protocol_check_reply(&exchange->reply, request->kind, request->nonce);
    if (wrong) {
        exchange->outcome = EXCHANGE_GARBLED;
        snprintf(exchange->text, sizeof exchange->text, "%s", wrong);
    }
    if (process->device_apart && is_for_both(request->kind) && exchange->outcome == EXCHANGE_REPLY &&
        exchange->reply.status == PROTOCOL_OK)
        ask_device(process, request, timeout, exchange);
    finish(process, request, exchange);
}

void process_ask(struct process *process, struct protocol_request *request, uint32_t kind, double timeout,
                 struct exchange *exchange)
{
    if (!process_hello(process, exchange))
        return;
    process_send(process, request, kind); /* if it has died, so it will be seen to have */
    process_receive(process, request, timeout, exchange);
}
