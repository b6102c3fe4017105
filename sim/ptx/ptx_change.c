/* What can be changed: instructions of one line that look alike are a group; each kind of change looks at all groups. */
#include "sim/ptx/ptx_change_internal.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"

#define FEW 4 /* of a group in a function: each is changed by itself as well */

/* ---- groups -------------------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t key, uint64_t value)
{
    return (key ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t mixed_text(uint64_t key, const char *text)
{
    for (; *text; text++)
        key = mixed(key, (unsigned char)*text);
    return mixed(key, 0x1ff);
}

static uint64_t mixed_operand(uint64_t key, const struct ptx_func *func, const int *defined,
                              const struct ptx_operand *operand, bool numbers)
{
    const struct ptx_instr *source = ptx_change_source(func, defined, operand);
    key = mixed(key, operand->kind);
    if (operand->kind == PTX_INT || operand->kind == PTX_F32_BITS || operand->kind == PTX_F64_BITS)
        return numbers ? mixed(key, (uint64_t)operand->value) : key;
    if (operand->kind == PTX_SREG)
        return mixed_text(key, operand->name);
    if (source && ptx_change_parameter(func, source) >= 0)
        return mixed(key, 1000 + (uint64_t)ptx_change_parameter(func, source));
    if (source && strcmp(source->op, "mov") == 0 && source->operands[1].kind == PTX_SREG)
        return mixed_text(key, source->operands[1].name);
    return key;
}

static uint64_t key_of(const struct ptx_func *func, const int *defined, const struct ptx_instr *instr,
                       bool numbers)
{
    uint64_t key = UINT64_C(0xcbf29ce484222325);
    key = mixed(mixed(key, (uint64_t)instr->site.line), (uint64_t)instr->loc.line);
    key = mixed(mixed(key, (uint64_t)instr->site.file), (uint64_t)instr->loc.file);
    key = mixed_text(key, instr->text);
    for (int i = 1; i < instr->operand_count; i++)
        key = mixed_operand(key, func, defined, &instr->operands[i], numbers);
    return key;
}

bool ptx_change_is_in_file(const struct ptx_func *func, struct ptx_loc site, const char *file)
{
    const struct ptx_module *module = func->module;
    const char *path = site.file > 0 && site.file < module->file_count ? module->files[site.file] : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path && site.line > 0 && strcmp(slash ? slash + 1 : path, file) == 0;
}

static void add_member(struct ptx_change_set *set, uint64_t key, struct ptx_func *func, int instr)
{
    int g = 0;
    while (g < set->group_count && set->groups[g].key != key)
        g++;
    struct ptx_change_group *group = &set->groups[g];
    if (g == set->group_count) {
        *group = (struct ptx_change_group){.key = key, .first = set->member_count, .last = -1};
        set->group_count++;
    }
    struct ptx_change_member *member = &set->members[set->member_count];
    *member = (struct ptx_change_member){.func = func, .instr = instr, .next = -1};
    if (group->last >= 0) {
        const struct ptx_change_member *last = &set->members[group->last];
        set->members[group->last].next = set->member_count;
        member->rank = last->func == func ? last->rank + 1 : 0;
    }
    group->last = set->member_count++;
    group->ranks = member->rank + 1 > group->ranks ? member->rank + 1 : group->ranks;
}

static void find_groups(struct ptx_change_walk *w, struct ptx_change_set *set, bool numbers)
{
    size_t most = 1;
    for (int f = 0; f < w->scope->count; f++)
        most += (size_t)w->scope->funcs[f]->instr_count;
    set->members = sim_need(most, sizeof *set->members, "the instructions that can be changed");
    set->groups = sim_need(most, sizeof *set->groups, "the changes of a program");
    for (int f = 0; f < w->scope->count; f++) {
        struct ptx_func *func = w->scope->funcs[f];
        for (int i = 0; i < func->instr_count; i++)
            if (func->instrs[i].operand_count > 1 &&
                ptx_change_is_in_file(func, func->instrs[i].site, w->scope->file))
                add_member(set, key_of(func, w->definitions[f], &func->instrs[i], numbers), func, i);
    }
}

static const int *definitions_of(const struct ptx_change_walk *w, const struct ptx_func *func)
{
    for (int f = 0; f < w->scope->count; f++)
        if (w->scope->funcs[f] == func)
            return w->definitions[f];
    return NULL;
}

/* ---- making one ---------------------------------------------------------------------------------------- */

/* From the last one to the first: an instruction that is inserted moves those behind it. */
static void apply(const struct ptx_change_walk *w, int at, int rank, const struct ptx_edit *edit)
{
    if (at < 0)
        return;
    const struct ptx_change_member *member = &w->set->members[at];
    const int before = member->func->instr_count;
    apply(w, member->next, rank, edit);
    const int added = edit->change.kind == PTX_CHANGE_PARAMETER ? member->func->instr_count - before : 0;
    if (rank < 0 || member->rank == rank)
        ptx_edit_apply(member->func, member->instr + added, edit);
}

