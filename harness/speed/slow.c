/* The costs that sim/model/waste.h counts, in words: line, what happens there, what it costs, what to do about it. */
#include "harness/speed/slow.h"

#include <math.h>
#include <string.h>

#include "sim/model/waste.h"

#define APART_LEAST 0.5 /* of the time: of less nothing is said where the kernel is fast enough */
#define COST_LEAST  0.1 /* … where it is too slow: the model's margin is larger, and so is the cause */
#define SHARE_LEAST                                                                                          \
    0.25 /* of the time, for what no right kernel has on purpose, or where only the margin lets it pass */

/* ---- words --------------------------------------------------------------------------------------------- */

/* `what`: with %1 and %2 for the two figures, %k for the kernel, %t for the threads of a block, %i: see put_shape. */
struct words {
    const char *what, *todo; /* `todo`: only what helps in every case */
    bool never;              /* no right kernel has it on purpose */
};

static const struct words words[SIM_WASTES] = {
    [SIM_WASTE_LOCAL] =
        {"each thread has an array that lies in local memory (%1 bytes per thread), which is as slow as global "
         "memory, because one of its indices is not known when the kernel is compiled",
         "An array stays in registers if all loops over it are unrolled: #pragma unroll, and bounds that "
         "are constants.",
         true},
    [SIM_WASTE_SPILLS] =
        {"there are not enough registers: values are stored in local memory (%1 bytes per thread) and "
         "loaded again here, which is called spilling",
         "Let each thread hold fewer values at a time, or give it more registers: smaller blocks, no "
         "__launch_bounds__.",
         true},
    [SIM_WASTE_CONSTANTS] =
        {"the lanes of a warp ask for %1 different words of constant memory per request, and receive them "
         "one by one",
         "Constant memory is fast if all lanes read the same word; what each lane reads at its own index "
         "belongs in shared or global memory.",
         true},
    [SIM_WASTE_LOADS_APART] =
        {"this load is uncoalesced: a warp's request touches %1 sectors of 32 bytes, because neighboring lanes "
         "read addresses that lie apart",
         "Let neighboring threads (threadIdx.x) read neighboring elements.", false},
    [SIM_WASTE_STORES_APART] =
        {"this store is uncoalesced: a warp's request touches %1 sectors of 32 bytes, because neighboring "
         "lanes write to addresses that lie apart",
         "Let neighboring threads (threadIdx.x) write neighboring elements.", false},
    [SIM_WASTE_CONFLICTS] =
        {"bank conflicts: a warp's request to shared memory takes %1 times as many turns (wavefronts) as its bytes need, "
         "because lanes want different words of the same bank",
         "", false},
    [SIM_WASTE_IDLE_LANES] =
        {"divergence: the lanes of a warp disagree at this branch, and %1% of all lanes are idle on average "
         "while the others work",
         "", false},
    [SIM_WASTE_DOUBLE] =
        {"this line computes in double precision although real is float; an SM has %1 lanes for double and "
         "%2 for float, and each conversion costs extra",
         "A literal such as 0.5 is a double: write (real)0.5, and leave no double in a formula.", true},
    [SIM_WASTE_ATOMICS_ONE] =
        {"nearly all of %1 atomic operations go to one address of global memory, where they wait for one another",
         "Let each thread combine its values in a register first, then each block in shared memory: one "
         "atomic operation per block.",
         false},
    [SIM_WASTE_ATOMICS] =
        {"%1 atomic operations go to few addresses of global memory, where they wait for one another",
         "A block that adds up in shared memory first changes each of these addresses once: then there are fewer, and the "
         "fewer blocks, the fewer still.",
         false},
    [SIM_WASTE_SHARED_ATOMICS] =
        {"the atomic operations of a warp's lanes meet on the same words of shared memory: %1 turns per request, "
         "one after the other",
         "", false},
    [SIM_WASTE_FEW_BLOCKS] =
        {"too few blocks: %k is launched with %1 of %t threads, so that %i of the GPU's %2 SMs are idle",
         "Launch at least as many blocks as there are SMs, better several per SM.", false},
    [SIM_WASTE_SMALL_BLOCKS] =
        {"the blocks are too small: %k is launched with %t threads per block, but a block takes whole warps, "
         "so that %2 of %1 lanes have no thread and idle",
         "Make the number of threads per block a multiple of 32, such as 256, and launch fewer blocks.",
         false},
    [SIM_WASTE_FEW_WARPS] =
        {"too few warps: %k is launched with blocks of %t threads, and an SM has only %1 warps of them at a "
         "time where it has room for %2, so that nothing hides the latency of memory",
         "More warps at a time come of more blocks or larger ones, or of blocks that need fewer registers or less "
         "shared memory.",
         false},
    [SIM_WASTE_IDLE_WARPS] =
        {"too many blocks: %1% of the warps of %k find nothing to do, but starting their blocks takes time",
         "Launch one block for each piece of the work: check the division that computes the grid.", false},
    [SIM_WASTE_AGAIN] =
        {"the same data is loaded from global memory again and again: each element about %1 times, most of it here",
         "", false},
    [SIM_WASTE_NARROW] =
        {"each lane of a warp loads or stores only %1 bytes here at a time, so that the same data takes more requests, and "
         "more threads or turns of a loop, than with words of %2 bytes",
         "Let each thread move whole elements, such as a float, or several neighboring small ones at once, such as a "
         "uchar4.",
         false},
    [SIM_WASTE_WAITS] =
        {"warps wait for the result of this line for %1% of the time, and have nothing else to do meanwhile",
         "Less is waited where a thread begins several loads that do not depend on one another before it uses the "
         "first, or where more warps run at a time.",
         false},
};

