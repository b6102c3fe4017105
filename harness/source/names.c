/* What a change names, as it is called in the student's file. */
#include "harness/source/names.h"

#include "harness/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *trial_read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    long size;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && (text = calloc((size_t)size + 1, 1))) {
        rewind(file);
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    fclose(file);
    return text;
}

void trial_take_line(const char *text, int number, char line[TRIAL_LINE])
{
    while (text && --number > 0 && (text = strchr(text, '\n')))
        text++;
    text_set(line, TRIAL_LINE, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    char *comment = strstr(line, "//");
    if (!comment)
        comment = strstr(line, "/*");
    if (comment)
        *comment = 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool trial_stands_in(const char *line, const char *text)
{
    const size_t length = strlen(text);
    for (const char *at = line; (at = strstr(at, text)); at++)
        if ((at == line || !is_word(at[-1]) || !is_word(text[0])) && !is_word(at[length]) &&
            at[length] != '.')
            return true;
    return false;
}

/* The = of the line's assignment, += and the like included; NULL: it has none. */
static const char *assignment_in(const char *line)
{
    for (const char *at = line; (at = strchr(at, '=')); at += strspn(at, "="))
        if (at[1] != '=' && at > line && !strchr("<>!", at[-1]))
            return at;
    return NULL;
}

bool trial_array_name(const char *line, bool stored, char name[64])
{
    const char *equal = assignment_in(line);
    const bool adds = equal && equal > line && strchr("+-*/%&|^", equal[-1]);
    const char *from = stored || !equal || adds ? line : equal,
               *to = stored && equal ? equal : line + strlen(line);
    bool found = false;
    if (stored && !equal)
        return false;
    for (const char *at = from; (at = strchr(at, '[')) && at < to; at++) {
        const char *begin = at;
        char other[64];
        while (begin > line && is_word(begin[-1]))
            begin--;
        text_set(other, sizeof other, "%.*s", (int)(at - begin), begin);
        if (!other[0] || isdigit((unsigned char)other[0]) || (found && strcmp(other, name) == 0))
            continue;
        if (found)
            return false;
        text_set(name, 64, "%s", other);
        if (stored && begin == line + strspn(line, " \t"))
            return true;
        found = true;
    }
    return found;
}

bool trial_parameter_name(const char *text, const char *kernel, int number, char *name, size_t size)
{
    char call[128];
    text_set(call, sizeof call, "%.*s", (int)strcspn(kernel, "<("), kernel);
    const size_t length = strlen(call);
    const char *at = text ? strstr(text, "__global__") : NULL;
    for (; at; at = strstr(at + 1, "__global__")) {
        const char *open = strchr(at, '('), *end = open;
        if (open && strstr(at, "__launch_bounds__") && strstr(at, "__launch_bounds__") < open)
            open = strchr(open + 1, '(');
        for (end = open; end && end > at && isspace((unsigned char)end[-1]);)
            end--;
        if (!end || (size_t)(end - at) < length || strncmp(end - length, call, length) != 0 ||
            is_word(end[-(long)length - 1]))
            continue;
        const char *from = open + 1, *close = strchr(open, ')');
        while (close && number > 0 && (from = memchr(from, ',', (size_t)(close - from)))) {
            from++;
            number--;
        }
        if (!close || !from || number > 0)
            return false;
        const char *last = memchr(from, ',', (size_t)(close - from));
        for (last = last ? last : close; last > from && !is_word(last[-1]);)
            last--;
        const char *first = last;
        while (first > from && is_word(first[-1]))
            first--;
        text_set(name, size, "%.*s", (int)(last - first), first);
        return name[0] != 0;
    }
    return false;
}

/* The only name that the line gives a value to: "k" in "for (int k = threadIdx.x; ...". False: none, or several. */
static bool name_set_in(const char *line, char *name, size_t size)
{
    int count = 0;
    for (const char *at = line; (at = strchr(at, '=')); at++) {
        const char *end = at;
        if (at[1] == '=' || at == line || strchr("=!<>", at[-1])) {
            at += at[1] == '=';
            continue;
        }
        while (end > line && strchr("+-*/%&|^ \t", end[-1]))
            end--;
        const char *begin = end;
        while (begin > line && is_word(begin[-1]))
            begin--;
        char found[64];
        text_set(found, sizeof found, "%.*s", (int)(end - begin), begin);
        if (!found[0] || isdigit((unsigned char)found[0]) || (count > 0 && strcmp(found, name) != 0))
            return false;
        text_set(name, size, "%s", found);
        count++;
    }
    return count > 0;
}

const char *trial_builtin_name(const char *special)
{
    static const char *const names[][2] = {
        {"%tid.x", "threadIdx.x"},  {"%tid.y", "threadIdx.y"},  {"%tid.z", "threadIdx.z"},
        {"%ctaid.x", "blockIdx.x"}, {"%ctaid.y", "blockIdx.y"}, {"%ctaid.z", "blockIdx.z"},
        {"%ntid.x", "blockDim.x"},  {"%ntid.y", "blockDim.y"},  {"%ntid.z", "blockDim.z"},
        {"%nctaid.x", "gridDim.x"}, {"%nctaid.y", "gridDim.y"}, {"%nctaid.z", "gridDim.z"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(special, names[i][0]) == 0)
            return names[i][1];
    return NULL;
}

bool trial_variable_name(const char *file, const struct protocol_change *change, int which, char name[64])
{
    char line[TRIAL_LINE];
    const int parameter = change->parameter[which];
    const char *builtin = which < 2 ? trial_builtin_name(which == 0 ? change->from : change->to) : NULL;
    if (builtin) {
        text_set(name, 64, "%s", builtin);
        return true;
    }
    if (parameter >= 0)
        return trial_parameter_name(file, change->kernel, parameter, name, 64);
    trial_take_line(file, change->line[which], line);
    return name_set_in(line, name, 64);
}

int trial_launch_line(const char *file, const char *kernel)
{
    char name[128];
    int line = 1;
    text_set(name, sizeof name, "%.*s", (int)strcspn(kernel, "<("), kernel);
    const size_t length = strlen(name);
    for (const char *at = file; at && *at; at++) {
        line += *at == '\n';
        if (strncmp(at, name, length) != 0 || (at > file && is_word(at[-1])))
            continue;
        const char *end = at + length;
        if (*end == '<' && end[1] != '<') /* arguments of a template */
            end += strcspn(end, ">") + 1;
        if (strncmp(end + strspn(end, " \n"), "<<<", 3) == 0)
            return line;
    }
    return 0;
}
