/* What a worker wrote into the mailbox is believed only as far as it can be: counts, indices, offsets, strings, numbers. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "harness/base/clean.h"
#include "harness/wire/protocol.h"
#include "sim/device/sim.h"

#define OFFSET_MOST (INT64_C(1) << 40) /* of what lies in no buffer */
#define LINE_MOST   (1 << 24)

void protocol_clean(char *text, size_t size)
{
    text[size - 1] = 0;
    text_clean(text, false);
}

static void clean_name(char *text, size_t size)
{
    text[size - 1] = 0;
    text_clean(text, true);
}

static bool is_known(double number)
{
    return fabs(number) < 1e30; /* false for NaN */
}

/* A byte of one of the call's buffers. */
static bool is_inside(const struct protocol_request *request, int64_t buffer, int64_t offset)
{
    return buffer >= 0 && buffer < request->buffer_count && offset >= 0 &&
           (uint64_t)offset < request->buffer[buffer].bytes;
}

/* `count` of them, `distance` apart. */
static bool are_inside(const struct protocol_request *request, int64_t buffer, int64_t offset,
                       int64_t distance, uint64_t count)
{
    int64_t last;
    return is_inside(request, buffer, offset) && count > 0 && count <= (uint64_t)OFFSET_MOST &&
           !__builtin_mul_overflow((int64_t)(count - 1), distance, &last) &&
           !__builtin_add_overflow(last, offset, &last) && is_inside(request, buffer, last);
}

static void clean_offset(int64_t *offset)
{
    if (*offset < -OFFSET_MOST || *offset > OFFSET_MOST)
        *offset = 0;
}

/* A bool that is neither would not be one. */
static void clean_bool(bool *answer)
{
    unsigned char byte;
    memcpy(&byte, answer, 1);
    byte = byte != 0;
    memcpy(answer, &byte, 1);
}

static void clean_line(int32_t *line)
{
    if (*line < 0 || *line > LINE_MOST)
        *line = 0;
}

static void clean_place(struct protocol_place *place)
{
    clean_name(place->file, sizeof place->file);
    clean_line(&place->line);
    clean_line(&place->call_line);
    clean_line(&place->from_line);
}

/* The last place stands for one that is not known. */
static void clean_index(uint16_t *place)
{
    if (*place >= PROTOCOL_MAX_PLACES)
        *place = PROTOCOL_MAX_PLACES - 1;
}

static void clean_source(const struct protocol_request *request, struct protocol_source *source)
{
    clean_index(&source->place);
    clean_index(&source->second_place);
    clean_index(&source->minus_place);
    clean_index(&source->crossed);
    clean_index(&source->used);
    clean_name(source->name, sizeof source->name);
    if (source->buffer >= 0 &&
        !are_inside(request, source->buffer, source->offset, source->distance, source->count)) {
        source->buffer = -1;
        source->times = source->index_times = source->offset = source->distance = 0;
    }
    if (source->buffer < 0) {
        source->buffer = -1;
        source->count = source->count < (uint64_t)OFFSET_MOST ? source->count : 0;
    }
}

static void clean_absence(const struct protocol_request *request, struct protocol_absence *absence)
{
    clean_place(&absence->place);
    clean_place(&absence->guard);
    clean_place(&absence->lost);
    clean_offset(&absence->near_offset);
    if (!is_inside(request, absence->buffer, absence->wanted))
        absence->why = absence->buffer = absence->wanted = absence->lost.line = 0;
}

static void clean_seen(struct protocol_mailbox *mailbox)
{
    if (mailbox->seen_count > PROTOCOL_MAX_SEEN)
        mailbox->seen_count = PROTOCOL_MAX_SEEN;
    for (uint32_t i = 0; i < mailbox->seen_count; i++)
        clean_place(&mailbox->seen[i]);
}

static void clean_launch(struct protocol_launch *launch)
{
    clean_place(&launch->place);
    clean_name(launch->kernel, sizeof launch->kernel);
}

static void clean_site(struct protocol_site *site)
{
    clean_launch(&site->launch);
    if (site->idle_blocks > site->blocks)
        site->idle_blocks = 0;
    if (!is_known(site->seconds))
        site->seconds = 0;
}

