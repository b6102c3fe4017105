/* Sums of products: at which step they went wrong. */
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/source/program.h"
#include "sim/origin/origin_bisect.h"

static bool is_same_thread(const struct protocol_thread *a, const struct protocol_thread *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool is_same_line(const struct protocol_place *a, const struct protocol_place *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* ---- the right sum, in the wrong place ----------------------------------------------------------------- */

static bool tell_again(struct cause *c, const struct protocol_bisect *b)
{
    char at[256], stored[256], thread[128];
    cause_name_place(c, &b->at, at, sizeof at);
    cause_name_place(c, &b->stored, stored, sizeof stored);
    cause_name_thread(c, &b->last, thread, sizeof thread);
    if (!is_same_thread(&b->by, &b->last))
        return cause_tell_overwritten(c);
    SAY(c, "%s stores to %s at %s, which is right", thread, c->name, at);
    if (is_same_line(&b->at, &b->stored) && b->count > 1)
        SAY(c,
            ", and then again, %u times in all, at the same line: other values, which belong elsewhere. The index "
            "of this store does not change from one store to the next.\n",
            b->count);
    else
        SAY(c, ", and then another value at %s.\n", stored);
    cause_set_place(c, &b->stored);
    return true;
}

static bool tell_elsewhere(struct cause *c, const struct protocol_bisect *b)
{
    char at[256], put[256], thread[128], name[80];
    if (b->elsewhere.buffer < 0)
        return false;
    cause_name_place(c, &b->at, at, sizeof at);
    cause_name_place(c, &b->put, put, sizeof put);
    cause_name_thread(c, &b->by, thread, sizeof thread);
    cause_name_offset(c, (uint32_t)b->elsewhere.buffer, b->elsewhere.offset, name, sizeof name);
    SAY(c,
        "What belongs in %s is computed at %s, by %s, but is stored in %s, at %s: the index of this store does not "
        "fit what is computed.\n",
        c->name, at, thread, name, put);
    cause_set_place(c, &b->put);
    return true;
}

#define LINES_BACK 12

/*
 * The compiler may give several stores to one element, of which the last one counts, a line that has none: the nearest
 * line before it that has.
 */
static struct protocol_place line_of_store(const struct cause *c, const struct protocol_place *stored)
{
    char line[512];
    struct protocol_place place = *stored;
    for (; place.line > 0 && place.line > stored->line - LINES_BACK; place.line--) {
        if (!cause_read_line(c, &place, line) || (line[0] == '}' && place.line != stored->line))
            break;
        if (strstr(line, "] = ") || strstr(line, "] += "))
            return place;
    }
    return *stored;
}

/* An element of the output that was asked for as well, and that nothing has stored; NULL: there is none. */
static const struct protocol_origin *never_stored(const struct cause *c)
{
    for (int i = 0; i < PROTOCOL_MAX_ORIGINS; i++)
        if (c->mailbox->origin[i].known && c->mailbox->origin[i].store_count == 0)
            return &c->mailbox->origin[i];
    return NULL;
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

/* Where the sum begins that is added to at `at`. */
static void say_begin(struct cause *c, const struct protocol_place *at)
{
    struct program program;
    struct protocol_place place = *at;
    char line[512], name[64], where[256];
    const bool read = program_read_file(&program, c->source) && cause_read_line(c, at, line);
    const int begin = read ? begin_of_sum(&program, at->line) : -1;
    if (begin >= 0) {
        token_copy(&program.tokens, begin, name, sizeof name);
        place.line = program.tokens.token[begin].line;
        cause_name_place(c, &place, where, sizeof where);
        SAY(c, "%s is set again at %s, in each turn of the loop: set it once, before the loop.\n", name,
            where);
        cause_set_place(c, &place);
    }
    program_free(&program);
}

/* The right sum of an earlier turn is lost. */
static bool tell_anew(struct cause *c, const struct protocol_bisect *b)
{
    char at[256], stored[256], thread[128];
    cause_name_place(c, &b->at, at, sizeof at);
    cause_name_place(c, &b->stored, stored, sizeof stored);
    cause_name_thread(c, &b->by, thread, sizeof thread);
    SAY(c,
        "What belongs in %s is computed at %s, by %s, in a turn of a loop; in a later turn the sum begins anew, and only "
        "the last turn's sum is stored, at %s.\n",
        c->name, at, thread, stored);
    cause_set_place(c, &b->at);
    say_begin(c, &b->at);
    return true;
}

static bool tell_not_stored(struct cause *c, const struct protocol_bisect *b)
{
    char at[256], stored[256], thread[128];
    const struct protocol_place place = line_of_store(c, &b->stored);
    if (b->anew && is_same_thread(&b->by, &b->last))
        return tell_anew(c, b);
    cause_name_place(c, &b->at, at, sizeof at);
    cause_name_place(c, &place, stored, sizeof stored);
    cause_name_thread(c, &b->by, thread, sizeof thread);
    SAY(c, "What belongs in %s is computed at %s, by %s, but another value is stored there at %s", c->name,
        at, thread, stored);
    SAY(c, !is_same_thread(&b->by, &b->last) ? ", by another thread.\n"
           : never_stored(c)                 ? ", and other elements are never stored.\n"
                                             : ".\n");
    cause_set_place(c, &place);
    return true;
}

/* ---- a wrong factor ------------------------------------------------------------------------------------ */

static void name_element(const struct cause *c, const struct protocol_element_at *at, char *name, size_t size)
{
    if (at->buffer < 0)
        text_set(name, size, "%s", at->outside ? "something outside of the arrays" : "0");
    else
        cause_name_offset(c, (uint32_t)at->buffer, at->offset, name, size);
}

static void say_factor(struct cause *c, const struct protocol_bisect *b)
{
    char right[80], got[80], wanted[80], at[256];
    if (b->count == 0) /* a copy */
        return;
    name_element(c, &b->right, right, sizeof right);
    name_element(c, &b->got, got, sizeof got);
    name_element(c, &b->wanted, wanted, sizeof wanted);
    cause_name_place(c, &b->at, at, sizeof at);
    SAY(c, "For %s, %s is multiplied by %s at %s, instead of %s", c->name, right, got, at, wanted);
    if (b->count > 1)
        SAY(c, "; %u products are wrong in this way", b->count);
    SAY(c, ".\n");
}

/* What the elements are in the contract's terms. */
static void say_elements(struct cause *c, const struct protocol_bisect *b)
{
    char wrong[CAUSE_ELEMENT], right[CAUSE_ELEMENT], is[80], should[80];
    if (b->got.buffer < 0 || b->got.buffer != b->wanted.buffer)
        return; /* a number instead of an element: no buffer has it */
    const int buffer = b->got.buffer;
    const int64_t size = (int64_t)lab_type_size(c->call->run.buffer[buffer].type);
    cause_describe(c, buffer, b->got.offset / size, wrong);
    cause_describe(c, buffer, b->wanted.offset / size, right);
    name_element(c, &b->got, is, sizeof is);
    name_element(c, &b->wanted, should, sizeof should);
    if (wrong[0] && right[0])
        SAY(c, "%s is %s; %s is %s.\n", is, wrong, should, right);
}

static void tell_variable(struct cause *c, const struct protocol_bisect *b)
{
    char wanted[80], loaded[256];
    name_element(c, &b->wanted, wanted, sizeof wanted);
    say_factor(c, b);
    say_elements(c, b);
    cause_name_place(c, &b->loaded, loaded, sizeof loaded);
    if (b->loaded.line > 0 && !is_same_line(&b->loaded, &b->at))
        SAY(c, "%s is loaded at %s.\n", wanted, loaded);
    cause_set_place(c, &b->at);
}

/* The right element lies beside the one that is read: either index may be the wrong one. */
static void tell_place(struct cause *c, const struct protocol_bisect *b)
{
    char got[80], wanted[80], read[256], put[256], reader[128], putter[128];
    const char *read_lacks = b->index_known ? cause_lacking(c, b->index_uses, &b->reader) : NULL;
    const char *put_lacks = b->put_known ? cause_lacking(c, b->put_uses, &b->putter) : NULL;
    name_element(c, &b->got, got, sizeof got);
    name_element(c, &b->wanted, wanted, sizeof wanted);
    cause_name_place(c, &b->read, read, sizeof read);
    cause_name_thread(c, &b->reader, reader, sizeof reader);
    if (b->put.line == 0) {
        SAY(c,
            "For %s, %s reads %s from constant memory at %s; %s is in constant memory too, with another index.\n",
            c->name, reader, got, read, wanted);
    } else {
        cause_name_place(c, &b->put, put, sizeof put);
        cause_name_thread(c, &b->putter, putter, sizeof putter);
        SAY(c, "For %s, %s reads %s at %s, which holds %s; ", c->name, reader,
            b->here[0] ? b->here : "a place of a local array", read, got);
        SAY(c, "%s is in %s, where %s stored it at %s.\n", wanted, b->there[0] ? b->there : "another one",
            putter, put);
        if (read_lacks || !put_lacks)
            cause_tell_index(c, &b->read, &b->read, b->index_uses, &b->reader, "read");
        else
            cause_tell_index(c, &b->put, &b->put, b->put_uses, &b->putter, "store");
    }
    say_factor(c, b);
    say_elements(c, b);
    cause_set_place(c, &b->read);
}

static void tell_replaced(struct cause *c, const struct protocol_bisect *b)
{
    char wanted[80], got[80], read[256], put[256], replaced[256], reader[128], putter[128], replacer[128];
    name_element(c, &b->got, got, sizeof got);
    name_element(c, &b->wanted, wanted, sizeof wanted);
    cause_name_place(c, &b->read, read, sizeof read);
    cause_name_place(c, &b->put, put, sizeof put);
    cause_name_place(c, &b->replaced, replaced, sizeof replaced);
    cause_name_thread(c, &b->reader, reader, sizeof reader);
    cause_name_thread(c, &b->putter, putter, sizeof putter);
    cause_name_thread(c, &b->replacer, replacer, sizeof replacer);
    SAY(c,
        "For %s, %s needs %s, and reads %s at %s. %s had stored %s in %s at %s, where it was overwritten by %s at "
        "%s before it was read.\n",
        c->name, reader, wanted, got, read, putter, wanted, b->there[0] ? b->there : "shared memory", put,
        replacer, replaced);
    cause_tell_index(c, &b->put, &b->put, b->put_uses, &b->putter, "store");
    say_factor(c, b);
    cause_set_place(c, &b->put);
}

static void tell_not_put(struct cause *c, const struct protocol_bisect *b)
{
    char wanted[80], got[80], read[256], loaded[256], reader[128], loader[128];
    name_element(c, &b->got, got, sizeof got);
    name_element(c, &b->wanted, wanted, sizeof wanted);
    cause_name_place(c, &b->read, read, sizeof read);
    cause_name_place(c, &b->loaded, loaded, sizeof loaded);
    cause_name_thread(c, &b->reader, reader, sizeof reader);
    cause_name_thread(c, &b->loader, loader, sizeof loader);
    if (b->loaded.line > 0)
        fact_add(c->facts, FACT_LOADED, FACT_SEEN, &b->loaded);
    if (b->what == SIM_ORIGIN_NOT_PUT)
        SAY(c,
            "For %s, %s reads %s from shared memory at %s and needs %s, which is not there: %s loaded it at %s, but "
            "did not store it in shared memory before.\n",
            c->name, reader, got, read, wanted, loader, loaded);
    else
        SAY(c,
            "For %s, %s reads %s from shared memory at %s and needs %s, which is not there: no thread of the block "
            "had loaded it.\n",
            c->name, reader, got, read, wanted);
    if (b->what == SIM_ORIGIN_NOT_LOADED && b->loaded.line > 0)
        SAY(c, b->got.buffer < 0 ? "%s was stored there at %s, by %s.\n" : "%s was loaded at %s, by %s.\n",
            got, loaded, loader);
    say_factor(c, b);
    cause_set_place(c, b->loaded.line > 0 ? &b->loaded : &b->read);
}

/*
 * The same value is stored in two elements: either it is the wrong one that is stored, or it is made of the wrong
 * factors.
 */
static void say_twin(struct cause *c, const struct protocol_bisect *b)
{
    char stored[256], thread[128], twin[80];
    if (b->what < SIM_ORIGIN_OTHER_VARIABLE || b->elsewhere.buffer < 0 || b->stored.line == 0)
        return;
    cause_name_place(c, &b->stored, stored, sizeof stored);
    cause_name_thread(c, &b->last, thread, sizeof thread);
    cause_name_offset(c, (uint32_t)b->elsewhere.buffer, b->elsewhere.offset, twin, sizeof twin);
    SAY(c,
        "%s stores one and the same sum in %s, at %s, and in %s: it is the wrong sum, or made of the wrong factors.\n",
        thread, c->name, stored, twin);
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* No element in the contract's terms: whatever it is multiplied by, no thread has to load it. */
static bool is_wrong_load(const struct cause *c, const struct protocol_element_at *got)
{
    if (got->buffer < 0)
        return false;
    const int64_t size = (int64_t)lab_type_size(c->call->run.buffer[got->buffer].type);
    char text[CAUSE_ELEMENT];
    return !cause_describe(c, got->buffer, got->offset / size, text);
}

bool cause_say_where(struct cause *c)
{
    const struct protocol_bisect *b = &c->origin->bisect;
    switch ((enum sim_origin_step_wrong)b->what) {
    case SIM_ORIGIN_OTHER_PLACE: tell_place(c, b); return true;
    case SIM_ORIGIN_REPLACED: tell_replaced(c, b); return true;
    case SIM_ORIGIN_NOT_PUT:
    case SIM_ORIGIN_NOT_LOADED: tell_not_put(c, b); return true;
    default: return false;
    }
}

/* Either the index of the store is wrong, or that of what was read. */
static void say_read(struct cause *c, const struct protocol_bisect *b)
{
    char got[80], read[256], reader[128];
    if (b->read.line == 0 || !b->here[0])
        return;
    name_element(c, &b->got, got, sizeof got);
    cause_name_place(c, &b->read, read, sizeof read);
    cause_name_thread(c, &b->reader, reader, sizeof reader);
    SAY(c, "For %s, %s reads %s, which holds %s, at %s.\n", c->name, reader, b->here, got, read);
    fact_add(c->facts, FACT_LOADED, FACT_SEEN, &b->read);
}

static bool tell(struct cause *c, const struct protocol_bisect *b)
{
    c->rank = CAUSE_INSTEAD;
    switch ((enum sim_origin_step_wrong)b->what) {
    case SIM_ORIGIN_STORED_AGAIN: return tell_again(c, b);
    case SIM_ORIGIN_STORED_ELSEWHERE:
        /* Wrong factors may be those of another element: what another element says of its factors comes first. */
        c->rank = CAUSE_EXTRA;
        return tell_elsewhere(c, b);
    case SIM_ORIGIN_NOT_STORED: return tell_not_stored(c, b);
    default: break;
    }
    if (is_wrong_load(c, &b->got))
        return false;
    c->rank = CAUSE_PRODUCT;
    say_twin(c, b);
    switch ((enum sim_origin_step_wrong)b->what) {
    case SIM_ORIGIN_OTHER_VARIABLE: tell_variable(c, b); return true;
    default: return cause_say_where(c);
    }
}

bool cause_tell_bisect(struct cause *c)
{
    char stored[256];
    const enum cause_rank rank = c->rank;
    if (c->origin->bisect.what >= SIM_ORIGIN_OTHER_VARIABLE && c->origin->bisect.count == 0)
        return false; /* of a copy: cause_say_where */
    const size_t before = strlen(c->text);
    if (c->origin->bisect.what >= SIM_ORIGIN_OTHER_VARIABLE && cause_tell_exchanged(c)) {
        say_read(c, &c->origin->bisect);
        return true;
    }
    if (!tell(c, &c->origin->bisect)) {
        c->text[before] = '\0';
        c->rank = rank;
        return false;
    }
    cause_name_place(c, &c->origin->store[0].place, stored, sizeof stored);
    if (c->rank == CAUSE_PRODUCT) {
        cause_say_again(c);
        if (!cause_say_displaced(c))
            SAY(c, "%s is stored at %s.\n", c->name, stored);
    }
    cause_keep_path(c);
    return true;
}
