#include "harness/cause/refusal.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/source/source.h"

#define SAY(...) text_append(text, size, __VA_ARGS__)

static void say_place(const struct protocol_place *place, char *text, size_t size)
{
    if (place->line > 0)
        SAY("%s:%d: ", place->file, place->line);
}

bool refusal_is_no_code(const struct call *call, const struct grader_finding *finding)
{
    return call->task->error_is_answer && finding->reason == REASON_VALUES && finding->buffer < 0 &&
           finding->element == 0 && finding->got[0] != 0;
}

/* "return -1;" and "return (-1);" in a line of text. */
static bool returns_number(const char *text, long number)
{
    const char *at = strstr(text, "return");
    char *end;
    if (!at || !source_has_word(text, "return"))
        return false;
    at += strlen("return");
    at += strspn(at, " \t(");
    const long found = strtol(at, &end, 0);
    return end > at && found == number && strspn(end, " \t)") == strcspn(end, ";");
}

/* The line of the function in which it returns the number as it stands there; 0: there is none. */
static int line_returning(const char *path, const char *function, long number)
{
    char text[1024];
    FILE *file = fopen(path, "r");
    bool inside = false;
    int found = 0;
    for (int line = 1; file && !found && fgets(text, sizeof text, file); line++) {
        if (!isspace((unsigned char)text[0]) && source_has_word(text, function) && !strchr(text, ';'))
            inside = true;
        else if (text[0] == '}')
            inside = false;
        if (inside && returns_number(text, number))
            found = line;
    }
    if (file)
        fclose(file);
    return found;
}

static int line_of_return(const struct call *call, const struct grader_finding *finding,
                          const struct protocol_remark *remark, const char *path)
{
    const bool is_number = refusal_is_no_code(call, finding) && fabs(finding->got[0]) <= INT_MAX;
    const int line = is_number ? line_returning(path, call->task->error_is_answer, (long)finding->got[0]) : 0;
    if (line > 0)
        return line;
    return remark ? source_next_line_with(path, remark->place.line, "return") : 0;
}

static void say_what(const struct call *call, const struct grader_finding *finding, char *text, size_t size)
{
    const char *function = call->task->error_is_answer;
    if (refusal_is_no_code(call, finding))
        SAY("%s returned %.0f, which is no error code of CUDA. It must return the error code of the call that failed, as that "
            "call or cudaGetLastError() returns it, for example cudaErrorInvalidValue (1): no other number tells the caller "
            "what went wrong.\n",
            function, finding->got[0]);
    else if (finding->buffer < 0 && finding->element == 1) /* lab.h, error_is_answer */
        SAY("%s returns, but the runtime still remembers the error, and the next check of another call finds "
            "it. Call cudaGetLastError() before this return, to clear it.\n",
            function);
    else
        SAY("%s must call cudaGetLastError() to clear the error of the call that failed, and return that error; what is "
            "called after it must work.\n",
            function);
}

void refusal_say(const struct call *call, const struct grader_finding *finding,
                 const struct protocol_remark *remark, const char *path, char *text, size_t size,
                 struct protocol_place *place)
{
    const int line = line_of_return(call, finding, remark, path);
    if (remark)
        *place = remark->place;
    else
        text_set(place->file, sizeof place->file, "%s", text_file_name(path));
    place->line = line > 0 ? line : place->line;
    say_place(place, text, size);
    say_what(call, finding, text, size);
    if (!remark)
        return;
    SAY("The call: ");
    say_place(&remark->place, text, size);
    SAY("%s. Here this error is expected.\n", remark->text);
}
