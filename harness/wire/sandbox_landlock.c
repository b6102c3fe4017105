/* Which files: Landlock, by direct system calls. */
#define _GNU_SOURCE /* O_PATH */
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/wire/sandbox.h"

/* As in linux/landlock.h, which may be older than the kernel. The numbers are the same on all machines. */
#define CREATE_RULESET 444
#define ADD_RULE       445
#define RESTRICT_SELF  446
#define ASK_VERSION    1u
#define PATH_BENEATH   1

enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    VERSION_1 = (1 << 13) - 1, /* all rights of the first version, from EXECUTE to MAKE_SYM */
    MAKE_SPECIAL = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11,
    REFER = 1 << 13,     /* since version 2 */
    TRUNCATE = 1 << 14,  /* 3 */
    IOCTL_DEV = 1 << 15, /* 5 */
    FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
};
#define SCOPES 3u /* since version 6: abstract sockets, and signals, of processes outside */
#define PORTS  3u /* since version 4: bind and connect of TCP */

struct ruleset {
    uint64_t files, ports, scopes;
};
struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

int sandbox_landlock_version(void)
{
    const long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
    return version > 0 ? (int)version : 0;
}

static uint64_t handled(int version)
{
    return VERSION_1 | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0) |
           (version >= 5 ? IOCTL_DEV : 0);
}

static uint64_t allowed(unsigned rights)
{
    uint64_t is = 0;
    if (rights & SANDBOX_READ)
        is |= READ_FILE | READ_DIR;
    if (rights & SANDBOX_EXECUTE)
        is |= EXECUTE;
    if (rights & SANDBOX_DEVICE)
        is |= READ_FILE | READ_DIR | WRITE_FILE | IOCTL_DEV;
    if (rights & SANDBOX_WRITE)
        is |= (VERSION_1 & ~(EXECUTE | MAKE_SPECIAL)) | REFER | TRUNCATE;
    return is;
}

/* What is not there needs no rule. */
static bool add(int ruleset, const struct sandbox_grant *grant, uint64_t all)
{
    struct stat info;
    struct beneath rule = {.allowed = allowed(grant->rights) & all,
                           .parent = open(grant->path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return true;
    if (fstat(rule.parent, &info) == 0 && !S_ISDIR(info.st_mode))
        rule.allowed &= FILES;
    const bool is_added = syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent);
    return is_added;
}

bool sandbox_landlock_enter(const struct sandbox *sandbox)
{
    const int version = sandbox->landlock;
    const struct ruleset wanted = {
        .files = handled(version), .ports = version >= 4 ? PORTS : 0, .scopes = version >= 6 ? SCOPES : 0};
    const size_t size = version >= 6   ? sizeof wanted
                        : version >= 4 ? sizeof wanted - sizeof wanted.scopes
                                       : sizeof wanted.files;
    const int ruleset = (int)syscall(CREATE_RULESET, &wanted, size, 0);
    bool good = ruleset >= 0;
    for (int i = 0; good && i < sandbox->count; i++)
        good = add(ruleset, &sandbox->grant[i], wanted.files);
    good = good && syscall(RESTRICT_SELF, ruleset, 0) == 0;
    if (ruleset >= 0)
        close(ruleset);
    return good;
}
