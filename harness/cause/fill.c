/* An array that cudaMemset fills with another byte than 0: its elements are no such number. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cause/cause.h"
#include "harness/judge/compare.h"
#include "harness/lab/real.h"

/* The byte that all bytes of the element are; -1: they differ. */
static int only_byte(enum lab_type type, double value)
{
    unsigned char bytes[sizeof(double)];
    const real number = (real)value;
    const uint32_t word = (uint32_t)(int64_t)value;
    const size_t size = lab_type_size(type);
    if (type == LAB_UINT8)
        return -1; /* there, a byte is an element */
    memcpy(bytes, type == LAB_REAL ? (const void *)&number : (const void *)&word, size);
    for (size_t i = 1; i < size; i++)
        if (bytes[i] != bytes[0])
            return -1;
    return bytes[0];
}

/* The number that is the second argument of a cudaMemset in the line; -1: there is none. */
static int filled_with(const char *line)
{
    const char *at = strstr(line, "cudaMemset"), *comma = at ? strchr(at, ',') : NULL;
    char *end = NULL;
    if (!comma)
        return -1;
    const long byte = strtol(comma + 1, &end, 0);
    return end > comma + 1 && *end == ',' ? (int)(byte & 0xff) : -1;
}

static int line_that_fills(const char *path, int byte)
{
    char text[1024];
    FILE *file = fopen(path, "r");
    int number = 0, found = 0;
    while (file && !found && fgets(text, sizeof text, file)) {
        number++;
        found = filled_with(text) == byte ? number : 0;
    }
    if (file)
        fclose(file);
    return found;
}

void cause_of_fill(const struct call *call, const char *path, struct grader_finding *finding)
{
    char rest[sizeof finding->cause];
    const char *slash = strrchr(path, '/');
    if (finding->reason != REASON_VALUES || finding->buffer < 0)
        return;
    const struct lab_buffer *buffer = &call->run.buffer[finding->buffer];
    int byte = only_byte(buffer->type, finding->got[0]);
    if (byte <= 0 && buffer->type != LAB_REAL) /* something may have been added to it */
        byte = only_byte(buffer->type, finding->got[0] - finding->want[0]);
    const int line = byte > 0 ? line_that_fills(path, byte) : 0;
    if (line == 0)
        return;
    text_set(rest, sizeof rest, "%s", finding->cause);
    text_set(
        finding->cause, sizeof finding->cause,
        "%s:%d: cudaMemset fills bytes, not elements: with %d in every byte, an element is %.6g. Fill with 0, or let a "
        "kernel store the number.\n%s",
        slash ? slash + 1 : path, line, byte,
        buffer->type == LAB_REAL ? finding->got[0] : (double)(byte * 0x01010101u), rest);
    text_set(finding->file, sizeof finding->file, "%s", path);
    finding->line = line;
    finding->known = KNOWN_WHY;
}
