/* The parser: what it makes of each construct, and where it says that something is wrong. */
#include "test.h"
#include "ptx_fixture.h"

static const struct ptx_operand *operand(const struct ptx_func *func, int instr, int index)
{
    assert_in_range(instr, 0, func->instr_count - 1);
    assert_in_range(index, 0, func->instrs[instr].operand_count - 1);
    return &func->instrs[instr].operands[index];
}

static void assert_reg(const struct ptx_func *func, const struct ptx_operand *op, const char *name)
{
    assert_int_equal(op->kind, PTX_REG);
    assert_string_equal(func->regs[op->reg].name, name);
}

/* ---- instructions and operands ------------------------------------------------------------------------- */

TEST(opcodes_are_text)
{
    struct ptx_module *m = parse_body_ok("no.such.op::x.v4 ;\n\tmembar.gl;\nret;");
    const struct ptx_func *k = kernel_of(m);
    assert_int_equal(k->instr_count, 3);
    assert_string_equal(k->instrs[0].text, "no.such.op::x.v4");
    assert_string_equal(k->instrs[0].op, "no");
    assert_int_equal(k->instrs[0].mod_count, 3);
    assert_string_equal(k->instrs[0].mods[1], "op::x");
    assert_string_equal(k->instrs[0].mods[2], "v4");
    assert_int_equal(k->instrs[0].operand_count, 0);
    assert_int_equal(k->instrs[1].ptx_line, k->instrs[0].ptx_line + 1);
    ptx_module_free(m);
}

TEST(guards)
{
    struct ptx_module *m = parse_body_ok("@%p1 ret; @!%p2 ret; ret;");
    const struct ptx_func *k = kernel_of(m);
    assert_string_equal(k->regs[k->instrs[0].guard].name, "%p1");
    assert_false(k->instrs[0].guard_negated);
    assert_string_equal(k->regs[k->instrs[1].guard].name, "%p2");
    assert_true(k->instrs[1].guard_negated);
    assert_int_equal(k->instrs[2].guard, -1);
    ptx_module_free(m);
}

TEST(numbers)
{
    struct ptx_module *m = parse_body_ok("mov.b32 %r1, -5, 0x10, (2+3)*4, 0f3F800000, -0f3F800000, 1.5, "
                                         "-0d3FF0000000000000, WARP_SZ, WARP_SZ-1, !0;");
    const struct ptx_func *k = kernel_of(m);
    const struct {
        enum ptx_operand_kind kind;
        int64_t value;
    } expected[] = {
        {PTX_INT, -5},
        {PTX_INT, 16},
        {PTX_INT, 20},
        {PTX_F32_BITS, 0x3f800000},
        {PTX_F32_BITS, 0xbf800000},
        {PTX_F64_BITS, 0x3ff8000000000000},
        {PTX_F64_BITS, (int64_t)0xbff0000000000000},
        {PTX_SREG, 0},
        {PTX_INT, 31},
        {PTX_INT, 1},
    };
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
        assert_int_equal(operand(k, 0, i + 1)->kind, expected[i].kind);
        assert_true(operand(k, 0, i + 1)->value == expected[i].value);
    }
    assert_string_equal(operand(k, 0, 8)->name, "WARP_SZ");
    ptx_module_free(m);
}

TEST(registers)
{
    struct ptx_module *m = parse_body_ok(".reg .v4 .f32 vec;\n.reg .b32 plain, %r1<5>;\n"
                                         "mov %r19, %r14, plain, vec.z, vec, %tid.x, %laneid, !%p3, -%r2, "
                                         "%r1.b0, %envreg31;");
    const struct ptx_func *k = kernel_of(m);
    assert_reg(k, operand(k, 0, 0), "%r19");
    /* %r14 is number 14 of %r<20> as well as number 4 of %r1<5>: either is one register of that name */
    assert_reg(k, operand(k, 0, 1), "%r14");
    assert_reg(k, operand(k, 0, 2), "plain");
    assert_reg(k, operand(k, 0, 3), "vec.z");
    assert_int_equal(operand(k, 0, 4)->kind, PTX_VECTOR);
    assert_int_equal(operand(k, 0, 4)->count, 4);
    assert_reg(k, &operand(k, 0, 4)->list[3], "vec.w");
    assert_int_equal(operand(k, 0, 5)->kind, PTX_SREG);
    assert_string_equal(operand(k, 0, 5)->name, "%tid.x");
    assert_string_equal(operand(k, 0, 6)->name, "%laneid");
    assert_true(operand(k, 0, 7)->negated);
    assert_true(operand(k, 0, 8)->negated);
    assert_string_equal(operand(k, 0, 9)->name, "b0");
    assert_string_equal(operand(k, 0, 10)->name, "%envreg31");
    ptx_module_free(m);
}

