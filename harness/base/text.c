/* Texts of a fixed size. */
#include "harness/base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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

/* ---- one of a kind ------------------------------------------------------------------------------------- */

/* What is counted in messages, and one of them. */
static const char *const counted[][2] = {
    {"elements", "element"},     {"bytes", "byte"},
    {"times", "time"},           {"cases", "case"},
    {"threads", "thread"},       {"blocks", "block"},
    {"points", "point"},         {"kernels", "kernel"},
    {"lanes", "lane"},           {"warps", "warp"},
    {"words", "word"},           {"rows", "row"},
    {"columns", "column"},       {"launches", "launch"},
    {"places", "place"},         {"allocations", "allocation"},
    {"stores", "store"},         {"registers", "register"},
    {"numbers", "number"},       {"seconds", "second"},
    {"sectors", "sector"},       {"banks", "bank"},
    {"lines", "line"},           {"others", "other"},
    {"wavefronts", "wavefront"}, {"copies", "copy"},
    {"additions", "addition"},
};

/* Behind these a number is no count of what follows: "block 1 stores it", "a grid of 0 x 1 x 1 blocks". */
static bool names_number(const char *text, const char *at)
{
    static const char *const names[] = {"block ", "thread ", "line ", "lane ", "warp ",
                                        "byte ",  "index ",  "TODO ", "task ", " x "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if ((size_t)(at - text) >= length && memcmp(at - length, names[i], length) == 0)
            return true;
    }
    return false;
}

/* A whole number by itself, not the end of 21, 0.1 or a<1. */
static bool is_one(const char *text, const char *at)
{
    return at[0] == '1' && at[1] == ' ' && (at == text || strchr(" (\n", at[-1])) && !names_number(text, at);
}

/* The entry of `counted` that the word is; -1: none. */
static int counted_word(const char *word)
{
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (strlen(counted[i][0]) == length && memcmp(word, counted[i][0], length) == 0)
            return (int)i;
    return -1;
}

void text_singular(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        const int which = is_one(text, from) ? counted_word(from + 2) : -1;
        if (which < 0) {
            *to++ = *from++;
            continue;
        }
        const size_t length = strlen(counted[which][1]);
        from += 2 + strlen(counted[which][0]);
        memcpy(to, "1 ", 2);
        memcpy(to + 2, counted[which][1], length);
        to += 2 + length;
    }
    *to = 0;
}

/* ---- printing ------------------------------------------------------------------------------------------ */

#define WIDTH 100

/* One line of text, broken between words where it is too wide. */
static void print_line(FILE *out, int indent, const char *text, int length)
{
    const int room = WIDTH - indent;
    while (length > room) {
        int cut = room;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0)
            cut = room;
        fprintf(out, "%*s%.*s\n", indent, "", cut, text);
        for (text += cut, length -= cut; length > 0 && *text == ' '; length--)
            text++;
    }
    fprintf(out, "%*s%.*s\n", indent, "", length, text);
}

void text_print(FILE *out, int indent, const char *given, int most)
{
    char *copy = strdup(given), *text = copy;
    if (!copy)
        return;
    text_singular(copy);
    for (int lines = 0; *text; lines++) {
        if (most > 0 && lines == most) {
            fprintf(out, "%*s... (--verbose shows the rest)\n", indent, "");
            break;
        }
        int length = (int)strcspn(text, "\n");
        print_line(out, indent, text, length);
        text += length + (text[length] == '\n');
    }
    free(copy);
}
