/* The worker on the simulator: hazards, counters and modeled time for the mailbox. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/lab/real.h"
#include "harness/worker/backend.h"
#include "harness/worker/origin.h"
#include "harness/worker/sim_model.h"
#include "harness/worker/worker.h"
#include "sim/device/sim.h"
#include "sim/text/line_memory.h"

/* Warp instructions of a sample: a tenth of a second, more or less. */
#define SAMPLE_WORK 3000000
/* Where the time is modeled elsewhere: enough for the host's code to go its way. */
#define LEAST_WORK 30000

static size_t live_bytes_before;
static int live_count_before;

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

/* In the protocol's terms; `file` may be NULL. */
static struct protocol_place place_at(const char *file, int line)
{
    struct protocol_place place = {.line = line};
    copy_text(place.file, sizeof place.file, file);
    return place;
}

static bool host_memory_of(const void *address, size_t needed, struct sim_host_memory *out)
{
    struct protocol_place place;
    const bool found = worker_heap_is_short(address, needed, &out->left, &out->bytes, &place);
    copy_text(out->file, sizeof out->file, place.file);
    out->line = place.line;
    return found;
}

bool backend_open(const char *model, char *text, size_t size)
{
    if (!sim_use_device(model)) {
        snprintf(text, size, "the simulator has no device %s", model);
        return false;
    }
    struct sim *sim = sim_current();
    if (!sim) {
        copy_text(text, size, "the simulator could not be created");
        return false;
    }
    sim_report_at_exit(false); /* the grader reports */
    sim_host_faults_forwarded();
    sim_watch_host_memory(host_memory_of);
    copy_text(text, size, sim_config(sim)->profile->name);
    return true;
}

void backend_share_lines(void *memory, size_t bytes)
{
    line_memory_use(memory, bytes);
    sim_share_lines(memory, bytes); /* the simulator has a copy of this part of its own */
}

void backend_share(void *memory, size_t memory_bytes, size_t bytes)
{
    (void)memory, (void)memory_bytes, (void)bytes;
}

void backend_name(void *device, const char *name)
{
    sim_mem_name(sim_current(), (sim_addr)(uintptr_t)device, name);
    sim_record_name((sim_addr)(uintptr_t)device, name);
}

void backend_record(int fd)
{
    sim_record_to(fd);
}

_Static_assert(LAB_MAX_BUFFERS <= SIM_MARK_ADDRESSES, "a mark has all buffers");

/* Host buffers that are only read hold the same in both processes. */
void backend_buffers(const struct protocol_request *request, const struct worker_set *set)
{
    struct sim_mark mark = {.kind = SIM_MARK_BUFFERS, .number = request->nonce};
    for (int i = 0; i < set->count; i++) {
        mark.address[i] = (uint64_t)(uintptr_t)set->data[i];
        if (set->spec[i].on_host && set->spec[i].role == PROTOCOL_IN)
            sim_record_host(set->data[i],
                            request->kind == PROTOCOL_MODEL ? set->spec[i].full : set->spec[i].bytes);
    }
    sim_record_mark(&mark);
}

static void mark(enum sim_mark_kind kind, const struct protocol_request *request)
{
    sim_record_mark(&(struct sim_mark){.kind = kind, .number = request->nonce});
}

void backend_poison(void *device, int byte, size_t size)
{
    const sim_addr address = (sim_addr)(uintptr_t)device;
    void *view = sim_mem_host(sim_current(), address, size);
    if (!view)
        return;
    memset(view, byte, size);
    sim_mem_mark_fresh(sim_current(), address); /* a call before this one may have written it */
}

/* Whole pages of a long pattern need no memory. */
bool backend_repeat(void *device, size_t size, const void *pattern, size_t period)
{
    return sim_mem_repeat(sim_current(), (sim_addr)(uintptr_t)device, size, pattern,
                          protocol_period(period, size));
}

/* Variables that earlier calls have changed, before this one begins. */
static void tell_changed(struct sim *sim, struct protocol_mailbox *mailbox)
{
    char names[3][64];
    const int count = sim_changed_variables(sim, names, 3);
    size_t length = 0;
    for (int i = 0; i < count && length < sizeof mailbox->changed; i++)
        length += (size_t)snprintf(mailbox->changed + length, sizeof mailbox->changed - length, "%s%s",
                                   i > 0 ? " " : "", names[i]);
}

static char last_task[sizeof((struct protocol_request *)0)->task]; /* of the call before */

static FILE *nowhere;