static void clean_waste(struct protocol_waste *waste)
{
    clean_place(&waste->place);
    clean_launch(&waste->launch);
    if (!is_known(waste->seconds) || !is_known(waste->launch_seconds) || !is_known(waste->figure[0]) ||
        !is_known(waste->figure[1]) || waste->launch_seconds <= 0)
        waste->kind = 0;
}

static void clean_habits(struct protocol_habits *habits)
{
    clean_place(&habits->kept);
    clean_place(&habits->loads);
    clean_name(habits->kernel, sizeof habits->kernel);
    clean_waste(&habits->apart);
    if (!is_known(habits->kept_times))
        habits->kept.line = 0;
    if (!is_known(habits->in_flight) || !is_known(habits->behind))
        habits->loads.line = 0;
}

static void clean_row(float row[SIM_SM_SPANS])
{
    for (int i = 0; i < SIM_SM_SPANS; i++)
        if (!(row[i] >= 0 && row[i] < 1e9F))
            row[i] = 0;
}

/* A room that holds less than the blocks that fit, or none that holds no more, is not one. */
static bool are_rooms(const struct sim_sm *sm)
{
    int least = INT_MAX;
    for (int i = 0; i < SIM_SM_ROOMS; i++) {
        const struct sim_room *room = &sm->room[i];
        if (room->takes < 0 || room->of <= 0 || room->takes > room->of)
            return false;
        least = room->fits < least ? room->fits : least;
    }
    return sm->blocks == least && sm->blocks > 0 && sm->blocks <= 1024 && sm->threads > 0 &&
           sm->threads <= 1024 && sm->registers >= 0 && sm->shared >= 0;
}

static void clean_sm(struct sim_sm *sm)
{
    if (!are_rooms(sm))
        sm->blocks = 0;
    if (sm->spans < 0 || sm->spans > SIM_SM_SPANS || !(sm->seconds > 0 && sm->seconds < 1e6) ||
        !(sm->bytes_in_time >= 0 && sm->bytes_in_time < 1e9))
        sm->spans = 0;
    for (int i = 0; i < SIM_SM_DOINGS; i++)
        clean_row(sm->doing[i]);
    clean_row(sm->issued);
    clean_row(sm->bytes);
}

static void clean_arithmetic(struct protocol_arithmetic *arithmetic)
{
    if (arithmetic->count > PROTOCOL_ARITHMETIC_LINES || !is_known(arithmetic->flops) ||
        !is_known(arithmetic->flops_of_launch))
        arithmetic->count = 0;
    for (int i = 0; i < PROTOCOL_ARITHMETIC_LINES; i++) {
        clean_place(&arithmetic->line[i]);
        if (!is_known(arithmetic->line_flops[i]))
            arithmetic->line_flops[i] = 0;
    }
}

/* What launches and arithmetic cost. */
static void clean_work(struct protocol_mailbox *mailbox)
{
    clean_waste(&mailbox->waste);
    clean_site(&mailbox->idle);
    clean_site(&mailbox->busy);
    clean_place(&mailbox->alone.place);
    if (!is_known(mailbox->alone.times) || !is_known(mailbox->alone.share))
        mailbox->alone.place.line = 0;
    clean_habits(&mailbox->habits);
    clean_sm(&mailbox->sm);
    clean_arithmetic(&mailbox->arithmetic);
    if (!is_known(mailbox->read_sum) || !is_known(mailbox->read_largest) || !is_known(mailbox->stored_share))
        mailbox->read_sum = mailbox->read_largest = mailbox->stored_share = 0;
    if (!is_known(mailbox->model_bytes) || !is_known(mailbox->model_error) ||
        !is_known(mailbox->unlike_error) || !is_known(mailbox->rough_share) ||
        !is_known(mailbox->model_seconds))
        mailbox->model_seconds = mailbox->rough_share = mailbox->model_bytes = mailbox->model_error =
            mailbox->unlike_error = 0;
}

static void clean_store(struct protocol_store *store)
{
    clean_place(&store->place);
    clean_name(store->instruction, sizeof store->instruction);
}

