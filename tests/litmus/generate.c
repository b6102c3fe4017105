/*
 * Prints CUDA kernels for the litmus tests in the named files, one for each test, and the table of them.
 *
 *     generate FILE...
 *
 * Each operation is one PTX instruction, on the line of the description that it stands in: what the simulator and
 * compute-sanitizer report names the .litmus file.
 */
#include "tests/litmus/litmus.h"

#include <stdio.h>
#include <string.h>

static const char *const semantics_text[] = {".weak",    ".volatile", ".relaxed", ".acquire",
                                             ".release", ".acq_rel",  ".sc"};
static const char *const scope_text[] = {"", ".cta", ".gpu", ".sys"};
static const char *const update_text[] = {".add.u32", ".exch.b32", ".cas.b32"};

static void print_operand(const struct litmus_test *test, struct operand operand)
{
    if (operand.is_register)
        printf("\"r\"(r_%s)", test->reg[operand.number]);
    else
        printf("\"r\"(%d)", operand.number);
}

/* "ld.acquire.gpu.global": a volatile operation names no scope. */
static void print_opcode(const struct litmus_test *test, const struct op *op, const char *name)
{
    bool plain = op->semantics == SEM_WEAK && (op->kind == OP_ATOM || op->kind == OP_RED);

    printf("\"%s%s%s%s", name, plain ? "" : semantics_text[op->semantics],
           op->semantics == SEM_VOLATILE ? "" : scope_text[op->scope], test->shared ? ".shared" : ".global");
}

static void print_atomic(const struct litmus_test *test, const struct op *op)
{
    bool swap = op->update == UPDATE_CAS, result = op->kind == OP_ATOM;
    int next = result;

    print_opcode(test, op, result ? "atom" : "red");
    printf("%s %s[%%%d]", update_text[op->update], result ? "%0, " : "", next);
    for (int i = 0; i < 1 + swap; i++)
        printf(", %%%d", ++next);
    printf(";\" :");
    if (result)
        printf(" \"=r\"(r_%s)", test->reg[op->reg]);
    printf(" : \"l\"(%s), ", test->location[op->location]);
    if (swap) {
        print_operand(test, op->compare);
        printf(", ");
    }
    print_operand(test, op->value);
}

/* How many threads use this barrier: all 32 lanes of each warp that does. */
static int barrier_threads(const struct litmus_test *test, const struct op *barrier, int block)
{
    int warps = 0;

    for (int t = 0; t < test->thread_count; t++) {
        bool uses = false;
        for (int i = 0; i < test->thread[t].op_count; i++) {
            const struct op *op = &test->thread[t].op[i];
            uses |= (op->kind == OP_BAR_SYNC || op->kind == OP_BAR_ARRIVE) && op->barrier == barrier->barrier;
        }
        warps += uses && test->thread[t].block == block;
    }
    return warps * 32;
}

static void print_barrier(const struct litmus_test *test, const struct op *op, int block)
{
    if (op->kind == OP_WARP_SYNC)
        printf("\"bar.warp.sync %%0;\" : : \"r\"(LITMUS_LANES(p, %d, %uu))", test->lanes,
               (1u << test->thread_count) - 1);
    else
        printf("\"bar.%s %%0, %d;\" : : \"r\"(p.set * 3 + %d)", op->kind == OP_BAR_SYNC ? "sync" : "arrive",
               barrier_threads(test, op, block), op->barrier);
}

static void print_instruction(const struct litmus_test *test, const struct op *op, int block)
{
    printf("asm volatile(");
    switch (op->kind) {
    case OP_LOAD:
        print_opcode(test, op, "ld");
        printf(".u32 %%0, [%%1];\" : \"=r\"(r_%s) : \"l\"(%s)", test->reg[op->reg],
               test->location[op->location]);
        break;
    case OP_STORE:
        print_opcode(test, op, "st");
        printf(".u32 [%%0], %%1;\" : : \"l\"(%s), ", test->location[op->location]);
        print_operand(test, op->value);
        break;
    case OP_ATOM:
    case OP_RED: print_atomic(test, op); break;
    case OP_FENCE: printf("\"fence%s%s;\" :", semantics_text[op->semantics], scope_text[op->scope]); break;
    default: print_barrier(test, op, block); break;
    }
    printf("%s : \"memory\");", op->kind == OP_FENCE ? " :" : "");
}

