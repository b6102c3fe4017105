#include "sim/machine/conditions.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/core/need.h"
#include "sim/machine/block.h"
#include "sim/machine/exec.h"
#include "sim/ptx/cfg.h"
#include "sim/ptx/loop.h"
#include "sim/text/c_source.h"
#include "sim/text/place.h"

#define TOLD_MOST  3
#define DEPTH_MOST 8

struct way {
    const struct block_view *block;
    const struct warp *warp;
    const struct code *code;
    const struct ptx_func *func;
    struct cfg *cfg;
    int at, lane; /* the instruction that the lane has come to */
    bool *marked,
        *outer; /* by block: its condition was looked at; and those that decide whether that is met */
    bool *seen; /* [2 * instructions] */
    int *stack;
    const struct access_index *access;
    int64_t
        compared; /* with the array's number of elements, and is not the index; `other`: there is such a number */
    bool other, guards; /* guards: the index is compared with it */
    int told, line;     /* how many comparisons; the last one's line, and … */
    bool hidden;        /* one of them could not be told */
    size_t before_line; /* … where it stands in the text */
    char *text;
    size_t size;
};

/* ---- registers ----------------------------------------------------------------------------------------- */

static bool of_32_bits(const struct ptx_instr *instr)
{
    return ptx_has_modifier(instr, "s32") || ptx_has_modifier(instr, "u32") || ptx_has_modifier(instr, "b32");
}

static void push(struct way *w, int *count, int instr, bool written)
{
    const int state = 2 * instr + written;
    if (!w->seen[state])
        w->seen[state] = true, w->stack[(*count)++] = state;
}

/* Does a way lead from one instruction to another, without instruction `but`, on which the register is written, or is not? */
static bool leads(struct way *w, int from, int to, int but, int reg, bool written)
{
    int count = 0;
    memset(w->seen, 0, 2 * (size_t)w->func->instr_count * sizeof *w->seen);
    push(w, &count, from, false);
    while (count > 0) {
        const int state = w->stack[--count], i = state / 2;
        const struct cfg_block *block = &w->cfg->blocks[w->cfg->block_of[i]];
        const bool now = state % 2 || ptx_writes(&w->func->instrs[i], reg);
        if (i == to && (state % 2 != 0) == written)
            return true;
        if (i == but)
            continue;
        if (i < block->last)
            push(w, &count, i + 1, now);
        for (int k = 0; i == block->last && k < block->successor_count; k++)
            push(w, &count, w->cfg->blocks[cfg_successor(block, k)].first, now);
    }
    return false;
}

static int index_of(const struct way *w, const struct ptx_instr *instr)
{
    return (int)(instr - w->func->instrs);
}

/* Must the instruction have been run before the thread came here? */
static bool is_passed(struct way *w, int instr)
{
    return !leads(w, 0, w->at, instr, -1, false);
}

/* Will the register be read from here on? Then no other one has its row yet. */
static bool is_alive(struct way *w, int reg)
{
    for (int i = 0; i < w->func->instr_count; i++)
        for (int k = 0; k < w->func->instrs[i].operand_count; k++)
            if ((k > 0 || !ptx_writes(&w->func->instrs[i], reg)) &&
                ptx_names(&w->func->instrs[i].operands[k], reg) && leads(w, w->at, i, -1, reg, false))
                return true;
    return false;
}

/*
 * Is what the register held, when the instruction read it last, what it held at the end, too? Of a comparison at the end of a
 * loop: what the next turn's comparison would find.
 */
static bool is_unchanged(struct way *w, int reg, int since)
{
    return !leads(w, since + 1, w->at, since, reg, true) &&
           (is_passed(w, since) ||
            (leads(w, w->at, since, -1, -1, false) && !leads(w, 0, w->at, -1, reg, false)));
}

static const struct ptx_instr *setter_of(const struct way *w, int reg)
{
    const struct ptx_instr *found = NULL;
    for (int i = 0; i < w->func->instr_count; i++)
        if (ptx_writes(&w->func->instrs[i], reg)) {
            if (found)
                return NULL;
            found = &w->func->instrs[i];
        }
    return found;
}

/* ---- comparisons --------------------------------------------------------------------------------------- */

static int operation_of(const struct way *w, const struct ptx_instr *instr)
{
    int pc = 0;
    while (pc < w->code->count - 1 && w->code->instrs[pc] != instr)
        pc++;
    return pc;
}