void backend_begin(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    struct sim *sim = sim_current();
    struct sim_config *config = sim_config(sim);
    const bool elsewhere =
        request->kind == PROTOCOL_MODEL && sim_is_recorded(); /* the time is modeled there */
    mark(SIM_MARK_BEGIN, request);
    config->hazards = request->hazards != 0;
    const bool brief = elsewhere && request->whole != PROTOCOL_ALL; /* results, too, are judged there */
    config->counters = request->counters != 0 || brief;
    config->instruction_limit = request->instruction_limit;
    config->schedule_seed = request->schedule_seed;
    config->undisturbed = request->undisturbed != 0;
    config->changed_read = request->changed_read;
    config->changed_draw = request->draw;
    config->double_is_meant = sizeof(real) == sizeof(double);
    config->machine_code = request->kind == PROTOCOL_MODEL && !elsewhere && request->counters &&
                           (request->whole || !request->largest_at);
    config->sample_work = request->kind != PROTOCOL_MODEL ? 0
                          : brief                         ? LEAST_WORK
                          : request->whole                ? 0
                          : request->sample_work          ? request->sample_work
                                                          : SAMPLE_WORK;
    config->sample_seed = request->secret;
    if (request->changed_read && !nowhere)
        nowhere = fopen("/dev/null", "w");
    config->kernel_output = request->changed_read ? nowhere : stdout;
    sim_hazards_reset(sim);
    sim_lines_reset(sim);
    sim_totals_reset();
    sim_remarks_reset();
    if (request->kind == PROTOCOL_RUN)
        tell_changed(sim, mailbox);
    sim_prints_reset(sim);
    sim_two_steps_reset(sim);
    sim_trap_reset(sim);
    sim_float_sum_reset(sim);
    if (strncmp(last_task, request->task, sizeof last_task) != 0)
        sim_barriers_reset(sim); /* not with each case: the last one may be too large to be watched */
    memcpy(last_task, request->task, sizeof last_task);
    origin_begin(sim, request);
    size_t peak;
    sim_mem_usage(sim, &live_bytes_before, &peak, &live_count_before);
}

static struct protocol_thread thread_of(const struct sim_hazard_place *place)
{
    const struct sim_dim3 *block = &place->block, *thread = &place->thread;
    return (struct protocol_thread){
        .launch = -1, .block = {block->x, block->y, block->z}, .thread = {thread->x, thread->y, thread->z}};
}

static void copy_attendance(struct protocol_attendance *to, const struct sim_attendance *from)
{
    *to = (struct protocol_attendance){.threads = from->threads, .warp = from->warp, .named = from->named};
    memcpy(to->here, from->here, sizeof to->here);
    memcpy(to->there, from->there, sizeof to->there);
    memcpy(to->ended, from->ended, sizeof to->ended);
}

/* The folder of a file is known to whoever compiled it. */
static void leave_folder_out(struct protocol_hazard *h, const char *file)
{
    const char *slash = strrchr(file, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - file) : 0;
    for (char *at = h->message; folder && (at = strstr(at, file)) != NULL;) {
        if (h->advice > at - h->message)
            h->advice = (uint16_t)(h->advice - folder);
        memmove(at, at + folder, strlen(at + folder) + 1);
    }
}

static void collect_hazards(struct sim *sim, struct protocol_mailbox *mailbox)
{
    const struct sim_hazard *hazard;
    int count = sim_hazards(sim, &hazard);
    mailbox->hazard_count = (uint32_t)count;
    for (int i = 0; i < count && i < PROTOCOL_MAX_HAZARDS; i++) {
        struct protocol_hazard *to = &mailbox->hazard[i];
        copy_text(to->name, sizeof to->name, sim_hazard_class_name(hazard[i].class));
        copy_text(to->message, sizeof to->message, hazard[i].message);
        to->here = place_at(hazard[i].here.file, hazard[i].here.line);
        to->there = place_at(hazard[i].there.file, hazard[i].there.line);
        to->here_thread = thread_of(&hazard[i].here);
        to->there_thread = thread_of(&hazard[i].there);
        to->address = hazard[i].address;
        to->class = hazard[i].class;
        to->detail = hazard[i].detail;
        to->space = hazard[i].space;
        to->writes = hazard[i].here.is_write;
        to->there_writes = hazard[i].there.is_write || hazard[i].there.is_atomic;
        to->advice = hazard[i].advice;
        to->advice_bytes = hazard[i].advice_bytes;
        copy_text(to->array, sizeof to->array, hazard[i].array);
        copy_text(to->object, sizeof to->object, hazard[i].object);
        to->within_warp = hazard[i].within_warp;
        to->parts_threads = hazard[i].parts_threads;
        copy_text(to->kernel, sizeof to->kernel, hazard[i].kernel);
        to->count = hazard[i].count;
        copy_attendance(&to->attendance, &hazard[i].attendance);
        leave_folder_out(to, to->here.file);
        leave_folder_out(to, to->there.file);
    }
}

