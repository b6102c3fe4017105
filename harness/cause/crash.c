/* The host crashed: in which call of the runtime, or because a function calls itself without end. */
#include "harness/cause/remark.h"

#include "harness/source/source.h"

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

/* ---- shared arrays that are too large -------------------------------------------------------------------- */

/* The line that declares the shared array; 0: none does, or several. */
static int line_of_array(const char *path, const char *name)
{
    char text[1024];
    int found = 0, count = 0;
    FILE *file = fopen(path, "r");
    for (int number = 1; file && fgets(text, sizeof text, file); number++)
        if (strstr(text, "__shared__") && !strstr(text, "extern") && source_has_word(text, name)) {
            found = number;
            count++;
        }
    if (file)
        fclose(file);
    return count == 1 ? found : 0;
}

void crash_name_arrays(const char *path, struct grader_finding *finding)
{
    const struct fact *refused = fact_find(&finding->facts, FACT_REMARK);
    char name[96];
    if (!refused || refused->detail != SIM_REMARK_ARRAYS)
        return;
    for (const char *at = refused->name[0]; *at; at += strcspn(at, " "), at += *at == ' ') {
        text_set(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        const int line = line_of_array(path, name);
        if (line > 0)
            text_append(finding->cause, sizeof finding->cause, "%s is declared at line %d.\n", name, line);
    }
}

/* ---- copies to a pointer itself ------------------------------------------------------------------------- */

/* "h_partial" of cudaMemcpy(&h_partial, ...; the size is not that of a pointer. False: the line has none. */
static bool find_pointers_place(const char *line, char *name, size_t size)
{
    const char *at = strstr(line, "cudaMemcpy"), *open = at ? strchr(at, '(') : NULL;
    size_t length = 0;
    if (!open || open[1] != '&' || strstr(open, "sizeof(void") || strstr(at, "Symbol"))
        return false;
    while (isalnum((unsigned char)open[2 + length]) || open[2 + length] == '_')
        length++;
    text_set(name, size, "%.*s", (int)length, open + 2);
    return length > 0 && open[2 + length] == ',';
}

/* Whether the line declares the name as a pointer that gets memory of the host: "real *h_partial = (real *)malloc(". */
static bool gets_memory(const char *line, const char *name)
{
    char declared[96];
    text_set(declared, sizeof declared, "*%s = ", name);
    const char *at = strstr(line, declared);
    return at && (strstr(at, "alloc(") || strstr(at, "new "));
}

/* The line that copies over such a pointer, in the function that declares it; 0: none does. */
static int line_over_pointer(const char *path, char *name, size_t size)
{
    char text[1024], before[8][96], copied[96];
    int count = 0, found = 0;
    FILE *file = fopen(path, "r");
    for (int number = 1; file && !found && fgets(text, sizeof text, file); number++) {
        const char *star = strstr(text, " *");
        if (text[0] == '}')
            count = 0;
        if (star && count < 8) {
            text_set(before[count], sizeof before[count], "%.*s",
                     (int)strspn(star + 2, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
                     star + 2);
            count += gets_memory(text, before[count]);
        }
        for (int i = 0; i < count && find_pointers_place(text, copied, sizeof copied); i++)
            if (strcmp(before[i], copied) == 0) {
                found = number;
                text_set(name, size, "%s", copied);
            }
    }
    if (file)
        fclose(file);
    return found;
}

static bool say_over_pointer(const char *path, const char *file, char *text, size_t size)
{
    char name[96];
    const int line = line_over_pointer(path, name, sizeof name);
    if (line > 0)
        text_append(
            text, size,
            "%s:%d: this copies to &%s, the address of the pointer itself, and not to the memory that it points "
            "to: the pointer is overwritten. There is one & too many.\n",
            file, line, name);
    return line > 0;
}

void crash_complete(const char *path, const struct protocol_mailbox *mailbox, struct grader_finding *finding)
{
    const struct protocol_place *place = &mailbox->fault_place;
    char text[sizeof finding->detail] = "";
    if (finding->reason != REASON_SIGNAL || place->line <= 0)
        return;
    if (say_over_pointer(path, place->file, text, sizeof text)) {
        text_append(text, sizeof text, "%s", finding->detail);
        text_set(finding->detail, sizeof finding->detail, "%s", text);
        return;
    }
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
