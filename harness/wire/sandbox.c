/* What a sandbox grants, and entering it. */
#define _GNU_SOURCE /* nftw */
#include "harness/wire/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/base/tree.h"

#define SCRATCH_BYTES (UINT64_C(1) << 30)
#define SCRATCH_NAMES 10000

static struct {
    bool on;
    int landlock;
    bool seccomp;
    long tasks;
    char toolkit[PATH_MAX]; /* the folder above ptxas's; "": not known */
    char scratch[512];      /* "": there is none */
    char says[64];
    int file_count;
    char *file[SANDBOX_GRANTS / 2]; /* owned: the student's file and its headers */
} state = {.says = "off"};

/* ---- what there is ------------------------------------------------------------------------------------- */

/* The folder that holds bin/ptxas, and so include/, nvvm/, targets/; or ptxas, elsewhere. */
static void find_toolkit(const char *ptxas)
{
    if (!ptxas[0] || !realpath(ptxas, state.toolkit)) {
        state.toolkit[0] = 0;
        return;
    }
    char *slash = strrchr(state.toolkit, '/');
    *slash = 0;
    if ((slash = strrchr(state.toolkit, '/')) && strcmp(slash, "/bin") == 0)
        *slash = 0;
}

static void make_scratch(void)
{
    const char *base = getenv("TMPDIR");
    char place[512], whole[PATH_MAX];
    text_set(place, sizeof place, "%.400s/grader-XXXXXX", base && base[0] ? base : "/tmp");
    state.scratch[0] = 0;
    if (!mkdtemp(place))
        return;
    text_set(state.scratch, sizeof state.scratch, "%.500s", realpath(place, whole) ? whole : place);
    for (int i = 0; i < 2; i++) {
        text_set(place, sizeof place, "%.480s/%s", state.scratch, i == 0 ? "worker" : "compiler");
        mkdir(place, 0700);
    }
}

static void say_what_holds(void)
{
    text_set(state.says, sizeof state.says, "%s", "");
    if (state.landlock)
        text_append(state.says, sizeof state.says, "Landlock %d, ", state.landlock);
    text_append(state.says, sizeof state.says, "%slimits%s", state.seccomp ? "seccomp, " : "",
                state.landlock ? "" : "; this kernel has no Landlock");
}

bool sandbox_begin(enum sandbox_mode mode, const char *ptxas, char message[512])
{
    state.on = mode != SANDBOX_OFF;
    if (!state.on)
        return true;
    state.landlock = sandbox_landlock_version();
    state.seccomp = sandbox_seccomp_exists();
    if (mode == SANDBOX_REQUIRED && !(state.landlock && state.seccomp)) {
        text_set(message, 512, "--sandbox required: this kernel has no %s; nothing was graded",
                 state.landlock ? "seccomp" : "Landlock (since Linux 5.13, where it is switched on)");
        return false;
    }
    state.tasks = sandbox_limits_tasks();
    find_toolkit(ptxas);
    make_scratch();
    say_what_holds();
    return true;
}

static void allow(const char *path)
{
    char *copy = state.file_count < SANDBOX_GRANTS / 2 ? strdup(path) : NULL;
    if (copy)
        state.file[state.file_count++] = copy;
}

/* A name of make's list: a backslash stands before a blank in a name, and before the end of a line. False: no more. */
static bool read_name(FILE *list, char *name, size_t size)
{
    size_t length = 0;
    for (int c; (c = fgetc(list)) != EOF && length + 1 < size;) {
        const bool is_escaped = c == '\\' && (c = fgetc(list)) != '\n';
        if (is_escaped || !strchr(" \n", c))
            name[length++] = (char)c;
        else if (length > 0)
            break;
    }
    name[length] = 0;
    return length > 0;
}

/* What lies in the system's folders is granted with them. */
void sandbox_allow(const char *source, const char *list, const char *root)
{
    char name[PATH_MAX], path[2 * PATH_MAX];
    allow(source);
    FILE *file = fopen(list, "r");
    while (file && read_name(file, name, sizeof name)) {
        text_set(path, sizeof path, "%s%s%s", name[0] == '/' ? "" : root, name[0] == '/' ? "" : "/", name);
        if (strncmp(path, "/usr/", 5) != 0 && name[strlen(name) - 1] != ':')
            allow(path);
    }
    if (file)
        fclose(file);
}

const char *sandbox_folder(void)
{
    return state.scratch;
}

void sandbox_end(void)
{
    if (state.scratch[0])
        tree_remove(state.scratch);
    state.scratch[0] = 0;
    while (state.file_count > 0)
        free(state.file[--state.file_count]);
}

/* ---- what is taken ------------------------------------------------------------------------------------- */

static _Thread_local struct {
    uint64_t bytes, names;
} taken;

static bool is_too_much(void)
{
    return taken.bytes > SCRATCH_BYTES || taken.names > SCRATCH_NAMES;
}

static int count_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)path, (void)at;
    taken.names++;
    taken.bytes += type == FTW_NS ? 0 : (uint64_t)info->st_blocks * 512;
    return is_too_much();
}

