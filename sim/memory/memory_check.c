/*
 * From the addresses of a warp's lanes to host addresses, all checked. The usual access, neighboring
 * lanes inside the allocation that the same instruction hit before, costs a few nanoseconds: its loops
 * have no branch, so that the compiler's vector units run them.
 */
#include "sim/core/faults.h"
#include "sim/core/kernel.h"
#include "sim/core/simd.h"
#include "sim/memory/memory.h"

#include <string.h>

#define REMEMBERED 16 /* instructions whose last allocation is kept; indexed by their number */

struct remembered {
    uint64_t generation; /* of the memory when the entry was made: equal means still valid */
    uint64_t address, size;
    struct allocation *allocation;
    uint64_t last; /* where the instruction's first lane was, the last time */
};

/* Each host thread that runs blocks has its own. (The model is one that costs a program nothing, and that shared
 * libraries can hold the simulator by.) */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct remembered remembered[REMEMBERED];

static struct allocation *find_allocation(const struct memory *memory, int pc, uint64_t address)
{
    struct remembered *r = &remembered[(unsigned)pc % REMEMBERED];
    if (r->generation == memory->generation && address - r->address < r->size)
        return r->allocation;
    struct allocation *a = memory_at(memory, address);
    if (a)
        *r = (struct remembered){memory->generation, a->info.address, a->info.size, a, address};
    return a;
}

struct allocation *memory_recent(const struct memory *memory, int pc, uint64_t address)
{
    return find_allocation(memory, pc, address);
}

/* ---- patterns ------------------------------------------------------------------------------------------ */

/* Four addresses at once: one or two vector registers. */
typedef uint64_t four __attribute__((vector_size(32), aligned(8), may_alias));

/*
 * Whether address[i] == address[0] + i * step for all i < count; puts the host addresses into host[] on the
 * way. Numbers are added, not pointers: the addresses are not checked yet.
 */
ALWAYS_INLINE bool progress(const uint64_t *address, int count, uint64_t step, uint64_t to_host,
                            unsigned char **host)
{
    uint64_t expected = address[0], rest_differs = 0;
    four next = {expected, expected + step, expected + 2 * step, expected + 3 * step}, differs = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        four a = *(const four *)(address + i);
        differs |= a ^ next;
        *(four *)(host + i) = a + to_host;
        next += 4 * step;
    }
    for (expected = next[0]; i < count; i++, expected += step) {
        rest_differs |= address[i] ^ expected;
        host[i] = (unsigned char *)(uintptr_t)(address[i] + to_host);
    }
    return (differs[0] | differs[1] | differs[2] | differs[3] | rest_differs) == 0;
}

static inline enum access_shape shape_of_step(uint64_t step, uint64_t bytes)
{
    return step == bytes ? SHAPE_CONTIGUOUS : step == 0 ? SHAPE_UNIFORM : SHAPE_SCATTERED;
}

/* Steps beyond this would let addresses wrap around between two that are in range. */
#define LARGEST_STEP (UINT64_C(1) << 40)

/*
 * Lanes in a row whose addresses progress by one step, the usual case: then the first and the last speak for
 * all. True: all lie in [low, low + size) and are aligned, and host[] is filled in, `to_host` being added to
 * each address. False: another pattern, or a fault.
 */
ALWAYS_INLINE bool resolve_progression(struct access *access, uint64_t low, uint64_t size, uint64_t to_host,
                                       unsigned char *host[32])
{
    int lane = __builtin_ctz(access->lanes), count = simd_lane_count(access->lanes);
    const uint64_t *address = access->address + lane;
    uint64_t bytes = (uint64_t)access->size, step = count > 1 ? address[1] - address[0] : bytes;
    uint64_t room = size - bytes, last = address[0] + (uint64_t)(count - 1) * step;
    if (size < bytes || !simd_in_a_row(access->lanes) || step + LARGEST_STEP > 2 * LARGEST_STEP)
        return false;
    if (address[0] - low > room || last - low > room || ((address[0] | step) & (bytes - 1)))
        return false;
    if (address[count - 1] != last || !(count == 32 ? progress(address, 32, step, to_host, host)
                                                    : progress(address, count, step, to_host, host + lane)))
        return false;
    access->shape = shape_of_step(step, bytes);
    return true;
}

