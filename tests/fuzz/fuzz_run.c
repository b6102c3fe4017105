/*
 * Fuzz target: kernels that run. Whatever can be decoded is launched with a few threads, pointers to a small
 * buffer as its arguments, and a limit of instructions; what it does wrong is reported, never done.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sim/device/sim.h"

enum { BUFFER_BYTES = 4096, MOST_PARAMETERS = 4096 };

static struct sim *device(FILE *output)
{
    static struct sim_profile profile;
    profile = *sim_profile_find("h100");
    profile.dram_bytes = (size_t)16 << 20;
    struct sim_config config = {
        .profile = &profile,
        .hazards = true,
        .counters = true,
        .instruction_limit = 2000,
        .kernel_output = output,
    };
    return sim_create(&config);
}

static void launch(struct sim *sim, struct sim_kernel *kernel, sim_addr buffer)
{
    static uint64_t words[MOST_PARAMETERS / 8];
    const struct ptx_func *func = sim_kernel_function(kernel);
    void **args = calloc((size_t)func->param_count + 1, sizeof *args);
    if (!args)
        abort();
    for (size_t i = 0; i < MOST_PARAMETERS / 8; i++)
        words[i] = buffer;
    bool small = func->param_size <= MOST_PARAMETERS;
    for (int i = 0; i < func->param_count; i++) {
        args[i] = words;
        small &= func->params[i].var.size <= MOST_PARAMETERS;
    }
    struct sim_kernel_info info;
    sim_kernel_info(kernel, &info);
    small &= info.local_bytes <= 1 << 16 && info.shared_static <= 1 << 16;
    for (int cooperative = 0; cooperative < 2 && small; cooperative++) {
        struct sim_launch launch = {.kernel = kernel,
                                    .grid = {2, 1, 1},
                                    .block = {40, 1, 1},
                                    .dynamic_shared = 256,
                                    .args = args,
                                    .cooperative = cooperative};
        struct sim_result result;
        sim_launch_run(sim, &launch, &result);
        if (result.status != SIM_OK && !result.message[0]) {
            fprintf(stderr, "broken promise: status %d without a message\n", (int)result.status);
            abort();
        }
    }
    free(args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_error error;
    char message[512];
    struct ptx_module *ptx = ptx_parse((const char *)data, size, &error);
    if (!ptx)
        return 0;
    FILE *output = fopen("/dev/null", "w");
    struct sim *sim = device(output);
    struct sim_module *module = sim_module_load(sim, ptx, message);
    sim_addr buffer = module ? sim_mem_alloc(sim, BUFFER_BYTES, NULL) : 0;
    if (buffer) {
        memset(sim_mem_host(sim, buffer, BUFFER_BYTES), 1, BUFFER_BYTES);
        sim_mem_mark_written(sim, buffer, BUFFER_BYTES);
    }
    for (int i = 0; buffer && i < ptx->func_count; i++)
        if (ptx->funcs[i]->is_entry && ptx->funcs[i]->has_body) {
            struct sim_kernel *kernel = sim_module_kernel(module, ptx->funcs[i]->name, message);
            if (kernel)
                launch(sim, kernel, buffer);
        }
    sim_destroy(sim);
    fclose(output);
    return 0;
}