void sandbox_clear(void)
{
    char path[600];
    text_set(path, sizeof path, "%s/worker", state.scratch);
    if (!state.scratch[0])
        return;
    tree_remove(path);
    mkdir(path, 0700);
}

bool sandbox_is_exceeded(pid_t worker, char *what, size_t size)
{
    if (sandbox_limits_memory(worker, what, size))
        return true;
    memset(&taken, 0, sizeof taken);
    if (state.scratch[0])
        nftw(state.scratch, count_one, 16, FTW_PHYS);
    if (is_too_much())
        text_set(what, size, "it had left %s in its folder for temporary files",
                 taken.names > SCRATCH_NAMES ? "10,000 files" : "more than 1 GiB");
    return is_too_much();
}

bool sandbox_is_on(void)
{
    return state.on;
}

const char *sandbox_says(void)
{
    return state.says;
}

/* ---- what it grants ------------------------------------------------------------------------------------ */

void sandbox_grant(struct sandbox *sandbox, const char *path, unsigned rights)
{
    if (!sandbox || !path || !path[0] || sandbox->count == SANDBOX_GRANTS)
        return;
    sandbox->grant[sandbox->count].path = strdup(path);
    sandbox->grant[sandbox->count].rights = rights;
    sandbox->count += sandbox->grant[sandbox->count].path != NULL;
}

/* For each folder of a list such as PATH's, but not for the home folder, or what it lies in. */
static void grant_list(struct sandbox *sandbox, const char *list, unsigned rights)
{
    const char *home = getenv("HOME");
    char folder[PATH_MAX], whole[PATH_MAX];
    for (size_t length; list && *list; list += length + (list[length] == ':')) {
        length = strcspn(list, ":");
        text_set(folder, sizeof folder, "%.*s", (int)length, list);
        if (folder[0] != '/' || !realpath(folder, whole))
            continue;
        const size_t end = strlen(whole);
        if (!home || strncmp(home, whole, end) != 0 || (home[end] != '/' && home[end] != 0))
            sandbox_grant(sandbox, whole, rights);
    }
}

/* A program that is looked for in PATH. */
static void grant_program(struct sandbox *sandbox, const char *name)
{
    char path[PATH_MAX];
    for (const char *list = getenv("PATH"); list && *list;) {
        const size_t length = strcspn(list, ":");
        text_set(path, sizeof path, "%.*s/%s", (int)length, list, name);
        if (access(path, X_OK) == 0) {
            sandbox_grant(sandbox, path, SANDBOX_READ | SANDBOX_EXECUTE);
            return;
        }
        list += length + (list[length] == ':');
    }
}

static void grant_system(struct sandbox *sandbox)
{
    static const struct sandbox_grant system[] = {
        {"/etc/ld.so.cache", SANDBOX_READ},
        {"/etc/ld.so.preload", SANDBOX_READ},
        {"/etc/localtime", SANDBOX_READ},
        {"/sys", SANDBOX_READ},
        {"/proc/self", SANDBOX_READ},
        {"/proc/cpuinfo", SANDBOX_READ},
        {"/proc/meminfo", SANDBOX_READ},
        {"/proc/stat", SANDBOX_READ},
        {"/proc/sys/vm", SANDBOX_READ},
        {"/proc/devices", SANDBOX_READ},
        {"/proc/modules", SANDBOX_READ},
        {"/proc/driver", SANDBOX_READ},
        {"/dev/null", SANDBOX_DEVICE},
        /* These have no end, and so they are not for a compiler. */
        {"/dev/zero", SANDBOX_DEVICE},
        {"/dev/full", SANDBOX_DEVICE},
        {"/dev/random", SANDBOX_READ},
        {"/dev/urandom", SANDBOX_READ},
    };
    const size_t endless = sandbox->kind == SANDBOX_COMPILER ? 4 : 0;
    static const char *const folders[] = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/nix/store"};
    const unsigned rights = SANDBOX_READ | (sandbox->kind == SANDBOX_COMPILER ? SANDBOX_EXECUTE : 0);
    for (size_t i = 0; i < sizeof system / sizeof *system - endless; i++)
        sandbox_grant(sandbox, system[i].path, system[i].rights);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        sandbox_grant(sandbox, folders[i], rights);
    sandbox_grant(sandbox, state.toolkit, rights);
    for (int i = 0; i < state.file_count; i++)
        sandbox_grant(sandbox, state.file[i], SANDBOX_READ);
    grant_list(sandbox, getenv("LD_LIBRARY_PATH"), SANDBOX_READ);
}

/* Devices of a GPU: as many as may be there; those that are not are passed over. CUDA names its threads (comm). */
static void grant_gpu(struct sandbox *sandbox)
{
    static const char *const devices[] = {"/dev/nvidiactl",      "/dev/nvidia-uvm",  "/dev/nvidia-uvm-tools",
                                          "/dev/nvidia-modeset", "/dev/nvidia-caps", "/dev/dxg"};
    char path[32];
    sandbox_grant(sandbox, "/proc/self/task", SANDBOX_WRITE);
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (access(devices[i], F_OK) == 0)
            sandbox_grant(sandbox, devices[i], SANDBOX_DEVICE);
    for (int i = 0; i < 16; i++) {
        text_set(path, sizeof path, "/dev/nvidia%d", i);
        if (access(path, F_OK) == 0)
            sandbox_grant(sandbox, path, SANDBOX_DEVICE);
    }
}

