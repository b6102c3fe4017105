/* Where values came from: loads, shared memory, shuffles, selections, atomics, several launches. */
#include "test.h"
#include "exec_support.h"
#include "sim/origin/origin.h"

static const struct sim_dim3 one = {1, 1, 1}, two = {2, 1, 1}, warp = {32, 1, 1}, pair = {64, 1, 1};

#define HEAD                                                                                                 \
    ".visible .entry k(.param .u64 in, .param .u64 out) {\n"                                                 \
    ".reg .b64 %in, %out, %rd<8>; .reg .b32 %t, %b, %r<20>; .reg .f32 %f<20>; .reg .pred %p<8>;\n"           \
    ".shared .align 4 .b8 s[1024];\n"                                                                        \
    "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x;\n"          \
    "mul.wide.u32 %rd1, %t, 4; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;\n"                         \
    "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.s32 %r3, %r1, %r2;\n"
#define TAIL "ret; }\n"

struct fixture {
    struct exec e;
    sim_addr in, out;
    struct sim_origin origin;
};

/* Runs the kernel over 64 inputs and outputs, recorded. */
static void run(struct fixture *f, const char *ptx, struct sim_dim3 grid, struct sim_dim3 block, int launches)
{
    exec_open(&f->e);
    exec_load(&f->e, ptx);
    uint32_t in[64];
    for (uint32_t i = 0; i < 64; i++)
        in[i] = i;
    f->in = exec_buffer(&f->e, in, sizeof in);
    f->out = exec_buffer(&f->e, NULL, sizeof in);
    f->origin = (struct sim_origin){0};
    assert_true(sim_origin_start(f->e.sim, (size_t)1 << 24));
    for (int i = 0; i < launches; i++) {
        uint64_t args[] = {i % 2 ? f->out : f->in, i % 2 ? f->in : f->out};
        if (exec_launch(&f->e, "k", grid, block, 0, args) != SIM_OK)
            fail_msg("%s", f->e.result.message);
    }
}

static const struct sim_origin *ask(struct fixture *f, int element)
{
    sim_origin_free(&f->origin);
    assert_true(sim_origin_find(f->e.sim, f->out + 4 * (uint64_t)element, 4, &f->origin));
    assert_false(f->origin.incomplete);
    return &f->origin;
}

static void end(struct fixture *f)
{
    sim_origin_free(&f->origin);
    exec_close(&f->e);
}

/* The leaf number `n` is element `element` of the input, that many times. */
static const struct sim_origin_leaf *check_input(const struct fixture *f, int n, int element, unsigned times)
{
    assert_in_range(n, 0, f->origin.leaf_count - 1);
    const struct sim_origin_leaf *leaf = &f->origin.leaves[n];
    assert_int_equal(leaf->kind, SIM_ORIGIN_MEMORY);
    assert_int_equal((int64_t)(leaf->address - f->in) / 4, element);
    assert_int_equal(leaf->times, times);
    return leaf;
}

TEST(names_loads_and_threads)
{
    struct fixture f;
    run(&f,
        HEAD ".loc 1 7 1\nld.global.u32 %r4, [%rd2+4];\n.loc 1 8 1\nadd.u32 %r4, %r4, %r4;\n.loc 1 9 "
             "1\nst.global.u32 [%rd3], %r4;\n" TAIL,
        one, warp, 1);
    const struct sim_origin *o = ask(&f, 5);
    assert_int_equal(o->store_count, 1);
    assert_int_equal(o->store[0].thread.thread.x, 5);
    assert_int_equal(o->store[0].place.line, 9);
    assert_string_equal(o->store[0].place.file, "t.cu");
    assert_true(o->fork.itself);
    assert_int_equal(o->fork.made.line, 7);
    assert_int_equal(o->fork.use[0].line, 8);
    assert_int_equal(o->leaf_count, 1);
    const struct sim_origin_leaf *leaf = check_input(&f, 0, 6, 2);
    assert_int_equal(leaf->place.line, 7);
    assert_int_equal(leaf->index_uses, SIM_ORIGIN_TID_X);
    o = ask(&f, 40);
    assert_int_equal(o->store_count, 0);
    assert_int_equal(o->leaf_count, 0);
    end(&f);
}