TEST(addresses)
{
    struct ptx_module *m = parse_body_ok("ld.u32 %r1, [%rd1]; ld.u32 %r1, [%rd1+8]; ld.u32 %r1, [%rd1+-8];\n"
                                         "ld.u32 %r1, [%rd1-8]; ld.u32 %r1, [table+12]; ld.u32 %r1, [64];\n"
                                         "ld.u32 %r1, [k_param_0]; mov.u64 %rd1, table+4; mov.u64 %rd1, f;");
    const struct ptx_func *k = kernel_of(m);
    const int64_t offsets[] = {0, 8, -8, -8, 12, 64, 0};
    for (int i = 0; i < 7; i++) {
        assert_int_equal(operand(k, i, 1)->kind, PTX_ADDRESS);
        assert_true(operand(k, i, 1)->value == offsets[i]);
        assert_int_equal(operand(k, i, 1)->reg >= 0, i < 4);
    }
    assert_string_equal(operand(k, 4, 1)->var->name, "table");
    assert_null(operand(k, 5, 1)->var);
    assert_ptr_equal(operand(k, 6, 1)->var, &k->params[0].var);
    assert_int_equal(operand(k, 7, 1)->kind, PTX_SYMBOL);
    assert_true(operand(k, 7, 1)->value == 4);
    assert_int_equal(operand(k, 8, 1)->kind, PTX_FUNC);
    assert_string_equal(operand(k, 8, 1)->func->name, "f");
    ptx_module_free(m);
}

TEST(vectors_pairs_textures)
{
    struct ptx_module *m = parse_body_ok("ld.v4 {%r1, _, 5, 0f00000000}, [%rd1];\n"
                                         "shfl %r8|%p1, _|%p2, %r1;\n"
                                         "tex {%f1,%f2}, [%rd1, {%f3, %f4}];\n"
                                         "tex {%f1}, [table, %rd2, {%f3}], %r1;");
    const struct ptx_func *k = kernel_of(m);
    const struct ptx_operand *v = operand(k, 0, 0);
    assert_int_equal(v->kind, PTX_VECTOR);
    assert_int_equal(v->count, 4);
    assert_int_equal(v->list[1].kind, PTX_SINK);
    assert_int_equal(v->list[2].kind, PTX_INT);
    assert_int_equal(v->list[3].kind, PTX_F32_BITS);
    assert_int_equal(operand(k, 1, 0)->kind, PTX_PAIR);
    assert_reg(k, &operand(k, 1, 0)->list[0], "%r8");
    assert_reg(k, &operand(k, 1, 0)->list[1], "%p1");
    assert_int_equal(operand(k, 1, 1)->list[0].kind, PTX_SINK);
    assert_int_equal(operand(k, 2, 1)->kind, PTX_ADDRESS);
    assert_int_equal(operand(k, 2, 1)->count, 2);
    assert_reg(k, &operand(k, 2, 1)->list[1], "%f4");
    assert_string_equal(operand(k, 3, 1)->var->name, "table");
    assert_int_equal(operand(k, 3, 1)->count, 2);
    assert_int_equal(operand(k, 3, 1)->list[1].kind, PTX_VECTOR);
    assert_int_equal(k->instrs[3].operand_count, 3);
    ptx_module_free(m);
}

