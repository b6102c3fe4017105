/* Drawings of threads: who waits at a barrier, whom a mask names, whose index lies outside of its array. */
#include <string.h>

#include "harness/base/text.h"
#include "harness/cause/internal.h"
#include "harness/judge/compare.h"
#include "harness/report/story.h"

#define LANES 32
#define WARPS 32

/* ---- a barrier ----------------------------------------------------------------------------------------- */

static uint32_t lanes_of(const struct protocol_attendance *a, unsigned warp)
{
    const unsigned left = a->threads - warp * LANES;
    return left >= LANES ? ~0u : (1u << left) - 1;
}

static char sign_of(const struct protocol_attendance *a, unsigned warp, int lane)
{
    return a->here[warp] >> lane & 1    ? 'A'
           : a->there[warp] >> lane & 1 ? 'B'
           : a->ended[warp] >> lane & 1 ? '.'
                                        : '-';
}

static bool same_warp(const struct protocol_attendance *a, unsigned warp, unsigned other)
{
    return a->here[warp] == a->here[other] && a->there[warp] == a->there[other] &&
           a->ended[warp] == a->ended[other] && lanes_of(a, warp) == lanes_of(a, other);
}

static void draw_warps(FILE *out, const struct protocol_attendance *a, unsigned first, unsigned last)
{
    char name[32], threads[64];
    const unsigned end = last * LANES + (unsigned)__builtin_popcount(lanes_of(a, last)) - 1;
    text_set(name, sizeof name, first == last ? "warp %u" : "warps %u to %u", first, last);
    text_set(threads, sizeof threads, "threads %u to %u", first * LANES, end);
    fprintf(out, "    %-14s %-20s ", name, threads);
    for (int lane = 0; lane < LANES && (lanes_of(a, first) >> lane & 1); lane++)
        fputc(sign_of(a, first, lane), out);
    fputc('\n', out);
}

/* Which of the signs are there, and what they mean. */
static void explain_signs(FILE *out, const struct protocol_hazard *hazard)
{
    const struct protocol_attendance *a = &hazard->attendance;
    bool seen[128] = {false};
    char text[512];
    for (unsigned w = 0; w * LANES < a->threads; w++)
        for (int lane = 0; lane < LANES; lane++)
            if (lanes_of(a, w) >> lane & 1)
                seen[(int)sign_of(a, w, lane)] = true;
    text_set(text, sizeof text, "A waits at %s:%d", text_file_name(hazard->here.file), hazard->here.line);
    if (seen['B'] && hazard->there.line > 0 && hazard->there.line != hazard->here.line)
        text_append(text, sizeof text, "; B waits at line %d", hazard->there.line);
    else if (seen['B'])
        text_append(text, sizeof text, "; B waits elsewhere");
    if (seen['.'])
        text_append(text, sizeof text, "; . has ended, and never comes");
    if (seen['-'])
        text_append(text, sizeof text, "; - has not come there yet");
    text_print(out, 4, text, 0);
}

static void draw_barrier(FILE *out, const struct protocol_hazard *hazard)
{
    const struct protocol_attendance *a = &hazard->attendance;
    const uint32_t *block = hazard->here_thread.block;
    const unsigned warps = (a->threads + LANES - 1) / LANES;
    fprintf(out, "\nWho waits where in block (%u,%u,%u), one sign per thread:\n", block[0], block[1],
            block[2]);
    for (unsigned first = 0, last; first < warps && first < WARPS; first = last + 1) {
        for (last = first; last + 1 < warps && same_warp(a, first, last + 1);)
            last++;
        draw_warps(out, a, first, last);
    }
    explain_signs(out, hazard);
}

/* ---- a mask -------------------------------------------------------------------------------------------- */

static void draw_lanes(FILE *out, const char *what, uint32_t lanes, char sign)
{
    fprintf(out, "    %-22s ", what);
    for (int lane = 0; lane < LANES; lane++)
        fputc(lanes >> lane & 1 ? sign : '.', out);
    fputc('\n', out);
}

static void draw_mask(FILE *out, const struct protocol_hazard *hazard)
{
    const struct protocol_attendance *a = &hazard->attendance;
    const uint32_t named = a->named & lanes_of(a, a->warp), came = a->here[a->warp];
    fprintf(out, "\nWarp %u: its mask 0x%08x, and who comes:\n    %-22s 0       8       16      24     31\n",
            a->warp, a->named, "lane");
    draw_lanes(out, "named by the mask", named, 'N');
    draw_lanes(out, "come to the call", came, 'C');
    if (named & ~came)
        draw_lanes(out, "named, do not come", named & ~came, '!');
    if (came & ~named)
        draw_lanes(out, "come without a name", came & ~named, '!');
}

void story_draw_waiting(FILE *out, const struct protocol_hazard *hazard)
{
    if (hazard->attendance.threads == 0 || hazard->here.line == 0)
        return;
    if (hazard->attendance.named)
        draw_mask(out, hazard);
    else
        draw_barrier(out, hazard);
}

/* ---- an index outside of its array ---------------------------------------------------------------------- */

/* The element that the thread of a hazard uses, and the array. */
struct bounds {
    const struct protocol_thread *thread;
    const char *name;
    int64_t count, element;
};

/* The elements around the end that the index leaves: "=====" for those that are there, "!" for the one that is not. */
static void draw_array(FILE *out, const struct bounds *b)
{
    const int64_t edge = b->element < 0 ? 0 : b->count;
    const int64_t from = b->element < 0 ? b->element : edge > 12 ? edge - 12 : 0;
    const int64_t to = b->element < 0 ? b->count < 12 ? b->count : 12 : b->element + 1;
    fputs(to - from > 64 ? ".\n" : ":\n", out);
    if (to - from > 64)
        return;
    fprintf(out, "    elements %lld to %lld: ", (long long)from, (long long)to - 1);
    for (int64_t i = from; i < to; i++)
        fputc(i == b->element ? '!' : i >= 0 && i < b->count ? '=' : '.', out);
    fprintf(out, "    (= an element of %s, ! what the thread uses)\n", b->name);
}

/* Its launch is not known, unless there is only one. */
static void name_hazard_thread(const struct protocol_mailbox *mailbox, const struct protocol_thread *from,
                               char *text, size_t size)
{
    struct protocol_thread thread = *from;
    const struct cause c = {.mailbox = mailbox};
    thread.launch = mailbox->launch_count == 1 ? 0 : -1;
    cause_name_thread(&c, &thread, text, size);
}

bool story_draw_bounds(FILE *out, const struct call *call, const struct protocol_mailbox *mailbox,
                       const struct protocol_hazard *hazard)
{
    const int at = story_buffer_at(call, mailbox, hazard->address);
    if (at < 0)
        return false;
    const struct lab_buffer *buffer = &call->run.buffer[at];
    const struct bounds b = {
        .thread = &hazard->here_thread,
        .name = buffer->name,
        .count = buffer->count,
        .element =
            (int64_t)(hazard->address - mailbox->buffer_address[at]) / (int64_t)lab_type_size(buffer->type),
    };
    char thread[128];
    if (b.element >= 0 && b.element < b.count)
        return false;
    fprintf(out, "\n%s has %lld element%s", b.name, (long long)b.count, b.count == 1 ? "" : "s");
    if (b.count > 1)
        fprintf(out, ", 0 to %lld", (long long)b.count - 1);
    name_hazard_thread(mailbox, b.thread, thread, sizeof thread);
    fprintf(out, "; %s uses element %lld", thread, (long long)b.element);
    draw_array(out, &b);
    return true;
}