static void collect_prints(struct sim *sim, struct protocol_mailbox *mailbox)
{
    struct sim_hazard_place first;
    mailbox->print_count = sim_prints(sim, &first);
    if (mailbox->print_count > 0)
        mailbox->first_print = place_at(first.file, first.line);
}

static void collect_again(struct sim *sim, struct protocol_mailbox *mailbox)
{
    const struct sim_hazard *again = sim_stored_again(sim);
    mailbox->again_count = again->count;
    if (again->count == 0)
        return;
    mailbox->again_place = place_at(again->here.file, again->here.line);
    copy_text(mailbox->again_object, sizeof mailbox->again_object, again->object);
}

static void collect_steps(struct sim *sim, struct protocol_mailbox *mailbox)
{
    struct sim_hazard_place first;
    mailbox->second_step = sim_two_steps(sim, &first);
    mailbox->two_steps = place_at(first.file, first.line);
    mailbox->trapped = sim_trap(sim, &first);
    mailbox->trap = place_at(first.file, first.line);
    sim_float_sum(sim, &first);
    mailbox->float_sum = place_at(first.file, first.line);
}

static void copy_counters(struct protocol_counters *to, const struct sim_counters *from)
{
    to->launches = from->launches;
    to->warp_instructions = from->warp_instructions;
    to->thread_instructions = from->thread_instructions;
    to->branches = from->branches;
    to->divergent_branches = from->divergent_branches;
    to->exchanges = from->exchanges;
    to->load_requests = from->global_load_requests;
    to->load_sectors = from->global_load_sectors;
    to->load_sectors_ideal = from->global_load_sectors_ideal;
    to->store_requests = from->global_store_requests;
    to->store_sectors = from->global_store_sectors;
    to->store_sectors_ideal = from->global_store_sectors_ideal;
    to->atomic_sectors = from->global_atomic_sectors;
    to->shared_requests =
        from->shared_load_requests + from->shared_store_requests + from->shared_atomic_requests;
    to->shared_wavefronts =
        from->shared_load_wavefronts + from->shared_store_wavefronts + from->shared_atomic_words;
    to->shared_wavefronts_ideal = from->shared_load_wavefronts_ideal + from->shared_store_wavefronts_ideal +
                                  from->shared_atomic_requests;
}

/* The first PROTOCOL_MAX_LINES with loads, accesses of shared memory, more traffic than their ideal, or divergence, worst first. */
static void collect_lines(struct sim *sim, struct protocol_mailbox *mailbox)
{
    const struct sim_line_counters *line;
    int count = sim_lines(sim, &line);
    for (int i = 0; i < count && mailbox->line_count < PROTOCOL_MAX_LINES; i++) {
        struct protocol_line *to = &mailbox->line[mailbox->line_count];
        copy_counters(&to->counts, &line[i].counts);
        const struct protocol_counters *c = &to->counts;
        if (c->load_sectors <= c->load_sectors_ideal && c->store_sectors <= c->store_sectors_ideal &&
            c->shared_wavefronts <= c->shared_wavefronts_ideal && c->divergent_branches == 0 &&
            c->load_requests == 0 && c->shared_requests == 0)
            continue;
        to->place = place_at(line[i].file, line[i].line);
        mailbox->line_count++;
    }
}

/* Of a line of the files that nvcc compiles, headers apart. */
static uint64_t accesses_of(struct sim *sim, int32_t at)
{
    const struct sim_line_counters *line;
    const int count = sim_lines(sim, &line);
    uint64_t accesses = 0;
    for (int i = 0; i < count; i++) {
        const struct sim_counters *c = &line[i].counts;
        const char *dot = strrchr(line[i].file, '.');
        if (line[i].line == at && dot && strcmp(dot, ".cu") == 0)
            accesses += c->global_load_requests + c->global_store_requests + c->global_atomic_requests +
                        c->shared_load_requests + c->shared_store_requests + c->shared_atomic_requests +
                        c->local_sectors;
    }
    return accesses;
}

/*
 * Variables of the student's file are allocated with the first launch: those are not leaks. Nor is what is made once
 * and kept:
 * only an allocation that is made at the same line again, in another call.
 */