static bool load_parameter(const struct way *w, const struct ptx_instr *instr, int reg, int64_t *number)
{
    const struct ptx_operand *to = &instr->operands[0], *from = &instr->operands[1];
    int element = 0, bits;
    while (to->kind == PTX_VECTOR && element < to->count - 1 && to->list[element].reg != reg)
        element++;
    for (int i = 0; i < w->func->param_count; i++) {
        const size_t at = w->func->params[i].offset + (size_t)from->value + (size_t)element * sizeof bits;
        if (from->kind != PTX_ADDRESS || from->var != &w->func->params[i].var || !w->func->is_entry ||
            at + sizeof bits > w->block->param_size)
            continue;
        memcpy(&bits, w->block->param + at, sizeof bits);
        *number = bits;
        return true;
    }
    return false;
}

static bool number_of(struct way *w, const struct ptx_instr *instr, int operand, int depth, int64_t *number);

/* What the instruction has made of its operands: its row may hold something else by now. */
static bool compute(struct way *w, const struct ptx_instr *instr, int reg, int depth, int64_t *number)
{
    int64_t in[3] = {0};
    if (!instr || instr->guard >= 0 || depth > DEPTH_MOST || !of_32_bits(instr))
        return false;
    if (strcmp(instr->op, "ld") == 0)
        return ptx_has_modifier(instr, "param") && load_parameter(w, instr, reg, number);
    for (int i = 0; i < 3 && i + 1 < instr->operand_count; i++)
        if (!number_of(w, instr, i + 1, depth + 1, &in[i]))
            return false;
    const uint32_t a = (uint32_t)in[0], b = (uint32_t)in[1], c = (uint32_t)in[2];
    const bool low = ptx_has_modifier(instr, "lo"), is_signed = ptx_has_modifier(instr, "s32");
    const struct {
        const char *op;
        bool fits;
        uint32_t result;
    } results[] = {
        {"mov", true, a},        {"add", true, a + b},         {"sub", true, a - b},
        {"and", true, a & b},    {"or", true, a | b},          {"mul", low, a * b},
        {"mad", low, a * b + c}, {"shl", b < 32, a << b % 32}, {"shr", b < 32 && !is_signed, a >> b % 32},
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strcmp(instr->op, results[i].op) == 0 && results[i].fits) {
            *number = (int32_t)results[i].result;
            return true;
        }
    return false;
}

/* What the instruction's operand was when it ran last. */
static bool number_of(struct way *w, const struct ptx_instr *instr, int operand, int depth, int64_t *number)
{
    const struct micro *op = &w->code->ops[operation_of(w, instr)];
    const uint32_t ref = operand == 1 ? op->a : operand == 2 ? op->b : op->c;
    const struct ptx_operand *o = &instr->operands[operand];
    const bool is_row = (ref & ROW_BASE_MASK) >= ROWS_LAUNCH;
    if (!is_row && (o->kind != PTX_REG || !is_unchanged(w, o->reg, index_of(w, instr))))
        return false;
    if (!is_row && !is_alive(w, o->reg))
        return compute(w, setter_of(w, o->reg), o->reg, depth, number);
    if (of_32_bits(instr))
        *number = ((const int32_t *)row(w->warp, ref))[w->lane];
    else
        *number = ((const int64_t *)row(w->warp, ref))[w->lane];
    return true;
}

static const struct {
    const char *modifier, *sign;
    bool less, equal;
} comparisons[] = {
    {"lt", "<", true, false},
    {"le", "<=", true, true},
    {"gt", ">", false, false},
    {"ge", ">=", false, true},
};
#define COMPARISONS    (sizeof comparisons / sizeof *comparisons)
#define OPPOSITE_OF(k) (COMPARISONS - 1 - (k)) /* holds where comparison k does not */
#define TURNED(k)      ((k) ^ 2)               /* the same with its sides exchanged */

static bool has_sign(const char *line, size_t k)
{
    const size_t size = strlen(comparisons[k].sign);
    size_t length = 0;
    for (const char *c = strpbrk(line, "<>"); c; c = strpbrk(c + length, "<>")) {
        length = strspn(c, "<>=");
        if (length == size && strncmp(c, comparisons[k].sign, size) == 0 && (c == line || c[-1] != '-'))
            return true;
    }
    return false;
}

/* Does the source have the sides of the comparison the other way round? nvcc may exchange them. */
static bool is_turned(const char *line, size_t k)
{
    return !has_sign(line, k) && !has_sign(line, OPPOSITE_OF(k)) &&
           (has_sign(line, TURNED(k)) || has_sign(line, TURNED(OPPOSITE_OF(k))));
}