TEST(calls)
{
    struct ptx_module *m = parse_body_ok("{ .param .b32 a; .param .b32 b;\n"
                                         "call.uni (b), f, (a);\n"
                                         "proto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                                         "call (b), %rd1, (a), proto;\n"
                                         "call f, (); }\n"
                                         "{ .param .b64 a; st.param.b64 [a+0], %rd1; }");
    const struct ptx_func *k = kernel_of(m);
    assert_int_equal(operand(k, 0, 0)->kind, PTX_LIST);
    assert_int_equal(operand(k, 0, 0)->list[0].kind, PTX_SYMBOL);
    assert_int_equal(operand(k, 0, 1)->kind, PTX_FUNC);
    assert_string_equal(operand(k, 0, 2)->list[0].var->name, "a");
    assert_reg(k, operand(k, 1, 1), "%rd1");
    assert_int_equal(operand(k, 1, 3)->kind, PTX_NAME);
    assert_string_equal(operand(k, 1, 3)->name, "proto");
    assert_int_equal(operand(k, 2, 1)->count, 0);
    /* the second block's a is another variable */
    assert_int_equal(k->var_count, 3);
    assert_ptr_not_equal(operand(k, 3, 0)->var, operand(k, 0, 2)->list[0].var);
    assert_int_equal(operand(k, 3, 0)->var->type, PTX_B64);
    assert_int_equal(operand(k, 0, 2)->list[0].var->scope, k->instrs[0].scope);
    ptx_module_free(m);
}

/* ---- labels and scopes --------------------------------------------------------------------------------- */

TEST(labels)
{
    struct ptx_module *m = parse_body_ok("bra END;\nA: B: bra A;\nbra B;\n"
                                         "t: .branchtargets A, END;\nbrx.idx %r1, t;\nEND:");
    const struct ptx_func *k = kernel_of(m);
    assert_int_equal(operand(k, 0, 0)->kind, PTX_LABEL);
    assert_int_equal(operand(k, 0, 0)->value, 4);
    assert_int_equal(operand(k, 1, 0)->value, 1);
    assert_int_equal(operand(k, 2, 0)->value, 1);
    assert_int_equal(operand(k, 3, 1)->kind, PTX_NAME);
    assert_string_equal(operand(k, 3, 1)->name, "t");
    assert_int_equal(k->table_count, 1);
    assert_string_equal(k->tables[0].name, "t");
    assert_int_equal(k->tables[0].count, 2);
    assert_int_equal(k->tables[0].targets[0], 1);
    assert_int_equal(k->tables[0].targets[1], 4);
    assert_int_equal(k->instr_count, 5); /* a ret for END to stand before */
    assert_string_equal(k->instrs[4].op, "ret");
    ptx_module_free(m);
}

TEST(scopes_hide_names)
{
    struct ptx_module *m =
        parse_body_ok("{ .reg .pred p; .reg .f32 %r<2>; L: @p bra L; mov %r1, %r5; @p bra OUT; }\n"
                      "{ .reg .pred p; L: @p bra L; mov %r1, %r5; }\n"
                      "OUT: ret;");
    const struct ptx_func *k = kernel_of(m);
    assert_int_equal(operand(k, 0, 0)->value, 0);
    assert_int_equal(operand(k, 2, 0)->value, 5);
    assert_int_equal(operand(k, 3, 0)->value, 3);
    assert_int_not_equal(k->instrs[0].guard, k->instrs[3].guard);
    assert_int_equal(k->regs[operand(k, 1, 0)->reg].type, PTX_F32); /* the block's own %r1 … */
    assert_int_equal(k->regs[operand(k, 1, 1)->reg].type, PTX_B32); /* … which has no %r5 */
    assert_int_equal(k->regs[operand(k, 4, 0)->reg].type, PTX_B32);
    assert_int_equal(k->instrs[0].scope, 1);
    assert_int_equal(k->instrs[3].scope, 2);
    assert_int_equal(k->instrs[5].scope, 0);
    ptx_module_free(m);
}

