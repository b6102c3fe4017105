/* What the nvccs of this machine write, through parser, control-flow graph and fat binary. */
#define _GNU_SOURCE
#include <unistd.h>

#include "test.h"
#include "ptx_fixture.h"
#include "sim/ptx/cfg.h"
#include "sim/ptx/fatbin.h"
#include "toolkits.h"

#define TARGETS                                                                                              \
    " -gencode arch=compute_80,code=compute_80 -gencode arch=compute_80,code=sm_80"                          \
    " -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=sm_90 "

#define PLAIN  "tests/unit/samples/plain.cu"
#define GROUPS "tests/unit/samples/groups.cu"

static struct toolkit toolkits[4];
static int toolkit_count;
static char output[64];
static struct {
    void *data;
    size_t size;
    char *log;     /* what ptxas -v said */
} fat_binaries[4]; /* of PLAIN, uncompressed, by toolkit */

static int find_toolkits(void **state)
{
    toolkit_count = toolkits_find(toolkits, 4);
    snprintf(output, sizeof output, "/tmp/test-toolkits-%d", (int)getpid());
    for (int i = 0; i < toolkit_count; i++)
        print_message("nvcc %d.%d in %s\n", toolkits[i].version / 10, toolkits[i].version % 10,
                      toolkits[i].folder);
    return 0;
}

static int remove_output(void **state)
{
    unlink(output);
    for (int i = 0; i < toolkit_count; i++) {
        free(fat_binaries[i].data);
        free(fat_binaries[i].log);
    }
    return 0;
}

/* The output of one compilation, to be freed. */
static void *compile(const struct toolkit *toolkit, const char *options, const char *source, size_t *size)
{
    if (!toolkit_run(toolkit, options, source, output, NULL))
        fail_msg("%s/nvcc %s %s fails", toolkit->folder, options, source);
    void *data = read_whole_file(output, size);
    assert_non_null(data);
    return data;
}

/* ---- PTX ----------------------------------------------------------------------------------------------- */

static struct ptx_module *parse_compiled(const struct toolkit *toolkit, const char *options,
                                         const char *source)
{
    size_t size;
    struct ptx_error error;
    char *text = compile(toolkit, options, source, &size);
    struct ptx_module *module = ptx_parse(text, size, &error);
    free(text);
    if (!module)
        fail_msg("nvcc %d %s %s: PTX %d:%d: %s", toolkit->version, options, source, error.line, error.column,
                 error.message);
    return module;
}

/* Every block has its rank, and no post-dominator is a block of its own. */
static void check_graphs(const struct ptx_module *module)
{
    for (int i = 0; i < module->func_count; i++) {
        if (!module->funcs[i]->has_body)
            continue;
        struct cfg *cfg = cfg_build(module->funcs[i]);
        for (int b = 0; b < cfg->block_count; b++) {
            assert_int_equal(cfg->order[cfg->blocks[b].rank], b);
            assert_int_not_equal(cfg->blocks[b].ipdom, b);
        }
        assert_int_equal(cfg->order[0], 0);
        cfg_free(cfg);
    }
}

static int count_entries(const struct ptx_module *module)
{
    int count = 0;
    for (int i = 0; i < module->func_count; i++)
        count += module->funcs[i]->is_entry && module->funcs[i]->has_body;
    return count;
}

TEST(ptx_of_both_samples_parses_long)
{
    static const char *const modes[] = {"-lineinfo", "-G", "-O0 -Xcicc -O0", "-rdc=true"};
    if (toolkit_count == 0)
        skip();
    for (int i = 0; i < toolkit_count; i++) {
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
            char options[128];
            snprintf(options, sizeof options, "-ptx -std=c++17 -arch=compute_80 %s", modes[k]);
            struct ptx_module *plain = parse_compiled(&toolkits[i], options, PLAIN);
            assert_int_equal(count_entries(plain), 15);
            check_graphs(plain);
            ptx_module_free(plain);
            if (k > 1 || (k == 1 && i > 0))
                continue; /* groups.cu takes nvcc long */
            struct ptx_module *groups = parse_compiled(&toolkits[i], options, GROUPS);
            assert_int_equal(count_entries(groups), 11);
            check_graphs(groups);
            ptx_module_free(groups);
        }
    }
}

/* The line to show for the first instruction with this base name. */
static int line_of(const struct ptx_module *module, const struct ptx_func *func, const char *op)
{
    for (int i = 0; i < func->instr_count; i++) {
        const struct ptx_instr *instr = &func->instrs[i];
        if (strcmp(instr->op, op) != 0)
            continue;
        assert_non_null(strstr(module->files[instr->site.file], "plain.cu"));
        return instr->site.line;
    }
    fail_msg("no %s in %s", op, func->name);
    return 0;
}

