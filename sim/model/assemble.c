#include "sim/model/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/core/code.h"
#include "sim/ptx/fatbin_elf.h"
#include "sim/ptx/ptx.h"

#ifndef SIM_PTXAS
#define SIM_PTXAS ""
#endif

#define SECONDS_MAX 20
#define CUBIN_MAX   ((size_t)256 << 20)

extern char **environ;

/* ---- files --------------------------------------------------------------------------------------------- */

struct files {
    char directory[256], ptx[288], cubin[288];
};

static bool make_files(struct files *f)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || !*tmp || strlen(tmp) > 200)
        tmp = "/tmp";
    snprintf(f->directory, sizeof f->directory, "%s/labs-sim-XXXXXX", tmp);
    if (!mkdtemp(f->directory))
        return false;
    snprintf(f->ptx, sizeof f->ptx, "%s/kernel.ptx", f->directory);
    snprintf(f->cubin, sizeof f->cubin, "%s/kernel.cubin", f->directory);
    return true;
}

static void remove_files(const struct files *f)
{
    unlink(f->ptx);
    unlink(f->cubin);
    rmdir(f->directory);
}

static bool write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool good = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && good;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    unsigned char *bytes = NULL;
    if (fstat(fileno(file), &info) == 0 && info.st_size > 0 && (size_t)info.st_size <= CUBIN_MAX)
        bytes = malloc((size_t)info.st_size);
    *size = bytes ? fread(bytes, 1, (size_t)info.st_size, file) : 0;
    fclose(file);
    return bytes;
}

/* ---- ptxas --------------------------------------------------------------------------------------------- */

static const char *ptxas_path(void)
{
    const char *chosen = getenv("LABS_SIM_PTXAS");
    return chosen ? chosen : access(SIM_PTXAS, X_OK) == 0 ? SIM_PTXAS : "ptxas";
}

/* Whether the process has ended well; one that takes too long is killed. */
static bool wait_for(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int status;
    for (int i = 0; i < SECONDS_MAX * 500; i++) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        if (ended < 0 && errno != EINTR)
            return false;
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

static bool run_ptxas(const struct files *f, int cc)
{
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%d", cc);
    const char *path = ptxas_path();
    const char *arguments[] = {path, arch, "-lineinfo", f->ptx, "-o", f->cubin, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (!*path || posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool good = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0 &&
                posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
                posix_spawnp(&pid, path, &actions, NULL, (char **)(void *)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return good && wait_for(pid);
}

/* ---- modules and kernels ------------------------------------------------------------------------------- */

static void assemble_module(struct ptx_module *module, int cc)
{
    struct files files;
    free(module->cubin);
    module->cubin = NULL;
    module->cubin_cc = cc;
    if (!module->text || module->is_debug || !make_files(&files))
        return;
    if (write_file(files.ptx, module->text, module->text_length) && run_ptxas(&files, cc))
        module->cubin = read_file(files.cubin, &module->cubin_size);
    remove_files(&files);
}

static struct machine_code *read_kernel(struct sim_kernel *kernel, const struct ptx_module *module, int cc)
{
    struct cubin_code code;
    struct fatbin_kernel_info info;
    const char *name = kernel->func->name;
    if (!module->cubin || !cubin_code_read(module->cubin, module->cubin_size, name, module->text,
                                           module->text_length, cc, &code))
        return NULL;
    bool known = fatbin_elf_kernel_info(module->cubin, module->cubin_size, name, &info);
    if (known && info.registers > 0) {
        kernel->info.registers = info.registers;
        kernel->info.registers_exact = true;
    }
    struct machine_code *machine = machine_code_create(&code, kernel->code);
    if (machine && known)
        machine->frame_bytes = info.frame_bytes;
    return machine;
}

/* The module in whose text the function stands. */
static struct ptx_module *text_of(const struct ptx_func *func)
{
    const struct ptx_module *linked = func->module;
    for (int m = 0; m < linked->part_count; m++)
        for (int i = 0; i < linked->parts[m]->func_count; i++)
            if (linked->parts[m]->funcs[i] == func)
                return linked->parts[m];
    return func->module;
}

/* The same, if it has all that the kernel calls. (ptxas refuses it if another kernel of it calls elsewhere.) */
static struct ptx_module *whole_text_of(const struct sim_kernel *kernel)
{
    struct ptx_module *module = text_of(kernel->func);
    for (int i = 1; i < kernel->code->function_count; i++)
        if (text_of(kernel->code->functions[i].func) != module)
            return NULL;
    return module;
}

const struct machine_code *assemble_kernel(struct sim_kernel *kernel, const struct sim_profile *profile)
{
    struct ptx_module *module = whole_text_of(kernel);
    if (!module)
        return NULL;
    int cc = profile->cc_major * 10 + profile->cc_minor;
    if (cc < module->target)
        cc = module->target; /* the oldest GPU that the PTX is for */
    if (kernel->machine_cc == cc)
        return kernel->machine;
    if (module->cubin_cc != cc)
        assemble_module(module, cc);
    machine_code_free(kernel->machine);
    kernel->machine = read_kernel(kernel, module, cc);
    kernel->machine_cc = cc;
    return kernel->machine;
}