TEST(a_body_ends_with_a_return)
{
    static const struct {
        const char *body;
        int count;
    } cases[] = {{"", 1}, {"ret;", 1}, {"exit;", 1}, {"@%p1 ret;", 2}, {"L: bra L;", 2}, {"ret; L:", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_module *m = parse_body_ok(cases[i].body);
        const struct ptx_func *k = kernel_of(m);
        assert_int_equal(k->instr_count, cases[i].count);
        assert_int_equal(k->instrs[k->instr_count - 1].guard, -1);
        ptx_module_free(m);
    }
}

/* ---- functions ----------------------------------------------------------------------------------------- */

TEST(parameters_are_laid_out)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 4 b,\n"
                          ".param .u8 c, .param .align 16 .b8 d[20], .param .f32 e)\n"
                          ".maxntid 128, 2\n.reqntid 32, 1, 1 .minnctapersm 3 .maxnreg 40\n"
                          ".explicitcluster .reqnctapercluster 2, 1, 1 .pragma \"x\";\n{ }");
    const struct ptx_func *k = kernel_of(m);
    const size_t offsets[] = {0, 8, 16, 32, 52};
    assert_true(k->is_entry && k->is_visible && k->has_body && !k->is_extern);
    assert_int_equal(k->param_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(k->params[i].offset, offsets[i]);
    assert_int_equal(k->param_size, 56);
    assert_int_equal(k->params[1].var.align, 8);
    assert_int_equal(k->params[3].var.size, 20);
    assert_int_equal(k->params[3].var.align, 16);
    assert_memory_equal(k->maxntid, ((int[]){128, 2, 1}), sizeof k->maxntid);
    assert_memory_equal(k->reqntid, ((int[]){32, 1, 1}), sizeof k->reqntid);
    assert_int_equal(k->minnctapersm, 3);
    ptx_module_free(m);
}

TEST(prototype_and_body_are_one)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".weak .func (.param .align 8 .b8 r[16]) f\n(.param .b32 f_0)\n;\n"
                          ".func g .noreturn;\n.extern .func h();\n"
                          ".func (.param .align 8 .b8 q[16]) f(.param .b32 x)\n"
                          "{ .reg .b32 %r<2>; ld.param.u32 %r1, [x]; st.param.b32 [q+8], %r1;\n"
                          "call (q), f, (x); ret; }");
    assert_int_equal(m->func_count, 3);
    const struct ptx_func *f = ptx_module_find_func(m, "f");
    assert_true(f->is_weak && f->has_body && !f->is_entry && !f->is_noreturn);
    assert_string_equal(f->params[0].var.name, "x");
    assert_int_equal(f->ret_count, 1);
    assert_int_equal(f->rets[0].var.size, 16);
    assert_ptr_equal(operand(f, 2, 1)->func, f);
    assert_true(ptx_module_find_func(m, "g")->is_noreturn);
    assert_true(ptx_module_find_func(m, "h")->is_extern);
    assert_false(ptx_module_find_func(m, "h")->has_body);
    assert_null(ptx_module_find_func(m, "none"));
    ptx_module_free(m);
}

TEST(aliases)
{
    struct ptx_module *m =
        parse_ok(PTX_HEAD ".func f(); .visible .func g();\n.alias g, f;\n.func f() { trap; ret; }");
    const struct ptx_func *g = ptx_module_find_func(m, "g");
    assert_true(g->has_body && g->is_visible);
    assert_int_equal(g->instr_count, 2);
    assert_false(ptx_module_find_func(m, "f")->is_visible);
    ptx_module_free(m);
}

/* ---- mistakes ------------------------------------------------------------------------------------------ */

TEST(words_that_are_none)
{
    static const struct {
        const char *text, *words;
    } cases[] = {{"18446744073709551616", "64 bits"},
                 {"0x1FFFFFFFFFFFFFFFF", "64 bits"},
                 {"0x", "without digits"},
                 {"0b2", "without digits"},
                 {"08", "inside a number"},
                 {"12abc", "inside a number"},
                 {"0f3F80000", "8 hexadecimal"},
                 {"0f3F8000000", "too many"},
                 {"0d3FF", "16"},
                 {"1.5x", "inside a number"},
                 {"\"b\nc\"", "closing quote"},
                 {"\"b\\", "closing quote"},
                 {"/* b", "never closed"},
                 {". b", "without a name"},
                 {"\x80 b", "does not know"},
                 {"`", "does not know"},
                 {"1111111111111111111111111111111111111111111111111111111111111111.0", "63 characters"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, PTX_HEAD "// a\n/* b\n c */ .global\t.u64 x =\r\n %s;", cases[i].text);
        parse_fails(text, 7, 2, cases[i].words);
    }
}

/* Behind the text they end it, as in a fat binary. */
TEST(zero_bytes)
{
    struct ptx_error error;
    struct ptx_module *m = ptx_parse(PTX_HEAD "\0\0", sizeof PTX_HEAD + 1, &error);
    assert_non_null(m);
    ptx_module_free(m);
    assert_null(ptx_parse(PTX_HEAD "\0;", sizeof PTX_HEAD + 1, &error));
}

