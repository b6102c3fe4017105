/* Nothing stored the element, or nothing read an input that it needs: what its neighbors show. */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/source/program.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/origin/origin.h"

static uint64_t threads_of(const struct protocol_launch *launch)
{
    uint64_t count = 1;
    for (int axis = 0; axis < 3; axis++)
        count *= (uint64_t)launch->grid[axis] * launch->block[axis];
    return count;
}

/* "scale<<<3, 256>>> at student.cu:61 has 768 threads." */
static void say_launch(struct cause *c, const struct protocol_thread *thread)
{
    char name[320], at[256];
    const struct protocol_launch *launch = cause_launch(c, thread);
    if (!launch)
        return;
    cause_name_launch(launch, name, sizeof name);
    cause_name_launched(c, launch, at, sizeof at);
    fact_add(c->facts, FACT_FEW_BLOCKS, FACT_SEEN, &launch->place);
    SAY(c, "The grid of %s%s%s has %llu threads", name, launch->place.line > 0 ? " at " : "",
        launch->place.line > 0 ? at : "", (unsigned long long)threads_of(launch));
    if (c->buffer >= 0)
        SAY(c, ", and %s has %lld elements", c->call->run.buffer[c->buffer].name,
            (long long)c->call->run.buffer[c->buffer].count);
    SAY(c, ".\n");
}

bool cause_read_line(const struct cause *c, const struct protocol_place *place, char line[512])
{
    const bool is_there = strcmp(text_file_name(c->source), text_file_name(place->file)) == 0;
    FILE *file = is_there ? fopen(c->source, "r") : NULL;
    int number = 0;
    line[0] = 0;
    while (file && number < place->line && fgets(line, 512, file))
        number += strchr(line, '\n') || feof(file); /* of a longer line, its end */
    if (file)
        fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    protocol_clean(line, 512); /* the student wrote it, and it goes to a terminal */
    return is_there && place->line > 0 && number == place->line;
}

/* ": i < n", if the line has one condition that fits into a sentence. */
static void say_condition(struct cause *c, const struct protocol_place *place)
{
    char line[512];
    const bool known = cause_read_line(c, place, line);
    char *begin = known ? strstr(line, "for (") : NULL, *end = NULL;
    if (begin && (begin = strchr(begin, ';')))
        end = strchr(++begin, ';');
    else if (known && ((begin = strstr(line, "if (")) || (begin = strstr(line, "while ("))) &&
             (begin = strchr(begin, '('))) {
        int depth = 0;
        for (end = ++begin; *end && (*end != ')' || depth > 0); end++)
            depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
        end = *end ? end : NULL;
    }
    while (end && *begin == ' ')
        begin++;
    if (end && end > begin && end - begin < 80)
        SAY(c, ": %.*s", (int)(end - begin), begin);
}

/* `verb`: "store", "load". */
static void say_guard(struct cause *c, const struct protocol_absence *a, const char *verb)
{
    char at[256], guard[256];
    cause_name_place(c, &a->place, at, sizeof at);
    cause_name_place(c, &a->guard, guard, sizeof guard);
    SAY(c, "No thread reaches the %s at %s", verb, at);
    if (a->guard.line > 0 && a->guard.line != a->place.line) {
        SAY(c, ": the condition at %s leads %spast it", guard, a->several ? "the first thread " : "");
        say_condition(c, &a->guard);
        SAY(c, ".\n");
    } else {
        SAY(c, ": a condition on that line leads past it.\n");
    }
}

/* Whether the function of that line may go through an array in steps of the grid: then no grid is too small. */
static bool steps_by_grid(const struct cause *c, const struct protocol_place *place)
{
    struct program p;
    bool found = false;
    const bool is_read = program_read_file(&p, c->source);
    for (int i = 0; is_read && i < p.tokens.count; i++) {
        const struct item *item = token_is(&p.tokens, i, "gridDim") ? program_item_of(&p, i) : NULL;
        found |= item && p.tokens.token[item->first].line <= place->line &&
                 place->line <= p.tokens.token[item->last].line;
    }
    program_free(&p);
    return found;
}

