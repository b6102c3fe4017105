#include "exec_support.h"

#include "test.h"

/* ---- devices and modules ------------------------------------------------------------------------------- */

void exec_open(struct exec *e)
{
    memset(e, 0, sizeof *e);
    e->output = open_memstream(&e->output_text, &e->output_size);
    assert_non_null(e->output);
    struct sim_config config = {
        .profile = sim_profile_find("h100"),
        .hazards = true,
        .counters = true,
        .instruction_limit = 20000000,
        .kernel_output = e->output,
    };
    assert_non_null(config.profile);
    e->sim = sim_create(&config);
    assert_non_null(e->sim);
}

void exec_close(struct exec *e)
{
    sim_destroy(e->sim);
    fclose(e->output);
    free(e->output_text);
    memset(e, 0, sizeof *e);
}

void exec_load(struct exec *e, const char *ptx)
{
    static const char header[] = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"t.cu\"\n";
    size_t size = sizeof header + strlen(ptx);
    char *text = malloc(size), message[256];
    struct ptx_error error;
    assert_non_null(text);
    snprintf(text, size, "%s%s", header, ptx);
    struct ptx_module *module = ptx_parse(text, strlen(text), &error);
    if (!module)
        fail_msg("PTX line %d: %s", error.line, error.message);
    free(text);
    e->module = sim_module_load(e->sim, module, message);
    if (!e->module)
        fail_msg("%s", message);
}

const char *exec_output(struct exec *e)
{
    fflush(e->output);
    return e->output_text;
}

sim_addr exec_buffer(struct exec *e, const void *bytes, size_t size)
{
    sim_addr address = sim_mem_alloc(e->sim, size, NULL);
    assert_true(address != 0);
    void *host = sim_mem_host(e->sim, address, size);
    if (bytes)
        memcpy(host, bytes, size);
    else
        memset(host, 0, size);
    sim_mem_mark_written(e->sim, address, size);
    return address;
}

void *exec_bytes(struct exec *e, sim_addr buffer, size_t size)
{
    void *host = sim_mem_host(e->sim, buffer, size);
    assert_non_null(host);
    return host;
}

/* ---- launches ------------------------------------------------------------------------------------------ */

struct sim_kernel *exec_kernel(struct exec *e, const char *name)
{
    e->message[0] = '\0';
    return sim_module_kernel(e->module, name, e->message);
}

static enum sim_status launch(struct exec *e, const char *name, struct sim_launch request,
                              const uint64_t *args)
{
    void *pointers[16];
    request.kernel = exec_kernel(e, name);
    if (!request.kernel)
        fail_msg("%s", e->message);
    for (int i = 0; i < 16; i++)
        pointers[i] = (void *)(uintptr_t)&args[i];
    request.args = pointers;
    return sim_launch_run(e->sim, &request, &e->result);
}

enum sim_status exec_launch(struct exec *e, const char *name, struct sim_dim3 grid, struct sim_dim3 block,
                            size_t dynamic_shared, const uint64_t *args)
{
    struct sim_launch request = {.grid = grid, .block = block, .dynamic_shared = dynamic_shared};
    return launch(e, name, request, args);
}

enum sim_status exec_launch_cooperative(struct exec *e, const char *name, struct sim_dim3 grid,
                                        struct sim_dim3 block, const uint64_t *args)
{
    struct sim_launch request = {.grid = grid, .block = block, .cooperative = true};
    return launch(e, name, request, args);
}

enum sim_status exec_numbers(struct exec *e, const char *ptx, unsigned threads, uint32_t out[256])
{
    uint32_t in[1024];
    for (uint32_t i = 0; i < 1024; i++)
        in[i] = i;
    exec_open(e);
    exec_load(e, ptx);
    const uint64_t args[] = {exec_buffer(e, in, sizeof in), exec_buffer(e, NULL, sizeof in)};
    const enum sim_status status =
        exec_launch(e, "k", (struct sim_dim3){1, 1, 1}, (struct sim_dim3){threads, 1, 1}, 0, args);
    memcpy(out, exec_bytes(e, args[1], 1024), 1024);
    return status;
}

int exec_hazards(struct exec *e, enum sim_hazard_class class)
{
    const struct sim_hazard *hazards;
    int count = sim_hazards(e->sim, &hazards), found = 0;
    for (int i = 0; i < count; i++)
        found += hazards[i].class == class;
    return found;
}

int exec_all_hazards(struct exec *e)
{
    const struct sim_hazard *hazards;
    int count = sim_hazards(e->sim, &hazards);
    for (int i = 0; i < count; i++)
        print_message("hazard: %s\n", hazards[i].message);
    return count;
}

/* ---- single opcodes ------------------------------------------------------------------------------------ */

#define UNTOUCHED UINT64_C(0x0123456789abcdef)

static int bytes_of(const char *type)
{
    return strcmp(type, "pred") == 0 ? 4 : ptx_type_size(ptx_type_find(type));
}

struct text {
    char *at, *end;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->at, (size_t)(text->end - text->at), format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && length < text->end - text->at);
    text->at += length;
}

static void declare_source(struct text *t, char name, const char *type, int offset)
{
    if (!type)
        return;
    append(t, ".reg .b%d %%%c;\n", 8 * (bytes_of(type) < 2 ? 2 : bytes_of(type)), name);
    append(t, "ld.global.b%d %%%c, [%%addr+%d];\n", 8 * bytes_of(type), name, offset);
}