/* Whether eight addresses are neighbors (step == bytes) or the same (step == 0). */
ALWAYS_INLINE bool group_progresses(const uint64_t *address, uint64_t step)
{
    four first = (four){0, 1, 2, 3} * (uint64_t)(step != 0),
         second = first; /* 0 or 1 a lane, times the size */
    const int shift = step ? __builtin_ctzll(step) : 0;
    first = (first << shift) + address[0];
    second = (second << shift) + (address[0] + 4 * step);
    four differs = (*(const four *)address ^ first) | (*(const four *)(address + 4) ^ second);
    return (differs[0] | differs[1] | differs[2] | differs[3]) == 0;
}

/* A full warp in tiles of 8, 16 or 32 threads a row: four groups of lanes, each of neighbors or on one
 * address. */
ALWAYS_INLINE bool resolve_groups(struct access *access, uint64_t low, uint64_t size, uint64_t to_host,
                                  unsigned char *host[32])
{
    uint64_t bytes = (uint64_t)access->size, room = size - bytes;
    if (size < bytes || access->lanes != UINT32_MAX)
        return false;
    for (int lane = 0; lane < 32; lane += 8) {
        const uint64_t *address = access->address + lane;
        uint64_t step = address[1] - address[0], last = address[0] + 7 * step;
        if ((step != 0 && step != bytes) || address[0] - low > room || last - low > room ||
            (address[0] & (bytes - 1)) || !group_progresses(address, step))
            return false;
        access->group_shape[lane / 8] = (unsigned char)shape_of_step(step, bytes);
    }
    for (int i = 0; i < 32; i++)
        host[i] = (unsigned char *)(uintptr_t)(access->address[i] + to_host);
    access->shape = SHAPE_SCATTERED; /* one progression over all groups would have been found before */
    return true;
}

/*
 * A full warp in no pattern. An offset below 0 and one beyond the last possible start both set a sign bit, since
 * neither range nor difference reaches half of the address space.
 */
ALWAYS_INLINE bool resolve_full(struct access *access, uint64_t low, uint64_t size, uint64_t to_host,
                                unsigned char *host[32])
{
    const uint64_t bytes = (uint64_t)access->size, last_start = size - bytes;
    four outside = {0, 0, 0, 0}, low_bits = {0, 0, 0, 0};
    if (size < bytes || access->lanes != UINT32_MAX)
        return false;
    for (int i = 0; i < 32; i += 4) {
        const four address = *(const four *)(access->address + i), offset = address - low;
        outside |= offset | (last_start - offset);
        low_bits |= address;
        *(four *)(host + i) = address + to_host;
    }
    if ((outside[0] | outside[1] | outside[2] | outside[3]) >> 63 ||
        ((low_bits[0] | low_bits[1] | low_bits[2] | low_bits[3]) & (bytes - 1)))
        return false;
    access->shape = SHAPE_SCATTERED;
    memset(access->group_shape, 0, sizeof access->group_shape);
    return true;
}

ALWAYS_INLINE bool resolve_pattern(struct access *access, uint64_t low, uint64_t size, uint64_t to_host,
                                   unsigned char *host[32])
{
    return resolve_progression(access, low, size, to_host, host) ||
           resolve_groups(access, low, size, to_host, host) || resolve_full(access, low, size, to_host, host);
}

static bool resolve_baseline(struct access *access, uint64_t low, uint64_t size, uint64_t to_host,
                             unsigned char *host[32])
{
    return resolve_pattern(access, low, size, to_host, host);
}

FOR_AVX2 static bool resolve_avx2(struct access *access, uint64_t low, uint64_t size, uint64_t to_host,
                                  unsigned char *host[32])
{
    return resolve_pattern(access, low, size, to_host, host);
}