/* What the neighbors of the element show; false: nothing. */
static bool say_absence(struct cause *c, const struct protocol_absence *a, bool store)
{
    char near[128], at[256], before[80];
    const char *what = store ? "stores" : "reads", *verb = store ? "store" : "load";
    cause_name_thread(c, &a->near, near, sizeof near);
    cause_name_place(c, &a->place, at, sizeof at);
    cause_name_offset(c, a->buffer, a->near_offset, before, sizeof before);
    switch (a->why) {
    case SIM_ORIGIN_ELSEWHERE:
        if (a->place.line > 0 && !a->several)
            SAY(c, "%s %s %s at %s.\n", near, what, before, at);
        break;
    case SIM_ORIGIN_NO_THREAD:
        if (c->mailbox->overlap.count > 0) /* there are threads enough: some store what others store, too */
            return false;
        SAY(c, "%s, the last thread, %s %s at %s", near, what, before, at);
        if (steps_by_grid(c, &a->place)) {
            SAY(c, ", and none %s the elements that follow.\n", what);
            break;
        }
        SAY(c, ": no thread is left for the elements that follow.\n");
        say_launch(c, &a->near);
        break;
    case SIM_ORIGIN_NOT_REACHED: say_guard(c, a, verb); break;
    default:
        if (!store || a->place.line == 0)
            return false;
        SAY(c, "%s %s %s at %s.\n", near, what, before, at);
    }
    const bool unknown = a->why == SIM_ORIGIN_ELSEWHERE || a->why == SIM_ORIGIN_WHY_UNKNOWN;
    if (a->why == SIM_ORIGIN_NOT_REACHED && a->guard.line > 0 && !a->several)
        cause_set_place(c, &a->guard);
    if (!(unknown && a->several)) /* else it is not known which of the lines is meant */
        cause_set_place(c, &a->place);
    return true;
}

bool cause_tell_not_read(struct cause *c)
{
    const struct protocol_absence *a = &c->origin->absence;
    char near[128], at[256], wanted[80];
    if (c->origin->store_count == 0 && c->buffer >= 0)
        return false;
    if (!fact_find(c->facts, FACT_MISSING))
        fact_add(c->facts, FACT_MISSING, FACT_SEEN, NULL);
    if (a->why == SIM_ORIGIN_DONE) {
        cause_name_offset(c, a->buffer, a->wanted, wanted, sizeof wanted);
        cause_name_thread(c, &a->near, near, sizeof near);
        cause_name_place(c, &a->place, at, sizeof at);
        SAY(c, "%s is read at %s, by %s", wanted, at, near);
        cause_name_place(c, &a->lost, at, sizeof at);
        if (a->lost.line > 0 && a->lost_stores)
            SAY(c, "; what comes of it is stored at %s, but not in %s.\n", at, c->name);
        else
            SAY(c, ", but does not get into %s.\n", c->name);
        if (a->lost.line > 0)
            cause_set_place(c, &a->lost);
        if (a->lost_refused)
            SAY(c,
                "The compare-and-swap at %s does not find the value that it expects, so it stores nothing, and the "
                "thread does not try again.\n",
                at);
        return false;
    }
    return say_absence(c, a, false);
}

/* That several threads store to other elements of the output; false: none do. */
static bool tell_overlap(struct cause *c)
{
    const struct protocol_overlap *o = &c->mailbox->overlap;
    char first[128], second[128], name[80], at[256];
    if (o->count == 0 || c->buffer < 0)
        return false;
    cause_name_thread(c, &o->thread[0], first, sizeof first);
    cause_name_thread(c, &o->thread[1], second, sizeof second);
    cause_name_offset(c, (uint32_t)c->buffer, o->offset, name, sizeof name);
    cause_name_place(c, &o->place[1], at, sizeof at);
    fact_add(c->facts, FACT_STORED_TWICE, FACT_SEEN, &o->place[1]);
    SAY(c, "%llu other element%s stored more than once: %s by %s and by %s, at %s.\n",
        (unsigned long long)o->count, o->count == 1 ? " is" : "s are", name, first, second, at);
    cause_set_place(c, &o->place[1]);
    return true;
}

