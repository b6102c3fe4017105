/* Texts of a fixed size. */
#include "harness/base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "harness/base/clean.h"

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

const char *text_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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

#define LEAST_WIDTH 40
#define MOST_WIDTH  100 /* longer lines are hard to read */

int text_width(FILE *out)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    int width = columns ? atoi(columns) : 0;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    return width <= 0 ? 80 : width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width;
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* The end of the word at `text`, of which no more than `length` is there: of an option's quoted value, its closing quote. */
static int word_end(const char *text, int length, bool may_be_quoted)
{
    int end = may_be_quoted && (*text == '\'' || *text == '"') ? 1 : 0;
    if (end)
        while (end < length && text[end] != *text)
            end++;
    while (end < length && text[end] != ' ')
        end++;
    return end;
}

/*
 * Must these two words stay together? A number and its unit; and a command, which is to be copied in one piece: "make lab03 &&
 * ./grader", "--seed 1". The first
 * word ends behind its last letter: what stands behind a comma or a full stop is no more of it.
 */
static bool stay_together(const char *word, int length, const char *next)
{
    if (strchr(".,;:)?", word[length - 1]))
        return false;
    return begins(next, "ms") || begins(next, "--") || begins(next, "&& ") || begins(word, "--") ||
           begins(word, "&& ") ||
           ((begins(word, "make ") || begins(word, "./grader ")) && begins(next, "lab")) ||
           begins(word, "cd ");
}

/* How much of the text goes onto a line: as many words as fit, at least one, and no command without its end. */
static int line_end(const char *text, int length, int room)
{
    int end = 0;
    while (end < length) {
        int at = end;
        while (at < length && text[at] == ' ')
            at++;
        for (bool is_value = false;;) {
            const int word = at;
            at += word_end(text + word, length - word, is_value);
            is_value = begins(text + word, "--");
            if (at + 1 >= length || at == word || !stay_together(text + word, at - word, text + at + 1))
                break;
            at++;
        }
        if (end > 0 && at > room)
            break;
        end = at;
    }
    return end;
}

/* One line of text, broken between words where it is too wide; into how many. */
static int print_line(FILE *out, int indent, const char *text, int length)
{
    const int room = text_width(out) - indent;
    int lines = 0;
    do {
        lines++;
        const int end = length > room ? line_end(text, length, room) : length;
        fprintf(out, "%*s%.*s\n", indent, "", end, text);
        for (text += end, length -= end; length > 0 && *text == ' '; length--)
            text++;
    } while (length > 0);
    return lines;
}

int text_print(FILE *out, int indent, const char *given, int most)
{
    char *copy = strdup(given), *text = copy;
    int printed = 0;
    if (!copy)
        return 0;
    text_clean(copy, false); /* it may quote the student's file */
    text_singular(copy);
    for (int lines = 0; *text; lines++) {
        if (most > 0 && lines == most) {
            printed += fprintf(out, "%*s... (--verbose shows the rest)\n", indent, "") > 0;
            break;
        }
        int length = (int)strcspn(text, "\n");
        printed += print_line(out, indent, text, length);
        text += length + (text[length] == '\n');
    }
    free(copy);
    return printed;
}
