/* Control-flow graphs: blocks, post-dominators and the layout, by hand and against slow definitions. */
#include "test.h"
#include "ptx_fixture.h"
#include "sim/ptx/cfg.h"

struct graph {
    struct ptx_module *module;
    struct ptx_func *func;
    struct cfg *cfg;
};

static struct graph build(const char *body)
{
    struct graph g = {.module = parse_body_ok(body)};
    g.func = kernel_of(g.module);
    g.cfg = cfg_build(g.func);
    return g;
}

static void release(struct graph *g)
{
    cfg_free(g->cfg);
    ptx_module_free(g->module);
}

static void assert_order(const struct cfg *cfg, const int *expected)
{
    for (int i = 0; i < cfg->block_count; i++) {
        assert_int_equal(cfg->order[i], expected[i]);
        assert_int_equal(cfg->blocks[expected[i]].rank, i);
    }
}

/* ---- shapes by hand ------------------------------------------------------------------------------------ */

TEST(if_else)
{
    struct graph g = build("@%p1 bra ELSE; add.u32 %r1, %r2, 1; bra DONE;\n"
                           "ELSE: add.u32 %r1, %r2, 2;\n"
                           "DONE: ret;");
    const struct cfg_block *b = g.cfg->blocks;
    assert_int_equal(g.cfg->block_count, 4);
    assert_int_equal(b[0].successor_count, 2);
    assert_int_equal(b[0].successors[0], 1); /* the fall-through first */
    assert_int_equal(b[0].successors[1], 2);
    assert_int_equal(b[1].successor_count, 1);
    assert_int_equal(b[1].successors[0], 3);
    assert_int_equal(b[0].ipdom, 3);
    assert_int_equal(b[1].ipdom, 3);
    assert_int_equal(b[2].ipdom, 3);
    assert_int_equal(g.cfg->block_of[2], 1);
    assert_order(g.cfg, (int[]){0, 1, 2, 3});
    release(&g);
}

TEST(code_behind_its_join)
{
    /* nvcc puts unlikely code last; the join must still come behind it */
    struct graph g = build("@%p1 bra RARE;\n"
                           "JOIN: add.u32 %r1, %r2, 2; ret;\n"
                           "RARE: add.u32 %r1, %r2, 1; bra JOIN;");
    assert_order(g.cfg, (int[]){0, 2, 1, 3});
    assert_int_equal(g.cfg->blocks[0].ipdom, 1);
    release(&g);
}

TEST(guarded_exits_fall_through)
{
    struct graph g = build("@%p1 ret; add.u32 %r1, %r2, 1; @%p2 exit; @!%p3 trap; ret;");
    assert_int_equal(g.cfg->block_count, 4);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(g.cfg->blocks[i].successor_count, 1);
        assert_int_equal(g.cfg->blocks[i].successors[0], i + 1);
        assert_int_equal(g.cfg->blocks[i].ipdom, i + 1);
    }
    release(&g);
}

TEST(exits_end_a_path)
{
    struct graph g = build("@%p1 bra A; exit; A: trap; ret;");
    assert_int_equal(g.cfg->blocks[1].successor_count, 0);
    assert_int_equal(g.cfg->blocks[2].successor_count, 0);
    assert_int_equal(g.cfg->blocks[0].ipdom, -1);
    release(&g);
}

TEST(noreturn_call_ends_a_path)
{
    struct ptx_module *module = parse_ok(PTX_HEAD ".func die() .noreturn;\n.func live();\n.entry k() {\n"
                                                  ".reg .pred %p;\n"
                                                  "@%p bra B; call live; call die;\nB: ret; }");
    struct cfg *cfg = cfg_build(kernel_of(module));
    assert_int_equal(cfg->block_count, 3);
    assert_int_equal(cfg->blocks[1].first, 1);
    assert_int_equal(cfg->blocks[1].last, 2);
    assert_int_equal(cfg->blocks[1].successor_count, 0);
    cfg_free(cfg);
    ptx_module_free(module);
}

TEST(branch_table)
{
    struct graph g = build("@%p1 bra D;\n"
                           "ts: .branchtargets A, B, A, C;\n"
                           "brx.idx %r1, ts;\n"
                           "A: add.u32 %r1, %r1, 1; bra D;\n"
                           "B: add.u32 %r1, %r1, 2; bra D;\n"
                           "C: add.u32 %r1, %r1, 3;\n"
                           "D: ret;");
    const struct cfg_block *b = &g.cfg->blocks[1];
    assert_int_equal(g.cfg->block_count, 6);
    assert_int_equal(b->successor_count, 3); /* A only once, and no fall-through */
    for (int i = 0; i < 3; i++)
        assert_int_equal(cfg_successor(b, i), 2 + i);
    assert_int_equal(b->ipdom, 5);
    assert_int_equal(cfg_successor(&g.cfg->blocks[0], 1), 5);
    release(&g);
}

TEST(unreachable_code_comes_last)
{
    struct graph g = build("bra B;\nA: add.u32 %r1, %r1, 1; bra A;\nB: @%p1 bra B; ret;\nbra B;");
    assert_int_equal(g.cfg->blocks[0].rank, 0);
    assert_int_equal(g.cfg->block_count, 6);
    assert_order(g.cfg, (int[]){0, 2, 3, 1, 4, 5});
    release(&g);
}

