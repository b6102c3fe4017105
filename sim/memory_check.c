/*
 * From the addresses of a warp's lanes to host addresses, all checked. The usual access, neighbouring
 * lanes inside the allocation that the same instruction hit before, costs a few nanoseconds: its loops
 * have no branch, so that the compiler's vector units run them.
 */
#include "memory.h"

#define REMEMBERED 16 /* instructions whose last allocation is kept; indexed by their number */
#define ALL_LANES  UINT32_MAX

struct remembered {
    uint64_t generation; /* of the memory when the entry was made: equal means still valid */
    uint64_t address, size;
    struct allocation *allocation;
};

/* Each host thread that runs blocks has its own. */
static _Thread_local struct remembered remembered[REMEMBERED];

static struct allocation *find_allocation(const struct memory *memory, int pc, uint64_t address)
{
    struct remembered *r = &remembered[(unsigned)pc % REMEMBERED];
    if (r->generation == memory->generation && address - r->address < r->size)
        return r->allocation;
    struct allocation *a = memory_at(memory, address);
    if (a)
        *r = (struct remembered){memory->generation, a->info.address, a->info.size, a};
    return a;
}

struct allocation *memory_recent(const struct memory *memory, int pc, uint64_t address)
{
    return find_allocation(memory, pc, address);
}

/* What one pass over the lanes' addresses finds out; bits that are zero are good news. */
struct survey {
    uint64_t outside;     /* sign bit: some lane leaves the range */
    uint64_t low_bits;    /* all addresses or'ed: for the alignment */
    uint64_t not_uniform; /* some lane's address differs from the first's */
    uint64_t not_contiguous;
};

/*
 * Lanes first .. first + count - 1, all active. An offset below 0 and one beyond the last possible start
 * both set a sign bit, since neither range nor difference reaches half of the address space.
 */
static inline struct survey survey_run(const uint64_t *address, int count, uint64_t low, uint64_t last_start,
                                       uint64_t size)
{
    struct survey s = {0, 0, 0, 0};
    uint64_t first = address[0];
    for (int i = 0; i < count; i++) {
        uint64_t offset = address[i] - low;
        s.outside |= offset | (last_start - offset);
        s.low_bits |= address[i];
        s.not_uniform |= address[i] ^ first;
        s.not_contiguous |= address[i] ^ (first + (uint64_t)i * size);
    }
    return s;
}

static inline enum access_shape shape_of(const struct survey *s)
{
    if (!s->not_contiguous)
        return SHAPE_CONTIGUOUS;
    return s->not_uniform ? SHAPE_SCATTERED : SHAPE_UNIFORM;
}

static inline bool is_run(uint32_t lanes)
{
    uint32_t shifted = lanes >> __builtin_ctz(lanes);
    return (shifted & (shifted + 1)) == 0;
}

/* Any set of lanes: one after the other. */
static struct survey survey_lanes(const struct access *access, uint64_t low, uint64_t last_start)
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

static struct survey survey_any(const struct access *access, uint64_t low, uint64_t last_start)
{
    uint32_t lanes = access->lanes;
    if (lanes == ALL_LANES)
        return survey_run(access->address, 32, low, last_start, (uint64_t)access->size);
    if (is_run(lanes))
        return survey_run(access->address + __builtin_ctz(lanes), __builtin_popcount(lanes), low, last_start,
                          (uint64_t)access->size);
    return survey_lanes(access, low, last_start);
}

enum access_shape access_find_shape(struct access *access)
{
    if (access->shape == SHAPE_UNKNOWN) {
        struct survey s = survey_any(access, 0, 0);
        access->shape = shape_of(&s);
    }
    return access->shape;
}

/* Whether all lanes lie in [low, low + size) and are aligned. */
static bool check_range(struct access *access, uint64_t low, uint64_t size)
{
    if (size < (uint64_t)access->size)
        return false;
    struct survey s = survey_any(access, low, size - (uint64_t)access->size);
    access->shape = shape_of(&s);
    return !((s.outside >> 63) | (s.low_bits & ((uint64_t)access->size - 1)));
}

/* Idle lanes have any address: numbers are added, not pointers. */
static void fill_host(const struct access *access, uint64_t to_host, unsigned char *host[32])
{
    for (int i = 0; i < 32; i++)
        host[i] = (unsigned char *)(uintptr_t)(access->address[i] + to_host);
}

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

/* Lanes in several allocations, or a fault: lane by lane, lowest first. */
static enum sim_status resolve_global_slowly(const struct block_view *block, unsigned warp,
                                             const struct access *access, unsigned char *host[32],
                                             char message[1024])
{
    for (uint32_t rest = access->lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (!lane_is_good(block->sim->memory, access, lane, host))
            return memory_fault(block, warp, access, lane, message);
    }
    return SIM_OK;
}

/* Bytes that are stored while nobody watches count as written ever after. */
static void note_unwatched_store(const struct block_view *block, struct allocation *a,
                                 const struct access *access)
{
    if (access->kind != ACCESS_LOAD && !block->sim->config.hazards)
        a->written.all = true;
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
        note_unwatched_store(block, a, access);
        if (plain && check_range(access, a->info.address, a->info.size)) {
            fill_host(access, to_host, host);
            return SIM_OK;
        }
    }
    access_find_shape(access);
    return resolve_global_slowly(block, warp, access, host, message);
}

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
    if (!check_range(access, 0, size))
        return memory_fault(block, warp, access, faulty_lane(access, size), message);
    if (block->local) {
        uint64_t window = (uint64_t)(uintptr_t)block->local + (uint64_t)warp * 32 * block->local_size;
        for (int lane = 0; lane < 32; lane++, window += block->local_size)
            host[lane] = (unsigned char *)(uintptr_t)(window + access->address[lane]);
    }
    return SIM_OK;
}

enum sim_status memory_resolve(const struct block_view *block, unsigned warp, struct access *access,
                               unsigned char *host[32], char message[1024])
{
    if (access->lanes == 0)
        return SIM_OK;
    switch (access->space) {
    case PTX_SHARED:
        if (!check_range(access, 0, block->shared_size))
            return memory_fault(block, warp, access, faulty_lane(access, block->shared_size), message);
        fill_host(access, (uint64_t)(uintptr_t)block->shared, host);
        return SIM_OK;
    case PTX_LOCAL: return resolve_local(block, warp, access, host, message);
    default: return resolve_global(block, warp, access, host, message);
    }
}
