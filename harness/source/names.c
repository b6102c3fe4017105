/* What is called how in the student's file. */
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
