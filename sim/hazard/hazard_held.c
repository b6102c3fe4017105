/*
 * Reports that are held back until the value that they speak of reaches something: of loads of shared memory that nothing
 * has written, and of shuffles from lanes that need not take part. The machine follows the value (sim/core/undefined.h); nvcc
 * may load first and decide afterwards whether the value is needed.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/core/code.h"
#include "sim/hazard/hazard.h"

#define HELD_MAX 256

/* Of an operation of a warp. */
struct held {
    int pc;
    unsigned warp;
    uint32_t lanes;               /* of a load */
    struct access access;         /* … without addresses … */
    uint64_t missing[WARP_LANES]; /* … and which element each lane asked for first */
    char *details[WARP_LANES];    /* … and what was true then; NULL: that is no longer known */
    struct sim_hazard *shuffle;   /* NULL: it is a load */
};

struct held_reports {
    struct held list[HELD_MAX];
    int count;
};

void held_forget(struct block_shadow *s)
{
    for (int i = 0; s->held && i < s->held->count; i++) {
        free(s->held->list[i].shuffle);
        for (int lane = 0; lane < WARP_LANES; lane++)
            free(s->held->list[i].details[lane]);
    }
    free(s->held);
    s->held = NULL;
}

/* That of the warp, or one of another warp; NULL: there is none. */
static struct held *held_at(const struct block_shadow *s, unsigned warp, int pc)
{
    struct held *found = NULL;
    for (int i = 0; s->held && i < s->held->count; i++)
        if (s->held->list[i].pc == pc && (!found || s->held->list[i].warp == warp))
            found = &s->held->list[i];
    return found;
}

/* NULL: there are too many. */
static struct held *held_add(struct block_shadow *s, unsigned warp, int pc)
{
    if (!s->held)
        s->held = calloc(1, sizeof *s->held);
    if (!s->held || s->held->count == HELD_MAX)
        return NULL;
    struct held *h = &s->held->list[s->held->count++];
    h->pc = pc;
    h->warp = warp;
    return h;
}

void held_file(const struct block_shadow *s, unsigned warp, int lane, int pc)
{
    const struct held *h = held_at(s, warp, pc);
    if (h && h->shuffle) {
        hazard_file(s->view->sim, h->shuffle);
    } else if (h && h->lanes) {
        const int who = h->lanes >> lane & 1 ? lane : __builtin_ctz(h->lanes);
        hazard_report_unwritten(s, h->warp, who, &h->access, h->missing[who],
                                h->details[who] ? h->details[who] : "");
    }
}

/* ---- loads --------------------------------------------------------------------------------------------- */

bool held_is_followed(const struct block_shadow *s, const struct access *access)
{
    return s->view->loaded && undefined_is_followed(s->view->kernel->code->undefined, access->pc);
}

void held_note(struct undefined_loaded *loaded, int lane, unsigned bytes, int used)
{
    loaded->lanes |= 1u << lane;
    loaded->bytes[lane] = (uint16_t)bytes;
    loaded->used = used;
}

bool held_load(struct block_shadow *s, unsigned warp, int lane, const struct access *access, unsigned bytes,
               uint64_t missing)
{
    if (!held_is_followed(s, access))
        return false;
    struct held *h = held_at(s, warp, access->pc);
    if (!h || h->warp != warp)
        h = held_add(s, warp, access->pc);
    if (!h)
        return false;
    held_note(s->view->loaded, lane, bytes, access->pc | UNDEFINED_HELD);
    if (h->lanes >> lane & 1)
        return true;
    h->access = (struct access){.kind = access->kind,
                                .space = access->space,
                                .size = access->size,
                                .element_size = access->element_size,
                                .pc = access->pc,
                                .loc = access->loc};
    h->lanes |= 1u << lane;
    h->missing[lane] = missing;
    if (s->hazards->details_left > 0) {
        s->hazards->details_left--;
        char details[sizeof((struct sim_hazard *)0)->message];
        hazard_describe_unwritten(s, warp, lane, access, missing, details, sizeof details);
        h->details[lane] = strdup(details);
    }
    return true;
}

/* ---- shuffles ------------------------------------------------------------------------------------------ */

bool hazard_is_held(const struct block_view *block, unsigned warp, int pc)
{
    const struct block_shadow *s = shadow_of(block);
    const struct held *h = s ? held_at(s, warp, pc) : NULL;
    return h && h->warp == warp;
}

void hazard_hold(const struct block_view *block, unsigned warp, int pc, const struct sim_hazard *hazard)
{
    struct block_shadow *s = shadow_of(block);
    struct held *h = s ? held_add(s, warp, pc) : NULL;
    if (h && (h->shuffle = malloc(sizeof *h->shuffle)))
        *h->shuffle = *hazard;
    else
        hazard_file(block->sim, hazard);
}
