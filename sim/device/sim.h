/*
 * The simulator as its callers see it: a device with memory, modules loaded on it, and kernels launched on it.
 *
 * In front of it stands the CUDA runtime API (sim/api); beside it the harness reads counters, hazards and modeled
 * time through the same header. Nothing here prints or exits: whoever calls decides what to say.
 *
 * One struct sim is one device. It is not shared between host threads without a lock of the caller.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "sim/core/config.h"
#include "sim/core/kernel.h"
#include "sim/core/types.h"
#include "sim/device/launch_seen.h"
#include "sim/hazard/reports.h"
#include "sim/memory/allocations.h"
#include "sim/model/model.h"
#include "sim/ptx/fatbin.h"
#include "sim/ptx/ptx.h"

struct sim *sim_create(const struct sim_config *config);
void sim_destroy(struct sim *sim);
struct sim_config *sim_config(struct sim *sim); /* may be changed between launches */

struct sim_module;

/*
 * Takes ownership of `ptx`, places its .global and .const variables in device memory (const as
 * read-only for kernels) and applies initializers and relocations. NULL and a message if it cannot.
 */
struct sim_module *sim_module_load(struct sim *sim, struct ptx_module *ptx, char message[256]);
/*
 * Up to `max` variables in device memory that no longer hold what they held when they were loaded, small ones first;
 * those of more than 64 KiB are not looked at. Names as in the source.
 */
int sim_changed_variables(struct sim *sim, char names[][64], int max);
/* A variable of a module, in device memory. */
struct sim_variable {
    char name[64]; /* as in the source */
    sim_addr address;
    size_t size;
    bool is_constant;
    bool has_value; /* the module gives it another first value than 0 */
};
bool sim_variable_at(const struct sim *sim, sim_addr address,
                     struct sim_variable *out); /* false: none is there */
void sim_module_unload(struct sim *sim, struct sim_module *module);
bool sim_module_symbol(struct sim_module *module, const char *name, sim_addr *address, size_t *size);

/*
 * The kernel called `name` (mangled), decoded on first use; NULL and a message that names the
 * first unsupported instruction with its source line and PTX line.
 */
struct sim_kernel *sim_module_kernel(struct sim_module *module, const char *name, char message[512]);

void sim_kernel_info(const struct sim_kernel *kernel, struct sim_kernel_info *out);
/* Its parameters, as the parser found them. */
const struct ptx_func *sim_kernel_function(const struct sim_kernel *kernel);
void sim_kernel_set_registers(struct sim_kernel *kernel, int registers); /* from the cubin */
/* From the cubins in the fat binary: what calls take from a thread's stack. */
void sim_kernel_set_frames(struct sim_kernel *kernel, const struct fatbin *fatbin);

/* ---- launches (launch.c) ------------------------------------------------------------------------------- */

/* Runs the whole grid. The caller has checked the configuration against the device's limits. */
enum sim_status sim_launch_run(struct sim *sim, const struct sim_launch *launch, struct sim_result *result);

/* How often threads of kernels have called printf since the last reset; where the first one did. */
uint64_t sim_prints(const struct sim *sim, struct sim_hazard_place *first);
void sim_prints_reset(struct sim *sim);

/*
 * Where others came in between two atomics of a thread on one word, for the first time since the last reset, and the line
 * of the second one. 0: they did nowhere.
 */
int sim_two_steps(const struct sim *sim, struct sim_hazard_place *first);
void sim_two_steps_reset(struct sim *sim);

/* Where a thread came to a trap for the last time since the reset (line 0: not known). False: none did. */
bool sim_trap(const struct sim *sim, struct sim_hazard_place *at);
void sim_trap_reset(struct sim *sim);

/*
 * The first atomic since sim_float_sum_reset that added a floating-point number in global memory: the sum's last bits
 * depend on the order in which blocks come there (PTX ISA, atom). False: there is none.
 */
bool sim_float_sum(const struct sim *sim, struct sim_hazard_place *first);
void sim_float_sum_reset(struct sim *sim);

/*
 * A barrier of blocks that never ordered anything, of all launches in which hazards were looked for, by its line: no
 * thread of the block had touched memory since the barrier before it. False: there is none.
 */
bool sim_idle_barrier(const struct sim *sim, struct sim_hazard_place *at);
/* From here on it tells only of barriers that kernels reach again, with all that is known of them. */
void sim_barriers_reset(struct sim *sim);

/* ---- of the runtime API in this process (sim/api) -------------------------------------------------------- */

/*
 * The device that the runtime API in this process uses, created on the first call. The harness's
 * simulator backend reads hazards and counters from it.
 */
struct sim *sim_current(void);