static int line_in_source(const char *words)
{
    size_t size;
    char *text = read_whole_file(PLAIN, &size);
    assert_non_null(text);
    text[size] = '\0';
    char *found = strstr(text, words);
    assert_non_null(found);
    int line = 1;
    for (char *at = text; at < found; at++)
        line += *at == '\n';
    free(text);
    return line;
}

TEST(lines_variables_pointers)
{
    if (toolkit_count == 0)
        skip();
    for (int i = 0; i < toolkit_count; i++) {
        struct ptx_module *m = parse_compiled(&toolkits[i], "-ptx -arch=compute_80 -lineinfo", PLAIN);
        const struct ptx_func *reduce = ptx_module_find_func(m, "_Z6reducePKfPfi");
        assert_int_equal(line_of(m, reduce, "bar"), line_in_source("dynamic[tid] = i < n") + 1);
        const struct ptx_func *lanes = ptx_module_find_func(m, "_Z5lanesPi"); /* inlined from a header */
        assert_int_equal(line_of(m, lanes, "shfl"), line_in_source("__shfl_down_sync"));
        const struct ptx_var *table = ptx_module_find_var(m, "table");
        assert_memory_equal(table->init, ((float[]){1, 2, 3, 4}), 16);
        const struct ptx_var *inside = ptx_module_find_var(m, "inside");
        assert_int_equal(inside->reloc_count, 1);
        assert_ptr_equal(inside->relocs[0].var, table);
        assert_true(inside->relocs[0].generic && inside->relocs[0].addend == 8);
        const struct ptx_var *packed = ptx_module_find_var(m, "packed_record");
        assert_int_equal(packed->reloc_count, 1);
        assert_int_equal(packed->relocs[0].offset, 1);
        assert_int_equal(packed->relocs[0].size, 8);
        const struct ptx_var *functions = ptx_module_find_var(m, "functions");
        assert_non_null(functions->relocs[1].func);
        ptx_module_free(m);
    }
}

/* ---- fat binaries -------------------------------------------------------------------------------------- */

/* Compiled once; not to be freed. */
static void read_fat_binary(int toolkit, struct fatbin *out)
{
    static const char options[] = "-fatbin -no-compress -lineinfo -Xptxas -v" TARGETS;
    char message[256], log[80];
    size_t size;
    if (!fat_binaries[toolkit].data) {
        snprintf(log, sizeof log, "%s.log", output);
        assert_true(toolkit_run(&toolkits[toolkit], options, PLAIN, output, log));
        fat_binaries[toolkit].data = read_whole_file(output, &fat_binaries[toolkit].size);
        fat_binaries[toolkit].log = read_whole_file(log, &size);
        unlink(log);
        assert_non_null(fat_binaries[toolkit].data);
        assert_non_null(fat_binaries[toolkit].log);
        fat_binaries[toolkit].log[size] = '\0';
    }
    if (!fatbin_read(fat_binaries[toolkit].data, fat_binaries[toolkit].size, out, message))
        fail_msg("%s", message);
}

TEST(uncompressed_fat_binary)
{
    if (toolkit_count == 0)
        skip();
    for (int i = 0; i < toolkit_count; i++) {
        char message[256];
        struct fatbin fatbin;
        read_fat_binary(i, &fatbin);
        assert_int_equal(fatbin.count, 4);
        const struct fatbin_entry *ptx = fatbin_choose_ptx(&fatbin, 90, message);
        assert_non_null(ptx);
        assert_int_equal(ptx->arch, 80);
        struct ptx_error error;
        struct ptx_module *module = ptx_parse(ptx->data, ptx->size, &error);
        assert_non_null(module);
        assert_int_equal(count_entries(module), 15);
        ptx_module_free(module);
        assert_int_equal(fatbin_choose_ptx(&fatbin, 79, message)->arch, 75);
        assert_null(fatbin_choose_ptx(&fatbin, 70, message));
        assert_non_null(strstr(message, "-gencode arch=compute_70"));
        fatbin_free(&fatbin);
    }
}