/* A lane stores eight registers, to several rows. What comes out of a product is not followed. */
TEST(follows_matrices_to_their_store)
{
    struct fixture f;
    run(&f,
        HEAD
        "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+128]; mov.b32 %r4, 0;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r4; mov.b32 %f3, %r4;\n"
        "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r1], {%f1, %f2, %f3, %f3, %f3, %f3, %f3, %f3}, "
        "16;\nbar.warp.sync -1; ld.shared.u32 %r6, [%r3]; st.global.u32 [%rd3], %r6;\n" TAIL,
        one, warp, 1);
    ask(&f, 3); /* row 0, column 3: the second register of lane 1 */
    check_input(&f, 0, 33, 1);
    ask(&f, 18); /* row 1, column 2: the first one of lane 5 */
    check_input(&f, 0, 5, 1);
    assert_int_equal(ask(&f, 8)->leaves[0].kind, SIM_ORIGIN_CALL);
    end(&f);
}

/* Each thread takes what its neighbor put into shared memory. */
TEST(follows_shared_memory)
{
    struct fixture f;
    run(&f,
        HEAD "ld.global.u32 %r4, [%rd2]; st.shared.u32 [%r3], %r4; bar.sync 0;\n"
             "xor.b32 %r5, %r2, 128; add.s32 %r5, %r1, %r5; ld.shared.u32 %r6, [%r5];\n"
             "add.u32 %r6, %r6, 3; st.global.u32 [%rd3], %r6;\n" TAIL,
        two, pair, 1);
    const struct sim_origin *o = ask(&f, 3);
    assert_int_equal(o->store_count, 2); /* both blocks */
    assert_int_equal(o->store[0].thread.block.x, 1);
    assert_int_equal(o->leaf_count, 2);
    const struct sim_origin_leaf *leaf = check_input(&f, 0, 35, 1);
    assert_int_equal(leaf->thread.thread.x, 35);
    assert_int_equal(leaf->thread.block.x, 1);
    assert_int_equal(o->leaves[1].kind, SIM_ORIGIN_IMMEDIATE);
    assert_int_equal(o->leaves[1].bits, 3);
    end(&f);
}

TEST(finds_unwritten_shared_memory_and_registers)
{
    struct fixture f;
    run(&f, HEAD "ld.shared.u32 %r6, [%r3+8]; add.u32 %r6, %r6, %r7; st.global.u32 [%rd3], %r6;\n" TAIL, one,
        warp, 1);
    const struct sim_origin *o = ask(&f, 1);
    assert_int_equal(o->leaf_count, 2);
    assert_int_equal(o->leaves[0].kind, SIM_ORIGIN_UNWRITTEN);
    assert_int_equal(o->leaves[0].address, 12);
    assert_int_equal(o->leaves[1].kind, SIM_ORIGIN_REGISTER);
    end(&f);
}