static void grant_worker(struct sandbox *sandbox, const char *program)
{
    char path[PATH_MAX + 16];
    static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};
    sandbox_grant(sandbox, program, SANDBOX_READ | SANDBOX_EXECUTE);
    for (int i = 0; i < 2; i++)
        sandbox_grant(sandbox, loaders[i], SANDBOX_READ | SANDBOX_EXECUTE);
    grant_program(sandbox, "addr2line");
    const char *ptxas = getenv("LABS_SIM_PTXAS");
    text_set(path, sizeof path, "%s/bin/ptxas", state.toolkit);
    sandbox_grant(sandbox, ptxas ? ptxas : path, SANDBOX_READ | SANDBOX_EXECUTE);
    if (sandbox->gpu)
        grant_gpu(sandbox);
}

/* ---- the environment ----------------------------------------------------------------------------------- */

static bool is_kept(const char *entry)
{
    static const char *const kept[] = {"PATH=",
                                       "LANG=",
                                       "LC_",
                                       "TZ=",
                                       "LD_LIBRARY_PATH=",
                                       "CUDA_",
                                       "NVCC_",
                                       "LABS_SIM_",
                                       "ASAN_OPTIONS=",
                                       "UBSAN_OPTIONS=",
                                       "NVIDIA_",
                                       "GCONV_",
                                       "COMPILER_PATH=",
                                       "GCC_",
                                       "SRC="};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (strncmp(entry, kept[i], strlen(kept[i])) == 0)
            return true;
    return false;
}

static bool make_environment(struct sandbox *sandbox)
{
    static const char *const to_scratch[] = {"TMPDIR", "HOME"};
    char folder[600];
    size_t count = 0, kept = 0;
    text_set(folder, sizeof folder, "%s/%s", state.scratch,
             sandbox->kind == SANDBOX_WORKER ? "worker" : "compiler");
    if (state.scratch[0])
        sandbox_grant(sandbox, folder, SANDBOX_WRITE);
    while (environ[count])
        count++;
    sandbox->environment = calloc(count + 3, sizeof *sandbox->environment);
    if (!sandbox->environment)
        return false;
    for (size_t i = 0; i < count; i++)
        if (is_kept(environ[i]) && (sandbox->environment[kept] = strdup(environ[i])))
            kept++;
    for (int i = 0; i < 2 && state.scratch[0]; i++) {
        if (asprintf(&sandbox->environment[kept], "%s=%s", to_scratch[i], folder) < 0)
            return false;
        kept++;
    }
    return true;
}

/* ---- making and entering ------------------------------------------------------------------------------- */

struct sandbox *sandbox_create(enum sandbox_kind kind, const char *program)
{
    struct sandbox *sandbox = state.on ? calloc(1, sizeof *sandbox) : NULL;
    if (!sandbox)
        return NULL;
    sandbox->kind = kind;
    const char *name = strrchr(program, '/');
    sandbox->gpu = name && strcmp(name, "/worker-gpu") == 0;
    sandbox->landlock = state.landlock;
    sandbox->seccomp = state.seccomp;
    sandbox->tasks = state.tasks;
    grant_system(sandbox);
    if (kind == SANDBOX_WORKER)
        grant_worker(sandbox, program);
    else
        grant_list(sandbox, getenv("PATH"), SANDBOX_READ | SANDBOX_EXECUTE);
    if (make_environment(sandbox))
        return sandbox;
    sandbox_free(sandbox);
    return NULL;
}

void sandbox_free(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    for (int i = 0; i < sandbox->count; i++)
        free(sandbox->grant[i].path);
    for (char **entry = sandbox->environment; entry && *entry; entry++)
        free(*entry);
    free(sandbox->environment);
    free(sandbox);
}

#define HIGH 64 /* above all that a wire gets */

static void keep_only(const int *kept, int count)
{
    int high[8];
    for (int i = 0; i < count; i++)
        high[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, HIGH);
    for (int i = 0; i < count; i++)
        dup2(high[i], 3 + i);
    if (syscall(SYS_close_range, 3 + count, ~0u, 0) == 0)
        return;
    for (int file = 3 + count, last = (int)sysconf(_SC_OPEN_MAX); file < last && file < 65536; file++)
        close(file);
}

static void must(bool is_done, const char *what)
{
    if (is_done)
        return;
    dprintf(2, "the sandbox cannot be entered: %s: %s\n", what, strerror(errno));
    _exit(126);
}

void sandbox_enter(const struct sandbox *sandbox, pid_t parent, const int *kept, int count)
{
    sandbox_limits_enter(sandbox, parent);
    keep_only(kept, count);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (!sandbox)
        return;
    must(!sandbox->landlock || sandbox_landlock_enter(sandbox), "Landlock");
    must(!sandbox->seccomp || sandbox_seccomp_enter(sandbox), "seccomp");
}
