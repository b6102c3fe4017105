/* The host crashed: in which call of the runtime, or because a function calls itself without end. */
#include "harness/grader_remark.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define STATEMENT 3 /* lines that a call may take */

/* "cudaMemcpy": the first call of the runtime in these lines, from its own line on; false: there is none. */
static bool find_called(const char *path, int line, char *name, size_t size)
{
    char text[1024];
    FILE *file = fopen(path, "r");
    bool found = false;
    for (int number = 1; file && !found && number < line + STATEMENT && fgets(text, sizeof text, file);
         number++) {
        const char *at = number < line ? NULL : strstr(text, "cuda");
        size_t length = 0;
        while (at && (isalnum((unsigned char)at[length]) || at[length] == '_'))
            length++;
        found = length > strlen("cuda") && at[length] == '(';
        if (found)
            text_set(name, size, "%.*s", (int)length, at);
    }
    if (file)
        fclose(file);
    return found;
}

/* The device pointer that was followed, " d_x"; "" if it has no name. */
static void name_followed(const char *detail, char *name, size_t size)
{
    static const char what[] = "the device pointer";
    const char *at = strstr(detail, what);
    text_set(name, size, "%s", "");
    if (at)
        text_set(name, size, "%.*s", (int)strcspn(at + sizeof what - 1, "."), at + sizeof what - 1);
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

static void say_call(const char *path, const struct protocol_mailbox *mailbox, const char *was, char *text,
                     size_t size)
{
    char called[64], name[96];
    const bool is_named = find_called(path, mailbox->fault_place.line, called, sizeof called);
    text_append(text, size, "%s, called here, ", is_named ? called : "A function of CUDA");
    if (mailbox->fault_in_device_memory) {
        name_followed(was, name, sizeof name);
        text_append(text, size, "followed %s pointer%s, where the host cannot read. ",
                    name[0] ? "the device" : "a device", name);
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
    char text[sizeof finding->detail];
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
        say_call(path, mailbox, finding->detail, text, sizeof text);
    else
        return;
    text_set(finding->detail, sizeof finding->detail, "%s", text);
}
