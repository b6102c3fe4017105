/* A drawing of what the 32 lanes of a warp accessed. */
#include <stdlib.h>
#include <string.h>

#include "harness/judge/compare.h"
#include "harness/lab/real.h"
#include "harness/report/story.h"

#define LANES      32
#define PER_ROW    8
#define SECTOR     32u
#define BANKS      32u
#define BANK_WIDTH 4u

/* One warp's access, in elements of what it accessed. */
struct drawing {
    const struct protocol_lanes *lanes;
    int buffer;    /* of the call; -1: none of them */
    char name[64]; /* "d_x"; of other memory, how it is counted */
    uint64_t base; /* address of element 0 */
    int marked;    /* the lane in question, or -1 */
};

#define NEAR 4096 /* bytes beside an array in which an address is still taken for one of its elements */

int story_buffer_at(const struct call *call, const struct protocol_mailbox *mailbox, uint64_t address)
{
    uint64_t least = NEAR;
    int found = -1;
    for (int i = 0; i < call->run.buffer_count; i++) {
        const struct lab_buffer *buffer = &call->run.buffer[i];
        const uint64_t bytes = (uint64_t)buffer->count * lab_type_size(buffer->type);
        const uint64_t begin = mailbox->buffer_address[i];
        const uint64_t away = address < begin            ? begin - address
                              : address >= begin + bytes ? address - begin - bytes + 1
                                                         : 0;
        if (!buffer->on_host && away < least) {
            least = away;
            found = i;
        }
    }
    return found;
}

static uint64_t lowest(const struct protocol_lanes *lanes)
{
    uint64_t address = UINT64_MAX;
    for (int lane = 0; lane < LANES; lane++)
        if ((lanes->lanes >> lane & 1) && lanes->address[lane] < address)
            address = lanes->address[lane];
    return address;
}

/* That any of the lanes uses; -1: none of the call's. */
static int buffer_of(const struct call *call, const struct protocol_mailbox *mailbox,
                     const struct protocol_lanes *lanes)
{
    int buffer = -1;
    for (int lane = 0; lane < LANES && buffer < 0 && !lanes->is_shared; lane++)
        if (lanes->lanes >> lane & 1)
            buffer = story_buffer_at(call, mailbox, lanes->address[lane]);
    return buffer;
}

static void name_memory(struct drawing *d, const struct call *call, const struct protocol_mailbox *mailbox)
{
    const int buffer = buffer_of(call, mailbox, d->lanes);
    if (buffer >= 0) {
        text_set(d->name, sizeof d->name, "%s", call->run.buffer[buffer].name);
        d->base = mailbox->buffer_address[buffer];
    } else if (d->lanes->is_shared) {
        text_set(d->name, sizeof d->name, "shared memory");
        d->base = 0;
    } else {
        text_set(d->name, sizeof d->name, "memory, from the lowest address on");
        d->base = lowest(d->lanes);
    }
}

/* The lane of the thread that was asked for; -1: none was. Threads of a warp are numbered as in one row. */
static int find_marked(const struct protocol_mailbox *mailbox, const struct protocol_question *question,
                       const struct protocol_lanes *lanes)
{
    const uint32_t *at = question->thread.thread;
    if (!question->has_thread || lanes->first.launch < 0 ||
        (uint32_t)lanes->first.launch >= mailbox->launch_count ||
        lanes->first.launch >= PROTOCOL_MAX_LAUNCHES)
        return -1;
    const uint32_t *block = mailbox->launch[lanes->first.launch].block;
    return (int)((at[0] + block[0] * (at[1] + block[1] * at[2])) % LANES);
}

/* Elements are as wide as what a lane accesses, but at least the width of `real` is one element. */
static long long element(const struct drawing *d, int lane)
{
    const int64_t width = d->lanes->size < sizeof(real) ? d->lanes->size : (int64_t)sizeof(real);
    const int64_t bytes = (int64_t)(d->lanes->address[lane] - d->base);
    return (long long)(bytes / (width > 0 ? width : 1));
}

static void draw_lanes(FILE *out, const struct drawing *d)
{
    for (int row = 0; row < LANES; row += PER_ROW) {
        fprintf(out, "    lanes %2d to %2d ", row, row + PER_ROW - 1);
        for (int lane = row; lane < row + PER_ROW; lane++)
            if (d->lanes->lanes >> lane & 1)
                fprintf(out, " %c%7lld", lane == d->marked ? '*' : ' ', element(d, lane));
            else
                fprintf(out, " %8s", "-");
        fputc('\n', out);
    }
}