static void clean_unset(struct protocol_unset *unset)
{
    clean_name(unset->name, sizeof unset->name);
    clean_place(&unset->read);
    if (unset->bytes == 0 || unset->size < unset->bytes || unset->offset > unset->size - unset->bytes ||
        !unset->name[0])
        unset->size = 0;
}

static void clean_origin(const struct protocol_request *request, struct protocol_origin *origin)
{
    struct protocol_place *const places[] = {&origin->copied,      &origin->fork_made, &origin->fork_use[0],
                                             &origin->fork_use[1], &origin->fork_join, &origin->computed};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        clean_place(places[i]);
    clean_unset(&origin->unset);
    clean_absence(request, &origin->absence);
    for (int k = 0; k < PROTOCOL_MAX_STORES; k++)
        clean_store(&origin->store[k]);
    for (int k = 0; k < PROTOCOL_MAX_PLACES; k++)
        clean_place(&origin->place[k]);
    for (int k = 0; k < PROTOCOL_MAX_SOURCES; k++)
        clean_source(request, &origin->source[k]);
    for (int k = 0; k < PROTOCOL_MAX_STEPS; k++)
        clean_place(&origin->step[k].place);
    for (int k = 0; k < PROTOCOL_MAX_PATH; k++)
        clean_place(&origin->path[k]);
    if (origin->step_count > PROTOCOL_MAX_STEPS)
        origin->step_count = PROTOCOL_MAX_STEPS;
    if (origin->path_count > PROTOCOL_MAX_PATH)
        origin->path_count = PROTOCOL_MAX_PATH;
}

static void clean_trial(struct protocol_trial *trial)
{
    if (!(trial->processor_seconds >= 0 && trial->processor_seconds < 1e6))
        trial->processor_seconds = 0;
}

/* A number of an enum that has `count`. */
static void clean_kind(uint32_t *kind, uint32_t count)
{
    if (*kind >= count)
        *kind = 0;
}

static void clean_trace(struct protocol_trace *trace)
{
    if (trace->count > PROTOCOL_MAX_TRACED)
        trace->count = PROTOCOL_MAX_TRACED;
    clean_name(trace->file, sizeof trace->file);
    for (uint32_t i = 0; i < trace->count; i++) {
        struct protocol_step_done *step = &trace->step[i];
        clean_kind(&step->what, PROTOCOL_SHUFFLE + 1);
        clean_line(&step->line);
        if (step->lanes.size > 16)
            step->lanes.size = 0;
        if (step->what == PROTOCOL_ACCESS && step->lanes.size == 0)
            step->what = PROTOCOL_OTHER;
        if (step->lanes.cost > 1024 || step->lanes.least > step->lanes.cost)
            step->lanes.cost = step->lanes.least = 0;
        if (step->instructions > INT32_MAX)
            step->instructions = 0;
    }
}

static void clean_origins(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    clean_trial(&mailbox->trial);
    clean_seen(mailbox);
    clean_place(&mailbox->overlap.place[0]);
    clean_place(&mailbox->overlap.place[1]);
    clean_offset(&mailbox->overlap.offset);
    for (int i = 0; i < PROTOCOL_MAX_LAUNCHES; i++)
        clean_launch(&mailbox->launch[i]);
    if (mailbox->launch_count > INT32_MAX)
        mailbox->launch_count = 0;
    for (int i = 0; i < PROTOCOL_MAX_ORIGINS; i++)
        clean_origin(request, &mailbox->origin[i]);
    for (int i = 0; i < PROTOCOL_MAX_QUESTIONS; i++)
        if (mailbox->answer[i].size > 16)
            mailbox->answer[i].known = 0;
    for (int i = 0; i < PROTOCOL_MAX_TRACES; i++)
        clean_trace(&mailbox->trace[i]);
}