/*
 * Makes it the device with this key, whatever LABS_SIM_DEVICE says; to be called before the program's first
 * call of the runtime API. False: there is no such device.
 */
bool sim_use_device(const char *key);

/* Loads the device code of the whole program, which is else loaded when it is first used. */
void sim_load_program(void);

/* Its device code is this PTX, and what the program itself holds is not read. To be called before it is loaded; the text must stay. */
void sim_program_text(const char *ptx, size_t length);

/*
 * With other names than the program's: from now on, a kernel or variable is the first one of the PTX of which `is_it` says that
 * it is what the program calls so. Where there is none, nothing changes.
 */
void sim_program_names(bool (*is_it)(const char *in_ptx, const char *in_program));

/*
 * The result of the last launch through the runtime API, and totals since the last reset: counters
 * of all launches, modeled seconds of all launches, copies and memsets, one after the other.
 */
const struct sim_result *sim_last_result(void);
void sim_totals(struct sim_counters *counters, double *seconds);
void sim_totals_reset(void);
/*
 * Bytes of the device's memory that were read and written since then, each once in a launch, copy or fill. At most as
 * many:
 * of a launch that was sampled, what its blocks would have touched if they shared as little as the range allows.
 */
double sim_totals_bytes(void);
/* What held back the one of the launches since then that took longest; NULL: there was none. */
const char *sim_totals_limiter(void);
/* The one that took longest. Strings and what `waste`, `arithmetic`, `alone` and `habits` name belong to its module. */
struct sim_slowest {
    struct sim_waste waste;
    struct sim_arithmetic arithmetic;
    struct sim_alone alone;
    struct sim_habits habits;
    struct sim_sm sm;
    double seconds;
    char kernel[96]; /* as in the source */
    struct sim_dim3 grid, block;
    const void *caller; /* where the launch returns to, in the host's code … */
    char place
        [208]; /* … "student.cu:57", asked for only where `waste` or `habits` is about the launch; "": not known */
};
const struct sim_slowest *sim_totals_slowest(void); /* NULL: there was none */
/* Launches since then that differ in kernel, block or dynamic shared memory, in order; the first SIM_MAX_SHAPES. */
#define SIM_MAX_SHAPES 16
struct sim_shape {
    char kernel[256];            /* mangled; cut if it is longer */
    struct sim_dim3 grid, block; /* grid: of the first of them */
    size_t dynamic_shared;       /* bytes per block */
};
int sim_totals_shapes(const struct sim_shape **list);
/* The launches since then of one line of the program, of the first SIM_MAX_SITES lines that launched. */
#define SIM_MAX_SITES 16
struct sim_site {
    const void *caller; /* where they return to, in the host's code */
    uint64_t launches;
    double seconds;                                  /* modeled, of all of them */
    uint64_t all_blocks, fewest_blocks, most_blocks; /* of all of them; of the smallest and the largest one */
    /*
     * Of the one with most idle blocks: those that changed nothing in global memory, and on which nothing else can
     * depend.
     */
    char kernel[96]; /* as in the source */
    struct sim_dim3 grid, block;
    uint64_t blocks, idle_blocks;
};
int sim_totals_sites(const struct sim_site **list);
/* "student.cu:57"; false: not known. */
bool sim_site_place(const struct sim_site *site, char *text, size_t size);
/* Of the launches since then of which a sample was run: blocks that were, and the standard error of the modeled
   seconds of all, as a part of them; 0 and 0 if there was none. */
void sim_totals_sampled(uint64_t *blocks, double *relative_error);
/* The standard error of the modeled seconds, as a part, that comes from blocks unlike those that the time model watched. */
double sim_totals_unlike(void);
/* The part of the modeled seconds that launches took whose time does not come from machine code, and has no known margin. */
double sim_totals_rough(void);

/*
 * What the program did since the last reset that need not be wrong, but explains wrong results: calls that failed,
 * whatever became of their errors, sizes that are a number of elements where bytes are counted, and memory that is
 * filled after the last launch (LATE: a variable; else by a copy, or set), and blocks of a shape that the kernel is
 * not written for, and host pointers that are copied to the device.
 */
