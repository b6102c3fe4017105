/* The opcode table, and what the decoder says about what it does not know. */
#include "test.h"
#include "exec_support.h"
#include "sim/decode/decode_internal.h"

TEST(each_opcode_stands_once)
{
    for (int i = 0; i < opcode_count(); i++) {
        const struct opcode *a = opcode_at(i);
        assert_ptr_equal(opcode_find(a->name), a);
        assert_true(strlen(a->meaning) > 0);
        assert_true(a->cost < COST_CLASSES);
        for (int k = i + 1; k < opcode_count(); k++)
            assert_string_not_equal(a->name, opcode_at(k)->name);
    }
    assert_null(opcode_find("frobnicate"));
}

/* The opcodes that a survey of public kernels found most often, as DESIGN lists them. */
TEST(the_common_opcodes_are_there)
{
    static const char *const names[] = {
        "mov",   "add",   "ld",       "fma",        "setp",  "mul",       "bra",      "st",        "cvt",
        "shl",   "and",   "sub",      "shfl",       "shr",   "selp",      "cvta",     "bar",       "mad",
        "not",   "xor",   "vote",     "barrier",    "ret",   "or",        "div",      "atom",      "neg",
        "ex2",   "max",   "rsqrt",    "min",        "abs",   "rcp",       "rem",      "clz",       "popc",
        "call",  "bmsk",  "copysign", "membar",     "bfi",   "nanosleep", "brev",     "sqrt",      "sin",
        "cos",   "bfind", "red",      "activemask", "match", "trap",      "lg2",      "vabsdiff4", "exit",
        "redux", "fence", "prmt",     "shf",        "bfe",   "dp4a",      "isspacep",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!opcode_find(names[i]))
            fail_msg("%s is missing", names[i]);
}

/* Decodes a kernel that consists of one instruction at t.cu:23; it must fail with a message that contains
 * `wanted`. */
static void expect_failure(const char *instruction, const char *wanted)
{
    struct exec e;
    char ptx[1024];
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 p) {\n.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .f32 %%f<9>; "
             ".reg .pred %%p<9>;\n"
             ".loc 1 23 0\n%s\nret; }\n",
             instruction);
    exec_open(&e);
    exec_load(&e, ptx);
    if (exec_kernel(&e, "k"))
        fail_msg("%s is accepted", instruction);
    if (!strstr(e.message, wanted) || !strstr(e.message, "t.cu:23") || !strstr(e.message, "PTX line 8"))
        fail_msg("%s gives: %s", instruction, e.message);
    exec_close(&e);
}

TEST(names_what_it_does_not_know)
{
    expect_failure("frobnicate.rn.f32 %f1, %f2;",
                   "`frobnicate.rn.f32` is an instruction that the simulator does not have");
    expect_failure("add.wrong.s32 %r1, %r2, %r3;", "modifier that the simulator does not have: .wrong");
    expect_failure("sin.approx.f64 %rd1, %rd2;", "type that the simulator does not support: .f64");
    expect_failure("add.s32 %r1, %r2, %rd3;", "%rd3 of 64 bits");
    expect_failure("add.s32 %r1, %r2;", "has 2 operands");
    expect_failure("min.f32 %f1, %f2, %f3, %f4;", "has 4 operands, expected 3");
    expect_failure("elect.sync %p1, -1;", "needs two destinations");
    expect_failure("alloca.u64 %rd1, %rd2, 24;", "no power of two");
    expect_failure("mov.u32 %r1, %pm0;", "%pm0");
    expect_failure("selp.b32 %r1, %r2, %r3, %r4;", "%r4 as a predicate");
    expect_failure("ld.global.v4.u32 {%r1, %r2}, [%rd1];", "4 registers");
}