/* Guards every instruction of `text` with @%odd. */
static void append_guarded(struct text *t, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, ";") + 1;
        append(t, "@%%odd %.*s\n", (int)length, text);
        text += length;
        text += strspn(text, " \n");
    }
}

/* Thread i reads row i of {a, b, c, d} (8 bytes each) and leaves its result in d. */
static void write_kernel(struct text *t, const char *name, const char *text, const char *types[4],
                         bool guarded)
{
    const char *d = types[3];
    bool pred = strcmp(d, "pred") == 0;
    append(t, ".visible .entry %s(.param .u64 rows, .param .u64 count) {\n", name);
    append(t, ".reg .b64 %%rows, %%addr, %%count, %%i64; .reg .b32 %%i, %%bit, %%nt, %%bk; .reg .pred %%odd, "
              "%%out;\n");
    append(t, "ld.param.u64 %%rows, [rows];\nld.param.u64 %%count, [count];\nmov.u32 %%i, %%tid.x;\n");
    append(t, "mov.u32 %%nt, %%ntid.x;\nmov.u32 %%bk, %%ctaid.x;\nmad.lo.s32 %%i, %%nt, %%bk, %%i;\n");
    append(t, "cvt.u64.u32 %%i64, %%i;\nsetp.ge.u64 %%out, %%i64, %%count;\n@%%out ret;\n");
    append(t,
           "mad.wide.u32 %%addr, %%i, 32, %%rows;\nand.b32 %%bit, %%i, 1;\nsetp.eq.u32 %%odd, %%bit, 1;\n");
    declare_source(t, 'a', types[0], 0);
    declare_source(t, 'b', types[1], 8);
    declare_source(t, 'c', types[2], 16);
    if (pred)
        append(t, ".reg .pred %%d;\nsetp.ne.u32 %%d, %%i, %%i;\n");
    else
        declare_source(t, 'd', d, 24);
    if (guarded)
        append_guarded(t, text);
    else
        append(t, "%s\n", text);
    if (pred)
        append(t, ".reg .b32 %%r;\nselp.u32 %%r, 1, 0, %%d;\nst.global.b32 [%%addr+24], %%r;\n");
    else
        append(t, "st.global.b%d [%%addr+24], %%d;\n", 8 * bytes_of(d));
    append(t, "ret;\n}\n");
}

static uint64_t cut(uint64_t value, int bytes)
{
    return bytes >= 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* Cases may divide by 0 and store the result, which is reported. */
static int hazards_but_divisions(struct exec *e)
{
    const struct sim_hazard *hazards;
    const int count = sim_hazards(e->sim, &hazards);
    int others = 0;
    for (int i = 0; i < count; i++)
        others += hazards[i].class != SIM_HAZARD_DIVISION;
    return others > 0 ? exec_all_hazards(e) : 0;
}

static void run_cases(const char *text, const char *types[4], const struct op_case *cases, int count,
                      bool guarded)
{
    char ptx[8192];
    struct text t = {ptx, ptx + sizeof ptx};
    struct exec e;
    /* More rows than cases, so that lanes are full and every case meets odd and even lanes. */
    const int rows = 3 * count + 31;
    struct op_case *data = calloc((size_t)rows, sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < rows; i++) {
        data[i] = cases[i % count];
        data[i].expected = UNTOUCHED;
    }
    exec_open(&e);
    write_kernel(&t, "op", text, types, guarded);
    exec_load(&e, ptx);
    size_t size = (size_t)rows * sizeof *data;
    uint64_t args[] = {exec_buffer(&e, data, size), (uint64_t)rows};
    unsigned blocks = (unsigned)(rows + 63) / 64;
    if (exec_launch(&e, "op", (struct sim_dim3){blocks, 1, 1}, (struct sim_dim3){64, 1, 1}, 0, args) !=
        SIM_OK)
        fail_msg("%s: %s", text, e.result.message);
    const struct op_case *out = exec_bytes(&e, args[0], size);
    int bytes = bytes_of(types[3]);
    bool pred = strcmp(types[3], "pred") == 0;
    for (int i = 0; i < rows; i++) {
        bool active = !guarded || (i & 1);
        uint64_t wanted = cut(active ? cases[i % count].expected : pred ? 0 : UNTOUCHED, bytes);
        uint64_t got = cut(out[i].expected, bytes);
        if (got != wanted)
            fail_msg("%s\n  a=0x%llx b=0x%llx c=0x%llx, lane %d%s: got 0x%llx, expected 0x%llx", text,
                     (unsigned long long)out[i].a, (unsigned long long)out[i].b, (unsigned long long)out[i].c,
                     i, guarded ? ", odd lanes active" : "", (unsigned long long)got,
                     (unsigned long long)wanted);
    }
    assert_int_equal(hazards_but_divisions(&e), 0);
    exec_close(&e);
    free(data);
}

void exec_check_op(const char *text, const char *d, const char *a, const char *b, const char *c,
                   const struct op_case *cases, int count)
{
    const char *types[4] = {a, b, c, d};
    run_cases(text, types, cases, count, false);
    run_cases(text, types, cases, count, true);
    setenv("LABS_SIM_ISA", "baseline", 1);
    run_cases(text, types, cases, count, false);
    run_cases(text, types, cases, count, true);
    unsetenv("LABS_SIM_ISA");
}

uint64_t f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
