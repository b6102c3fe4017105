/*
 * What cp.async costs, as Nsight Compute counts it on an H100: found by experiment, one warp and one copy a
 * launch, some 700 patterns of addresses. docs/simulator.md has the rules in words.
 *
 * A copy has two sides, and where a lane reads matters for how the warp writes, and the other way round: its
 * access on either side names the addresses of the other one, `partner`.
 */
#include "sim/model/counter.h"

#define LANES 32
#define LINE  128 /* bytes of a line of L1, and of all banks of shared memory side by side */

static uint64_t line_of(uint64_t address)
{
    return address / LINE;
}

/* ---- .ca: through L1 ----------------------------------------------------------------------------------- */

/* Lanes by the place in a line that they read from, or write to. */
struct places {
    uint32_t readers[LANES], writers[LANES];
};

static struct places find_places(const struct access *access, uint32_t lanes)
{
    const uint64_t size = (uint64_t)access->size;
    struct places places = {{0}, {0}};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (access->partner_lanes >> lane & 1)
            places.readers[access->partner[lane] % LINE / size] |= 1u << lane;
        places.writers[access->address[lane] % LINE / size] |= 1u << lane;
    }
    return places;
}

/*
 * L1 is read, and shared memory written, 128 bytes in a turn, by groups of lanes that ask for so much. Two
 * lanes of a group get in each other's way if they read from one place of their lines, or write to one,
 * whether it is the same line or not. A group takes as many turns as the lane that has most in its way.
 */
static struct wavefronts through_l1(const struct access *access)
{
    struct wavefronts n = {0, 0};
    const uint64_t size = (uint64_t)access->size;
    const int width = (int)(LINE / size);
    for (int first = 0; first < LANES; first += width) {
        uint32_t lanes = access->lanes & (uint32_t)(((UINT64_C(1) << width) - 1) << first);
        struct places places = find_places(access, lanes);
        int most = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            int lane = __builtin_ctz(rest);
            uint32_t in_the_way = places.writers[access->address[lane] % LINE / size];
            if (access->partner_lanes >> lane & 1)
                in_the_way |= places.readers[access->partner[lane] % LINE / size];
            most = __builtin_popcount(in_the_way) > most ? __builtin_popcount(in_the_way) : most;
        }
        n.needed += most;
        n.ideal += lanes != 0;
    }
    return n;
}

/* ---- .cg: past L1 -------------------------------------------------------------------------------------- */

#define CHUNK  16 /* bytes that a lane copies; two are a sector */
#define SECTOR 32

/* A sector of global memory on its way to one of shared memory, for one lane or for two. */
struct delivery {
    uint64_t from, to; /* sectors */
    unsigned taken;    /* halves of `from` */
    unsigned moves;    /* 4 bits a half of `to`: 1 + half of `from`, or 0 */
};

/* Of lanes that write to one place the first is served. */
static uint32_t without_overwritten(const uint64_t *to, uint32_t lanes)
{
    uint32_t kept = lanes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        for (uint32_t later = rest & (rest - 1); later; later &= later - 1) {
            int other = __builtin_ctz(later);
            if (to[lane] == to[other])
                kept &= ~(1u << other);
        }
    }
    return kept;
}

static int find_deliveries(const uint64_t *from, const uint64_t *to, uint32_t lanes,
                           struct delivery deliveries[LANES])
{
    int count = 0;
    for (uint32_t rest = without_overwritten(to, lanes); rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest), i = 0;
        unsigned source = (unsigned)(from[lane] / CHUNK % 2), target = (unsigned)(to[lane] / CHUNK % 2);
        while (i < count && (deliveries[i].from != from[lane] / SECTOR ||
                             deliveries[i].to != to[lane] / SECTOR || (deliveries[i].taken >> source & 1)))
            i++;
        if (i == count)
            deliveries[count++] = (struct delivery){.from = from[lane] / SECTOR, .to = to[lane] / SECTOR};
        deliveries[i].taken |= 1u << source;
        deliveries[i].moves |= (1 + source) << 4 * target;
    }
    return count;
}

/* Whether they may share a turn: lines, halves, and whether even sectors go to odd ones. */
static bool alike(const struct delivery *a, const struct delivery *b)
{
    return a->from * SECTOR / LINE == b->from * SECTOR / LINE &&
           a->to * SECTOR / LINE == b->to * SECTOR / LINE && a->moves == b->moves &&
           ((a->from ^ a->to ^ b->from ^ b->to) & 1) == 0;
}

/* Eight lanes with a line of each memory between them, which the four quarter-warps of many a kernel are. */
static bool copies_lines(const uint64_t *from, const uint64_t *to)
{
    for (int quarter = 0; quarter < 4; quarter++) {
        const int first = 8 * quarter;
        uint64_t far = (from[first] | to[first]) % LINE;
        for (int lane = first; lane < first + 8; lane++) {
            const uint64_t step = (uint64_t)(CHUNK * (lane - first));
            far |= (from[lane] - from[first]) ^ step;
            far |= (to[lane] - to[first]) ^ step;
        }
        for (int before = 0; before < first; before += 8)
            far |= to[before] == to[first];
        if (far)
            return false;
    }
    return true;
}

/* Deliveries that are alike take one turn, if each brings a sector of its own. */
static int turns_past_l1(const uint64_t *from, const uint64_t *to, uint32_t lanes)
{
    if (lanes == UINT32_MAX && copies_lines(from, to))
        return 4;
    struct delivery deliveries[LANES];
    int turn[LANES], turns = 0; /* turn: among those that are alike */
    int count = find_deliveries(from, to, lanes, deliveries);
    for (int i = 0; i < count; i++) {
        turn[i] = 0;
        for (int j = 0; j < i; j++)
            turn[i] += deliveries[j].from == deliveries[i].from && alike(&deliveries[j], &deliveries[i]);
        bool is_new = true;
        for (int j = 0; j < i && is_new; j++)
            is_new = turn[j] != turn[i] || !alike(&deliveries[j], &deliveries[i]);
        turns += is_new;
    }
    return turns;
}

/* Sectors of shared memory, once for each line of global memory that they are filled from. */
static int sectors_past_l1(const uint64_t *from, const uint64_t *to, uint32_t lanes)
{
    if (lanes == UINT32_MAX && copies_lines(from, to))
        return 4 * LINE / SECTOR;
    uint64_t line[LANES], sector[LANES];
    int count = 0;
    for (uint32_t rest = without_overwritten(to, lanes); rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest), i = 0;
        line[count] = line_of(from[lane]);
        sector[count] = to[lane] / SECTOR;
        while (line[i] != line[count] || sector[i] != sector[count])
            i++;
        count += i == count;
    }
    return count;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

int counter_copy_sectors(const struct access *access)
{
    return sectors_past_l1(access->address, access->partner, access->lanes);
}

struct wavefronts counter_copy_wavefronts(const struct access *access)
{
    if (access->path != PATH_BYPASS)
        return through_l1(access);
    int turns = turns_past_l1(access->partner, access->address, access->lanes);
    return (struct wavefronts){turns, turns}; /* none of them counts as a bank conflict */
}