/* What ptxas -v says about a kernel: "Used 10 registers, 4224 bytes smem, …". */
static struct fatbin_kernel_info ask_ptxas(const char *log, const char *target, const char *kernel)
{
    char name[128];
    struct fatbin_kernel_info info = {0};
    snprintf(name, sizeof name, "entry function '%s' for '%s'", kernel, target);
    const char *found = strstr(log, name), *used = found ? strstr(found, "Used ") : NULL;
    assert_non_null(used);
    assert_int_equal(sscanf(used, "Used %d registers", &info.registers), 1);
    const char *end = strchr(used, '\n'), *shared = strstr(used, " bytes smem");
    if (shared && shared < end) {
        while (shared[-1] >= '0' && shared[-1] <= '9')
            shared--;
        info.shared_static = atoi(shared);
    }
    return info;
}

TEST(kernel_info_is_that_of_ptxas)
{
    static const char *const kernels[] = {"_Z9transposePKfPfi", "_Z6matmulPKdS0_Pdi", "_Z11local_arrayPii"};
    if (toolkit_count == 0)
        skip();
    for (int i = 0; i < toolkit_count; i++) {
        struct fatbin fatbin;
        struct fatbin_kernel_info info;
        read_fat_binary(i, &fatbin);
        const char *log = fat_binaries[i].log;
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            struct fatbin_kernel_info on80 = ask_ptxas(log, "sm_80", kernels[k]);
            struct fatbin_kernel_info on90 = ask_ptxas(log, "sm_90", kernels[k]);
            assert_true(fatbin_kernel_info(&fatbin, 86, kernels[k], &info));
            on80.frame_bytes = info.frame_bytes; /* of which ptxas -v says nothing */
            assert_memory_equal(&info, &on80, sizeof info);
            assert_true(fatbin_kernel_info(&fatbin, 90, kernels[k], &info));
            assert_int_equal(info.registers, on90.registers);
            assert_int_equal(info.shared_static, on80.shared_static); /* without what the system takes */
        }
        int frame = -1;
        assert_true(fatbin_frame(&fatbin, "_Z5callsPfi", "_Z9fibonaccii", &frame));
        assert_in_range(frame, 8, 64); /* at least the return address */
        assert_true(fatbin_frame(&fatbin, kernels[0], "_Z9fibonaccii", &frame));
        assert_int_equal(frame, 0); /* no function of that kernel */
        assert_false(fatbin_frame(&fatbin, "nobody", "_Z9fibonaccii", &frame));
        assert_false(fatbin_kernel_info(&fatbin, 75, kernels[0], &info)); /* PTX only */
        assert_false(fatbin_kernel_info(&fatbin, 100, kernels[0], &info));
        assert_false(fatbin_kernel_info(&fatbin, 80, "nobody", &info));
        assert_int_equal(info.registers, 0);
        fatbin_free(&fatbin);
    }
}

TEST(compressed_fat_binary_names_the_flag)
{
    if (toolkit_count == 0)
        skip();
    for (int i = 0; i < toolkit_count; i++) {
        size_t size;
        char message[256];
        struct fatbin fatbin;
        void *image = compile(&toolkits[i], "-fatbin -arch=sm_80", PLAIN, &size);
        assert_true(fatbin_read(image, size, &fatbin, message));
        assert_null(fatbin_choose_ptx(&fatbin, 90, message));
        assert_non_null(strstr(message, "-no-compress"));
        fatbin_free(&fatbin);
        free(image);
    }
}

/* Cut anywhere, changed anywhere: a message or entries inside the image, and no other harm. */
TEST(damaged_fat_binary)
{
    if (toolkit_count == 0)
        skip();
    char message[256];
    struct fatbin fatbin;
    struct fatbin_kernel_info info;
    read_fat_binary(0, &fatbin);
    fatbin_free(&fatbin);
    unsigned char *image = fat_binaries[0].data;
    size_t size = fat_binaries[0].size;
    uint64_t random = 1;
    for (int round = 0; round < 300; round++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t at = (random >> 33) % (round % 2 ? size : 400);
        unsigned char before = image[at];
        image[at] ^= (unsigned char)(1 + (random >> 20) % 255);
        if (fatbin_read(image, size, &fatbin, message)) {
            fatbin_kernel_info(&fatbin, 80, "_Z9transposePKfPfi", &info);
            fatbin_free(&fatbin);
        } else {
            assert_true(message[0] != '\0');
        }
        image[at] = before;
    }
    for (size_t length = 0; length < size; length += 1 + length / 16) {
        unsigned char *copy = malloc(length + 1);
        memcpy(copy, image, length);
        assert_false(fatbin_read(copy, length, &fatbin, message));
        free(copy);
    }
}

int main(void)
{
    return RUN_WITH(find_toolkits, remove_output);
}