enum sim_remark_kind {
    SIM_REMARK_FAILED,
    SIM_REMARK_SIZE,
    SIM_REMARK_LATE,
    SIM_REMARK_LATE_COPY,
    SIM_REMARK_LATE_FILL,
    SIM_REMARK_SHAPE,
    SIM_REMARK_POINTER,
    SIM_REMARK_OVERWRITTEN, /* after the last launch, and then copied to the host */
    SIM_REMARK_EMPTY        /* a copy of 0 bytes that may be meant to reach the host */
};
/* What a call was about that failed, or whose size is wrong. */
enum sim_remark_detail {
    SIM_REMARK_PLAIN,
    SIM_REMARK_LAUNCH,       /* a launch failed … */
    SIM_REMARK_NO_BLOCKS,    /* … of a grid without blocks, */
    SIM_REMARK_RESOURCES,    /* … of blocks that need more than there is, */
    SIM_REMARK_ARRAYS,       /* … more shared memory, for the arrays in `name` */
    SIM_REMARK_FREE,         /* memory was to be freed */
    SIM_REMARK_POINTER_SIZE, /* the size is that of a pointer */
    SIM_REMARK_DETAIL_COUNT
};
struct sim_remark {
    enum sim_remark_kind kind;
    enum sim_remark_detail detail;
    char name
        [128]; /* of what is filled, as in sim_hazard.array; of arrays, with blanks between; "": not known */
    char file[192];
    int line; /* of the call; 0: not known */
    char text[512];
};
/*
 * Who watches the program's heap knows how long its memory is: copies to the host and from it that are too long for
 * it are refused then. True: the memory that holds the address has fewer bytes than are needed, and `out` says which.
 */
struct sim_host_memory {
    size_t left, bytes; /* from the address on, and of all of it */
    char file[192];     /* where it was allocated */
    int line;
};
typedef bool sim_host_memory_of(const void *address, size_t needed, struct sim_host_memory *out);
void sim_watch_host_memory(sim_host_memory_of *ask);

void sim_remarks_reset(void);
int sim_remarks(const struct sim_remark **list); /* the first ones, in order; valid until the next call */
/*
 * What it did since then that is right and takes time for nothing: the host waits between two launches, though
 * nothing comes to it; what it has copied from the device goes back as it is. The first ones, in order; kinds do not
 * matter.
 */
int sim_notes(const struct sim_remark **list);
/* Where the kernel was launched that stopped. False: none did, or its line is not known. */
bool sim_launch_that_stopped(struct sim_remark *out);
/* Where device memory was allocated, if nothing was copied to the host afterwards. False: something was. */
bool sim_never_copied_back(struct sim_remark *out);

/*
 * For a program that handles SIGSEGV itself: it tells so once, and asks in its handler first. True: the host touched
 * memory that the simulator watches; the handler returns.
 */
void sim_host_faults_forwarded(void);
bool sim_host_fault(const void *siginfo, void *context);

/*
 * A program on its own says on stderr why a kernel stopped, and lists its hazards when it ends. A
 * host that reports them itself turns both off.
 */
void sim_report_at_exit(bool enabled);
/* From now on, source lines that were looked up are kept in this memory, for other processes: sim/text/line_memory.h. */
void sim_share_lines(void *memory, size_t bytes);
/* ---- the device in another process (sim/api/api_record.h) -------------------------------------------------- */

/*
 * Where the call of a student's function begins, where its buffers are, and where it ends: what both processes know.
 * `number`: of the call. Copies between END and BUFFERS are not written: both have what is copied then.
 */
enum sim_mark_kind { SIM_MARK_BEGIN = 1, SIM_MARK_BUFFERS, SIM_MARK_END };
#define SIM_MARK_ADDRESSES 8
struct sim_mark {
    enum sim_mark_kind kind;
    uint64_t number;
    uint64_t address[SIM_MARK_ADDRESSES]; /* BUFFERS: of the buffers; 0: there is none */
};

/*
 * From now on all that is done with the device of this process is written there as well; 0: no longer. Where a program
 * defines sim_record_comes, returning true, what was done before, by constructors that run before main, is kept until
 * then, and written first.
 */
void sim_record_to(int fd);
bool sim_record_comes(void);
bool sim_is_recorded(void);
void sim_record_mark(const struct sim_mark *mark);
/* Up to the next SIM_MARK_END, copies from this memory of the host are written without the bytes. */
void sim_record_host(const void *address, size_t bytes);
void sim_record_name(sim_addr address, const char *name);

/*
 * The other end: does with the device of this process what the records say. The code comes from the ELF file `program`,
 * and not from the records; each of them is checked, and what is wrong with one ends it all. NULL, with a message: the
 * file cannot be read. One for each process. `answered_fd` can be read once no more records come up to a mark.
 */
struct sim_follower;
struct sim_follower *sim_follow(int fd, int answered_fd, const char *program, char message[256]);
/* Memory of the host that copies may come from without bytes: `bytes` bytes, which the other process has at `address`. */
void sim_follow_host(struct sim_follower *follower, uint64_t address, const void *memory, size_t bytes);
/* Up to the next mark. False, with a message: a record is wrong, or there are no more. */
bool sim_follow_to_mark(struct sim_follower *follower, struct sim_mark *mark, char message[256]);

/* _exit, with the reports; programs that simcc links call it instead. */
_Noreturn void sim_exit_now(int status);

#endif