/* Whether the line compares; `with_zero`: with a 0 that stands there, for nvcc may count a loop's turns from below to 0. */
static bool is_comparison(const char *line, bool with_zero)
{
    bool zero = !with_zero;
    for (const char *c = line; *c && !zero; c++)
        zero = *c == '0' && !isalnum((unsigned char)c[1]) && c[1] != '.' &&
               (c == line || (!isalnum((unsigned char)c[-1]) && c[-1] != '.' && c[-1] != '_'));
    return zero && strpbrk(line, "<>");
}

/*
 * The line of a condition, as the source has it, and its text: nvcc may have made the comparison for another one, too. 0:
 * not known.
 */
static int line_of(const struct way *w, const struct ptx_instr *comparison, const struct ptx_instr *branch,
                   bool with_zero, char text[C_LINE_SIZE])
{
    const struct ptx_instr *const both[] = {branch, comparison};
    const int file = w->func->instrs[w->at].site.file;
    struct c_source source = c_source_read(place_file(w->block->kernel, w->func->instrs[w->at].site));
    int line = 0;
    for (int i = 0; i < 2 && line == 0; i++)
        if (both[i]->site.file == file && both[i]->site.line > 0 && both[i]->site.line <= source.count &&
            is_comparison(source.text[both[i]->site.line - 1], with_zero))
            line = both[i]->site.line;
    if (line > 0)
        memcpy(text, source.text[line - 1], C_LINE_SIZE);
    free(source.text);
    return line;
}

static bool compares_zero(const struct ptx_instr *instr)
{
    return instr->operand_count == 3 &&
           (instr->operands[1].kind == PTX_INT || instr->operands[2].kind == PTX_INT);
}

/* A number in the code may be one that nvcc has made of others, but for 0, mostly. */
static bool has_number(const struct ptx_instr *instr)
{
    for (int i = 1; i < instr->operand_count; i++)
        if (instr->operands[i].kind == PTX_INT && instr->operands[i].value != 0)
            return true;
    return false;
}

static bool find_numbers(struct way *w, const struct ptx_instr *instr, int64_t number[2])
{
    const bool is_unsigned = ptx_has_modifier(instr, "u32");
    for (int i = 0; i < 2; i++) {
        const bool is_zero = instr->operand_count == 3 && instr->operands[i + 1].kind == PTX_INT;
        number[i] = 0;
        if (!is_zero && (instr->operand_count != 3 || instr->operands[i + 1].kind != PTX_REG ||
                         !number_of(w, instr, i + 1, 0, &number[i])))
            return false;
        number[i] = is_unsigned ? (uint32_t)number[i] : number[i];
    }
    return of_32_bits(instr) || ptx_has_modifier(instr, "s64");
}

/* The comparison came out as `held`. False: its numbers are not known. */
static bool tell(struct way *w, const struct ptx_instr *instr, const struct ptx_instr *branch, bool held)
{
    char text[C_LINE_SIZE];
    int64_t n[2];
    size_t k = 0;
    while (k < COMPARISONS && !ptx_has_modifier(instr, comparisons[k].modifier))
        k++;
    if (k == COMPARISONS || w->told == TOLD_MOST || has_number(instr))
        return true;
    const int line = line_of(w, instr, branch, compares_zero(instr), text);
    if (line == 0 || !find_numbers(w, instr, n) ||
        (n[0] == n[1] ? comparisons[k].equal : (n[0] < n[1]) == comparisons[k].less) != held)
        return false;
    const size_t used = w->told && w->line == line ? w->before_line : strlen(w->text);
    const size_t shown = held ? k : OPPOSITE_OF(k);
    const bool turned = is_turned(text, shown);
    snprintf(w->text + used, w->size - used, "%s %" PRId64 " %s %" PRId64,
             w->told++ ? " and" : " The thread comes there because", n[turned],
             comparisons[turned ? TURNED(shown) : shown].sign, n[!turned]);
    w->line = line;
    w->before_line = strlen(w->text);
    snprintf(w->text + w->before_line, w->size - w->before_line, " (line %d)", line);
    /* A lower limit, as in j >= 0, is no number of elements; the index is, just behind the last one. */
    for (int i = 0; i < 2 && w->access->count > 0 && !compares_zero(instr); i++)
        if (n[i] == w->access->count && n[!i] == w->access->index) {
            w->guards = true;
        } else if (n[i] == w->access->count && n[!i] < n[i] && !comparisons[shown].equal && !w->other) {
            w->compared = n[!i];
            w->other = true;
        }
    return true;
}