/* What a pass over the lanes finds out; bits that are zero are good news. */
struct survey {
    uint64_t outside;     /* sign bit: some lane leaves the range */
    uint64_t low_bits;    /* all addresses or'ed: for the alignment */
    uint64_t not_uniform; /* some lane's address differs from the first's */
    uint64_t not_contiguous;
};

/* Any lanes at any addresses; offsets as in resolve_full. */
ALWAYS_INLINE struct survey survey_lanes(const struct access *access, uint64_t low, uint64_t last_start)
{
    struct survey s = {0, 0, 0, 0};
    uint64_t first = access->address[__builtin_ctz(access->lanes)], expected = first;
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        uint64_t address = access->address[__builtin_ctz(rest)], offset = address - low;
        s.outside |= offset | (last_start - offset);
        s.low_bits |= address;
        s.not_uniform |= address ^ first;
        s.not_contiguous |= address ^ expected;
        expected += (uint64_t)access->size;
    }
    return s;
}

static enum access_shape shape_of(const struct survey *s)
{
    if (!s->not_contiguous)
        return SHAPE_CONTIGUOUS;
    return s->not_uniform ? SHAPE_SCATTERED : SHAPE_UNIFORM;
}

enum access_shape access_find_shape(struct access *access)
{
    if (access->shape == SHAPE_UNKNOWN) {
        struct survey s = survey_lanes(access, 0, 0);
        access->shape = shape_of(&s);
    }
    return access->shape;
}

/*
 * Where the bytes of the active lanes are; the others' entries belong to lanes of the same instruction that lie in
 * another state space. `stride`: from one lane's window to the next one's.
 */
static void add_to_addresses(const struct access *access, uint64_t to_host, uint64_t stride,
                             unsigned char *host[32])
{
    if (access->lanes == UINT32_MAX) {
        for (int i = 0; i < 32; i++, to_host += stride)
            host[i] = (unsigned char *)(uintptr_t)(access->address[i] + to_host);
        return;
    }
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        host[lane] = (unsigned char *)(uintptr_t)(access->address[lane] + to_host + (uint64_t)lane * stride);
    }
}

__attribute__((noinline)) static bool resolve_any(struct access *access, uint64_t low, uint64_t size,
                                                  uint64_t to_host, unsigned char *host[32])
{
    if (size < (uint64_t)access->size)
        return false;
    struct survey s = survey_lanes(access, low, size - (uint64_t)access->size);
    access->shape = shape_of(&s);
    memset(access->group_shape, 0, sizeof access->group_shape);
    if ((s.outside >> 63) | (s.low_bits & ((uint64_t)access->size - 1)))
        return false;
    add_to_addresses(access, to_host, 0, host);
    return true;
}

/* True: all lanes lie in [low, low + size) and are aligned, and host[] is filled in. */
static inline bool resolve_range(struct access *access, uint64_t low, uint64_t size, uint64_t to_host,
                                 unsigned char *host[32])
{
    bool usual = simd_avx2 ? resolve_avx2(access, low, size, to_host, host)
                           : resolve_baseline(access, low, size, to_host, host);
    return usual || resolve_any(access, low, size, to_host, host);
}

/* ---- global memory ------------------------------------------------------------------------------------- */

static int first_lane(const struct access *access)
{
    return __builtin_ctz(access->lanes);
}

static bool is_read_only(const struct allocation *a, const struct access *access, uint64_t address)
{
    if (access->kind == ACCESS_LOAD)
        return false;
    return access->space == PTX_CONST ||
           (address < a->read_only_end && address + (uint64_t)access->size > a->read_only_first);
}

static bool lane_is_good(const struct memory *memory, const struct access *access, int lane,
                         unsigned char *host[32])
{
    uint64_t address = access->address[lane];
    struct allocation *a = find_allocation(memory, access->pc, address);
    if (!a || address - a->info.address > a->info.size - (uint64_t)access->size ||
        a->info.size < (uint64_t)access->size)
        return false;
    if (address % (uint64_t)access->size != 0 || is_read_only(a, access, address))
        return false;
    host[lane] = a->host + (address - a->info.address);
    return true;
}

