/*
 * Lab 02's transpose, with bank conflicts and without, called once each, to be looked at by a profiler (transpose-gpu)
 * or by the simulator's counters (transpose-sim, -DON_SIMULATOR). bench/profile_transpose puts the two side by side.
 *
 *   transpose-sim [SIDE]      a matrix of SIDE x SIDE floats (default 2048)
 *
 * The simulator's counters go by the names of Nsight Compute's: "KERNEL METRIC VALUE", one per line.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab02_shared_memory/lab02.h"
#ifdef ON_SIMULATOR
#include "sim/device/sim.h"
#endif

static void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "transpose: %s: %s\n", what, cudaGetErrorString(error));
        exit(2);
    }
}

static void report(const char *kernel)
{
#ifdef ON_SIMULATOR
    struct sim_counters c;
    double seconds;
    sim_totals(&c, &seconds);
    const struct {
        const char *metric;
        uint64_t value;
    } rows[] = {
        {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", c.global_load_requests},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", c.global_load_sectors},
        {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", c.global_store_requests},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", c.global_store_sectors},
        {"smsp__sass_inst_executed_op_shared_ld.sum", c.shared_load_requests},
        {"smsp__sass_inst_executed_op_shared_st.sum", c.shared_store_requests},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", c.shared_load_wavefronts},
        {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", c.shared_store_wavefronts},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%s %s %llu\n", kernel, rows[i].metric, (unsigned long long)rows[i].value);
    sim_totals_reset();
#else
    (void)kernel;
#endif
}

int main(int argc, char **argv)
{
    const int side = argc > 1 ? atoi(argv[1]) : 2048;
    real *d_in, *d_out;
    if (side < 1 || side > 30000) {
        fprintf(stderr, "usage: %s [SIDE], from 1 to 30000\n", argv[0]);
        return 2;
    }
    const size_t bytes = (size_t)side * (size_t)side * sizeof(real);
    must(cudaMalloc((void **)&d_in, bytes), "cudaMalloc");
    must(cudaMalloc((void **)&d_out, bytes), "cudaMalloc");
    must(cudaMemset(d_in, 0, bytes), "cudaMemset");
#ifdef ON_SIMULATOR
    sim_totals_reset();
#endif
    lab02_transpose_conflicts(d_in, d_out, side, side);
    must(cudaDeviceSynchronize(), "transpose_conflicts");
    report("transpose_conflicts");
    lab02_transpose(d_in, d_out, side, side);
    must(cudaDeviceSynchronize(), "transpose");
    report("transpose");
    must(cudaFree(d_in), "cudaFree");
    must(cudaFree(d_out), "cudaFree");
    return 0;
}
