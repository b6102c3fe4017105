/*
 * Address space and pages from the host: two equal ranges, one of device addresses that the host must not
 * touch, one with the bytes. Both cost address space only; pages come as they are used.
 */
#include "sim/memory/memory.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Asked for first, so that addresses are the same in every run; the host may put the ranges elsewhere. Both are far from where
 * it puts a program's own memory: a process that does again what another one did (sim/api/api_follow.h) needs the addresses of that.
 */
#define DEVICE_BASE_HINT  ((void *)UINT64_C(0x200000000000))
#define BACKING_BASE_HINT ((void *)UINT64_C(0x300000000000))
#define SMALLEST_RANGE    ((size_t)16 << 20)
#define RANGE_GRANULARITY ((size_t)2 << 20)

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void *reserve_range(void *hint, size_t size)
{
    void *p = mmap(hint, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, size, MADV_DONTDUMP);
    return p;
}

/* Under a limit on address space (ulimit -v) the ranges may take a quarter of it together. */
static size_t limit_to_address_space(size_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && wanted > limit.rlim_cur / 8)
        wanted = (size_t)(limit.rlim_cur / 8);
    return wanted;
}

bool memory_reserve(struct memory *memory, size_t wanted)
{
    size_t size = limit_to_address_space(wanted);
    for (; size >= SMALLEST_RANGE; size /= 2) {
        size_t rounded = size & ~(RANGE_GRANULARITY - 1);
        void *device = reserve_range(DEVICE_BASE_HINT, rounded);
        void *backing = device ? reserve_range(BACKING_BASE_HINT, rounded) : NULL;
        if (backing) {
            memory->device_base = (uint64_t)(uintptr_t)device;
            memory->backing = backing;
            memory->reserved = rounded;
            madvise(backing, rounded, MADV_HUGEPAGE);
            return true;
        }
        if (device)
            munmap(device, rounded);
    }
    return false;
}

void memory_unreserve(struct memory *memory)
{
    if (memory->backing)
        munmap(memory->backing, memory->reserved);
    if (memory->device_base)
        munmap((void *)(uintptr_t)memory->device_base, memory->reserved);
}

bool memory_commit(struct memory *memory, size_t end)
{
    const size_t step = RANGE_GRANULARITY;
    if (end <= memory->committed)
        return true;
    size_t target = (end + step - 1) & ~(step - 1);
    if (target > memory->reserved)
        target = memory->reserved;
    if (end > target)
        return false;
    unsigned char *from = memory->backing + memory->committed;
    if (mprotect(from, target - memory->committed, PROT_READ | PROT_WRITE) != 0)
        return false;
    memory->committed = target;
    return true;
}

void memory_discard(struct memory *memory, size_t offset, size_t size)
{
    size_t page = page_size();
    size_t first = (offset + page - 1) / page * page, end = (offset + size) / page * page;
    if (end > first)
        madvise(memory->backing + first, end - first, MADV_DONTNEED);
}

/* The number in a line "NAME: 123 kB" of /proc/meminfo, in bytes. */
static bool meminfo_bytes(const char *name, uint64_t *bytes)
{
    FILE *f = fopen("/proc/meminfo", "r");
    if (!f)
        return false;
    char line[256];
    bool found = false;
    while (!found && fgets(line, sizeof line, f)) {
        unsigned long long kilobytes;
        size_t n = strlen(name);
        if (strncmp(line, name, n) == 0 && line[n] == ':' && sscanf(line + n + 1, "%llu", &kilobytes) == 1) {
            *bytes = (uint64_t)kilobytes * 1024;
            found = true;
        }
    }
    fclose(f);
    return found;
}

static bool number_in_file(const char *path, uint64_t *value)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    unsigned long long n;
    bool ok = fscanf(f, "%llu", &n) == 1; /* "max" is no number: no limit */
    fclose(f);
    *value = ok ? n : 0;
    return ok;
}

bool memory_host_has(size_t size)
{
    const size_t too_small_to_ask = (size_t)32 << 20;
    if (size < too_small_to_ask)
        return true;
    uint64_t available, limit, used;
    if (meminfo_bytes("MemAvailable", &available) && size > available - available / 16)
        return false;
    if (number_in_file("/sys/fs/cgroup/memory.max", &limit) &&
        number_in_file("/sys/fs/cgroup/memory.current", &used) && (used > limit || size > limit - used))
        return false;
    return true;
}

bool memory_host_mapped(uint64_t address)
{
    size_t page = page_size();
    unsigned char resident;
    return mincore((void *)(uintptr_t)(address / page * page), page, &resident) == 0;
}

void *memory_map_lazily(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, size, MADV_DONTDUMP);
    return p;
}

void memory_unmap(void *pointer, size_t size)
{
    if (pointer)
        munmap(pointer, size);
}