static int count_of(uint32_t lanes)
{
    return __builtin_popcount(lanes);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Units of so many bytes that the lanes touch, each once, in ascending order; returns how many. */
static int units(const struct protocol_lanes *lanes, uint64_t size, uint64_t unit[LANES * 16])
{
    int count = 0, kept = 0;
    for (int lane = 0; lane < LANES; lane++)
        for (uint64_t at = lanes->address[lane] / size * size;
             (lanes->lanes >> lane & 1) && at < lanes->address[lane] + lanes->size && count < LANES * 16;
             at += size)
            unit[count++] = at / size;
    qsort(unit, (size_t)count, sizeof *unit, ascending);
    for (int i = 0; i < count; i++)
        if (i == 0 || unit[i] != unit[kept - 1])
            unit[kept++] = unit[i];
    return kept;
}

/* Global memory moves in sectors. */
static void draw_sectors(FILE *out, const struct drawing *d)
{
    uint64_t unit[LANES * 16];
    const int sectors = units(d->lanes, SECTOR, unit);
    const unsigned bytes = (unsigned)count_of(d->lanes->lanes) * d->lanes->size;
    const unsigned packed = (bytes + SECTOR - 1) / SECTOR; /* lanes that share an element need fewer */
    const unsigned least = packed < (unsigned)sectors ? packed : (unsigned)sectors;
    fprintf(out, "    They touch %d sector%s of 32 bytes; %u would be enough for these bytes.\n", sectors,
            sectors == 1 ? "" : "s", least);
    if ((unsigned)sectors >= 4 * least)
        fprintf(out, "    Neighboring lanes should use neighboring elements: this access is uncoalesced.\n");
}

/* Shared memory: how many different words each bank must serve. Accesses of 8 and 16 bytes go in parts. */
static void draw_banks(FILE *out, const struct drawing *d)
{
    uint64_t word[LANES * 16];
    int in_bank[BANKS] = {0}, most = 0;
    if (d->lanes->size > BANK_WIDTH)
        return;
    const int words = units(d->lanes, BANK_WIDTH, word);
    for (int i = 0; i < words; i++)
        if (++in_bank[word[i] % BANKS] > most)
            most = in_bank[word[i] % BANKS];
    fprintf(out, "    words per bank, banks 0 to 31: ");
    for (unsigned bank = 0; bank < BANKS; bank++)
        fputc(in_bank[bank] == 0 ? '.' : in_bank[bank] < 10 ? '0' + in_bank[bank] : '#', out);
    fputc('\n', out);
    if (most > 1)
        fprintf(out, "    A bank serves one word at a time: this access takes %d turns (a bank conflict).\n",
                most);
}

static void draw_title(FILE *out, const struct drawing *d, const struct protocol_question *question)
{
    const struct protocol_thread *first = &d->lanes->first;
    const uint32_t *block = first->block;
    fprintf(out, "\n%s:%d: elements of %s that one warp %s", text_file_name(question->place.file),
            question->place.line, d->name,
            d->lanes->is_atomic  ? "updates (atomic)"
            : d->lanes->is_store ? "stores"
                                 : "loads");
    if (block[1] || block[2])
        fprintf(out, " (block (%u,%u,%u), threads %u to %u)\n", block[0], block[1], block[2],
                first->thread[0], first->thread[0] + LANES - 1);
    else
        fprintf(out, " (block %u, threads %u to %u)\n", block[0], first->thread[0],
                first->thread[0] + LANES - 1);
}

void story_draw(FILE *out, const struct call *call, const struct protocol_mailbox *mailbox,
                const struct protocol_question *question, const struct protocol_lanes *lanes)
{
    struct drawing d = {.lanes = lanes};
    if (lanes->size == 0 || lanes->size > 16 || lanes->lanes == 0)
        return;
    name_memory(&d, call, mailbox);
    d.marked = find_marked(mailbox, question, lanes);
    draw_title(out, &d, question);
    draw_lanes(out, &d);
    if (d.marked >= 0)
        fprintf(out, "    (* the lane in question%s)\n",
                lanes->lanes == UINT32_MAX ? "" : "; - lanes that do not take part");
    if (lanes->is_shared)
        draw_banks(out, &d);
    else
        draw_sectors(out, &d);
}
