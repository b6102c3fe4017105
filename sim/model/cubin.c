#include "sim/model/cubin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/fatbin_elf.h"

/* ---- lines with instructions --------------------------------------------------------------------------- */

/* Lines, from 1, on which an instruction of a PTX text begins. */
struct line_list {
    int *lines;
    int count, capacity;
};

static bool line_list_add(struct line_list *list, int line)
{
    if (list->count && list->lines[list->count - 1] == line)
        return true;
    if (list->count == list->capacity) {
        int capacity = list->capacity ? 2 * list->capacity : 256;
        int *lines = realloc(list->lines, (size_t)capacity * sizeof *lines);
        if (!lines)
            return false;
        list->lines = lines;
        list->capacity = capacity;
    }
    list->lines[list->count++] = line;
    return true;
}

struct scanner {
    const char *at, *end;
    int line, depth; /* depth: of braces; instructions stand inside */
    char newline;    /* '\n', or 0 in a cubin */
};

static void next_character(struct scanner *s)
{
    s->line += *s->at == s->newline;
    s->at++;
}

static bool starts_with(const struct scanner *s, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, text, length) == 0;
}

/* Behind white space and comments. */
static void skip_blank(struct scanner *s)
{
    while (s->at < s->end) {
        if (starts_with(s, "//")) {
            while (s->at < s->end && *s->at != s->newline)
                next_character(s);
        } else if (starts_with(s, "/*")) {
            while (s->at < s->end && !starts_with(s, "*/"))
                next_character(s);
            s->at += s->at < s->end ? 2 : 0;
        } else if (isspace((unsigned char)*s->at) || *s->at == s->newline || *s->at == 0) {
            next_character(s);
        } else {
            return;
        }
    }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* A label in front of an instruction: a name and a colon. */
static bool skip_label(struct scanner *s)
{
    const char *p = s->at;
    while (p < s->end && is_name(*p))
        p++;
    while (p < s->end && (*p == ' ' || *p == '\t'))
        p++;
    if (p == s->at || p >= s->end || *p != ':' || (p + 1 < s->end && p[1] == ':'))
        return false;
    s->at = p + 1;
    return true;
}

/* Directives without a semicolon end with their line. */
static bool ends_with_line(const struct scanner *s)
{
    return starts_with(s, ".loc") || starts_with(s, ".file") || starts_with(s, ".version") ||
           starts_with(s, ".target") || starts_with(s, ".address_size");
}

static void skip_statement(struct scanner *s)
{
    bool line_end = ends_with_line(s);
    int line = s->line;
    while (s->at < s->end && !(line_end && s->line != line)) {
        char c = *s->at;
        if (!line_end && (c == '{' || c == '}') && s->depth == 0)
            return;
        if (!line_end && c == ';') {
            s->at++;
            return;
        }
        if (starts_with(s, "//") || starts_with(s, "/*"))
            skip_blank(s);
        else
            next_character(s);
    }
}

static bool find_instruction_lines(struct scanner s, struct line_list *list)
{
    s.line = 1;
    for (skip_blank(&s); s.at < s.end; skip_blank(&s)) {
        if (*s.at == '{' || *s.at == '}') {
            s.depth += *s.at++ == '{' ? 1 : -1;
        } else if (*s.at == ';') {
            s.at++;
        } else if (!skip_label(&s)) {
            if (s.depth > 0 && *s.at != '.' && !line_list_add(list, s.line))
                return false;
            skip_statement(&s);
        }
    }
    return true;
}

/* Of the list's lines the last one that is not behind `line`: its index; -1 if there is none. */
static int line_index(const struct line_list *list, int line)
{
    int low = 0, high = list->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (list->lines[middle] <= line)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* ---- the line-number program --------------------------------------------------------------------------- */

struct line_program {
    const unsigned char *at, *end;
    int line_base;
    unsigned line_range, opcode_base;
};

static uint64_t read_number(struct line_program *p, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes && p->at < p->end; i++)
        value |= (uint64_t)*p->at++ << (8 * i);
    return value;
}

static int64_t read_leb(struct line_program *p, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0, byte = 0x80;
    while (p->at < p->end && (byte & 0x80)) {
        byte = *p->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        shift += 7;
    }
    if (is_signed && (byte & 0x40) && shift < 64)
        value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

/* To the sequence whose address is filled in at `offset` of the section; the header's figures. */
static bool open_program(struct line_program *p, const unsigned char *section, size_t size, uint64_t offset)
{
    if (size < 16 || offset + 8 > size)
        return false;
    p->at = section + 12;
    p->end = section + size;
    p->line_base = (signed char)*p->at++;
    p->line_range = *p->at++;
    p->opcode_base = *p->at++;
    p->at = section + offset + 8; /* behind DW_LNE_set_address */
    return p->line_range > 0;
}

/* Notes `line` for the instructions from `from` to `to`, in bytes. */
static void note_lines(int *lines, int count, uint64_t from, uint64_t to, int line)
{
    for (uint64_t i = from / SASS_BYTES; i < to / SASS_BYTES && i < (uint64_t)count; i++)
        lines[i] = line;
}

/* Lines by instruction until the sequence ends; from DWARF 2, 6.2.5. */
static void run_program(struct line_program *p, int *lines, int count)
{
    uint64_t address = 0, row = 0, next;
    int64_t line = 1, row_line = 0;
    while (p->at < p->end) {
        unsigned opcode = *p->at++;
        bool emit = false, last = false;
        next = address;
        if (opcode >= p->opcode_base) {
            unsigned special = opcode - p->opcode_base;
            next = address + special / p->line_range;
            line += p->line_base + (int)(special % p->line_range);
            emit = true;
        } else if (opcode == 0) {
            int64_t length = read_leb(p, false);
            last = p->at < p->end && *p->at == 1; /* DW_LNE_end_sequence */
            p->at = length > p->end - p->at ? p->end : p->at + length;
            emit = last;
        } else if (opcode == 1) { /* DW_LNS_copy */
            emit = true;
        } else if (opcode == 2) { /* advance_pc */
            next = address + (uint64_t)read_leb(p, false);
        } else if (opcode == 3) { /* advance_line */
            line += read_leb(p, true);
        } else if (opcode == 4 || opcode == 5) { /* set_file, set_column */
            read_leb(p, false);
        } else if (opcode == 8) { /* const_add_pc */
            next = address + (255 - p->opcode_base) / p->line_range;
        } else if (opcode == 9) { /* fixed_advance_pc */
            next = address + read_number(p, 2);
        }
        address = next;
        if (emit) {
            note_lines(lines, count, row, address, (int)row_line);
            row = address;
            row_line = line;
        }
        if (last)
            return;
    }
}

/* ---- all together -------------------------------------------------------------------------------------- */

static bool decode_all(const unsigned char *bytes, size_t size, int cc, struct cubin_code *out)
{
    out->count = (int)(size / SASS_BYTES);
    out->instrs = calloc((size_t)out->count + 1, sizeof *out->instrs);
    out->ptx_lines = calloc((size_t)out->count + 1, sizeof *out->ptx_lines);
    if (!out->instrs || !out->ptx_lines)
        return false;
    for (int i = 0; i < out->count; i++)
        out->instrs[i] = sass_decode(bytes + (size_t)i * SASS_BYTES, cc);
    sass_count_banks(out->instrs, out->count);
    return true;
}

/* From lines of the cubin's text to lines of the one that ptxas was given. */
static bool translate_lines(struct cubin_code *code, const struct line_list *from, const struct line_list *to)
{
    if (from->count != to->count || from->count == 0)
        return false;
    for (int i = 0; i < code->count; i++) {
        int index = line_index(from, code->ptx_lines[i]);
        code->ptx_lines[i] = index < 0 || code->ptx_lines[i] == 0 ? 0 : to->lines[index];
    }
    return true;
}

static bool read_lines(const void *image, size_t size, const char *kernel, const char *text,
                       size_t text_length, struct cubin_code *out)
{
    struct line_list from = {0}, to = {0};
    struct line_program program;
    size_t lines_size, text_size;
    uint64_t offset;
    const unsigned char *lines = fatbin_elf_section(image, size, ".nv_debug_line_sass", "", &lines_size);
    const unsigned char *copy = fatbin_elf_section(image, size, ".nv_debug_ptx_txt", "", &text_size);
    bool good = lines && copy && fatbin_elf_reference(image, size, ".nv_debug_line_sass", kernel, &offset) &&
                open_program(&program, lines, lines_size, offset);
    if (good) {
        const char *start = (const char *)copy;
        run_program(&program, out->ptx_lines, out->count);
        good = find_instruction_lines((struct scanner){.at = start, .end = start + text_size}, &from) &&
               find_instruction_lines(
                   (struct scanner){.at = text, .end = text + text_length, .newline = '\n'}, &to) &&
               translate_lines(out, &from, &to);
    }
    free(from.lines);
    free(to.lines);
    return good;
}

bool cubin_code_read(const void *image, size_t size, const char *kernel, const char *text, size_t text_length,
                     int cc, struct cubin_code *out)
{
    size_t bytes;
    *out = (struct cubin_code){0};
    const unsigned char *section = fatbin_elf_section(image, size, ".text.", kernel, &bytes);
    if (section && decode_all(section, bytes, cc, out) &&
        read_lines(image, size, kernel, text, text_length, out))
        return true;
    cubin_code_release(out);
    return false;
}

void cubin_code_release(struct cubin_code *code)
{
    free(code->instrs);
    free(code->ptx_lines);
    *code = (struct cubin_code){0};
}