TEST(nonsense_branches_lead_nowhere)
{
    struct graph g = build("bra %r1; bra; brx.idx %r1; brx.idx; @%p1 bra 5; ret;");
    assert_int_equal(g.cfg->block_count, 6);
    assert_int_equal(g.cfg->blocks[0].successor_count, 0);
    assert_int_equal(g.cfg->blocks[4].successor_count, 1);
    release(&g);
}

/* ---- slow definitions ---------------------------------------------------------------------------------- */

enum { MOST = 64 };

static uint64_t random_state;

static int draw(int below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)below);
}

/* Marks all blocks from which one of the marked is reached without going through `without`. */
static void mark_backwards(const struct cfg *cfg, int without, bool *marked)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = 0; b < cfg->block_count; b++) {
            for (int i = 0; i < cfg->blocks[b].successor_count && b != without && !marked[b]; i++)
                changed |= marked[b] = marked[cfg_successor(&cfg->blocks[b], i)];
        }
    }
}

/* The blocks where paths end, by the rule that cfg_postdom.c states. */
static void find_exits(const struct cfg *cfg, bool *is_exit)
{
    bool leaves[MOST] = {0};
    for (int b = 0; b < cfg->block_count; b++)
        leaves[b] = is_exit[b] = cfg->blocks[b].successor_count == 0;
    mark_backwards(cfg, -1, leaves);
    for (int b = cfg->block_count - 1; b >= 0; b--) {
        if (leaves[b])
            continue;
        leaves[b] = is_exit[b] = true;
        mark_backwards(cfg, -1, leaves);
    }
}

/* post[p][b]: every path from b to an exit goes through p. */
static void find_postdominance(const struct cfg *cfg, bool post[MOST][MOST])
{
    bool is_exit[MOST];
    find_exits(cfg, is_exit);
    for (int p = 0; p < cfg->block_count; p++) {
        bool escapes[MOST];
        for (int b = 0; b < cfg->block_count; b++)
            escapes[b] = is_exit[b] && b != p;
        mark_backwards(cfg, p, escapes);
        for (int b = 0; b < cfg->block_count; b++)
            post[p][b] = !escapes[b] || b == p;
    }
}

static void check_postdominators(const struct cfg *cfg)
{
    static bool post[MOST][MOST];
    find_postdominance(cfg, post);
    for (int b = 0; b < cfg->block_count; b++) {
        int nearest = -1;
        for (int p = 0; p < cfg->block_count; p++) {
            if (p != b && post[p][b] && (nearest < 0 || post[nearest][p]))
                nearest = p;
        }
        assert_int_equal(cfg->blocks[b].ipdom, nearest);
    }
}

/* dom[d][b]: every path from the entry to b goes through d; true of everything for unreachable b. */
static void find_dominance(const struct cfg *cfg, bool dom[MOST][MOST], bool *reachable)
{
    for (int d = -1; d < cfg->block_count; d++) {
        bool reached[MOST] = {0};
        reached[0] = d != 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (int b = 0; b < cfg->block_count; b++) {
                for (int i = 0; reached[b] && i < cfg->blocks[b].successor_count; i++) {
                    int to = cfg_successor(&cfg->blocks[b], i);
                    changed |= to != d && !reached[to];
                    reached[to] |= to != d;
                }
            }
        }
        for (int b = 0; b < cfg->block_count; b++) {
            if (d < 0)
                reachable[b] = reached[b];
            else
                dom[d][b] = !reached[b];
        }
    }
}

static void check_permutation(const struct cfg *cfg)
{
    bool seen[MOST] = {0};
    for (int i = 0; i < cfg->block_count; i++) {
        int block = cfg->order[i];
        assert_in_range(block, 0, cfg->block_count - 1);
        assert_false(seen[block]);
        seen[block] = true;
        assert_int_equal(cfg->blocks[block].rank, i);
    }
    assert_int_equal(cfg->order[0], 0);
}

/* The loop of a header: all that reach it again without leaving through it. */
static void check_loop(const struct cfg *cfg, int header, const bool *reachable, bool dom[MOST][MOST])
{
    bool body[MOST] = {0};
    int size = 0;
    for (int b = 0; b < cfg->block_count; b++) {
        for (int i = 0; i < cfg->blocks[b].successor_count; i++)
            body[b] |= reachable[b] && cfg_successor(&cfg->blocks[b], i) == header && dom[header][b];
    }
    body[header] = false;
    mark_backwards(cfg, header, body);
    body[header] = true;
    for (int b = 0; b < cfg->block_count; b++)
        size += body[b] && reachable[b];
    for (int i = 0; i < size; i++)
        assert_true(body[cfg->order[cfg->blocks[header].rank + i]]);
}

