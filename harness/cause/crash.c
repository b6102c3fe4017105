/* The host crashed: in which call of the runtime, or because a function calls itself without end. */
#include "harness/cause/remark.h"

#include "harness/source/program.h"

#include <stdio.h>
#include <string.h>

#define STATEMENT 3 /* lines that a call may take */

/* "cudaMemcpy": the first call of the runtime in these lines, from its own line on; false: there is none. */
static bool find_called(const char *path, int line, char *name, size_t size)
{
    struct program p;
    const struct tokens *t = &p.tokens;
    bool found = false;
    program_read_file(&p, path);
    for (int i = 0; i < t->count && !found; i++) {
        token_copy(t, i, name, (int)size);
        found = t->token[i].line >= line && t->token[i].line < line + STATEMENT &&
                strncmp(name, "cuda", 4) == 0 && token_is(t, i + 1, "(");
    }
    program_free(&p);
    return found;
}

/* What it needs instead of an address of the device. */
static void say_needed(const char *called, char *text, size_t size)
{
    if (strncmp(called, "cudaLaunch", 10) == 0)
        text_append(
            text, size,
            "Its array of arguments must hold the address of each argument, which is the address of a variable "
            "of the host: {&d_x, &n}, and not {d_x, ...}.\n");
    else
        text_append(text, size, "The address of memory of the host is needed there.\n");
}

static void say_call(const char *path, const struct protocol_mailbox *mailbox, const struct facts *facts,
                     char *text, size_t size)
{
    char called[64];
    const struct fact *followed = fact_find(facts, FACT_DEVICE_POINTER);
    const char *name = followed ? followed->name[0] : "";
    const bool is_named = find_called(path, mailbox->fault_place.line, called, sizeof called);
    text_append(text, size, "%s, called here, ", is_named ? called : "A function of CUDA");
    if (mailbox->fault_in_device_memory) {
        text_append(text, size, "followed %s pointer%s%s, where the host cannot read. ",
                    name[0] ? "the device" : "a device", name[0] ? " " : "", name);
        say_needed(is_named ? called : "", text, size);
    } else if (mailbox->fault_seen && mailbox->fault_address < 4096) {
        text_append(text, size, "followed a null pointer.\n");
    } else {
        text_append(
            text, size,
            "crashed: a pointer that it was given was never set, or memory of the host was written past its "
            "end, there or before.\n");
    }
}

void crash_complete(const char *path, const struct protocol_mailbox *mailbox, struct grader_finding *finding)
{
    const struct protocol_place *place = &mailbox->fault_place;
    char text[sizeof finding->detail] = "";
    if (finding->reason != REASON_SIGNAL || place->line <= 0)
        return;
    text_set(text, sizeof text, "%s:%d: ", place->file, place->line);
    if (mailbox->fault_repeats)
        text_append(
            text, sizeof text,
            "The function calls itself here, again and again, until the stack has no more room: the condition "
            "that ends the recursion is never met, or not in this case.\n");
    else if (mailbox->fault_on_stack)
        text_append(
            text, sizeof text,
            "The stack has no more room: an array in a function of the host is too large (memory for it comes "
            "from malloc), or functions call one another without end.\n");
    else if (mailbox->fault_in_call)
        say_call(path, mailbox, &finding->facts, text, sizeof text);
    else
        return;
    text_set(finding->detail, sizeof finding->detail, "%s", text);
}
