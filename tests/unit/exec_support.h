/*
 * For tests of the interpreter: a device, a module from PTX text, launches, and opcodes by themselves.
 *
 * Whatever goes wrong in the set-up fails the running cmocka test with a message.
 */
#pragma once

#include "sim/core/device.h"
#include "sim/device/sim.h"

struct exec {
    struct sim *sim;
    struct sim_module *module; /* NULL until exec_load */
    struct sim_result result;  /* of the last launch */
    char message[512];         /* of the last kernel that could not be decoded */
    FILE *output;              /* what kernels printed */
    char *output_text;
    size_t output_size;
};

/* A device with hazards and counters on. */
void exec_open(struct exec *e);
void exec_close(struct exec *e);
/*
 * For a file whose tests need one device at a time: EXEC_FIXTURE defines it, `e`, and reopen(), which opens it anew; it is closed
 * at the end of an EXEC_TEST.
 */
#define EXEC_FIXTURE                                                                                         \
    static struct exec e;                                                                                    \
    static int close_device(void **state)                                                                    \
    {                                                                                                        \
        if (e.sim)                                                                                           \
            exec_close(&e);                                                                                  \
        return 0;                                                                                            \
    }                                                                                                        \
    static void reopen(void)                                                                                 \
    {                                                                                                        \
        close_device(NULL);                                                                                  \
        exec_open(&e);                                                                                       \
    }
#define EXEC_TEST(name) TEST_WITH(name, NULL, close_device)

/* Puts a header before `ptx` (version, target, address size, a .file for t.cu) and loads it. */
void exec_load(struct exec *e, const char *ptx);
/* What kernels printed so far. */
const char *exec_output(struct exec *e);

/* Device memory with a copy of `bytes` (NULL: zeros). */
sim_addr exec_buffer(struct exec *e, const void *bytes, size_t size);
void *exec_bytes(struct exec *e, sim_addr buffer, size_t size);

/* The kernel, or NULL with e->message set. */
struct sim_kernel *exec_kernel(struct exec *e, const char *name);
/* Launches with one 64-bit argument a parameter (as many as the kernel has); returns the status. */
enum sim_status exec_launch(struct exec *e, const char *name, struct sim_dim3 grid, struct sim_dim3 block,
                            size_t dynamic_shared, const uint64_t *args);
enum sim_status exec_launch_cooperative(struct exec *e, const char *name, struct sim_dim3 grid,
                                        struct sim_dim3 block, const uint64_t *args);
/* Opens, loads and launches kernel "k" as one block. Arguments: addresses of the numbers 0 to 1023, and of 1024 zeros, of which
   `out` gets the first 256. */
enum sim_status exec_numbers(struct exec *e, const char *ptx, unsigned threads, uint32_t out[256]);
/* The number of hazard reports of a class, and in all. */
int exec_hazards(struct exec *e, enum sim_hazard_class class);
int exec_all_hazards(struct exec *e);

/*
 * One opcode over one row of operands a lane. `text`: instructions that set %d from %a, %b, %c, as in
 * "add.s32 %d, %a, %b;". The types are those of the registers; "pred" for %d stores 0 or 1 as .u32; a
 * source type of NULL: there is no such operand. Each row of `cases` is {a, b, c, expected}, as bits.
 *
 * Runs all rows three times: every lane active, only odd lanes active (the others must keep their %d), and
 * with the processor's baseline handlers.
 */
struct op_case {
    uint64_t a, b, c, expected;
};
void exec_check_op(const char *text, const char *d, const char *a, const char *b, const char *c,
                   const struct op_case *cases, int count);

#define EXEC_CHECK_OP(text, d, a, b, c, ...)                                                                 \
    do {                                                                                                     \
        static const struct op_case cases_[] = {__VA_ARGS__};                                                \
        exec_check_op(text, d, a, b, c, cases_, (int)(sizeof cases_ / sizeof cases_[0]));                    \
    } while (0)

/* Bits of a floating-point number. */
uint64_t f32_bits(float x);
