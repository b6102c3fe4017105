/*
 * How libFuzzer changes PTX: not only byte by byte, which seldom gets past the parser, but by words and
 * lines, and with instructions made from the opcode table, so that the decoder sees new ones.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "sim/decode/decode_internal.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static uint64_t random_state;

static size_t draw(size_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return below ? (size_t)(random_state >> 33) % below : 0;
}

struct text {
    char *at;
    size_t size, max_size;
};

struct span {
    size_t from, size;
};

/* Replaces the span by `piece`; nothing happens where there is no room. */
static void replace(struct text *text, struct span span, const char *piece, size_t piece_size)
{
    char copy[4096];
    if (piece_size > sizeof copy || text->size - span.size + piece_size > text->max_size)
        return;
    memcpy(copy, piece, piece_size); /* it may be a part of the text */
    memmove(text->at + span.from + piece_size, text->at + span.from + span.size,
            text->size - span.from - span.size);
    memcpy(text->at + span.from, copy, piece_size);
    text->size += piece_size - span.size;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static struct span random_line(const struct text *text)
{
    size_t from = draw(text->size), end = from;
    while (from > 0 && text->at[from - 1] != '\n')
        from--;
    while (end < text->size && text->at[end] != '\n')
        end++;
    return (struct span){from, end + (end < text->size) - from};
}

static void copy_line(struct text *text)
{
    struct span line = random_line(text), place = random_line(text);
    replace(text, (struct span){place.from, 0}, text->at + line.from, line.size);
}

static void delete_line(struct text *text)
{
    replace(text, random_line(text), "", 0);
}

/* ---- words --------------------------------------------------------------------------------------------- */

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_$%.:", c) != NULL);
}

/* A word, if there is one near a random place: else an empty span. */
static struct span random_word(const struct text *text)
{
    size_t from = draw(text->size), end;
    while (from < text->size && !in_word(text->at[from]))
        from++;
    while (from > 0 && in_word(text->at[from - 1]))
        from--;
    for (end = from; end < text->size && in_word(text->at[end]);)
        end++;
    return (struct span){from, end - from};
}

/* A register or a name with a dollar sign or an underscore, out of a few tries. */
static struct span random_operand_word(const struct text *text, bool is_register)
{
    struct span word = {0, 0};
    for (int tries = 0; tries < 30; tries++) {
        word = random_word(text);
        if (word.size > 0 && (text->at[word.from] == '%') == is_register && text->at[word.from] != '.')
            break;
    }
    return word;
}

static void exchange_word(struct text *text)
{
    struct span to = random_word(text), from = random_word(text);
    replace(text, to, text->at + from.from, from.size);
}

static void change_number(struct text *text)
{
    static const char *const numbers[] = {
        "0",  "1",          "-1",         "2",           "4",          "8",
        "31", "32",         "63",         "64",          "255",        "65535",
        "-8", "2147483647", "4294967295", "-2147483648", "4294967296", "0x7fffffffffffffff",
        "7",  "0f7FC00000", "%warpid",    "0",           "%tid.x",     "9223372036854775808",
    };
    for (int tries = 0; tries < 50; tries++) {
        struct span word = random_word(text);
        if (word.size == 0 || !isdigit((unsigned char)text->at[word.from]))
            continue;
        const char *number = numbers[draw(sizeof numbers / sizeof *numbers)];
        replace(text, word, number, strlen(number));
        return;
    }
}

/* ---- instructions -------------------------------------------------------------------------------------- */

struct line {
    char text[512];
    size_t size;
};

static void append(struct line *line, const char *piece, size_t size)
{
    if (size >= sizeof line->text - line->size)
        return;
    memcpy(line->text + line->size, piece, size);
    line->size += size;
}

static void append_text(struct line *line, const char *piece)
{
    append(line, piece, strlen(piece));
}

/* A modifier that the opcode knows; now and then any one. */
static void append_modifier(struct line *line, const struct opcode *opcode)
{
    enum modifier_kind kind;
    int count = 0;
    while (modifier_spelling(count, &kind))
        count++;
    for (int tries = 0; tries < 200; tries++) {
        const char *spelling = modifier_spelling((int)draw((size_t)count), &kind);
        if ((opcode->modifiers >> kind & 1) || draw(100) == 0) {
            append_text(line, ".");
            append_text(line, spelling);
            return;
        }
    }
}

