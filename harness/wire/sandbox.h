/*
 * What runs a student's code, or compiles it, is confined by the kernel, without any right or package: Landlock (which
 * files), seccomp (which system calls), limits, a session of its own, none of root's rights, no open files but the wire,
 * an environment of what is needed. What the kernel lacks is left out and told: sandbox_says.
 *
 * A worker reads the system's folders, the toolkit and itself, writes to the grading's scratch folder, and starts no
 * program but addr2line and ptxas. A compiler starts others, and reads what its sandbox was granted.
 */
#ifndef HARNESS_SANDBOX_H
#define HARNESS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SANDBOX_GRANTS 256 /* more are left out, so that the files cannot be reached */

enum sandbox_mode { SANDBOX_AUTO, SANDBOX_REQUIRED, SANDBOX_OFF };
enum sandbox_kind { SANDBOX_WORKER, SANDBOX_COMPILER };

/* What may be done to a file, or to all below a folder. */
enum sandbox_right { SANDBOX_READ = 1, SANDBOX_EXECUTE = 2, SANDBOX_DEVICE = 4, SANDBOX_WRITE = 8 };

/* Made before fork; the child only makes system calls with it. */
struct sandbox {
    enum sandbox_kind kind;
    bool gpu;     /* a worker that uses one: its devices, and what CUDA's driver does when it starts */
    int landlock; /* the kernel's version of it; 0: it has none */
    bool seccomp;
    long tasks;         /* processes and threads that the user may have; 0: as many as before */
    char **environment; /* owned */
    int count;
    struct sandbox_grant {
        char *path; /* owned */
        unsigned rights;
    } grant[SANDBOX_GRANTS];
};

/*
 * Once, before the first worker: looks what the kernel has, and makes the scratch folder. `ptxas` is the toolkit's; "":
 * it is not known. False, with `message`: SANDBOX_REQUIRED, and something is missing.
 */
bool sandbox_begin(enum sandbox_mode mode, const char *ptxas, char message[512]);
/* Every sandbox may read `source`, and what was included when it was built: `list` is make's, of names from `root` on. */
void sandbox_allow(const char *source, const char *list, const char *root);
const char *sandbox_folder(void); /* the scratch folder, of which a worker sees a part; "": there is none */
/* Removes the scratch folder with all that was left in it. */
void sandbox_end(void);
/* "Landlock 7, seccomp, limits"; "off". */
const char *sandbox_says(void);

bool sandbox_is_on(void);

/* Of what the worker takes more than it may, in words: memory, or room in the scratch folder. False: of nothing. */
bool sandbox_is_exceeded(pid_t worker, char *what, size_t size);
void sandbox_clear(void); /* what workers have left in the scratch folder */

/* For `program`, which can then be started. NULL: the sandbox is off; or it is on, and there is no memory. */
struct sandbox *sandbox_create(enum sandbox_kind kind, const char *program);
void sandbox_grant(struct sandbox *sandbox, const char *path, unsigned rights);
void sandbox_free(struct sandbox *sandbox);

/*
 * In the child, between fork and exec. The descriptors `kept` become 3, 4, ..., all others above 2 are closed. If anything
 * fails that the kernel has, the child ends with a line on standard error. `sandbox` NULL: it is off.
 */
void sandbox_enter(const struct sandbox *sandbox, pid_t parent, const int *kept, int count);

/* The pieces, each in its file. */
int sandbox_landlock_version(void);
bool sandbox_landlock_enter(const struct sandbox *sandbox);
bool sandbox_seccomp_exists(void);
bool sandbox_seccomp_enter(const struct sandbox *sandbox);
bool sandbox_limits_memory(pid_t process, char *what, size_t size);
void sandbox_limits_enter(const struct sandbox *sandbox, pid_t parent);
long sandbox_limits_tasks(void); /* for struct sandbox */

#endif