static void clean_hazards(struct protocol_mailbox *mailbox)
{
    if (mailbox->hazard[0].name[0] == 0) /* what counted them was overwritten */
        mailbox->hazard_count = 0;
    for (int i = 0; i < PROTOCOL_MAX_HAZARDS; i++) {
        struct protocol_hazard *hazard = &mailbox->hazard[i];
        clean_name(hazard->name, sizeof hazard->name);
        protocol_clean(hazard->message, sizeof hazard->message);
        clean_name(hazard->kernel, sizeof hazard->kernel);
        clean_name(hazard->array, sizeof hazard->array);
        clean_name(hazard->object, sizeof hazard->object);
        clean_kind(&hazard->class, SIM_HAZARD_DIVISION + 1);
        clean_kind(&hazard->detail, SIM_DETAIL_COUNT);
        clean_kind(&hazard->space, SIM_SPACE_COUNT);
        if (hazard->advice + hazard->advice_bytes > strlen(hazard->message))
            hazard->advice = hazard->advice_bytes = 0;
        clean_place(&hazard->here);
        clean_place(&hazard->there);
        clean_bool(&hazard->within_warp);
        clean_bool(&hazard->parts_threads);
        if (hazard->attendance.threads > 1024 || hazard->attendance.warp >= 32)
            memset(&hazard->attendance, 0, sizeof hazard->attendance);
    }
}

static void clean_remarks(struct protocol_mailbox *mailbox)
{
    if (mailbox->remark_count > PROTOCOL_MAX_REMARKS)
        mailbox->remark_count = PROTOCOL_MAX_REMARKS;
    for (int i = 0; i < PROTOCOL_MAX_REMARKS; i++) {
        protocol_clean(mailbox->remark[i].text, sizeof mailbox->remark[i].text);
        protocol_clean(mailbox->remark[i].name, sizeof mailbox->remark[i].name);
        clean_kind(&mailbox->remark[i].detail, SIM_REMARK_DETAIL_COUNT);
        clean_place(&mailbox->remark[i].place);
    }
    protocol_clean(mailbox->note.text, sizeof mailbox->note.text);
    clean_place(&mailbox->note.place);
}

/* Texts and places that stand alone. */
static void clean_notes(struct protocol_mailbox *mailbox)
{
    clean_line(&mailbox->second_step);
    struct protocol_place *const places[] = {
        &mailbox->fault_place, &mailbox->first_print, &mailbox->again_place, &mailbox->two_steps,
        &mailbox->float_sum,   &mailbox->stopped,     &mailbox->kept,        &mailbox->trap};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        clean_place(places[i]);
    clean_name(mailbox->device, sizeof mailbox->device);
    protocol_clean(mailbox->launch_error, sizeof mailbox->launch_error);
    clean_name(mailbox->leaked_name, sizeof mailbox->leaked_name);
    clean_name(mailbox->again_object, sizeof mailbox->again_object);
    clean_name(mailbox->limiter, sizeof mailbox->limiter);
    clean_name(mailbox->changed, sizeof mailbox->changed);
    if (mailbox->leaked_count > INT32_MAX)
        mailbox->leaked_count = 0;
}

static void clean_samples(struct protocol_mailbox *mailbox, const struct protocol_request *request)
{
    if (mailbox->sample_count > PROTOCOL_MAX_SAMPLES)
        mailbox->sample_count = PROTOCOL_MAX_SAMPLES;
    for (uint32_t i = 0; i < mailbox->sample_count; i++) {
        const struct protocol_sample *s = &mailbox->sample[i];
        if (s->buffer >= request->buffer_count || request->buffer[s->buffer].element == 0 ||
            s->index >= request->buffer[s->buffer].full / request->buffer[s->buffer].element)
            mailbox->sample_count = 0;
    }
}

void protocol_clean_mailbox(struct protocol_mailbox *mailbox, const struct protocol_request *request)
{
    static const struct protocol_request nothing;
    request = request ? request : &nothing;
    clean_notes(mailbox);
    clean_work(mailbox);
    clean_origins(request, mailbox);
    clean_hazards(mailbox);
    clean_remarks(mailbox);
    if (mailbox->shape_count > PROTOCOL_MAX_SHAPES)
        mailbox->shape_count = PROTOCOL_MAX_SHAPES;
    clean_samples(mailbox, request);
    for (int i = 0; i < PROTOCOL_MAX_SHAPES; i++)
        clean_name(mailbox->shape[i].kernel, sizeof mailbox->shape[i].kernel);
    if (mailbox->line_count > PROTOCOL_MAX_LINES)
        mailbox->line_count = PROTOCOL_MAX_LINES;
    for (int i = 0; i < PROTOCOL_MAX_LINES; i++)
        clean_place(&mailbox->line[i].place);
}