/* Where the function was called whose inlined instructions are changed: line 0 if in several places. */
static struct ptx_loc call_of(const struct ptx_change_walk *w, int rank)
{
    struct ptx_loc call = {0};
    bool any = false;
    for (int at = w->group->first; at >= 0; at = w->set->members[at].next) {
        const struct ptx_change_member *member = &w->set->members[at];
        const struct ptx_loc one = member->func->instrs[member->instr].call;
        if (rank >= 0 && member->rank != rank)
            continue;
        if (any && (one.line != call.line || one.file != call.file))
            return (struct ptx_loc){0};
        call = one;
        any = true;
    }
    return call;
}

bool ptx_change_is_wanted(struct ptx_change_walk *w, const struct ptx_change *change, struct ptx_loc site)
{
    if (w->number++ != w->wanted)
        return false;
    *w->out = *change;
    w->out->kind = w->kind;
    w->out->site = site;
    w->out->func = (struct ptx_func *)w->func;
    w->made = true;
    return true;
}

/* The change of all instructions of the group, and of each one where they are few. */
void ptx_change_offer(struct ptx_change_walk *w, const struct ptx_edit *edit)
{
    const int ranks = w->group->ranks > 1 && w->group->ranks <= FEW ? w->group->ranks : 0;
    for (int rank = -1; rank < ranks; rank++) {
        if (w->number++ != w->wanted)
            continue;
        *w->out = edit->change;
        w->out->kind = w->kind;
        w->out->site = w->instr->site;
        w->out->call = call_of(w, rank);
        w->out->func = w->set->members[w->group->first].func;
        w->made = true;
        struct ptx_edit made = *edit;
        made.change.kind = w->kind;
        apply(w, w->group->first, rank, &made);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

static void look_at(struct ptx_change_walk *w, const struct ptx_change_group *group)
{
    w->group = group;
    w->func = w->set->members[group->first].func;
    w->defined = definitions_of(w, w->func);
    w->instr = &w->func->instrs[w->set->members[group->first].instr];
    ptx_change_offer_kind(w);
}

#define NEAR 3 /* lines */

static bool is_near(const struct ptx_change_walk *w, const struct ptx_change_group *group)
{
    const struct ptx_change_member *member = &w->set->members[group->first];
    const struct ptx_instr *instr = &member->func->instrs[member->instr];
    for (int i = 0; i < w->scope->near_count; i++)
        if (abs(w->scope->near[i] - instr->site.line) <= NEAR || w->scope->near[i] == instr->call.line)
            return true;
    return false;
}

static void look_at_functions(struct ptx_change_walk *w, enum ptx_change_kind kind)
{
    w->kind = kind;
    for (int f = 0; f < w->scope->count && !w->made; f++) {
        w->func = w->scope->funcs[f];
        w->defined = w->definitions[f];
        if (kind == PTX_CHANGE_AXES)
            ptx_change_offer_axes(w);
        else
            ptx_change_offer_arguments(w);
    }
}

/* The numbers of an unrolled loop differ from turn to turn: only what changes numbers looks at each by itself. */
static void look_at_kind(struct ptx_change_walk *w, enum ptx_change_kind kind, bool near)
{
    if (kind == PTX_CHANGE_AXES || kind == PTX_CHANGE_ARGUMENTS) {
        if (near)
            look_at_functions(w, kind);
        return;
    }
    if (kind == PTX_CHANGE_VARIABLE && !near) /* there are too many */
        return;
    w->kind = kind;
    w->is_near = near;
    w->set = &w->sets[kind == PTX_CHANGE_NUMBER || kind == PTX_CHANGE_SHIFT || kind == PTX_CHANGE_FACTOR];
    for (int g = 0; g < w->set->group_count && !w->made; g++)
        if (is_near(w, &w->set->groups[g]) == near)
            look_at(w, &w->set->groups[g]);
}

bool ptx_change_make(const struct ptx_change_scope *scope, int number, struct ptx_change *out, int *count)
{
    struct ptx_change_walk w = {.scope = scope, .wanted = number, .out = out};
    w.definitions = sim_need((size_t)scope->count + 1, sizeof *w.definitions, "the changes of a program");
    w.variables = sim_need((size_t)scope->count + 1, sizeof *w.variables, "the changes of a program");
    for (int f = 0; f < scope->count; f++)
        w.definitions[f] = ptx_change_definitions(scope->funcs[f]);
    find_groups(&w, &w.sets[0], false);
    find_groups(&w, &w.sets[1], true);
    for (int pass = 0; pass < 2; pass++)
        for (int kind = 0; kind < PTX_CHANGE_KINDS && !w.made; kind++)
            look_at_kind(&w, (enum ptx_change_kind)kind, pass == 0);
    *count = w.number;
    for (int f = 0; f < scope->count; f++) {
        free(w.definitions[f]);
        free(w.variables[f]);
    }
    free(w.definitions);
    free(w.variables);
    for (int i = 0; i < 2; i++) {
        free(w.sets[i].groups);
        free(w.sets[i].members);
    }
    return w.made;
}
