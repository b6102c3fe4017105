/*
 * replay FILE...: gives each file to the fuzz target that this is linked with. A file that ends in .hex holds
 * bytes as hexadecimal text: digits in pairs, white space and lines of # are passed over.
 * replay --bytes FILE.hex: writes those bytes to stdout.
 * replay --draw N: N inputs of eight bytes each, for targets that make numbers of them (draw.h).
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static size_t read_file(const char *path, uint8_t **out)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 1 << 16;
    uint8_t *bytes = malloc(capacity);
    if (!file || !bytes) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        exit(2);
    }
    for (size_t got; (got = fread(bytes + size, 1, capacity - size, file)) > 0;) {
        size += got;
        if (size < capacity)
            continue;
        uint8_t *larger = realloc(bytes, capacity *= 2);
        if (!larger)
            abort();
        bytes = larger;
    }
    fclose(file);
    *out = bytes;
    return size;
}

static int digit_value(int c)
{
    return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* In place; returns the number of bytes. */
static size_t from_hex(uint8_t *text, size_t length)
{
    size_t digits = 0;
    bool in_comment = false;
    for (size_t i = 0; i < length; i++) {
        in_comment = text[i] == '#' || (in_comment && text[i] != '\n');
        int value = in_comment ? -1 : digit_value(text[i]);
        if (value < 0)
            continue;
        text[digits / 2] = (uint8_t)(digits % 2 ? text[digits / 2] << 4 | value : value);
        digits++;
    }
    return digits / 2;
}

static size_t read_input(const char *path, uint8_t **out)
{
    size_t size = read_file(path, out), length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".hex") == 0 ? from_hex(*out, size) : size;
}

static int draw_inputs(int count)
{
    for (int i = 1; i <= count; i++) {
        const uint64_t input = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
        fprintf(stderr, "\r%d", i); /* the one that crashed is named last */
        LLVMFuzzerTestOneInput((const uint8_t *)&input, sizeof input);
    }
    printf("%d inputs\n", count);
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t *bytes;
    if (argc == 3 && strcmp(argv[1], "--draw") == 0)
        return draw_inputs(atoi(argv[2]));
    if (argc == 3 && strcmp(argv[1], "--bytes") == 0) {
        size_t size = read_input(argv[2], &bytes);
        fwrite(bytes, 1, size, stdout);
        free(bytes);
        return 0;
    }
    for (int i = 1; i < argc; i++) {
        size_t size = read_input(argv[i], &bytes);
        fprintf(stderr, "%s\n", argv[i]); /* the last one named is the one that crashed */
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
