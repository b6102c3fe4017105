/* What is called how in the student's file. */
#include "harness/source/line.h"

#include "harness/base/text.h"

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