static void append_type(struct line *line, const struct opcode *opcode)
{
    for (int tries = 0; tries < 50; tries++) {
        enum ptx_type type = (enum ptx_type)(1 + draw(PTX_TEXREF));
        if (type < PTX_TEXREF && ((opcode->types >> type & 1) || draw(20) == 0)) {
            append_text(line, ".");
            append_text(line, decode_type_name(type));
            return;
        }
    }
}

static void append_word(struct line *line, const struct text *text, bool is_register)
{
    struct span word = random_operand_word(text, is_register);
    append(line, text->at + word.from, word.size);
}

static void append_operand(struct line *line, const struct text *text)
{
    static const char *const fixed[] = {
        "0",  "1", "-1",     "5",       "31",           "32",       "0f3F800000", "0d3FF0000000000000",
        "64", "_", "%tid.x", "%laneid", "%globaltimer", "%clock64", "WARP_SZ",    "0xffffffff",
    };
    size_t choice = draw(20);
    if (choice < 10) {
        append_word(line, text, true);
    } else if (choice < 13) {
        append_text(line, fixed[draw(sizeof fixed / sizeof *fixed)]);
    } else if (choice < 15) {
        append_word(line, text, false);
    } else if (choice < 17) {
        append_text(line, "[");
        append_word(line, text, choice == 15);
        append_text(line, draw(2) ? "+8]" : "]");
    } else if (choice < 19) {
        append_text(line, "{");
        for (size_t i = 1 + draw(4); i > 0; i--) {
            append_word(line, text, true);
            append_text(line, i > 1 ? "," : "}");
        }
    } else {
        append_word(line, text, true);
        append_text(line, "|");
        append_word(line, text, true);
    }
}

static void make_instruction(struct line *line, const struct text *text)
{
    const struct opcode *opcode = opcode_at((int)draw((size_t)opcode_count()));
    if (draw(8) == 0) {
        append_text(line, "@");
        append_word(line, text, true);
        append_text(line, " ");
    }
    append_text(line, opcode->name);
    for (size_t i = draw(4); i > 0 && opcode->modifiers; i--)
        append_modifier(line, opcode);
    for (size_t i = opcode->types ? 1 + draw(8) / 6 : 0; i > 0; i--)
        append_type(line, opcode);
    size_t operands = strlen(opcode->operands);
    if (operands == 0 || draw(10) == 0)
        operands = draw(6);
    for (size_t i = 0; i < operands; i++) {
        append_text(line, i == 0 ? " " : ", ");
        append_operand(line, text);
    }
    append_text(line, ";\n");
}

static void insert_instruction(struct text *text)
{
    struct line line = {.size = 0};
    struct span place = random_line(text);
    make_instruction(&line, text);
    replace(text, (struct span){place.from, draw(2) ? place.size : 0}, line.text, line.size);
}

/* One operand of a line, between commas, made anew. */
static void change_operand(struct text *text)
{
    struct line line = {.size = 0};
    struct span word = random_operand_word(text, draw(4) != 0);
    append_operand(&line, text);
    replace(text, word, line.text, line.size);
}

static void change_modifier(struct text *text)
{
    struct line line = {.size = 0};
    struct span word = random_word(text);
    const char *dot = memchr(text->at + word.from, '.', word.size);
    if (!dot)
        return;
    size_t first = (size_t)(dot - text->at), end = first + 1;
    while (end < word.from + word.size && text->at[end] != '.')
        end++;
    char name[32] = "";
    if (first - word.from < sizeof name)
        memcpy(name, text->at + word.from, first - word.from);
    const struct opcode *opcode = opcode_find(name);
    if (!opcode)
        return;
    if (draw(2))
        append_modifier(&line, opcode);
    else
        append_type(&line, opcode);
    replace(text, (struct span){first, draw(3) ? end - first : 0}, line.text, line.size);
}

/* ---- what libFuzzer calls ------------------------------------------------------------------------------ */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static void (*const changes[])(struct text *) = {
        copy_line,          delete_line,    exchange_word,  change_number,   insert_instruction,
        insert_instruction, change_operand, change_operand, change_modifier, change_modifier,
    };
    random_state = seed;
    draw(2);
    if (size == 0 || draw(4) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    struct text text = {(char *)data, size, max_size};
    for (size_t i = 1 + draw(4); i > 0 && text.size > 0; i--)
        changes[draw(sizeof changes / sizeof *changes)](&text);
    return text.size;
}
