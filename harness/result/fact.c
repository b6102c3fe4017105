#include "harness/result/fact.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/text.h"

static const char *const kind_keys[FACT_KIND_COUNT] = {
    [FACT_TEXT] = "text",
    [FACT_HAZARD] = "hazard",
    [FACT_REMARK] = "host",
    [FACT_ERROR] = "error",
    [FACT_TRAP] = "trap",
    [FACT_NO_MEMORY] = "no-memory",
    [FACT_DEVICE_POINTER] = "device-pointer",
    [FACT_NO_LAUNCH] = "no-launch",
    [FACT_FEW_BLOCKS] = "too-few-blocks",
    [FACT_MANY_BLOCKS] = "too-many-blocks",
    [FACT_NOT_STORED] = "not-stored",
    [FACT_MISSING] = "missing",
    [FACT_STORED_TWICE] = "stored-twice",
    [FACT_DOUBLED] = "doubled",
    [FACT_NO_VALUE] = "no-value",
    [FACT_PARTS] = "parts-right",
    [FACT_VALUE] = "value",
    [FACT_TRIED] = "tried",
    [FACT_AFTER_OTHERS] = "after-others",
    [FACT_BY_LUCK] = "by-luck",
};

const char *fact_kind_key(enum fact_kind kind)
{
    return kind_keys[kind];
}

const char *fact_detail_key(uint32_t detail)
{
    static const char *const keys[SIM_DETAIL_COUNT] = {
        [SIM_DETAIL_NONE] = "",
        [SIM_DETAIL_NULL] = "null-pointer",
        [SIM_DETAIL_THREAD] = "number-of-thread",
        [SIM_DETAIL_BLOCK] = "number-of-block",
        [SIM_DETAIL_BLOCK_BYTES] = "number-of-block",
        [SIM_DETAIL_STORES] = "same-store",
        [SIM_DETAIL_UPDATE] = "plain-update",
        [SIM_DETAIL_MAYBE_INDEX] = "no-value-or-index",
        [SIM_DETAIL_TURNS] = "turns-of-a-loop",
    };
    return detail < SIM_DETAIL_COUNT ? keys[detail] : "";
}

int fact_value_count(enum fact_kind kind)
{
    return kind == FACT_VALUE ? 2 : kind == FACT_PARTS || kind == FACT_DOUBLED;
}

const char *fact_strength_key(enum fact_strength strength)
{
    static const char *const keys[] = {[FACT_SEEN] = "seen", [FACT_PROVED] = "proved"};
    return keys[strength];
}

struct fact *fact_add(struct facts *facts, enum fact_kind kind, enum fact_strength strength,
                      const struct protocol_place *place)
{
    if (facts->count < FACTS_MOST)
        facts->count++;
    struct fact *fact = &facts->fact[facts->count - 1];
    *fact = (struct fact){.kind = kind, .strength = strength};
    if (place) {
        fact->place[0] = *place;
        fact_add_lines(facts, place);
    }
    return fact;
}

struct fact *fact_add_element(struct facts *facts, enum fact_kind kind, enum fact_strength strength,
                              int64_t element, const char *array)
{
    struct fact *fact = fact_add(facts, kind, strength, NULL);
    fact->elements = 1;
    fact->element[0] = element;
    text_set(fact->name[0], sizeof fact->name[0], "%s", array);
    return fact;
}

void fact_add_all(struct facts *facts, const struct facts *others)
{
    for (int i = 0; i < others->count; i++)
        *fact_add(facts, FACT_TEXT, FACT_SEEN, NULL) = others->fact[i];
    for (int i = 0; i < others->line_count; i++)
        fact_add_line(facts, others->line[i]);
}

const struct fact *fact_find(const struct facts *facts, enum fact_kind kind)
{
    for (int i = 0; i < facts->count; i++)
        if (facts->fact[i].kind == kind)
            return &facts->fact[i];
    return NULL;
}

