/* Clusters of blocks: their barrier, and addresses in another block's shared memory. */
#include "test.h"
#include "exec_support.h"

#include <string.h>

EXEC_FIXTURE

#define BLOCKS  4 /* two clusters of two */
#define THREADS 32

/* Each thread stores its number in the grid in its block's shared memory, and reads what its neighbor block has stored. */
static enum sim_status exchange(const char *before_end, uint32_t out[2 * BLOCKS * THREADS])
{
    char text[4096];
    snprintf(
        text, sizeof text,
        ".visible .entry k(.param .u64 p) .reqnctapercluster 2, 1, 1 {\n"
        ".reg .u64 %%x, %%w, %%o; .reg .u32 %%t, %%b, %%n, %%r, %%i, %%a, %%m, %%v, %%g;\n"
        ".shared .align 4 .b8 s[%d];\n"
        "ld.param.u64 %%x, [p]; mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x; mad.lo.u32 %%n, %%b, %d, %%t;\n"
        "mov.u32 %%a, s; shl.b32 %%i, %%t, 2; add.u32 %%a, %%a, %%i; st.shared.u32 [%%a], %%n;\n"
        "mov.u32 %%r, %%cluster_ctarank; xor.b32 %%r, %%r, 1;\n"
        "mapa.shared::cluster.u32 %%m, %%a, %%r;\n"
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
        "ld.shared::cluster.u32 %%v, [%%m]; getctarank.shared::cluster.u32 %%g, %%m;\n"
        "mul.wide.u32 %%w, %%n, 8; add.u64 %%x, %%x, %%w; st.global.v2.u32 [%%x], {%%v, %%g};\n"
        "%s ret; }\n",
        4 * THREADS, THREADS, before_end);
    reopen();
    exec_load(&e, text);
    const uint64_t args[] = {exec_buffer(&e, NULL, 8 * BLOCKS * THREADS)};
    const enum sim_status status =
        exec_launch(&e, "k", (struct sim_dim3){BLOCKS, 1, 1}, (struct sim_dim3){THREADS, 1, 1}, 0, args);
    memcpy(out, exec_bytes(&e, args[0], 8 * BLOCKS * THREADS), 8 * BLOCKS * THREADS);
    return status;
}

EXEC_TEST(a_block_reads_the_shared_memory_of_another_one_of_its_cluster)
{
    uint32_t out[2 * BLOCKS * THREADS];
    assert_int_equal(exchange("barrier.cluster.arrive; barrier.cluster.wait;", out), SIM_OK);
    assert_int_equal(exec_all_hazards(&e), 0);
    for (uint32_t n = 0; n < BLOCKS * THREADS; n++) {
        assert_int_equal(out[2 * n], n ^ THREADS);
        assert_int_equal(out[2 * n + 1], n / THREADS % 2 ^ 1);
    }
}

/* PTX ISA, mapa: the memory is there while its block is. */
EXEC_TEST(a_block_that_may_end_before_it_is_read_is_reported)
{
    uint32_t out[2 * BLOCKS * THREADS];
    exchange("", out);
    assert_true(exec_all_hazards(&e) > 0);
}

RUN_ALL
