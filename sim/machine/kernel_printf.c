#include "sim/machine/kernel_printf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 65535, FIELD_LIMIT = 4096 };

/* A cursor in the packed arguments. */
struct printf_arguments {
    uint64_t next;
    int used;
    kernel_printf_read *read;
    void *context;
};

/* %[flags][width][.precision][length]conversion; width and precision are -1 where absent. */
struct printf_spec {
    char flags[6];
    int width, precision;
    int length; /* -2 hh, -1 h, 0 none, 1 eight bytes (l, ll, j, z, t) */
    char conversion;
};

/* The next argument of 4 or 8 bytes, zero-extended; 0 if it cannot be read. */
static uint64_t printf_take(struct printf_arguments *arguments, unsigned size)
{
    uint64_t value = 0;
    uint64_t address = (arguments->next + size - 1) / size * size;
    arguments->next = address + size;
    arguments->used++;
    if (!arguments->read(arguments->context, address, &value, size))
        return 0;
    return value;
}

/* The NUL-terminated string at `address`, to be freed; NULL if it cannot be read. */
static char *printf_string(struct printf_arguments *arguments, uint64_t address, size_t limit)
{
    char *text = NULL;
    size_t length = 0, room = 0;
    do {
        if (length + 1 >= room) {
            char *grown = realloc(text, room = 2 * room + 64);
            if (!grown) {
                free(text);
                return NULL;
            }
            text = grown;
        }
        if (length == limit)
            text[length] = '\0';
        else if (!arguments->read(arguments->context, address + length, &text[length], 1)) {
            free(text);
            return NULL;
        }
    } while (text[length++] != '\0');
    return text;
}

/* Digits or a star at *c; -1 if there are none. */
static int printf_number(const char **c, struct printf_arguments *arguments, bool *negative)
{
    int value = 0;
    *negative = false;
    if (**c == '*') {
        (*c)++;
        value = (int)(int32_t)printf_take(arguments, 4);
        *negative = value < 0;
        if (value < -FIELD_LIMIT || value > FIELD_LIMIT)
            return FIELD_LIMIT;
        return value < 0 ? -value : value;
    }
    if (!isdigit((unsigned char)**c))
        return -1;
    for (; isdigit((unsigned char)**c); (*c)++)
        if (value <= FIELD_LIMIT)
            value = 10 * value + (**c - '0');
    return value > FIELD_LIMIT ? FIELD_LIMIT : value;
}

static int printf_length(const char **c)
{
    int length = 0;
    for (;; (*c)++) {
        if (**c == 'h')
            length = length == -1 ? -2 : -1;
        else if (**c != '\0' && strchr("lqjzt", **c))
            length = 1;
        else
            return length;
    }
}

/* Reads a specification that begins behind the % at *c; false if it has no known conversion. */
static bool printf_parse(const char **c, struct printf_arguments *arguments, struct printf_spec *spec)
{
    bool negative;
    size_t flags = 0;
    memset(spec, 0, sizeof *spec);
    for (; **c != '\0' && strchr("#0- +", **c); (*c)++)
        if (!strchr(spec->flags, **c) && flags < sizeof spec->flags - 1)
            spec->flags[flags++] = **c;
    spec->width = printf_number(c, arguments, &negative);
    if (negative && !strchr(spec->flags, '-'))
        spec->flags[flags++] = '-'; /* a negative star width means left-adjusted */
    spec->precision = -1;
    if (**c == '.') {
        (*c)++;
        spec->precision = printf_number(c, arguments, &negative);
        if (negative)
            spec->precision = -1;
        else if (spec->precision < 0)
            spec->precision = 0;
    }
    spec->length = printf_length(c);
    spec->conversion = **c;
    if (**c == '\0' || !strchr("cdiouxXpeEfFgGaAs", **c))
        return false;
    (*c)++;
    return true;
}

/* The specification as the host's printf wants it; integers always as long long. */
static void printf_rebuild(const struct printf_spec *spec, const char *length, char out[64])
{
    int used = snprintf(out, 64, "%%%s", spec->flags);
    if (spec->width >= 0)
        used += snprintf(out + used, 64 - (size_t)used, "%d", spec->width);
    if (spec->precision >= 0)
        used += snprintf(out + used, 64 - (size_t)used, ".%d", spec->precision);
    snprintf(out + used, 64 - (size_t)used, "%s%c", length, spec->conversion);
}

/* An integer argument, cut to its length and extended as its conversion wants. */
static long long printf_integer(struct printf_arguments *arguments, const struct printf_spec *spec)
{
    bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
    uint64_t value = printf_take(arguments, spec->length > 0 ? 8 : 4);
    if (spec->length == 0)
        return is_signed ? (int32_t)value : (long long)(uint32_t)value;
    if (spec->length == -1)
        return is_signed ? (int16_t)value : (uint16_t)value;
    if (spec->length == -2)
        return is_signed ? (int8_t)value : (uint8_t)value;
    return (long long)value;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void printf_put_string(FILE *output, struct printf_arguments *arguments,
                              const struct printf_spec *spec)
{
    char format[64], remark[64];
    uint64_t address = printf_take(arguments, 8);
    size_t limit = spec->precision >= 0 ? (size_t)spec->precision : TEXT_LIMIT;
    char *text = address != 0 ? printf_string(arguments, address, limit) : NULL;
    snprintf(remark, sizeof remark, "(unreadable string at 0x%llx)", (unsigned long long)address);
    printf_rebuild(spec, "", format);
    fprintf(output, format, text ? text : address == 0 ? "(null)" : remark);
    free(text);
}

static void printf_put(FILE *output, struct printf_arguments *arguments, const struct printf_spec *spec)
{
    char format[64];
    uint64_t bits;
    double number;
    switch (spec->conversion) {
    case 's': printf_put_string(output, arguments, spec); return;
    case 'c':
        printf_rebuild(spec, "", format);
        fprintf(output, format, (int)(unsigned char)printf_take(arguments, 4));
        return;
    case 'p':
        printf_rebuild(spec, "", format);
        fprintf(output, format, (void *)(uintptr_t)printf_take(arguments, 8));
        return;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        printf_rebuild(spec, "ll", format);
        fprintf(output, format, printf_integer(arguments, spec));
        return;
    default:
        bits = printf_take(arguments, 8);
        memcpy(&number, &bits, sizeof number);
        printf_rebuild(spec, "", format);
        fprintf(output, format, number);
    }
}

#pragma GCC diagnostic pop

int kernel_printf(FILE *output, uint64_t format, uint64_t arguments, kernel_printf_read *read, void *context)
{
    struct printf_arguments cursor = {arguments, 0, read, context};
    struct printf_spec spec;
    char *text = format != 0 ? printf_string(&cursor, format, TEXT_LIMIT) : NULL;
    const char *c = text, *start;
    if (!text)
        return -1;
    while (*c != '\0') {
        if (*c != '%') {
            start = c;
            while (*c != '\0' && *c != '%')
                c++;
            fwrite(start, 1, (size_t)(c - start), output);
        } else if (c[1] == '%') {
            fputc('%', output);
            c += 2;
        } else {
            start = c++;
            if (printf_parse(&c, &cursor, &spec))
                printf_put(output, &cursor, &spec);
            else
                fwrite(start, 1, (size_t)(c - start), output);
        }
    }
    free(text);
    return cursor.used;
}