/* Bytes that are stored while nothing watches count as written ever after. */
static void note_unwatched_store(const struct block_view *block, struct allocation *a, bool is_store)
{
    if (is_store && !block->sim->config.hazards && !block->tracker)
        a->written.all = true;
}

/* Lanes in several allocations, or a fault: lane by lane, lowest first. */
__attribute__((noinline)) static enum sim_status
resolve_global_slowly(const struct block_view *block, unsigned warp, const struct access *access,
                      unsigned char *host[32], char message[1024])
{
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (!lane_is_good(block->sim->memory, access, lane, host))
            return memory_fault(block, warp, access, lane, message);
        note_unwatched_store(block, find_allocation(block->sim->memory, access->pc, access->address[lane]),
                             access->kind != ACCESS_LOAD);
    }
    return SIM_OK;
}

/* Steps below are what the processor foresees by itself: it does not look beyond a page. */
#define SMALLEST_LEAP 4096

/*
 * A loop takes an instruction through memory in equal steps, mostly of a whole grid: what it will want next
 * is fetched now. A wrong guess costs nothing but the time. Returns the step, 0 for one that is near.
 */
ALWAYS_INLINE int64_t look_ahead(int pc, uint64_t first, uint64_t bytes, const unsigned char *host)
{
    struct remembered *r = &remembered[(unsigned)pc % REMEMBERED];
    uint64_t leap = first - r->last;
    r->last = first;
    if (leap + SMALLEST_LEAP <= 2 * SMALLEST_LEAP)
        return 0;
    uint64_t next = (uint64_t)(uintptr_t)host + leap;
    for (uint64_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const void *)(uintptr_t)(next + i));
    return (int64_t)leap;
}

struct allocation *memory_find_row(const struct block_view *block, int pc, uint64_t first, uint64_t bytes,
                                   bool is_store, unsigned char **host, int64_t *leap)
{
    struct allocation *a = find_allocation(block->sim->memory, pc, first);
    if (!a || a->info.size - (first - a->info.address) < bytes ||
        (is_store && a->read_only_first != a->read_only_end))
        return NULL;
    note_unwatched_store(block, a, is_store);
    *host = a->host + (first - a->info.address);
    *leap = look_ahead(pc, first, bytes, *host);
    return a;
}

static enum sim_status resolve_global(const struct block_view *block, unsigned warp, struct access *access,
                                      unsigned char *host[32], char message[1024])
{
    const struct memory *memory = block->sim->memory;
    struct allocation *a = find_allocation(memory, access->pc, access->address[first_lane(access)]);
    if (a) {
        uint64_t to_host = (uint64_t)(uintptr_t)a->host - a->info.address;
        bool plain = access->kind == ACCESS_LOAD ||
                     (access->space != PTX_CONST && a->read_only_first == a->read_only_end);
        note_unwatched_store(block, a, access->kind != ACCESS_LOAD);
        if (plain && resolve_range(access, a->info.address, a->info.size, to_host, host)) {
            const int lane = first_lane(access);
            access->inside = a;
            access->leap =
                look_ahead(access->pc, access->address[lane],
                           access->shape == SHAPE_CONTIGUOUS ? 32 * (uint64_t)access->size : 1, host[lane]);
            return SIM_OK;
        }
    }
    access_find_shape(access);
    return resolve_global_slowly(block, warp, access, host, message);
}

/* ---- windows of a block or a thread -------------------------------------------------------------------- */

/* The lowest lane that leaves [0, size) or is misaligned. */
static int faulty_lane(const struct access *access, uint64_t size)
{
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t offset = access->address[lane], bytes = (uint64_t)access->size;
        if (size < bytes || offset > size - bytes || offset % bytes != 0)
            return lane;
    }
    return first_lane(access);
}