/* All comparisons that the predicate is made of; false: one of them cannot be told. */
static bool tell_predicate(struct way *w, int reg, const struct ptx_instr *branch, bool held)
{
    const struct ptx_instr *instr = setter_of(w, reg);
    bool all = instr && instr->guard < 0;
    if (all && strcmp(instr->op, "setp") == 0)
        return tell(w, instr, branch, held);
    if (!all || (strcmp(instr->op, "not") != 0 && strcmp(instr->op, held ? "and" : "or") != 0))
        return false;
    for (int i = 1; i < instr->operand_count && all; i++)
        all = instr->operands[i].kind == PTX_REG &&
              tell_predicate(w, instr->operands[i].reg, branch,
                             held ^ instr->operands[i].negated ^ (strcmp(instr->op, "not") == 0));
    return all;
}

/* A condition of which a part cannot be told is left out: the rest might not be what matters. */
static void tell_condition(struct way *w, const struct ptx_instr *branch, bool held)
{
    const struct way before = *w;
    const size_t length = strlen(w->text);
    if (tell_predicate(w, branch->guard, branch, held ^ branch->guard_negated))
        return;
    *w = before;
    w->hidden = true;
    w->text[length] = '\0';
    if (w->told)
        snprintf(w->text + w->before_line, w->size - w->before_line, " (line %d)", w->line);
}

/* ---- the way there --------------------------------------------------------------------------------------- */

static const struct ptx_instr *end_of(const struct way *w, int block)
{
    return &w->func->instrs[w->cfg->blocks[block].last];
}

/* A loop's first turn has a condition of its own, of the same line as that of the others: only the last one made counts. */
static bool is_first_turn(struct way *w, int block, int at)
{
    for (int other = 0; other < w->cfg->block_count; other++)
        if (other != at && cfg_decides(w->cfg, other, block) &&
            end_of(w, other)->site.line == end_of(w, at)->site.line &&
            !is_passed(w, w->cfg->blocks[other].last))
            return is_passed(w, w->cfg->blocks[at].last);
    return false;
}

/* The conditions that decide whether the block is reached, from the inside out. */
static void tell_conditions(struct way *w, int block)
{
    for (int at = w->cfg->block_count - 1; at >= 0; at--) {
        const struct cfg_block *b = &w->cfg->blocks[at];
        const struct ptx_instr *last = end_of(w, at);
        if (w->marked[at] || b->successor_count != 2 || last->guard < 0 || !cfg_decides(w->cfg, at, block))
            continue;
        w->marked[at] = true;
        const bool taken = cfg_postdominates(w->cfg, block, b->successors[1]);
        if (!is_first_turn(w, block, at))
            tell_condition(w, last, taken);
    }
    /* Nothing is left out on the inside. */
    for (int at = w->cfg->block_count - 1; at >= 0 && !w->hidden; at--)
        if (w->marked[at] && cfg_decides(w->cfg, at, block) && !w->outer[at]) {
            w->outer[at] = true;
            tell_conditions(w, at);
        }
}

void conditions_add(const struct block_view *view, unsigned number, int lane, int pc,
                    const struct access_index *at, char *text, size_t size)
{
    const struct block *block = (const struct block *)view; /* its first member */
    struct warp *warp = &block->warps[number];
    const struct code *code = view->kernel->code;
    struct way w = {
        .block = view, .warp = warp, .code = code, .lane = lane, .access = at, .text = text, .size = size};
    w.func = ptx_function_of(code, code->instrs[pc]);
    if (!w.func || warp->pc != pc + 1 || warp_running(warp)->frame->layout->func != w.func)
        return;
    w.at = index_of(&w, code->instrs[pc]);
    w.cfg = cfg_build(w.func);
    w.marked = sim_need((size_t)w.cfg->block_count, sizeof *w.marked, "a search for a condition");
    w.outer = sim_need((size_t)w.cfg->block_count, sizeof *w.outer, "a search for a condition");
    w.seen = sim_need(2 * (size_t)w.func->instr_count, sizeof *w.seen, "a search for a condition");
    w.stack = sim_need(2 * (size_t)w.func->instr_count, sizeof *w.stack, "a search for a condition");
    if (code->instrs[pc]->guard >= 0)
        tell_condition(&w, code->instrs[pc], true);
    tell_conditions(&w, w.cfg->block_of[w.at]);
    if (w.told)
        snprintf(text + strlen(text), size - strlen(text), ".");
    if (w.told && w.other && !w.guards)
        snprintf(text + strlen(text), size - strlen(text),
                 " What is compared there with %" PRId64 ", as many as there are %s, is %" PRId64
                 "; the index is %" PRId64 ".",
                 at->count, at->unit, w.compared, at->index);
    free(w.marked);
    free(w.outer);
    free(w.seen);
    free(w.stack);
    cfg_free(w.cfg);
}
