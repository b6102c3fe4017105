/* Limits, a session of its own, and none of root's rights. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/wire/sandbox.h"

#define FILE_BYTES    (1ul << 30) /* that one file may have */
#define FILES         1024        /* open at a time */
#define CPU_SECONDS   3600        /* of one process: what is left behind ends some time */
#define COMPILE_CPU   60          /* ten times what the largest lab needs */
#define COMPILE_BYTES (8ul << 30)
#define MEMORY_BYTES  (UINT64_C(16) << 30)
#define LOCKED_BYTES  (1ul << 20) /* that cannot be paged out */
#define MORE_TASKS    1024        /* processes and threads, beside those that the user has already */

/* At the lower one of time there is a signal with a name of its own, which nvcc tells; at the upper one the end. */
static void limit(int what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return;
    const rlim_t value = now.rlim_max < most ? now.rlim_max : most;
    const struct rlimit new = {value, what == RLIMIT_CPU && now.rlim_max - value > 5 ? value + 5 : value};
    setrlimit(what, &new);
}

/* Threads of a process, where it is the user's; else 0. */
static long threads_of(int proc, const char *process, uid_t user)
{
    char path[300], text[4096], *at;
    snprintf(path, sizeof path, "%.20s/status", process);
    const int file = openat(proc, path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    if (length <= 0)
        return 0;
    text[length] = 0;
    if (!(at = strstr(text, "\nUid:")) || (uid_t)strtoul(at + 5, NULL, 10) != user)
        return 0;
    return (at = strstr(text, "\nThreads:")) ? strtol(at + 9, NULL, 10) : 0;
}

/* The kernel counts all of a user's. It does not count root's. */
long sandbox_limits_tasks(void)
{
    long count = 0;
    DIR *folder = getuid() == 0 ? NULL : opendir("/proc");
    if (!folder)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
            count += threads_of(dirfd(folder), entry->d_name, getuid());
    closedir(folder);
    return count + MORE_TASKS;
}

/* Where memory ends, this ends first. The grader is not dumpable, and so its child's files in /proc are root's. */
static void be_first_to_go(void)
{
    const int was = prctl(PR_GET_DUMPABLE);
    prctl(PR_SET_DUMPABLE, 1);
    const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, "1000", 4) == 4)
        close(file);
    prctl(PR_SET_DUMPABLE, was);
}

/* Root keeps its number and nothing else: PR_SET_NO_NEW_PRIVS, and exec does not give it back. */
static void drop_rights(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};
    syscall(SYS_capset, &header, none);
}

/* `ulimit -m` of the grader, of which the kernel makes nothing; else 16 GiB, or three quarters of what there is. */
static uint64_t most_memory(void)
{
    struct rlimit asked;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), there = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
    if (getrlimit(RLIMIT_RSS, &asked) == 0 && asked.rlim_cur != RLIM_INFINITY)
        return asked.rlim_cur;
    return there / 4 * 3 < MEMORY_BYTES ? there / 4 * 3 : MEMORY_BYTES;
}

/* A limit of the address space would not do: much more is reserved than used. */
bool sandbox_limits_memory(pid_t process, char *what, size_t size)
{
    char path[64];
    unsigned long whole, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%lu %lu", &whole, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    if (resident * (uint64_t)sysconf(_SC_PAGESIZE) <= most_memory())
        return false;
    snprintf(what, size, "it had taken more than %.1f GiB of memory", (double)most_memory() / (1 << 30));
    return true;
}

void sandbox_limits_enter(const struct sandbox *sandbox, pid_t parent)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    be_first_to_go();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, FILE_BYTES);
    if (!sandbox)
        return;
    limit(RLIMIT_NOFILE, FILES);
    limit(RLIMIT_MEMLOCK, LOCKED_BYTES);
    limit(RLIMIT_CPU, sandbox->kind == SANDBOX_COMPILER ? COMPILE_CPU : CPU_SECONDS);
    if (sandbox->kind == SANDBOX_COMPILER)
        limit(RLIMIT_AS, COMPILE_BYTES);
    if (sandbox->tasks > 0)
        limit(RLIMIT_NPROC, (rlim_t)sandbox->tasks);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    drop_rights();
}
