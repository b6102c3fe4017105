/* Which system calls: a seccomp filter. It refuses; what it does not name is allowed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/wire/sandbox.h"

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#define NEWEST 470 /* the last call that this list knows; later ones do not exist here */

/* Never needed, not by a compiler either: other processes, the network, mounts, keys, what is left in the kernel. */
static const unsigned short refused[] = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_migrate_pages, /* */
    424 /* pidfd_send_signal */,
    434 /* pidfd_open */,
    438 /* pidfd_getfd */,
    440 /* process_madvise */,
    448 /* process_mrelease */,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo, /* */
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr, /* */
    SYS_connect,
    SYS_accept,
    SYS_accept4, /* */
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_swapon,
    SYS_swapoff,
    428 /* open_tree */,
    429 /* move_mount */,
    430 /* fsopen */,
    431,
    432,
    433 /* fspick */,
    442 /* mount_setattr */,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_quotactl,
    443 /* quotactl_fd */, /* */
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_fanotify_init,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_acct,
    SYS_syslog,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime, /* */
    SYS_shmget,
    SYS_shmat, /* what another process of the same user has made needs no get */
    SYS_shmctl,
    SYS_msgget,
    SYS_msgctl,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_semget,
    SYS_semctl,
    SYS_semop,
    SYS_semtimedop,
    SYS_mq_open,
    SYS_mq_unlink,
    SYS_vhangup,
#ifdef __x86_64__
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_kexec_file_load,
#endif
};

/* Needed by compilers only: owners, rights and times of files; and what would leave the group that is killed. */
static const unsigned short refused_to_workers[] = {
    SYS_setsid,
    SYS_setpgid, /* */
    SYS_inotify_init1,
    SYS_inotify_add_watch, /* */
    SYS_fchmod,
    SYS_fchmodat,
    452 /* fchmodat2 */,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat, /* */
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    463 /* setxattrat */,
    466 /* removexattrat */,
    469 /* file_setattr */,
#ifdef __x86_64__
    SYS_inotify_init,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
};

/* As if the kernel did not have it: callers then do without. clone3 has its flags where a filter cannot see them. */
static const unsigned short unknown[] = {425 /* io_uring_setup */, 426, 427, 435 /* clone3 */,
                                         447 /* memfd_secret */};

/* CUDA's driver listens at a Unix socket from its start on, so that processes can share memory; no connection is needed. */
static const unsigned short refused_without_gpu[] = {SYS_socket, SYS_bind, SYS_listen};

#define NEW_SPACES (0x7e020080u | 0x8000u) /* clone: namespaces, and a process beside instead of below */

struct program {
    struct sock_filter line[512];
    unsigned short count;
};

static void put(struct program *p, struct sock_filter line)
{
    if (p->count < sizeof p->line / sizeof *p->line)
        p->line[p->count] = line;
    p->count++;
}