TEST(follows_shuffles_and_selections)
{
    struct fixture f;
    run(&f,
        HEAD "ld.global.u32 %r4, [%rd2]; shfl.sync.bfly.b32 %r5|%p1, %r4, 16, 31, -1;\n"
             "setp.lt.u32 %p2, %t, 8; selp.b32 %r6, %r5, %r4, %p2; st.global.u32 [%rd3], %r6;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 3)->leaf_count, 1);
    check_input(&f, 0, 19, 1);
    assert_int_equal(ask(&f, 9)->leaf_count, 1);
    check_input(&f, 0, 9, 1);
    end(&f);
}

/* The place where another thread got it last: of one that a thread has read itself there is none. */
TEST(names_where_another_thread_gets_it)
{
    struct fixture f;
    run(&f,
        HEAD "ld.global.u32 %r4, [%rd2];\n.loc 1 6 1\nshfl.sync.bfly.b32 %r5|%p1, %r4, 16, 31, -1;\n"
             "setp.lt.u32 %p2, %t, 8; selp.b32 %r6, %r5, %r4, %p2;\n"
             ".loc 1 7 1\nst.shared.u32 [%r3], %r6;\nbar.sync 0;\n"
             ".loc 1 8 1\nld.shared.u32 %r7, [%r1+12];\nst.global.u32 [%rd3], %r7;\n" TAIL,
        one, warp, 1);
    const struct sim_origin_leaf *leaf = &ask(&f, 5)->leaves[0];
    assert_int_equal(leaf->crossed.line, 8);
    assert_false(leaf->ways & SIM_ORIGIN_SHUFFLED);
    leaf = &ask(&f, 3)->leaves[0]; /* thread 3 loads what it has stored itself */
    assert_int_equal(leaf->crossed.line, 6);
    assert_true(leaf->ways & SIM_ORIGIN_SHUFFLED);
    end(&f);
}

TEST(names_no_place_where_no_other_thread_gets_it)
{
    struct fixture f;
    run(&f,
        HEAD ".loc 1 6 1\nld.global.u32 %r4, [%rd2]; st.shared.u32 [%r3], %r4;\n"
             "ld.shared.u32 %r5, [%r3]; st.global.u32 [%rd3], %r5;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 5)->leaves[0].crossed.line, 0);
    end(&f);
}

/* The sum or product that a value goes into first: nearer to its load than others, and not where it is only handed on. */
TEST(names_where_a_value_is_first_used)
{
    struct fixture f;
    run(&f,
        HEAD ".loc 1 6 1\nld.global.f32 %f1, [%rd2];\n.loc 1 7 1\nst.shared.f32 [%r3], %f1;\n"
             ".loc 1 8 1\nld.shared.f32 %f2, [%r3];\n.loc 1 9 1\nmul.f32 %f3, %f2, %f2;\n"
             ".loc 1 10 1\nadd.f32 %f4, %f3, %f3;\n.loc 1 11 1\nst.global.f32 [%rd3], %f4;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 5)->leaves[0].used.line, 9);
    end(&f);
    run(&f, HEAD ".loc 1 6 1\nld.global.f32 %f1, [%rd2]; st.global.f32 [%rd3], %f1;\n" TAIL, one, warp, 1);
    assert_int_equal(ask(&f, 5)->leaves[0].used.line, 0);
    end(&f);
}

/* A warp's sum by shuffles holds each input once, and by an atomic each block's contribution. */
TEST(counts_contributions)
{
    struct fixture f;
    run(&f,
        HEAD "ld.global.u32 %r4, [%rd2];\n"
             "shfl.sync.down.b32 %r5, %r4, 16, 31, -1; add.u32 %r4, %r4, %r5;\n"
             "shfl.sync.down.b32 %r5, %r4, 8, 31, -1; add.u32 %r4, %r4, %r5;\n"
             "shfl.sync.down.b32 %r5, %r4, 4, 31, -1; add.u32 %r4, %r4, %r5;\n"
             "shfl.sync.down.b32 %r5, %r4, 2, 31, -1; add.u32 %r4, %r4, %r5;\n"
             "shfl.sync.down.b32 %r5, %r4, 1, 31, -1; add.u32 %r4, %r4, %r5;\n"
             "setp.eq.u32 %p1, %t, 0; @%p1 red.global.add.u32 [%out], %r4;\n" TAIL,
        two, warp, 1);
    const struct sim_origin *o = ask(&f, 0);
    assert_int_equal(o->store_count, 2);
    assert_true(o->store[0].is_atomic);
    assert_int_equal(o->leaf_count, 32);
    for (int i = 0; i < 32; i++)
        check_input(&f, i, i, 2); /* both blocks added it */
    end(&f);
}

/* A scan's step that every lane takes, and after it one with the same distance instead of the double. */
TEST(finds_what_goes_into_a_sum_twice)
{
    struct fixture f;
    run(&f,
        HEAD
        ".loc 1 5 1\nld.global.u32 %r4, [%rd2];\n.loc 1 6 1\nshfl.sync.up.b32 %r5, %r4, 1, 0, 0xffffffff;\n"
        ".loc 1 7 1\nadd.u32 %r6, %r4, %r5;\n.loc 1 8 1\nshfl.sync.up.b32 %r7, %r6, 1, 0, 0xffffffff;\n"
        "mov.u32 %r9, %r6;\n.loc 1 9 1\nadd.u32 %r8, %r9, %r7;\nst.global.u32 [%rd3], %r8;\n" TAIL,
        one, warp, 1);
    const struct sim_origin_fork *fork = &ask(&f, 0)->fork;
    assert_true(fork->shuffled && !fork->itself);
    assert_int_equal(fork->made.line, 7);
    assert_int_equal(fork->use[0].line, 9);
    assert_int_equal(fork->use[1].line, 8);
    assert_int_equal(fork->join.line, 9);
    fork = &ask(&f, 5)->fork;
    assert_false(fork->shuffled || fork->itself);
    assert_int_equal(fork->made.line, 5);
    assert_int_equal(fork->thread.thread.x, 4);
    assert_int_equal(fork->use[0].line, 7);
    assert_int_equal(fork->user[0].thread.x, 4);
    assert_int_equal(fork->use[1].line, 6);
    assert_int_equal(fork->user[1].thread.x, 5);
    assert_int_equal(fork->join.line, 9);
    assert_int_equal(fork->joiner.thread.x, 5);
    assert_int_equal(f.origin.computed.line, 9);
    end(&f);
}

/* Each thread has the sum of its neighbor's two numbers, of which each holds what the first thread loaded. */
TEST(finds_where_both_parts_of_a_sum_are_added)
{
    struct fixture f;
    run(&f,
        HEAD
        ".loc 1 5 1\nld.global.u32 %r4, [%in];\n.loc 1 6 1\nadd.u32 %r5, %r4, %t;\n"
        ".loc 1 7 1\nadd.u32 %r6, %r4, %b;\nst.shared.u32 [%r3], %r5;\nst.shared.u32 [%r3+4], %r6;\nbar.sync 0;\n"
        ".loc 1 8 1\nld.shared.u32 %r7, [%r3];\nld.shared.u32 %r8, [%r3+4];\nbar.sync 0;\n"
        ".loc 1 9 1\nadd.u32 %r9, %r7, %r8;\nst.shared.u32 [%r3], %r9;\nbar.sync 0;\n"
        ".loc 1 10 1\nld.shared.u32 %r10, [%r1];\nst.global.u32 [%rd3], %r10;\n" TAIL,
        one, one, 1);
    const struct sim_origin_fork *fork = &ask(&f, 0)->fork;
    assert_int_equal(fork->made.line, 5);
    assert_int_equal(fork->use[0].line, 7);
    assert_int_equal(fork->use[1].line, 6);
    assert_int_equal(fork->join.line, 9);
    assert_int_equal(f.origin.computed.line, 0); /* it comes from memory as it is */
    end(&f);
}

TEST(names_the_threads_whose_atomics_add_twice)
{
    struct fixture f;
    run(&f,
        HEAD ".loc 1 5 1\nld.global.u32 %r4, [%rd2];\n.loc 1 6 1\nred.global.add.u32 [%rd3], %r4;\n"
             ".loc 1 7 1\nred.global.add.u32 [%rd3], %r4;\n" TAIL,
        one, warp, 1);
    const struct sim_origin_fork *fork = &ask(&f, 5)->fork;
    assert_int_equal(fork->made.line, 5);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(fork->use[k].line, 7 - k);
        assert_int_equal(fork->user[k].thread.x, 5);
    }
    assert_int_equal(fork->join.line, 0); /* they meet in memory */
    end(&f);
}

/* Of all lanes the first one finds what it expects; the others store nothing. What an exchange replaces is gone. */
TEST(tells_swaps_from_attempts)
{
    struct fixture f;
    struct sim_origin_lost lost;
    const struct sim_origin_thread end_of = {.thread = {0, 0, 0}};
    run(&f,
        HEAD "ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 5; st.global.u32 [%out], 0;\n"
             ".loc 1 9 1\natom.global.cas.b32 %r5, [%out], 0, %r4;\n"
             ".loc 1 10 1\natom.global.exch.b32 %r5, [%out+4], %r4;\n" TAIL,
        one, warp, 1);
    const struct sim_origin *o = ask(&f, 0);
    assert_int_equal(o->store_count, 33);
    assert_true(o->store[0].is_atomic);
    assert_int_equal(o->store[0].thread.thread.x, 0);
    check_input(&f, 0, 0, 1);
    assert_int_equal(o->leaves[1].kind, SIM_ORIGIN_IMMEDIATE);
    o = ask(&f, 1);
    assert_int_equal(o->store_count, 32);
    check_input(&f, 0, 31, 1);
    assert_int_equal(o->leaves[1].kind, SIM_ORIGIN_IMMEDIATE);
    assert_true(sim_origin_lost(f.e.sim, f.in + 8, 4, &end_of, &lost));
    assert_int_equal(lost.place.line, 10);
    assert_true(lost.stores);
    end(&f);
}

/* An attempt is the last that becomes of it. */
TEST(tells_what_an_attempt_loses)
{
    struct fixture f;
    struct sim_origin_lost lost;
    const struct sim_origin_thread end_of = {.thread = {0, 0, 0}};
    run(&f,
        HEAD "ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 5; st.global.u32 [%out], 0;\n"
             ".loc 1 9 1\natom.global.cas.b32 %r5, [%out], 0, %r4;\n" TAIL,
        one, warp, 1);
    assert_true(sim_origin_lost(f.e.sim, f.in + 8, 4, &end_of, &lost));
    assert_int_equal(lost.place.line, 9);
    assert_int_equal(lost.thread.thread.x, 2);
    assert_true(lost.refused);
    assert_false(lost.stores);
    assert_true(sim_origin_lost(f.e.sim, f.in, 4, &end_of, &lost));
    assert_true(lost.stores);
    end(&f);
}

/* The second launch reads what the first one stored. */
TEST(goes_back_through_launches)
{
    struct fixture f;
    run(&f, HEAD "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;\n" TAIL, one, warp, 3);
    const struct sim_origin *o = ask(&f, 7);
    assert_int_equal(o->store_count, 2);
    assert_int_equal(o->store[0].thread.launch, 2);
    assert_int_equal(o->store[1].thread.launch, 0);
    assert_int_equal(o->leaf_count, 1);
    assert_int_equal(check_input(&f, 0, 7, 1)->thread.launch, 0);
    end(&f);
}

/* The host copies the input elsewhere in the device, fills a part of it, and copies the output back. */
TEST(goes_through_the_hosts_copies)
{
    struct fixture f;
    run(&f, HEAD "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;\n" TAIL, one, warp, 0);
    const sim_addr copy = exec_buffer(&f.e, NULL, 256);
    struct sim_origin_back back;
    assert_false(sim_origin_copied_back(f.e.sim, &back));
    sim_origin_copied(f.e.sim, copy, f.in + 16, 128, NULL);
    sim_origin_copied(f.e.sim, copy + 8, 0, 4, NULL);
    uint64_t args[] = {copy, f.out};
    assert_int_equal(exec_launch(&f.e, "k", one, warp, 0, args), SIM_OK);
    sim_origin_copied(f.e.sim, 0, f.out, 64, NULL);
    assert_int_equal(ask(&f, 5)->leaf_count, 1);
    check_input(&f, 0, 9, 1);
    assert_int_equal(ask(&f, 2)->leaf_count, 1);
    assert_int_equal(f.origin.leaves[0].kind, SIM_ORIGIN_HOST);
    assert_true(sim_origin_copied_back(f.e.sim, &back));
    assert_int_equal(back.address, f.out);
    assert_int_equal(back.size, 64);
    assert_int_equal(back.byte_count, 64);
    assert_memory_equal(back.bytes, exec_bytes(&f.e, f.out, 64), 64);
    end(&f);
}

TEST(notes_what_becomes_of_numbers)
{
    struct fixture f;
    run(&f,
        HEAD "ld.global.f32 %f1, [%rd2];\n.loc 1 4 1\ncvt.rzi.s32.f32 %r4, %f1; cvt.rn.f32.s32 %f2, %r4;\n"
             "st.global.f32 [%rd3], %f2;\n" TAIL,
        one, warp, 1);
    const struct sim_origin *o = ask(&f, 2);
    assert_int_equal(o->step_count, 1);
    assert_int_equal(o->steps[0].note, SIM_ORIGIN_TO_INTEGER);
    assert_int_equal(o->steps[0].place.line, 4);
    end(&f);
}

/* Of a line in a function that is called: where it is called; and a function that is called twice is on the way twice. */
TEST(names_the_calls_of_functions)
{
    struct fixture f;
    run(&f,
        ".visible .func put(.param .b64 to, .param .b32 value) {\n.reg .b64 %a; .reg .b32 %x;\n"
        "ld.param.u64 %a, [to]; ld.param.u32 %x, [value];\n.loc 1 3 1\nst.global.u32 [%a], %x; ret;\n}\n" HEAD
        ".loc 1 20 1\n{ .param .b64 p; .param .b32 q; st.param.b64 [p], %rd3; st.param.b32 [q], %t;\n"
        "call.uni put, (p, q);\n}\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 4)->store_count, 1);
    assert_int_equal(f.origin.store[0].place.line, 3);
    assert_int_equal(f.origin.store[0].place.call_line, 20);
    end(&f);
    run(&f,
        HEAD ".loc 1 20 1\n.loc 1 21 1\n.loc 1 4 2, function_name F, inlined_at 1 20 1\n"
             "ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, 7;\n"
             ".loc 1 4 2, function_name F, inlined_at 1 21 1\nadd.u32 %r4, %r4, 8;\n"
             ".loc 1 22 1\nst.global.u32 [%rd3], %r4;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 4)->path_count, 3);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(f.origin.path[i].line, 4);
        assert_int_equal(f.origin.path[i].call_line, i == 1 ? 21 : 20);
    }
    end(&f);
}

/* Two launches: the second one adds to what the first one stored, or replaces it. */
TEST(tells_what_goes_in_from_what_is_replaced)
{
    struct fixture f;
    run(&f, HEAD "ld.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, 1; st.global.u32 [%rd3], %r4;\n" TAIL, one,
        warp, 0);
    const uint64_t args[] = {f.in, f.out};
    for (int i = 0; i < 2; i++)
        assert_int_equal(exec_launch(&f.e, "k", one, warp, 0, args), SIM_OK);
    assert_int_equal(ask(&f, 3)->store_count, 2);
    assert_true(f.origin.store[0].goes_in);
    assert_true(f.origin.store[1].goes_in);
    end(&f);
    run(&f, HEAD "st.global.u32 [%rd3], %t;\n" TAIL, one, warp, 2);
    const uint64_t again[] = {f.in, f.out};
    assert_int_equal(exec_launch(&f.e, "k", one, warp, 0, again), SIM_OK);
    assert_int_equal(ask(&f, 3)->store_count, 2);
    assert_true(f.origin.store[0].goes_in);
    assert_false(f.origin.store[1].goes_in);
    end(&f);
}

/* The element that was found by another one is not mixed up with the index that led to it. */
TEST(keeps_indices_apart)
{
    struct fixture f;
    run(&f,
        HEAD "ld.global.u32 %r4, [%rd2]; and.b32 %r4, %r4, 7; mad.wide.u32 %rd4, %r4, 4, %in;\n"
             "ld.global.u32 %r5, [%rd4+32]; st.global.u32 [%rd3], %r5;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 12)->leaf_count, 1);
    assert_int_equal(check_input(&f, 0, 12, 1)->index_uses, SIM_ORIGIN_INDIRECT);
    end(&f);
}

TEST(follows_vectors_and_bytes)
{
    struct fixture f;
    run(&f,
        HEAD "mul.wide.u32 %rd1, %t, 16; add.s64 %rd2, %in, %rd1; add.s64 %rd3, %out, %rd1;\n"
             "setp.lt.u32 %p1, %t, 16; @!%p1 ret;\n"
             "ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%rd2]; st.global.v4.u32 [%rd3], {%r7, %r6, %r5, %r4};\n"
             "ld.global.u8 %r8, [%rd2+1]; st.global.u8 [%rd3+2], %r8;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 9)->leaf_count, 1);
    check_input(&f, 0, 10, 1);
    const struct sim_origin *o = ask(&f, 8); /* element 11, but for one byte of element 8 */
    assert_int_equal(o->store_count, 2);
    assert_int_equal(o->leaf_count, 2);
    assert_int_equal(o->leaves[0].address, f.in + 33);
    assert_int_equal(o->leaves[0].size, 1);
    assert_int_equal(o->leaves[1].address, f.in + 44);
    end(&f);
}

TEST(tells_factors_and_signs)
{
    struct fixture f;
    run(&f,
        HEAD
        "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+32]; ld.global.f32 %f3, [%rd2+64];\n"
        ".loc 1 6 1\nmul.f32 %f4, %f1, %f2;\n.loc 1 7 1\nsub.f32 %f5, %f4, %f3; st.global.f32 [%rd3], %f5;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 2)->leaf_count, 3);
    const struct sim_origin_leaf *a = check_input(&f, 0, 2, 1), *c = check_input(&f, 2, 18, 1);
    check_input(&f, 1, 10, 1);
    assert_true((a->ways & SIM_ORIGIN_FACTOR) && a->minus == 0);
    assert_true(!(c->ways & SIM_ORIGIN_FACTOR) && c->minus == 1);
    end(&f);
}

/* x + y - x: x is there twice, once with each sign. */
TEST(counts_what_is_subtracted_again)
{
    struct fixture f;
    run(&f,
        HEAD "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+32]; add.f32 %f3, %f1, %f2;\n"
             ".loc 1 7 1\nsub.f32 %f4, %f3, %f1; st.shared.f32 [%r3], %f4; ld.shared.f32 %f5, [%r3];\n"
             "neg.f32 %f6, %f5; neg.f32 %f7, %f6; st.global.f32 [%rd3], %f7;\n" TAIL,
        one, warp, 1);
    assert_int_equal(ask(&f, 2)->leaf_count, 2);
    const struct sim_origin_leaf *x = check_input(&f, 0, 2, 2), *y = check_input(&f, 1, 10, 1);
    assert_int_equal(x->minus, 1);
    assert_int_equal(x->minus_place.line, 7);
    assert_int_equal(y->minus, 0);
    end(&f);
}

/* A histogram: the input chooses the place, and is no part of what is counted there. */
TEST(tells_what_chose_the_place)
{
    struct fixture f;
    run(&f,
        HEAD ".loc 1 5 1\nld.global.u32 %r4, [%rd2]; shr.u32 %r4, %r4, 1; mad.wide.u32 %rd4, %r4, 4, %out;\n"
             "red.global.add.u32 [%rd4], 1;\n" TAIL,
        one, warp, 1);
    const struct sim_origin *o = ask(&f, 3);
    assert_int_equal(o->leaf_count, 3);
    for (int i = 0; i < 2; i++) {
        check_input(&f, i, 6 + i, 0);
        assert_int_equal(o->leaves[i].index_times, 1);
    }
    assert_int_equal(o->leaves[2].kind, SIM_ORIGIN_IMMEDIATE);
    assert_int_equal(o->leaves[2].times, 2);
    end(&f);
}

/* A sum that begins again in each turn of a loop is stored once. */
TEST(counts_how_often_a_sum_begins)
{
    struct fixture f;
    run(&f,
        HEAD "mov.u32 %r8, 0;\nagain:\n.loc 1 5 1\nmov.u32 %r5, 0;\n.loc 1 6 1\nld.global.u32 %r4, [%rd2];\n"
             "add.u32 %r5, %r5, %r4; add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 4; @%p1 bra again;\n"
             "st.global.u32 [%rd3], %r5;\n" TAIL,
        one, warp, 1);
    const struct sim_origin *o = ask(&f, 3);
    assert_int_equal(o->store[0].runs, 1);
    const struct sim_origin_leaf *zero = &o->leaves[o->leaf_count - 1];
    assert_int_equal(zero->kind, SIM_ORIGIN_IMMEDIATE);
    assert_int_equal(zero->place.line, 5);
    assert_true(zero->ways & SIM_ORIGIN_SUM);
    assert_int_equal(zero->runs, 4);
    end(&f);
}

/* What does not fit is said, and the launch itself is not disturbed. */
TEST(says_when_it_is_full)
{
    struct fixture f;
    run(&f, HEAD "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd3], %r4;\n" TAIL, one, warp, 0);
    assert_true(sim_origin_start(f.e.sim, 64));
    uint64_t args[] = {f.in, f.out};
    assert_int_equal(exec_launch(&f.e, "k", one, warp, 0, args), SIM_OK);
    assert_true(sim_origin_find(f.e.sim, f.out, 4, &f.origin));
    assert_true(f.origin.incomplete);
    assert_int_equal(((const uint32_t *)exec_bytes(&f.e, f.out, 64))[9], 9);
    end(&f);
}

RUN_ALL