/* The index with which other elements are stored twice does not tell threads apart. */
static bool tell_shared_index(struct cause *c)
{
    const struct protocol_overlap *o = &c->mailbox->overlap;
    return o->count > 0 && cause_tell_index(c, &o->place[1], o->index_uses, &o->thread[1], true);
}

static void say_size(struct cause *c, const uint32_t size[3], const char *what)
{
    if (cause_is_flat(size))
        SAY(c, "%u %s%s", size[0], what, size[0] == 1 ? "" : "s");
    else
        SAY(c, "%u x %u x %u %ss", size[0], size[1], size[2], what);
}

/* How the only kernel was launched. */
static void say_sizes(struct cause *c, const struct protocol_launch *launch)
{
    char at[256];
    if (c->mailbox->launch_count != 1 || launch->place.line == 0 ||
        c->origin->absence.why == SIM_ORIGIN_NO_THREAD)
        return;
    cause_name_launched(c, launch, at, sizeof at);
    SAY(c, "The launch at %s has ", at);
    say_size(c, launch->grid, "block");
    SAY(c, " of ");
    say_size(c, launch->block, "thread");
    if (launch->grid[1] * launch->block[1] > 1)
        SAY(c, ": %u in x, %u in y", launch->grid[0] * launch->block[0], launch->grid[1] * launch->block[1]);
    SAY(c, ".\n");
}

#define LAUNCHES_NAMED 3

/* All that was launched, for none of them stores the element: "2 kernels were launched, and none of them stores it: ..." */
static void say_launches(struct cause *c)
{
    const uint32_t count = c->mailbox->launch_count;
    if (count == 1)
        SAY(c, "1 kernel was launched, ");
    else
        SAY(c, "%u kernels were launched, and none of them stores it: ", count);
    for (uint32_t i = 0; i < count && i < LAUNCHES_NAMED; i++) {
        const struct protocol_launch *launch = &c->mailbox->launch[i];
        char text[320], at[256];
        cause_name_launch(launch, text, sizeof text);
        cause_name_launched(c, launch, at, sizeof at);
        SAY(c, "%s%s%s%s", i ? ", " : "", text, launch->place.line > 0 ? " at " : "",
            launch->place.line > 0 ? at : "");
    }
    if (count > LAUNCHES_NAMED)
        SAY(c, ", and %u more", count - LAUNCHES_NAMED);
    SAY(c, ".\n");
}

bool cause_tell_never_stored(struct cause *c)
{
    char owner[96] = "";
    const struct protocol_launch *first = &c->mailbox->launch[0];
    if (c->origin->store_count > 0)
        return false;
    c->rank = CAUSE_ABSENT;
    if (c->mailbox->launch_count == 0) {
        text_set(fact_add(c->facts, FACT_NO_LAUNCH, FACT_SEEN, NULL)->name[0], 128, "%s", c->name);
        SAY(c, "No kernel was launched, so that none stores %s.\n", c->name);
        return true;
    }
    if (c->call->task->owner)
        c->call->task->owner(&c->call->run, c->buffer, c->index, owner, sizeof owner);
    fact_add_element(c->facts, FACT_NOT_STORED, FACT_SEEN, c->index, c->call->run.buffer[c->buffer].name);
    SAY(c, "No thread stores %s%s%s%s.\n", c->name, owner[0] ? " (" : "", owner, owner[0] ? ")" : "");
    const bool shared = tell_shared_index(c), overlap = tell_overlap(c);
    if (shared || say_absence(c, &c->origin->absence, true) || overlap) {
        say_sizes(c, first);
        return true;
    }
    c->rank = CAUSE_MISSING;
    say_launches(c);
    return true;
}
