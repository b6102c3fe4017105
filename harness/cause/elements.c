/* Which elements went into a wrong value: missing ones, extra ones, doubled ones. */
#include "harness/cause/tally.h"
#include "harness/judge/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/source/program.h"
#include "sim/origin/origin.h"

/* ---- what to say --------------------------------------------------------------------------------------- */

static void say_stored(struct cause *c)
{
    char at[256], thread[128];
    const struct protocol_origin *o = c->origin;
    if (o->store_count == 0)
        return;
    cause_name_place(c, &o->store[0].place, at, sizeof at);
    cause_name_thread(c, &o->store[0].thread, thread, sizeof thread);
    SAY(c, "%s is stored at %s by %s", c->buffer < 0 ? "What is copied back" : c->name, at, thread);
    if (o->store_count > 1)
        SAY(c, "; there are %llu stores to it in all", (unsigned long long)o->store_count);
    cause_say_computed(c);
    SAY(c, ".\n");
    cause_keep_path(c);
    cause_set_place(c, &o->store[0].place);
}

/*
 * "thread 5 of block 1 reads it at student.cu:7": of a row of elements only the first one's thread is known; and of several threads
 * that read one, not which of them had it from there for this value.
 */
static void say_reader(struct cause *c, const struct tally *t, const struct protocol_source *s,
                       const char *what)
{
    char thread[128], at[256];
    const int64_t offset = t->first_extra * (int64_t)lab_type_size(c->call->run.buffer[t->buffer].type);
    cause_name_thread(c, &s->thread, thread, sizeof thread);
    cause_name_place(c, cause_place_of(c, s->place), at, sizeof at);
    const bool elsewhere =
        s->has_second && cause_place_of(c, s->second_place)->line != cause_place_of(c, s->place)->line;
    if (s->offset == offset && !s->has_second)
        SAY(c, "%s reads %s at %s", thread, what, at);
    else if (s->mixed || elsewhere)
        SAY(c, "%s is read by a kernel", what);
    else
        SAY(c, "%s is read at %s", what, at);
}

/* An element that does not belong there may be right where it is read, and be taken from the wrong thread. */
static void say_crossing(struct cause *c, const struct protocol_source *s)
{
    char at[256];
    const struct protocol_place *crossed = cause_place_of(c, s->crossed);
    if (crossed->line <= 0 || s->has_second)
        return;
    cause_name_place(c, crossed, at, sizeof at);
    if (s->ways & SIM_ORIGIN_SHUFFLED)
        SAY(c, "Another thread gets it by the shuffle at %s.\n", at);
    else
        SAY(c, "Another thread takes it from shared memory at %s.\n", at);
}