#define HEAD_K PTX_HEAD ".entry k() {\n.reg .pred %p<3>; .reg .b32 %r<5>;\n"

TEST(undeclared_names)
{
    parse_fails(HEAD_K "add.u32 %r1, %r9, 1; }", 6, 14, "found '%r9'");
    parse_fails(HEAD_K "add.u32 %r01, %r1, 1; }", 6, 9, "found '%r01'");
    parse_fails(HEAD_K "mov.u32 %r1, %tidy.x; }", 6, 14, "found '%tidy'");
    parse_fails(HEAD_K "ld.u32 %r1, [nothing+4]; }", 6, 14, "declared");
    parse_fails(HEAD_K "bra NOWHERE; }", 6, 5, "found 'NOWHERE'");
    parse_fails(HEAD_K "{ L: bra L; } bra L; }", 6, 19, "found 'L'");
    parse_fails(HEAD_K "t: .branchtargets NOWHERE; }", 6, 19, "found 'NOWHERE'");
    parse_fails(HEAD_K "@%p7 ret; }", 6, 2, "found '%p7'");
    parse_fails(HEAD_K "@%r1 ret; }", 6, 2, "expected a declared .pred register");
    parse_fails(HEAD_K "{ .reg .b32 x; } mov.u32 %r1, x; }", 6, 31, "found 'x'");
    parse_fails(PTX_HEAD ".global .u64 p = nothing;", 4, 18, "found 'nothing'");
    parse_fails(PTX_HEAD ".func f(); .alias g, f;", 4, 19, "expected a function");
}

TEST(wrong_syntax)
{
    parse_fails("hello", 1, 1, "found 'hello', expected .version");
    parse_fails("", 1, 1, "found the end of the text, expected .version");
    parse_fails(".version 8\n", 1, 10, "expected a version");
    parse_fails(".version 8.0\n.address_size 32\n", 2, 15, "expected 64");
    parse_fails(HEAD_K "add.u32 %r1 %r2; }", 6, 13, "expected ',' or ';'");
    parse_fails(HEAD_K "add.u32 %r1, ; }", 6, 14, "expected an operand");
    parse_fails(HEAD_K "add.u32 %r1, %r2\n}", 7, 1, "found '}'");
    parse_fails(HEAD_K "ld.u32 %r1, [%r2; }", 6, 17, "expected ']'");
    parse_fails(HEAD_K "ld.v2 {%r1, [%r2]}, 1; }", 6, 13, "expected an operand");
    parse_fails(HEAD_K "ret;", 4, 12, "never closed");
    parse_fails(HEAD_K "{ ret; ", 4, 12, "never closed");
    parse_fails(HEAD_K ".what 3; }", 6, 1, "found '.what'");
    parse_fails(HEAD_K "L: L: ret; }", 6, 4, "twice");
    parse_fails(HEAD_K ".reg .b32 %r<3>; }", 6, 11, "twice");
    parse_fails(HEAD_K ".reg .x32 a; }", 6, 6, "expected a type");
    parse_fails(HEAD_K "mov.u32 %r1, %r2 & 3; }", 6, 18, "expected ',' or ';'");
    parse_fails(PTX_HEAD ".entry k() { ret; }\n.entry k() { ret; }", 5, 8, "second body");
    parse_fails(PTX_HEAD ".global .u32 a;\n.global .u32 a;", 5, 14, "twice");
    parse_fails(PTX_HEAD ".func f(.reg .b32 a) { ret; }", 4, 9, "register parameters");
    parse_fails(PTX_HEAD ".global .align 3 .u32 a;", 4, 16, "power of two");
    parse_fails(PTX_HEAD ".shared .u32 a = 5;", 4, 16, "only for .global and .const");
    parse_fails(PTX_HEAD ".section .debug_str { .b8 1", 4, 21, "without its '}'");
    parse_fails(PTX_HEAD ".global .u32 a; \"open", 4, 17, "closing quote");
    parse_fails(PTX_HEAD ".entry k() { mov.u32 0; \x01 }", 4, 25, "does not know");
}

RUN_ALL