/* For graphs whose loops have one entry each. */
static void check_layout(const struct cfg *cfg)
{
    static bool dom[MOST][MOST];
    bool reachable[MOST];
    find_dominance(cfg, dom, reachable);
    check_permutation(cfg);
    for (int b = 0; b < cfg->block_count; b++) {
        if (b > 0 && reachable[cfg->order[b]])
            assert_true(reachable[cfg->order[b - 1]]);
        for (int i = 0; reachable[b] && i < cfg->blocks[b].successor_count; i++) {
            int to = cfg_successor(&cfg->blocks[b], i);
            if (cfg->blocks[to].rank > cfg->blocks[b].rank)
                continue;
            assert_true(dom[to][b]); /* the only way back is to a header */
            check_loop(cfg, to, reachable, dom);
        }
    }
}

/* ---- random graphs ------------------------------------------------------------------------------------- */

static void append(char *text, size_t size, const char *format, ...)
{
    va_list args;
    size_t used = strlen(text);
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static void random_branches(char *text, size_t size, int blocks)
{
    text[0] = '\0';
    for (int b = 0; b < blocks; b++) {
        append(text, size, "L%d: add.u32 %%r1, %%r1, 1;\n", b);
        switch (draw(6)) {
        case 0: append(text, size, "bra L%d;\n", draw(blocks)); break;
        case 1: append(text, size, draw(2) ? "@%%p1 ret;\n" : "exit;\n"); break;
        case 2:
            append(text, size, "t%d: .branchtargets L%d, L%d, L%d;\nbrx.idx %%r1, t%d;\n", b, draw(blocks),
                   draw(blocks), draw(blocks), b);
            break;
        default: append(text, size, "@%%p1 bra L%d;\n", draw(blocks)); break;
        }
    }
}

TEST(random_graphs_keep_the_definitions)
{
    static char text[8000];
    random_state = 1;
    for (int round = 0; round < 2000; round++) {
        random_branches(text, sizeof text, 2 + draw(20));
        struct graph g = build(text);
        check_postdominators(g.cfg);
        check_permutation(g.cfg);
        release(&g);
    }
}

struct writer {
    char text[8000];
    int labels, statements;
};

static void write_statements(struct writer *w, int depth, int break_label);

static void write_statement(struct writer *w, int depth, int break_label)
{
    int label = w->labels;
    w->statements++;
    switch (depth > 0 && w->statements < 14 ? draw(7) : 6) {
    case 0: /* if, else */
        w->labels += 2;
        append(w->text, sizeof w->text, "@%%p1 bra L%d;\n", label);
        write_statements(w, depth - 1, break_label);
        append(w->text, sizeof w->text, "bra L%d;\nL%d:\n", label + 1, label);
        write_statements(w, depth - 1, break_label);
        append(w->text, sizeof w->text, "L%d:\n", label + 1);
        break;
    case 1: /* while */
    case 2: /* do, while */
        w->labels += 2;
        append(w->text, sizeof w->text, "L%d: add.u32 %%r1, %%r1, 1;\n", label);
        if (draw(2))
            append(w->text, sizeof w->text, "@%%p1 bra L%d;\n", label + 1);
        write_statements(w, depth - 1, label + 1);
        append(w->text, sizeof w->text, "@%%p2 bra L%d;\nL%d:\n", label, label + 1);
        break;
    case 3:
        if (break_label >= 0)
            append(w->text, sizeof w->text, "@%%p3 bra L%d;\n", break_label);
        break;
    case 4: append(w->text, sizeof w->text, "@%%p1 ret;\n"); break;
    default: append(w->text, sizeof w->text, "add.u32 %%r1, %%r1, 1;\n"); break;
    }
}

static void write_statements(struct writer *w, int depth, int break_label)
{
    for (int i = 1 + draw(3); i > 0; i--)
        write_statement(w, depth, break_label);
}

TEST(structured_programs_keep_the_layout)
{
    static struct writer w;
    random_state = 2;
    for (int round = 0; round < 2000; round++) {
        w = (struct writer){0};
        write_statements(&w, 4, -1);
        struct graph g = build(w.text);
        assert_true(g.cfg->block_count < MOST);
        check_postdominators(g.cfg);
        check_layout(g.cfg);
        release(&g);
    }
}

/* ---- size ---------------------------------------------------------------------------------------------- */

/* Thousands of loops, all inside each other: neither deep recursion nor quadratic time. */
TEST(deep_loops_end)
{
    enum { LOOPS = 20000, LINE = 24 };
    char *text = calloc(2 * LOOPS + 4, LINE);
    char *at = text + sprintf(text, PTX_HEAD ".entry k() {\n.reg .pred %%p;\n");
    for (int i = 0; i < LOOPS; i++)
        at += sprintf(at, "L%d: @%%p ret;\n", i);
    for (int i = LOOPS - 1; i >= 0; i--)
        at += sprintf(at, "@%%p bra L%d;\n", i);
    sprintf(at, "ret; }");
    struct ptx_module *module = parse_ok(text);
    struct cfg *cfg = cfg_build(kernel_of(module));
    assert_int_equal(cfg->block_count, 2 * LOOPS + 1);
    assert_int_equal(cfg->order[0], 0);
    cfg_free(cfg);
    ptx_module_free(module);
    free(text);
}

RUN_ALL