static bool same_line(const struct protocol_place *a, const struct protocol_place *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Between its load and the store of the result it may have been taken from the wrong place, of registers or of shared memory. */
static void say_use(struct cause *c, const struct protocol_source *s, const char *what)
{
    char at[256];
    const struct protocol_place *used = cause_place_of(c, s->used);
    if (used->line <= 0 || s->times != 1 || same_line(used, cause_place_of(c, s->place)) ||
        same_line(used, cause_place_of(c, s->crossed)) || same_line(used, &c->origin->store[0].place))
        return;
    cause_name_place(c, used, at, sizeof at);
    SAY(c, "%s goes into a sum or a product at %s.\n", what, at);
}

/* One element instead of another. */
static void tell_exchanged(struct cause *c, const struct tally *t)
{
    char stored[256], read[80];
    const char *array = c->call->run.buffer[t->buffer].name;
    const struct protocol_source *s = tally_source(c, t, t->first_extra);
    /* Read by another thread, it came by way of shared memory, or a shuffle: what is wrong may be how it was taken there. */
    const bool is_own =
        c->buffer < 0 || memcmp(&s->thread, &c->origin->store[0].thread, sizeof s->thread) == 0;
    text_set(read, sizeof read, "%s[%lld]", array, (long long)t->first_extra);
    if (t->by_zero) /* its index may be right, and the other factor's wrong */
        SAY(c,
            "In %s, %s[%lld] is multiplied by 0 and %s[%lld] is not, where it should be the other way round: one of the two factors is the wrong element: ",
            c->name, array, (long long)t->first_missing, array, (long long)t->first_extra);
    else if (t->needed == 1)
        SAY(c, "%s is computed from %s[%lld] instead of %s[%lld]: ", c->name, array,
            (long long)t->first_extra, array, (long long)t->first_missing);
    else /* all the others are there, in a row perhaps: the index need not be wrong by the distance of these two */
        SAY(c, "%s includes %s[%lld], which does not belong to it, instead of %s[%lld], which is missing: ",
            c->name, array, (long long)t->first_extra, array, (long long)t->first_missing);
    say_reader(c, t, s, read);
    if (c->buffer >= 0 && c->origin->store_count > 0) {
        cause_name_place(c, &c->origin->store[0].place, stored, sizeof stored);
        SAY(c, ", and the result is stored at %s", stored);
    }
    SAY(c, ".\n");
    say_crossing(c, s);
    say_use(c, s, read);
    cause_set_place(c, is_own ? cause_place_of(c, s->place) : &c->origin->store[0].place);
    if (!t->is_product)
        cause_tell_index(c, cause_place_of(c, s->place), s->index_uses, &s->thread, false);
    cause_keep_path(c);
    c->rank = t->by_zero ? CAUSE_ARITHMETIC : CAUSE_INSTEAD;
}

static void tell_extra(struct cause *c, const struct tally *t)
{
    char list[256], missing[256], first[80];
    const struct protocol_source *s = tally_source(c, t, t->first_extra);
    const bool left_out = t->need[t->first_extra] == LEFT_OUT && !t->counted;
    tally_name(c, t, false, list, sizeof list);
    tally_name(c, t, true, missing, sizeof missing);
    text_set(first, sizeof first, "%s[%lld]", c->call->run.buffer[t->buffer].name, (long long)t->first_extra);
    if (left_out)
        SAY(c, "%s includes %s, which should be left out", c->name, list);
    else
        SAY(c, "%s includes %s, which %s not belong to it", c->name, list, t->extra == 1 ? "does" : "do");
    if (t->missing > 0)
        fact_add_element(c->facts, FACT_MISSING, FACT_SEEN, t->first_missing,
                         c->call->run.buffer[t->buffer].name);
    if (t->missing > 0)
        SAY(c, ", instead of %s, which %s missing", missing, t->missing == 1 ? "is" : "are");
    SAY(c, "; ");
    say_reader(c, t, s, first);
    SAY(c, ".\n");
    say_crossing(c, s);
    say_use(c, s, first);
    if (t->doubled > 0 && !t->any_times)
        SAY(c, "%s[%lld]%s is included %u times.\n", c->call->run.buffer[t->buffer].name,
            (long long)t->first_doubled, t->doubled > 1 ? ", like others," : "", t->times);
    if (left_out && c->origin->store_count > 0) /* it is read where it should be */
        cause_set_place(c, &c->origin->store[0].place);
    else
        cause_tell_index(c, cause_place_of(c, s->place), s->index_uses, &s->thread, false);
    cause_set_place(c, cause_place_of(c, s->place));
    cause_tell_overwritten(c);
    cause_say_displaced(c);
    cause_keep_path(c);
    c->rank = CAUSE_EXTRA;
}

/* Do tokens `a` and `b` stand in the body of one loop? */
static bool in_one_loop(const struct program *p, int a, int b)
{
    for (int i = 0; i < p->statement_count; i++) {
        const struct statement *s = &p->statement[i];
        if (s->kind != STATEMENT_LOOP || token_is(&p->tokens, s->first, "switch"))
            continue;
        const int body = s->condition < 0 ? s->first : p->tokens.token[s->condition].match; /* do: none */
        if (body < a && a <= s->last && body < b && b <= s->last)
            return true;
    }
    return false;
}

/* The token with which the variable is set that the line adds to: y of "y = 0;", for "y += a * b;"; -1: not in the same loop. */
static int begin_of_sum(const struct program *p, int line)
{
    const struct tokens *t = &p->tokens;
    int add = 0;
    while (add < t->count &&
           !(t->token[add].line == line && token_is(t, add, "+=") && token_is_name(t, add - 1)))
        add++;
    for (int i = add - 2; add < t->count && i >= 0; i--)
        if (token_same(t, i, add - 1) && token_is(t, i + 1, "="))
            return in_one_loop(p, i, add) ? i : -1;
    return -1;
}

/* Where the source sets the sum again, which the compiler may do at another line; `at` if that is not known. */
static struct protocol_place begin_of(const struct cause *c, const struct protocol_place *at)
{
    struct program program;
    struct protocol_place place = *at;
    char line[512];
    const struct protocol_place *added = &c->origin->computed;
    if (!cause_read_line(c, added, line))
        return place;
    const int begin = program_read_file(&program, c->source) ? begin_of_sum(&program, added->line) : -1;
    if (begin >= 0)
        place.line = program.tokens.token[begin].line;
    program_free(&program);
    return place;
}

/*
 * The sum begins with 0 more often than it is stored: a loop sets it to 0 again, and only what came after the last time
 * counts.
 */
static bool tell_reset(struct cause *c)
{
    char at[256], thread[128];
    const struct protocol_store *store = &c->origin->store[0];
    FOR_SOURCES(s, c)
    {
        if (s->kind != SIM_ORIGIN_IMMEDIATE || s->bits != 0 || !(s->ways & SIM_ORIGIN_SUM) || c->buffer < 0 ||
            s->runs <= store->runs || memcmp(&s->thread, &store->thread, sizeof s->thread) != 0)
            continue;
        const struct protocol_place place = begin_of(c, cause_place_of(c, s->place));
        cause_name_place(c, &place, at, sizeof at);
        cause_name_thread(c, &s->thread, thread, sizeof thread);
        SAY(c,
            "The sum is reset to 0 at %s, %u times in %s: only what is added after the last reset counts.\n",
            at, s->runs, thread);
        cause_set_place(c, &place);
        c->rank = CAUSE_RESET;
        return true;
    }
    return false;
}

/* Nothing but numbers in the code went into the value. */
static bool is_constant(const struct cause *c)
{
    FOR_SOURCES(s, c)
    if (s->kind != SIM_ORIGIN_IMMEDIATE && s->times)
        return false;
    return c->origin->source_count > 0;
}

static void say_missing(struct cause *c, const struct tally *t)
{
    char list[256];
    const char *array = c->call->run.buffer[t->buffer].name;
    tally_name(c, t, true, list, sizeof list);
    fact_add_element(c->facts, FACT_MISSING, FACT_SEEN, t->first_missing, array);
    if (t->counted)
        SAY(c,
            "%s, as it is at the end, counts %lld of the %lld elements of %s that belong to it; %s %s not among them.\n",
            c->name, (long long)(t->needed - t->missing), (long long)t->needed, array, list,
            t->missing == 1 ? "is" : "are");
    else if (t->needed == 1)
        SAY(c, "%s should be computed from %s, which is missing: the result does not depend on it.\n",
            c->name, list);
    else
        SAY(c, "%s includes %lld of the %lld elements of %s that belong to it; %s %s missing.\n", c->name,
            (long long)(t->needed - t->missing), (long long)t->needed, array, list,
            t->missing == 1 ? "is" : "are");
}

static void tell_missing(struct cause *c, const struct tally *t)
{
    char at[256];
    c->rank = CAUSE_MISSING;
    say_missing(c, t);
    if (t->cancelled > 0) {
        cause_say_cancelled(c, t);
        say_stored(c);
        c->rank = CAUSE_INSTEAD;
        return;
    }
    if (tell_reset(c)) {
        say_stored(c);
        return;
    }
    if (c->origin->store_count == 0) {
        cause_name_place(c, &c->origin->copied, at, sizeof at);
        SAY(c, "When it was copied back at %s, no kernel had stored anything in that memory.\n", at);
        cause_set_place(c, &c->origin->copied);
        return;
    }
    if (cause_tell_overwritten(c))
        return;
    if (cause_say_doubled(c, t)) {
        c->rank = CAUSE_EXTRA;
        say_stored(c);
        if (c->origin->absence.why == SIM_ORIGIN_DONE)
            cause_tell_not_read(c);
        return;
    }
    const bool is_absent = cause_tell_not_read(c);
    if (is_absent && c->rank < CAUSE_ABSENT)
        c->rank = CAUSE_ABSENT;
    if (is_constant(c) && !c->origin->store[0].is_atomic) /* a count adds 1 */
        SAY(c, "Only numbers in the code went into the value that is stored.\n");
    if (is_absent && c->buffer < 0) /* one thread of many that have stored what is copied back says little */
        cause_keep_path(c);
    else
        say_stored(c);
}

/* A task that asks whether two calls come to the same. */
static bool is_called_twice(const struct cause *c)
{
    return c->call->task->same_bits && c->call->task->result_count > 0;
}

static void tell_doubled(struct cause *c, const struct tally *t)
{
    char at[256];
    const struct protocol_origin *o = c->origin;
    const char *array = c->call->run.buffer[t->buffer].name;
    const char *verb = t->counted ? "counted" : "included";
    c->rank = CAUSE_DOUBLED;
    fact_add_element(c->facts, FACT_DOUBLED, FACT_SEEN, t->first_doubled, array)->value[0] = t->times;
    cause_name_place(c, &o->store[0].place, at, sizeof at);
    if (t->needed > 1 && t->all_doubled)
        SAY(c, "Each element of %s that belongs to %s is %s %u times.\n", array, c->name, verb, t->times);
    else
        SAY(c, "%s[%lld] is %s in %s %u times instead of once.\n", array, (long long)t->first_doubled, verb,
            c->name, t->times);
    if (t->doubled > 1 && !t->all_doubled)
        SAY(c, "%lld elements in all are %s more than once.\n", (long long)t->doubled, verb);
    cause_say_readers(c, tally_source(c, t, t->first_doubled));
    if (!t->counted)
        cause_say_fork(c, tally_source(c, t, t->first_doubled));
    if (c->buffer < 0)
        SAY(c, "The value that is copied back is stored at %s.\n", at);
    else if (o->store_count > 1 && o->store[0].is_atomic)
        SAY(c, "%s is added to %llu times at %s.\n", c->name, (unsigned long long)o->store_count, at);
    else if (o->store_count > 1 && !is_called_twice(c))
        SAY(c, "%s is stored %llu times at %s.\n", c->name, (unsigned long long)o->store_count, at);
    else if (o->store_count == 1)
        SAY(c, "%s is stored once, at %s.\n", c->name, at);
    cause_keep_path(c);
    cause_set_place(c, &o->store[0].place);
}

/* Where it is converted, that is how it is lost; else how far it gets. */
static void tell_way(struct cause *c)
{
    if (c->origin->step_count > 0 && c->origin->step[0].note == SIM_ORIGIN_TO_INTEGER) {
        cause_tell_steps(c);
        return;
    }
    if (c->origin->absence.lost.line > 0)
        cause_tell_not_read(c);
    say_stored(c);
}

/* What the number in the code is as an element: what a thread stores may be its bits, as those of an integer. */
static double number_of(const struct cause *c, const struct protocol_source *s)
{
    float single = NAN;
    double number = NAN;
    size_t size = s->size;
    for (uint64_t i = 0; size == 0 && i < c->origin->store_count && i < PROTOCOL_MAX_STORES; i++)
        if (!c->origin->store[i].is_atomic && c->buffer >= 0 &&
            c->origin->store[i].place.line == cause_place_of(c, s->place)->line)
            size = lab_type_size(c->call->run.buffer[c->buffer].type);
    if (size == sizeof single)
        memcpy(&single, &s->bits, sizeof single);
    else if (size == sizeof number)
        memcpy(&number, &s->bits, sizeof number);
    return size == sizeof single ? single : number;
}

/* Where the function has the number, for the compiler may set a variable elsewhere, as where a loop begins; 0: at several lines, or none. */
static int line_of_number(const struct cause *c, int line)
{
    struct program p;
    int found = 0;
    const int count = program_read_file(&p, c->source) ? p.tokens.count : 0;
    for (int i = 0; i < count; i++) {
        const struct token *token = &p.tokens.token[i];
        const struct item *item = token->kind == TOKEN_NUMBER ? program_item_of(&p, i) : NULL;
        if (item && p.tokens.token[item->first].line <= line && line <= p.tokens.token[item->last].line &&
            strtod(p.text + token->at, NULL) == c->got)
            found = found ? -1 : token->line;
    }
    program_free(&p);
    return found > 0 ? found : 0;
}

/* Of the largest of many: a number in the code came out, or what the host stored took part, as if it were an element. */
static bool tell_stand_in(struct cause *c)
{
    char at[256];
    FOR_SOURCES(s, c)
    {
        const bool is_number = s->kind == SIM_ORIGIN_IMMEDIATE && number_of(c, s) == c->got;
        if (!s->times || !(c->got > c->want) || (!is_number && s->kind != SIM_ORIGIN_HOST))
            continue;
        struct protocol_place place = *cause_place_of(c, s->place);
        if (is_number)
            place.line = line_of_number(c, place.line);
        cause_name_place(c, &place, at, sizeof at);
        if (is_number)
            SAY(c, "The number %g%s%s comes out as the maximum", c->got, place.line ? " at " : " in the code",
                place.line ? at : "");
        else
            SAY(c, "The value that the host puts into %s at %s takes part in the maximum", s->name, at);
        SAY(c,
            ", as if it were an element: what stands in for a missing element, or what a maximum begins with, must not be "
            "larger than any element.\n");
        cause_set_place(c, &place);
        c->rank = CAUSE_INSTEAD;
        return true;
    }
    return false;
}

/* Of the largest of many another one came out. */
static bool tell_loser(struct cause *c, const struct tally *t)
{
    char at[256];
    const char *array = c->call->run.buffer[t->buffer].name;
    const struct protocol_source *s = t->extra > 0 ? tally_source(c, t, t->first_extra) : NULL;
    if (t->missing > 0 && t->extra == 0 && c->origin->absence.lost.line > 0) {
        SAY(c, "%s[%lld], than which none is larger, does not reach %s.\n", array,
            (long long)t->first_missing, c->name);
        tell_way(c);
        c->rank = CAUSE_INSTEAD;
        return true;
    }
    if (t->missing == 0 || !s)
        return false;
    cause_name_place(c, cause_place_of(c, s->place), at, sizeof at);
    for (int64_t i = 0; i < t->count; i++)
        if (t->need[i] == NEEDED)
            SAY(c, "%s[%lld], the largest element, does not reach %s; %s[%lld] does, read at %s.\n", array,
                (long long)i, c->name, array, (long long)t->first_extra, at);
    tell_way(c);
    c->rank = CAUSE_INSTEAD;
    return true;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Constants, and memory outside of the call's buffers: it may hold copies of inputs. */
static bool has_other_memory(const struct cause *c)
{
    FOR_SOURCES(s, c)
    if (s->kind == SIM_ORIGIN_CONSTANT || s->kind == SIM_ORIGIN_CALL ||
        (s->kind == SIM_ORIGIN_MEMORY && s->buffer < 0))
        return true;
    return false;
}

/* A product or a polynomial of one element uses it as often as it likes. */
static bool is_function(const struct cause *c, const struct tally *t)
{
    const struct protocol_source *s = t->needed == 1 ? tally_source(c, t, t->first_doubled) : NULL;
    return s && !t->counted && (s->ways & SIM_ORIGIN_FACTOR);
}

/* 1: told; 0: nothing is wrong; -1: the elements may have come by a way that is not followed. */
static int tell_tally(struct cause *c, const struct tally *t)
{
    if (t->missing == t->needed && t->extra == 0 && t->needed > 0 && has_other_memory(c))
        return -1;
    if (t->of_many && (t->missing > 0 || t->extra > 0))
        return tell_stand_in(c) || tell_loser(c, t) ? 1 : -1;
    if (t->missing == 1 && t->extra == 1 && !t->counted)
        tell_exchanged(c, t);
    else if (t->extra > 0 && !t->is_factor)
        tell_extra(c, t);
    else if (t->missing > 0)
        tell_missing(c, t);
    else if (t->doubled > 0 && !t->any_times && !is_function(c, t))
        tell_doubled(c, t);
    else
        return 0;
    return 1;
}

/* A row of factors that are multiplied by 0 where the other row has no element: more of them do no harm. */
static bool follows_factors(const struct lab_need *need, int rows, int buffer)
{
    for (int r = 1; r < rows; r++)
        if (need[r].buffer == buffer && need[r - 1].with_next)
            return true;
    return false;
}

/* 1: told; 0: the elements are those that belong to it; -1: not known. */
int cause_tell_elements(struct cause *c)
{
    const struct lab_task *task = c->call->task;
    struct lab_need need[LAB_MAX_NEEDS] = {{0}};
    const int rows = task->needs ? task->needs(&c->call->run, c->buffer, c->index, need) : 0;
    int told = 0;
    if (rows == 0 || c->origin->incomplete || c->origin->source_count > PROTOCOL_MAX_SOURCES)
        return -1;
    for (int b = 0; b < c->call->run.buffer_count && told <= 0; b++) {
        struct tally tally = {0};
        bool needed = false;
        for (int r = 0; r < rows; r++)
            needed |= need[r].buffer == b;
        if (needed && tally_make(&tally, c, b, need, rows)) {
            tally.is_factor = follows_factors(need, rows, b);
            const int found = tell_tally(c, &tally);
            told = found ? found : told;
        }
        tally_free(&tally);
    }
    return told;
}