/* What the assembler would refuse, too, or what this simulator has no meaning for: never decoded as something else. */
TEST(refuses_forms_that_do_not_exist)
{
    expect_failure("tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", "has 1 coordinates, expected 2");
    expect_failure("tex.2d.v4.f32.s32 {%f1, %f2}, [%rd1, {%r1, %r2}];", "needs 4 registers in braces");
    expect_failure("suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r3}];", "has 1 coordinates, expected 2");
    expect_failure("suld.b.2d.v2.b32.trap {%r1}, [%rd1, {%r3, %r4}];", "needs 2 registers in braces");
    expect_failure("sust.b.1d.b64.trap [%rd1, {%r1}], {%r2};", "narrower than what it moves");
    expect_failure("cvt.rn.relu.tf32.f32 %r1, %f1;", "is a form that the simulator does not have");
    expect_failure("cvt.rna.f32.f32 %f1, %f2;", "is a form that the simulator does not have");
    expect_failure("mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%f1, %f2}, {%r1}, {%r2}, {%f3, %f4};",
                   "product of matrices that the simulator does not have");
    expect_failure("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1}, {%r2}, "
                   "{%f1, %f2, %f3, %f4};",
                   "needs 2 registers in braces as operand 2");
    expect_failure("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};",
                   ".m8n8k32");
    expect_failure("wmma.load.a.sync.aligned.row.m16n16k16.f32 {%f1, %f2}, [%rd1];",
                   "matrix that the simulator does not have");
    expect_failure("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];", "needs 4 registers in braces");
    expect_failure("cp.async.ca.shared.global [%r1], [%rd1], 5;", "copies 5 bytes; 4, 8 and 16 are possible");
    expect_failure("ld.global.u64 %r1, [%rd1];", "narrower than what it moves");
    expect_failure("cvt.u32 %r1, %r2;", "needs two types");
    expect_failure("mul.wide.f32 %f1, %f2, %f3;", "cannot be .wide for this type");
    expect_failure("redux.sync.add.f32 %f1, %f2, -1;", "redux.sync");
    expect_failure("barrier.cluster.sync;", "needs .arrive or .wait");
    expect_failure("shfl.down.b32 %r1, %r2, 1, 31;", "without .sync does not exist on this architecture");
    expect_failure("vote.ballot.b32 %r1, %p1;", "without .sync does not exist on this architecture");
    expect_failure("brx.idx %r1, %r2;", "needs a table of labels");
    expect_failure("st.param.u32 [p], %r1;", "writes a parameter of the kernel, which is read only");
}

TEST(refuses_unknown_functions)
{
    struct exec e;
    exec_open(&e);
    exec_load(&e, ".extern .func mystery();\n.visible .entry k() { call mystery; ret; }\n");
    assert_null(exec_kernel(&e, "k"));
    assert_non_null(strstr(e.message, "mystery"));
    assert_null(exec_kernel(&e, "missing"));
    assert_non_null(strstr(e.message, "missing"));
    exec_close(&e);
}

TEST(describes_kernels)
{
    struct exec e;
    struct sim_kernel_info info;
    exec_open(&e);
    exec_load(&e, ".extern .shared .align 16 .b8 dyn[];\n.const .align 4 .b8 c[12];\n"
                  ".visible .entry k(.param .u64 p, .param .u32 n) .maxntid 128, 2, 1 {\n"
                  ".reg .b32 %r<4>; .shared .align 4 .b8 s[100]; .local .align 8 .b8 depot[24];\n"
                  "mov.u32 %r1, s; mov.u32 %r2, dyn; ret; }\n");
    struct sim_kernel *kernel = exec_kernel(&e, "k");
    assert_non_null(kernel);
    assert_ptr_equal(kernel, exec_kernel(&e, "k"));
    sim_kernel_info(kernel, &info);
    assert_string_equal(info.name, "k");
    assert_int_equal(info.shared_static, 112); /* aligned for the dynamic part */
    assert_int_equal(info.local_bytes, 32);
    assert_int_equal(info.const_bytes, 12);
    assert_int_equal(info.param_bytes, 12);
    assert_int_equal(info.param_count, 2);
    assert_int_equal(info.max_threads, 256);
    assert_false(info.registers_exact);
    sim_kernel_set_registers(kernel, 40);
    sim_kernel_info(kernel, &info);
    assert_int_equal(info.registers, 40);
    assert_true(info.registers_exact);
    assert_int_equal(kernel->shared_var_count, 2);
    exec_close(&e);
}

RUN_ALL