static void put_number(char *text, size_t size, double value)
{
    if (value >= 1e6)
        text_append(text, size, "%.3g", value);
    else if (value >= 100)
        text_append(text, size, "%.0f", value);
    else
        text_append(text, size, "%.3g", value);
}

static void put_words(char *text, size_t size, const char *what, const struct protocol_waste *waste)
{
    const uint32_t *block = waste->launch.block;
    for (const char *at = what; *at; at++) {
        if (*at != '%' || !strchr("12kti", at[1]) || !at[1]) {
            text_append(text, size, "%c", *at);
            continue;
        }
        switch (*++at) {
        case '1':
        case '2': put_number(text, size, waste->figure[*at - '1']); break;
        case 'k': text_append(text, size, "%s", waste->launch.kernel); break;
        case 't': text_append(text, size, "%u", block[0] * block[1] * block[2]); break;
        default: put_number(text, size, waste->figure[1] - waste->figure[0]);
        }
    }
}

static void put_place(char *text, size_t size, const struct protocol_waste *waste)
{
    const struct protocol_place *place = waste->place.line > 0 ? &waste->place : &waste->launch.place;
    if (place->line > 0 && place->file[0])
        text_append(text, size, "%s:%d: ", text_file_name(place->file), place->line);
}

/* ---- taking it ----------------------------------------------------------------------------------------- */

static bool can_be_true(const struct protocol_waste *waste)
{
    return waste->kind > SIM_WASTE_NONE && waste->kind < SIM_WASTES && words[waste->kind].what &&
           isfinite(waste->seconds) && waste->seconds > 0 && isfinite(waste->launch_seconds) &&
           waste->launch_seconds > 0 && isfinite(waste->figure[0]) && isfinite(waste->figure[1]) &&
           waste->figure[0] >= 0 && waste->figure[1] >= 0;
}

static void put_what(const struct protocol_waste *waste, char *text, size_t size)
{
    put_place(text, size, waste);
    put_words(text, size, words[waste->kind].what, waste);
    text_singular(text);
}

/* Ends the sentence. */
static void put_todo(const struct protocol_waste *waste, char *text, size_t size)
{
    const char *todo = words[waste->kind].todo;
    text_append(text, size, ".%s%s", todo[0] ? " " : "", todo);
}

void slow_take_apart(struct grader_speed *speed, const struct lab_speed *ask,
                     const struct protocol_waste *waste)
{
    char *text = speed->apart;
    const size_t size = sizeof speed->apart;
    text_set(text, size, "%s", "");
    if (!can_be_true(waste) || ask->apart_is_meant || the_lab.step ||
        waste->seconds < APART_LEAST * waste->launch_seconds)
        return;
    put_what(waste, text, size);
    put_todo(waste, text, size);
}

void slow_take(struct grader_speed *speed, const struct protocol_waste *waste)
{
    char *text = speed->slow;
    const size_t size = sizeof speed->slow;
    text_set(text, size, "%s", "");
    speed->slow_share = 0;
    speed->slow_is_fault = false;
    if (!can_be_true(waste) || waste->seconds < COST_LEAST * waste->launch_seconds)
        return;
    speed->slow_share = fmin(waste->seconds / waste->launch_seconds, 1);
    speed->slow_is_fault = words[waste->kind].never;
    put_what(waste, text, size);
    put_todo(waste, text, size);
}

bool slow_is_a_fault(const struct grader_speed *speed)
{
    return speed->slow[0] && (speed->slow_is_fault || speed->in_doubt) && speed->slow_share >= SHARE_LEAST;
}