static void load(struct program *p, size_t offset)
{
    put(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void give(struct program *p, unsigned answer)
{
    put(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
}

/* The next `count` lines are skipped unless the comparison holds. */
static void unless_skip(struct program *p, unsigned short how, unsigned value, unsigned char count)
{
    put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | how | BPF_K, value, 0, count));
}

static void when_skip(struct program *p, unsigned short how, unsigned value, unsigned char count)
{
    put(p, (struct sock_filter)BPF_JUMP(BPF_JMP | how | BPF_K, value, count, 0));
}

#define NUMBER      offsetof(struct seccomp_data, nr)
#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (size_t)(i)) /* its low half */
#define FAIL(error) (SECCOMP_RET_ERRNO | (error))

static void refuse(struct program *p, const unsigned short *list, size_t count, unsigned error)
{
    for (size_t i = 0; i < count; i++) {
        unless_skip(p, BPF_JEQ, list[i], 1);
        give(p, FAIL(error));
    }
}

/* The call is refused where argument i compares so; afterwards the number is in the accumulator again. */
static void refuse_if(struct program *p, int call, int i, unsigned short how, unsigned value)
{
    unless_skip(p, BPF_JEQ, (unsigned)call, 4);
    load(p, ARGUMENT(i));
    unless_skip(p, how, value, 1);
    give(p, FAIL(EPERM));
    load(p, NUMBER);
}

static void refuse_unless(struct program *p, int call, int i, unsigned value)
{
    unless_skip(p, BPF_JEQ, (unsigned)call, 4);
    load(p, ARGUMENT(i));
    when_skip(p, BPF_JEQ, value, 1);
    give(p, FAIL(EPERM));
    load(p, NUMBER);
}

/* A limit may be lowered by the process itself, as a changed copy does with its time; and it may be asked. */
static void filter_limits(struct program *p)
{
    refuse_unless(p, SYS_setrlimit, 0, RLIMIT_CPU);
    unless_skip(p, BPF_JEQ, SYS_prlimit64, 12);
    load(p, ARGUMENT(0));
    when_skip(p, BPF_JEQ, 0, 1); /* of the caller */
    give(p, FAIL(EPERM));
    load(p, ARGUMENT(1));
    when_skip(p, BPF_JEQ, RLIMIT_CPU, 6);
    when_skip(p, BPF_JEQ, RLIMIT_CORE, 5); /* which sanitizers lower, and which is 0 here */
    load(p, ARGUMENT(2) + 4); /* the address of a new limit: both halves are 0 where it is only asked */
    unless_skip(p, BPF_JEQ, 0, 2);
    load(p, ARGUMENT(2));
    when_skip(p, BPF_JEQ, 0, 1);
    give(p, FAIL(EPERM));
    load(p, NUMBER);
}

/* Signals only to itself: its number is known, for exec keeps it. Landlock 6 says the same of all outside its domain. */
static void filter_signals(struct program *p, int landlock)
{
    if (landlock >= 6)
        return;
    const unsigned self = (unsigned)getpid();
    unless_skip(p, BPF_JEQ, SYS_kill, 5);
    load(p, ARGUMENT(0));
    when_skip(p, BPF_JEQ, self, 2);
    when_skip(p, BPF_JEQ, 0, 1); /* its own group */
    give(p, FAIL(EPERM));
    load(p, NUMBER);
    refuse_unless(p, SYS_tgkill, 0, self);
    unless_skip(p, BPF_JEQ, SYS_tkill, 1);
    give(p, FAIL(EPERM));
}

static void filter_arguments(struct program *p)
{
    refuse_if(p, SYS_clone, 0, BPF_JSET, NEW_SPACES);
    refuse_if(p, SYS_prctl, 0, BPF_JEQ, PR_SET_PDEATHSIG);
    refuse_if(p, SYS_fcntl, 1, BPF_JEQ, F_SETOWN);
    refuse_if(p, SYS_fcntl, 1, BPF_JEQ, 15); /* F_SETOWN_EX */
    refuse_if(p, SYS_ioctl, 1, BPF_JEQ, TIOCSTI);
    refuse_if(p, SYS_ioctl, 1, BPF_JEQ, 0x541c); /* TIOCLINUX */
    refuse_if(p, SYS_ioctl, 1, BPF_JEQ, TIOCSCTTY);
    refuse_if(p, SYS_socketpair, 1, BPF_JSET, 2); /* SOCK_DGRAM, SOCK_RAW: sendto could name any address */
    refuse_unless(p, SYS_sched_setaffinity, 0, 0);
}

static void write_filter(struct program *p, const struct sandbox *sandbox)
{
    load(p, offsetof(struct seccomp_data, arch));
    when_skip(p, BPF_JEQ, MACHINE, 1);
    give(p, SECCOMP_RET_KILL_PROCESS);
    load(p, NUMBER);
#ifdef __x86_64__
    unless_skip(p, BPF_JGE, 0x40000000u, 1); /* the numbers of x32 */
    give(p, SECCOMP_RET_KILL_PROCESS);
#endif
    unless_skip(p, BPF_JGT, NEWEST, 1);
    give(p, FAIL(ENOSYS));
    refuse(p, unknown, sizeof unknown / sizeof *unknown, ENOSYS);
    refuse(p, refused, sizeof refused / sizeof *refused, EPERM);
    if (sandbox->gpu)
        refuse_unless(p, SYS_socket, 0, AF_UNIX);
    else
        refuse(p, refused_without_gpu, sizeof refused_without_gpu / sizeof *refused_without_gpu, EPERM);
    if (sandbox->kind == SANDBOX_WORKER) {
        refuse(p, refused_to_workers, sizeof refused_to_workers / sizeof *refused_to_workers, EPERM);
        filter_arguments(p);
        filter_limits(p);
        filter_signals(p, sandbox->landlock);
    }
    give(p, SECCOMP_RET_ALLOW);
}

bool sandbox_seccomp_exists(void)
{
#ifdef MACHINE
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#else
    return false;
#endif
}

bool sandbox_seccomp_enter(const struct sandbox *sandbox)
{
    static struct program program;
    write_filter(&program, sandbox);
    const struct sock_fprog filter = {.len = program.count, .filter = program.line};
    if (program.count > sizeof program.line / sizeof *program.line)
        return false;
    /* Older kernels would slow a filtered process down, against guesses of its own processor. */
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) == 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
