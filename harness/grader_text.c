/* Texts of a fixed size. */
#include "harness/grader_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_set(char *text, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(text, size, format, list);
    va_end(list);
}

void text_append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + length, size - length, format, list);
    va_end(list);
}

void text_remove(char *text, const char *part)
{
    size_t length = strlen(part);
    while (length > 0 && (text = strstr(text, part)) != NULL)
        memmove(text, text + length, strlen(text + length) + 1);
}
