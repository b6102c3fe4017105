#include "harness/change/edit.h"

#include <stdlib.h>
#include <string.h>

#include "harness/change/edits.h"

/* What it costs that no report names the line, but … */
#define NEXT        1 /* one that is at most two lines away, */
#define SAME        3 /* one of the same function, */
#define FAR         6 /* none of these */
#define FIRST_LINES 4 /* of those that a report names: the others come after them */

struct repair {
    struct program program;
    struct edits edits;
};

struct repair *repair_open(const char *text, const char *header, const char *entry)
{
    struct repair *repair = calloc(1, sizeof *repair);
    if (repair && program_read(&repair->program, text, header) && program_can_be_copied(&repair->program) &&
        program_use(&repair->program, entry))
        return repair;
    repair_free(repair);
    return NULL;
}

void repair_free(struct repair *repair)
{
    if (!repair)
        return;
    program_free(&repair->program);
    free(repair->edits.edit);
    free(repair);
}

const struct program *repair_program(const struct repair *repair)
{
    return &repair->program;
}

int repair_size(const struct repair *repair)
{
    int size = 0;
    for (int i = 0; i < repair->program.item_count; i++) {
        const struct item *item = &repair->program.item[i];
        if (item->is_used && item->kind == ITEM_FUNCTION)
            size += item->last - item->first + 1;
    }
    return size;
}

bool repair_holds(const struct repair *repair, const char *function)
{
    for (int i = 0; i < repair->program.item_count; i++) {
        const struct item *item = &repair->program.item[i];
        if (item->is_extern_c && item->is_used && token_is(&repair->program.tokens, item->name, function))
            return true;
    }
    return false;
}

const struct repair_edit *repair_edit(const struct repair *repair, int number)
{
    static const struct repair_edit none;
    return number == REPAIR_NONE ? &none : &repair->edits.edit[number];
}

bool repair_is_of_device(const struct repair *repair, int number)
{
    const struct program *p = &repair->program;
    const struct repair_edit *edit = repair_edit(repair, number);
    int on_device = 0;
    for (int k = 0; k < edit->parts; k++)
        for (int i = 0; i < p->item_count; i++)
            on_device += p->item[i].is_device && p->tokens.token[p->item[i].first].at <= edit->part[k].at &&
                         p->tokens.token[p->item[i].last].at >= edit->part[k].at;
    return on_device == edit->parts;
}

/* The function that holds the line; NULL: none does. */
static const struct item *function_of(const struct program *p, int line)
{
    for (int i = 0; i < p->item_count; i++)
        if (p->item[i].kind == ITEM_FUNCTION && p->tokens.token[p->item[i].first].line <= line &&
            p->tokens.token[p->item[i].last].line >= line)
            return &p->item[i];
    return NULL;
}

static int distance_cost(const struct repair *repair, const struct repair_wish *wish, int line,
                         int *first_near)
{
    const struct item *own = function_of(&repair->program, line);
    int cost = wish->near_count > 0 ? FAR : 0;
    for (int i = 0; i < wish->near_count; i++) {
        const int distance = abs(wish->near[i] - line);
        const bool is_named = i < wish->named_count;
        int one = distance == 0 ? 0 : distance <= 2 && is_named ? NEXT : FAR;
        if (one == FAR && own && function_of(&repair->program, wish->near[i]) == own)
            one = SAME;
        one += (i >= FIRST_LINES || !is_named) && one < SAME;
        if (one < cost) {
            cost = one;
            *first_near = i;
        }
    }
    return cost;
}

static int by_place(const void *a, const void *b)
{
    const struct repair_edit *x = a, *y = b;
    for (int i = 0; i < REPAIR_PARTS; i++) {
        if (x->part[i].at != y->part[i].at)
            return x->part[i].at - y->part[i].at;
        if (x->part[i].length != y->part[i].length)
            return x->part[i].length - y->part[i].length;
        const int order = strcmp(x->part[i].with, y->part[i].with);
        if (order != 0)
            return order;
    }
    return 0;
}

static int by_place_and_cost(const void *a, const void *b)
{
    const struct repair_edit *x = a, *y = b;
    const int order = by_place(a, b);
    return order ? order : x->cost != y->cost ? x->cost - y->cost : (int)x->kind - (int)y->kind;
}

/* Of the same cost, in the order in which the report names the lines, and in that of the text: always the same. */
static int by_cost(const void *a, const void *b)
{
    const struct repair_edit *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost - y->cost;
    return x->near != y->near ? x->near - y->near : by_place(a, b);
}

static bool is_allowed(const struct program *program, const struct repair_edit *edit)
{
    for (int i = 0; i < edit->parts; i++)
        if (!program_allows(program, edit->part[i].at, edit->part[i].length, edit->part[i].with))
            return false;
    return true;
}

/* Of two that are the same the cheaper one stays; what changes nothing goes, and what would change code of the host. */
static void choose(struct edits *edits, const struct program *program)
{
    const char *text = program->text;
    int kept = 0;
    qsort(edits->edit, (size_t)edits->count, sizeof *edits->edit, by_place_and_cost);
    for (int i = 0; i < edits->count; i++) {
        const struct repair_edit *edit = &edits->edit[i];
        const bool is_nothing =
            edit->parts == 1 && strlen(edit->part[0].with) == (size_t)edit->part[0].length &&
            memcmp(text + edit->part[0].at, edit->part[0].with, (size_t)edit->part[0].length) == 0;
        if (!is_nothing && is_allowed(program, edit) &&
            (kept == 0 || by_place(&edits->edit[kept - 1], edit) != 0))
            edits->edit[kept++] = *edit;
    }
    edits->count = kept;
}

int repair_find(struct repair *repair, const struct repair_wish *wish)
{
    struct edits *edits = &repair->edits;
    edits->program = &repair->program;
    edits->wish = wish;
    edits->count = 0;
    edits_of_operators(edits);
    edits_of_names(edits);
    edits_of_terms(edits);
    edits_of_statements(edits);
    edits_of_calls(edits);
    if (edits->failed)
        return -1;
    for (int i = 0; i < edits->count; i++) {
        int first_near = wish->near_count;
        edits->edit[i].cost += distance_cost(repair, wish, edits->edit[i].line, &first_near);
        edits->edit[i].near = first_near;
    }
    choose(edits, &repair->program);
    qsort(edits->edit, (size_t)edits->count, sizeof *edits->edit, by_cost);
    return edits->count;
}