static void print_op(const struct litmus_test *test, const struct litmus_thread *thread, int i)
{
    const struct op *op = &thread->op[i];

    printf("        litmus_delay(a, %d);\n", (thread->lane * OPS_MAX + i) % 16);
    printf("#line %d \"%s\"\n        ", op->line, test->file);
    if (op->guard >= 0)
        printf("if (r_%s == %d) { ", test->reg[op->guard], op->guard_value);
    if (op->until)
        printf("do { ");
    print_instruction(test, op, thread->block);
    if (op->until)
        printf(" } while (r_%s != %d);", test->reg[op->reg], op->until_value);
    printf("%s\n", op->guard >= 0 ? " }" : "");
}

static bool sets_register(const struct litmus_thread *thread, int reg)
{
    for (int i = 0; i < thread->op_count; i++)
        if (thread->op[i].reg == reg)
            return true;
    return false;
}

static void print_thread(const struct litmus_test *test, const struct litmus_thread *thread)
{
    printf("    if (p.block == %d && p.warp == %d && p.lane == %d) {\n", thread->block, thread->warp,
           thread->lane);
    for (int r = 0; r < test->register_count; r++)
        if (sets_register(thread, r))
            printf("        unsigned r_%s = ~0u;\n", test->reg[r]);
    for (int i = 0; i < thread->op_count; i++)
        print_op(test, thread, i);
    for (int r = 0; r < test->register_count; r++)
        if (sets_register(thread, r))
            printf("        litmus_result(a, p, %d, r_%s);\n", r, test->reg[r]);
    printf("    }\n");
}

/* Shared memory is initialized here and its last values are handed out; global memory is the host's matter. */
static void print_locations(const struct litmus_test *test)
{
    if (test->shared)
        printf("    __shared__ unsigned shared[%d][1024];\n", test->location_count);
    for (int l = 0; l < test->location_count; l++) {
        if (test->shared)
            printf("    const size_t %s = __cvta_generic_to_shared(&shared[%d][p.in_block]);\n",
                   test->location[l], l);
        else
            printf("    unsigned *const %s = litmus_location(a, p, %d);\n", test->location[l], l);
    }
    for (int l = 0; l < test->location_count && test->shared; l++)
        printf("    if (p.lane == 0 && p.warp == 0) shared[%d][p.in_block] = %d;\n", l, test->initial[l]);
    if (test->shared)
        printf("    __syncthreads();\n");
}

static void print_last_values(const struct litmus_test *test)
{
    if (!test->shared)
        return;
    printf("    __syncthreads();\n    if (p.lane == 0 && p.warp == 0) {\n");
    for (int l = 0; l < test->location_count; l++)
        printf("        litmus_result(a, p, %d, shared[%d][p.in_block]);\n", REGISTERS_MAX + l, l);
    printf("    }\n");
}

static void print_kernel(const struct litmus_test *test, int number)
{
    printf("\n/* %s */\n__global__ void litmus_%d(struct litmus_arguments a)\n{\n", test->name, number);
    printf("    const struct litmus_place p = litmus_place(a, %d, %d, %d);\n", test->blocks, test->warps,
           test->lanes);
    printf("    if (p.block == ~0u) {\n        litmus_busy(a);\n        return;\n    }\n");
    print_locations(test);
    printf("    litmus_meet(a, %d);\n", test->blocks);
    for (int t = 0; t < test->thread_count; t++)
        print_thread(test, &test->thread[t]);
    print_last_values(test);
    printf("}\n");
}

int main(int count, char **files)
{
    static struct litmus_tests tests;

    litmus_read_all(&tests, count - 1, files + 1);
    printf("/* Made by tests/litmus/generate.c of tests/litmus/: do not edit. */\n"
           "#include \"tests/litmus/kernel.h\"\n");
    for (int i = 0; i < tests.count; i++)
        print_kernel(&tests.test[i], i);
    printf("\nextern \"C\" const struct litmus_kernel litmus_kernels[] = {\n");
    for (int i = 0; i < tests.count; i++)
        printf("    {\"%s\", (const void *)litmus_%d},\n", tests.test[i].name, i);
    printf("    {nullptr, nullptr},\n};\n");
    return 0;
}
