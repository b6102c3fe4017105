#include "harness/grader_state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 1024

/* ---- the student's file -------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *line, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = line; (at = strstr(at, word)) != NULL; at++)
        if ((at == line || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

/* The word before "=", ";" or "[" of a declaration. */
static void take_name(const char *line, char *found, size_t size)
{
    const char *end = line + strcspn(line, "=;[");
    while (end > line && !is_word(end[-1]))
        end--;
    const char *start = end;
    while (start > line && is_word(start[-1]))
        start--;
    text_set(found, size, "%.*s", (int)(end - start), start);
}

/* "    static bool filled = false;": indented, a variable, and not const. */
static bool is_static_variable(const char *line)
{
    const char *text = line + strspn(line, " \t");
    return text > line && strncmp(text, "static ", 7) == 0 && !has_word(text, "const") &&
           !has_word(text, "constexpr") && strpbrk(text, "=;") &&
           memchr(text, '(', strcspn(text, "=;")) == NULL;
}

int state_find_variable(const char *path, const char *name, bool *constant)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    int number = 0, result = 0;
    while (file && result == 0 && fgets(line, sizeof line, file)) {
        number++;
        *constant = has_word(line, "__constant__");
        if ((*constant || has_word(line, "__device__") || has_word(line, "__managed__")) &&
            has_word(line, name) && strchr(line, ';'))
            result = number;
    }
    if (file)
        fclose(file);
    return result;
}

int state_find_static(const char *path, char *name, size_t size)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    int number = 0, result = 0;
    while (file && result == 0 && fgets(line, sizeof line, file)) {
        number++;
        if (is_static_variable(line))
            result = number;
    }
    if (file)
        fclose(file);
    if (result > 0)
        take_name(line, name, size);
    return result;
}

/* ---- the sentence -------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * "blocks_done (file.cu:12)" for each of the names, which blanks separate. Whether kernels have changed one of them: what is
 * constant, only the host fills.
 */
static bool name_changed(const struct grader_build *build, const char *names, char *text, size_t size)
{
    bool by_kernels = false;
    while (*(names += strspn(names, " "))) {
        char name[64];
        bool constant;
        const size_t length = strcspn(names, " ");
        text_set(name, sizeof name, "%.*s", (int)length, names);
        names += length;
        const int line = state_find_variable(build->source_path, name, &constant);
        text_append(text, size, "%s%s", text[0] ? ", " : "", name);
        if (line > 0)
            text_append(text, size, " (%s:%d)", base_name(build->source), line);
        by_kernels = by_kernels || line == 0 || !constant;
    }
    return by_kernels;
}

static void put_first(struct grader_finding *finding, const char *text)
{
    char detail[sizeof finding->detail];
    text_set(detail, sizeof detail, "%s", finding->detail);
    text_set(finding->detail, sizeof finding->detail, "%s%s", text, detail);
}

static void tell(const struct grader *grader, const char *changed, struct grader_finding *finding)
{
    char text[1024], names[512] = "", found[64] = "";
    const struct grader_build *build = &grader->build;
    const bool by_kernels = name_changed(build, changed, names, sizeof names);
    const int line = by_kernels ? 0 : state_find_static(build->source_path, found, sizeof found);
    text_set(
        text, sizeof text, "%s",
        "As the first call of the program this case is right; after an earlier call it is wrong. Something that the "
        "earlier call left behind is not set back, or is taken for this call's.\n");
    if (names[0])
        text_append(text, sizeof text, "When this call begins, an earlier call has changed: %s.\n", names);
    if (line > 0)
        text_append(text, sizeof text, "%s:%d: the static variable %s keeps its value from call to call.\n",
                    base_name(build->source), line, found);
    put_first(finding, text);
}

void state_explain(struct grader *grader, const struct call_plan *plan, int before,
                   const struct exchange *exchange, struct grader_outcome *outcome)
{
    struct grader_outcome alone;
    struct exchange again;
    const enum grader_reason reason = outcome->finding.reason;
    if (plan->backend != BACKEND_SIM || before == 0 || (reason != REASON_VALUES && reason != REASON_HAZARD))
        return;
    process_stop(&grader->process[plan->backend]);
    grader_call(grader, plan, &alone, &again);
    outcome->seconds += alone.seconds;
    if (alone.passed)
        tell(grader, exchange->mailbox.changed, &outcome->finding);
}