/* All of the kind are no longer told. */
static void drop(struct facts *facts, enum fact_kind kind)
{
    int kept = 0;
    for (int i = 0; i < facts->count; i++)
        if (facts->fact[i].kind != kind)
            facts->fact[kept++] = facts->fact[i];
    facts->count = kept;
}

void fact_add_line(struct facts *facts, int line)
{
    for (int i = 0; i < facts->line_count; i++)
        if (facts->line[i] == line)
            return;
    if (line > 0 && facts->line_count < FACT_LINES)
        facts->line[facts->line_count++] = line;
}

void fact_add_lines(struct facts *facts, const struct protocol_place *place)
{
    const char *dot = strrchr(place->file, '.');
    if (dot && strcmp(dot, ".cu") != 0)
        return;
    fact_add_line(facts, place->line);
    fact_add_line(facts, place->call_line);
    fact_add_line(facts, place->from_line);
}

/* ---- hazards and errors ---------------------------------------------------------------------------------- */

bool fact_is_race(uint32_t class)
{
    return class == SIM_HAZARD_RACE_SHARED || class == SIM_HAZARD_RACE_GLOBAL ||
           class == SIM_HAZARD_RACE_STREAM || class == SIM_HAZARD_RACE_HOST;
}

bool fact_is_unwritten(uint32_t class)
{
    return class == SIM_HAZARD_UNINITIALIZED || class == SIM_HAZARD_NO_VALUE;
}

bool fact_is_hazard(const struct facts *facts, enum sim_hazard_class class)
{
    const struct fact *hazard = fact_find(facts, FACT_HAZARD);
    return hazard && hazard->what == class;
}

bool fact_is_racing(const struct facts *facts)
{
    const struct fact *hazard = fact_find(facts, FACT_HAZARD);
    return hazard && fact_is_race(hazard->what);
}

bool fact_is_unwritten_read(const struct facts *facts)
{
    const struct fact *hazard = fact_find(facts, FACT_HAZARD);
    return hazard && fact_is_unwritten(hazard->what);
}

void fact_add_hazard(struct facts *facts, const struct protocol_hazard *hazard)
{
    drop(facts, FACT_HAZARD);
    struct fact *fact = fact_add(facts, FACT_HAZARD, FACT_SEEN, &hazard->here);
    fact->what = hazard->class;
    fact->detail = hazard->detail;
    fact->space = hazard->space;
    fact->writes = hazard->writes != 0;
    fact->place[1] = hazard->there;
    fact->thread[0] = hazard->here_thread;
    fact->thread[1] = hazard->there_thread;
    fact->threads = hazard->there.line > 0 ? 2 : 1;
    text_set(fact->name[0], sizeof fact->name[0], "%s", hazard->array);
    text_set(fact->name[1], sizeof fact->name[1], "%s", hazard->object);
    fact_add_lines(facts, &hazard->here);
    fact_add_lines(facts, &hazard->there);
}

bool fact_is_late(uint32_t remark)
{
    return remark == SIM_REMARK_LATE || remark == SIM_REMARK_LATE_COPY || remark == SIM_REMARK_LATE_FILL;
}

bool fact_is_misplaced(const struct facts *facts)
{
    const struct fact *remark = fact_find(facts, FACT_REMARK);
    return remark && fact_is_late(remark->what);
}

void fact_add_tried(struct facts *facts, const char *file, int line)
{
    struct protocol_place place = {.line = line};
    text_set(place.file, sizeof place.file, "%s", file);
    fact_add(facts, FACT_TRIED, FACT_PROVED, &place);
}

void fact_add_error(struct facts *facts, const char *name)
{
    text_set(fact_add(facts, FACT_ERROR, FACT_SEEN, NULL)->name[0], sizeof facts->fact->name[0], "%s", name);
}

bool fact_is_error(const struct facts *facts, const char *name)
{
    const struct fact *error = fact_find(facts, FACT_ERROR);
    return error && strcmp(error->name[0], name) == 0;
}