static enum sim_status resolve_local(const struct block_view *block, unsigned warp, struct access *access,
                                     unsigned char *host[32], char message[1024])
{
    size_t size = block->local_size ? block->local_size : block->kernel->info.local_bytes;
    if (access->kind == ACCESS_ATOMIC || !resolve_range(access, 0, size, 0, host))
        return memory_fault(block, warp, access, faulty_lane(access, size), message);
    if (block->local) {
        uint64_t window = (uint64_t)(uintptr_t)block->local + (uint64_t)warp * 32 * block->local_size;
        add_to_addresses(access, window, block->local_size, host);
    }
    return SIM_OK;
}

/* The kernel's parameters are one block of bytes, the same for all threads, read only. */
static enum sim_status resolve_param(const struct block_view *block, unsigned warp, struct access *access,
                                     unsigned char *host[32], char message[1024])
{
    if (access->kind != ACCESS_LOAD ||
        !resolve_range(access, 0, block->param_size, (uint64_t)(uintptr_t)block->param, host))
        return memory_fault(block, warp, access, faulty_lane(access, block->param_size), message);
    return SIM_OK;
}

enum sim_status memory_resolve(const struct block_view *block, unsigned warp, struct access *access,
                               unsigned char *host[32], char message[1024])
{
    if (access->lanes == 0)
        return SIM_OK;
    switch (access->space) {
    case PTX_SHARED:
        if (!resolve_range(access, 0, block->shared_size, (uint64_t)(uintptr_t)block->shared, host))
            return memory_fault(block, warp, access, faulty_lane(access, block->shared_size), message);
        return SIM_OK;
    case PTX_LOCAL: return resolve_local(block, warp, access, host, message);
    case PTX_PARAM: return resolve_param(block, warp, access, host, message);
    default: return resolve_global(block, warp, access, host, message);
    }
}

/* ---- after a fault ------------------------------------------------------------------------------------- */

#define WIDEST 32 /* bytes of one lane's access, and more */

static bool window_lane_is_good(const struct access *access, int lane, uint64_t size, uint64_t to_host,
                                unsigned char *host[32])
{
    uint64_t offset = access->address[lane], bytes = (uint64_t)access->size;
    host[lane] = (unsigned char *)(uintptr_t)(to_host + offset);
    return size >= bytes && offset <= size - bytes && offset % bytes == 0;
}

static bool any_lane_is_good(const struct block_view *block, unsigned warp, const struct access *access,
                             int lane, unsigned char *host[32])
{
    const uint64_t local =
        (uint64_t)(uintptr_t)block->local + ((uint64_t)warp * 32 + (uint64_t)lane) * block->local_size;
    switch (access->space) {
    case PTX_SHARED:
        return window_lane_is_good(access, lane, block->shared_size, (uint64_t)(uintptr_t)block->shared,
                                   host);
    case PTX_LOCAL:
        return access->kind != ACCESS_ATOMIC &&
               window_lane_is_good(access, lane, block->local_size, local, host);
    case PTX_PARAM:
        return access->kind == ACCESS_LOAD &&
               window_lane_is_good(access, lane, block->param_size, (uint64_t)(uintptr_t)block->param, host);
    default: return lane_is_good(block->sim->memory, access, lane, host);
    }
}

uint32_t memory_suppress(const struct block_view *block, unsigned warp, const struct access *access,
                         unsigned char *host[32])
{
    /* Not per thread: a launch goes on after faults on one thread only, and a shared library has little room per thread. */
    static unsigned char poison[WIDEST], lost[32][WIDEST];
    uint32_t bad = 0;
    memset(poison, POISON_BYTE, sizeof poison);
    memset(lost, POISON_BYTE, sizeof lost); /* what an atomic finds there */
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (any_lane_is_good(block, warp, access, lane, host))
            continue;
        host[lane] = access->kind == ACCESS_LOAD ? poison : lost[lane];
        bad |= UINT32_C(1) << lane;
    }
    if (block->faults && access->kind != ACCESS_STORE)
        fault_note_poison(block->faults, block->block_number, warp, bad);
    return bad;
}