static void collect_leaks(struct sim *sim, bool launched, struct protocol_mailbox *mailbox)
{
    static bool launched_before;
    static const void *seen;
    size_t live_bytes, peak;
    int live_count;
    sim_mem_usage(sim, &live_bytes, &peak, &live_count);
    if (launched_before && live_count > live_count_before) {
        const void *caller = sim_mem_name_newest(sim, mailbox->leaked_name, sizeof mailbox->leaked_name);
        if (caller && caller == seen) {
            mailbox->leaked_count = (uint32_t)(live_count - live_count_before);
            mailbox->leaked_bytes = live_bytes > live_bytes_before ? live_bytes - live_bytes_before : 0;
        }
        seen = caller;
    }
    launched_before = launched_before || launched;
}

static void put_remark(const struct sim_remark *from, struct protocol_remark *to)
{
    to->kind = from->kind;
    to->detail = from->detail;
    to->place = place_at(from->file, from->line);
    copy_text(to->name, sizeof to->name, from->name);
    copy_text(to->text, sizeof to->text, from->text);
}

static void note_barrier(struct protocol_remark *to)
{
    struct sim_hazard_place at;
    if (!sim_idle_barrier(sim_current(), &at))
        return;
    to->place = place_at(at.file, at.line);
    copy_text(
        to->text, sizeof to->text,
        "this barrier orders nothing here: since the barrier before it, or the kernel's beginning, no thread of the "
        "block has touched shared memory or stored anything, and where a thread has loaded something, none stores "
        "anything until the next one. It only makes the block wait.");
}

static void collect_remarks(struct protocol_mailbox *mailbox)
{
    const struct sim_remark *remark;
    if (sim_notes(&remark) > 0)
        put_remark(&remark[0], &mailbox->note);
    else
        note_barrier(&mailbox->note);
    struct sim_remark place;
    const int count = sim_remarks(&remark);
    for (int i = 0; i < count && i < PROTOCOL_MAX_REMARKS; i++)
        put_remark(&remark[i], &mailbox->remark[mailbox->remark_count++]);
    if (sim_launch_that_stopped(&place))
        mailbox->stopped = place_at(place.file, place.line);
    if (sim_never_copied_back(&place))
        mailbox->kept = place_at(place.file, place.line);
}

void backend_launch(struct protocol_mailbox *mailbox)
{
    const struct sim_result *last = sim_last_result();
    if (!last)
        return;
    mailbox->grid_blocks = last->counters.blocks;
    mailbox->blocks_per_sm = (uint32_t)last->blocks_per_sm;
    mailbox->sm_count = (uint32_t)sim_config(sim_current())->profile->sm_count;
}

void backend_collect(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    struct sim *sim = sim_current();
    struct sim_counters counters = {0};
    mark(SIM_MARK_END, request);
    sim_config(sim)->changed_read = 0; /* the outputs are fetched */
    collect_remarks(mailbox);
    origin_collect(sim, request, mailbox);
    collect_hazards(sim, mailbox);
    collect_prints(sim, mailbox);
    collect_again(sim, mailbox);
    collect_steps(sim, mailbox);
    sim_totals(&counters, &mailbox->model_seconds);
    mailbox->model_bytes = sim_totals_bytes();
    sim_totals_sampled(&mailbox->sampled_blocks, &mailbox->model_error);
    mailbox->unlike_error = sim_totals_unlike();
    mailbox->rough_share = sim_totals_rough();
    copy_counters(&mailbox->counters, &counters);
    collect_lines(sim, mailbox);
    mailbox->trial.accesses = request->watched ? accesses_of(sim, request->watched) : 0;
    if (request->counters)
        model_collect_sites(mailbox);
    if (request->kind == PROTOCOL_MODEL)
        model_collect(&counters, mailbox);
    const struct sim_result *last = sim_last_result();
    if (last && counters.launches > 0) {
        copy_text(mailbox->limiter, sizeof mailbox->limiter, sim_totals_limiter());
        backend_launch(mailbox);
        mailbox->launch_status = last->status;
        if (last->status != SIM_OK)
            copy_text(mailbox->launch_error, sizeof mailbox->launch_error, last->message);
    }
    collect_leaks(sim, counters.launches > 0, mailbox);
}

bool backend_is_device(const void *address, bool may_ask)
{
    (void)may_ask;
    return sim_mem_is_device(sim_current(), address);
}

bool backend_watches(const void *siginfo, void *context)
{
    return sim_host_fault(siginfo, context);
}

void backend_load(void)
{
    sim_load_program();
}
