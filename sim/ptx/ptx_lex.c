#include "sim/ptx/ptx_lex.h"

#include <stdlib.h>
#include <string.h>

/* Locale-free character classes: PTX is ASCII. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word_char(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '$';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

void ptx_lexer_init(struct ptx_lexer *lexer, const char *text, size_t length)
{
    *lexer = (struct ptx_lexer){.at = text, .end = text + length, .line_start = text, .line = 1};
}

/* The character `offset` places ahead; '\0' behind the end. */
static char peek(const struct ptx_lexer *lexer, size_t offset)
{
    return offset < (size_t)(lexer->end - lexer->at) ? lexer->at[offset] : '\0';
}

static void skip_one(struct ptx_lexer *lexer)
{
    if (*lexer->at++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->at;
    }
}

/* Skips a comment that starts here; false if it never ends. */
static bool skip_comment(struct ptx_lexer *lexer)
{
    if (peek(lexer, 1) == '/') {
        while (lexer->at < lexer->end && *lexer->at != '\n')
            lexer->at++;
        return true;
    }
    for (lexer->at += 2; lexer->at < lexer->end; skip_one(lexer)) {
        if (*lexer->at == '*' && peek(lexer, 1) == '/') {
            lexer->at += 2;
            return true;
        }
    }
    return false;
}

static bool skip_blank(struct ptx_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (is_space(*lexer->at))
            skip_one(lexer);
        else if (*lexer->at != '/' || (peek(lexer, 1) != '/' && peek(lexer, 1) != '*'))
            return true;
        else {
            struct ptx_lexer comment = *lexer;
            if (!skip_comment(lexer)) {
                *lexer = comment; /* where it began is the place to report */
                return false;
            }
        }
    }
    return true;
}

static struct ptx_token bad(struct ptx_lexer *lexer, struct ptx_token token, const char *problem)
{
    token.kind = PTX_TOKEN_BAD;
    token.problem = problem;
    token.length = (size_t)(lexer->at - token.start);
    if (token.length == 0 && lexer->at < lexer->end)
        token.length = 1;
    lexer->at = token.start; /* the same again, whoever asks */
    lexer->line = token.line;
    return token;
}

static struct ptx_token done(struct ptx_lexer *lexer, struct ptx_token token, enum ptx_token_kind kind)
{
    token.kind = kind;
    token.length = (size_t)(lexer->at - token.start);
    return token;
}

/* 0f and 0d constants: the bits of the number, in hexadecimal. */
static struct ptx_token lex_float_bits(struct ptx_lexer *lexer, struct ptx_token token)
{
    bool is_single = peek(lexer, 1) == 'f' || peek(lexer, 1) == 'F';
    int wanted = is_single ? 8 : 16;
    lexer->at += 2;
    for (int i = 0; i < wanted; i++) {
        int digit = hex_digit(peek(lexer, 0));
        if (digit < 0)
            return bad(lexer, token, "a 0f constant needs 8 hexadecimal digits, a 0d constant 16");
        token.value = token.value << 4 | (uint64_t)digit;
        lexer->at++;
    }
    if (is_word_char(peek(lexer, 0)))
        return bad(lexer, token, "too many digits in a 0f or 0d constant");
    return done(lexer, token, is_single ? PTX_TOKEN_F32 : PTX_TOKEN_F64);
}

/* Digits of `base` from here on; false if the value leaves 64 bits. */
static bool lex_digits(struct ptx_lexer *lexer, unsigned base, uint64_t *value)
{
    for (;; lexer->at++) {
        int digit = hex_digit(peek(lexer, 0));
        if (digit < 0 || (unsigned)digit >= base)
            return true;
        if (*value > (UINT64_MAX - (uint64_t)digit) / base)
            return false;
        *value = *value * base + (uint64_t)digit;
    }
}

/* Length of the decimal floating-point number here, or 0 if it is an integer. */
static size_t float_length(const struct ptx_lexer *lexer)
{
    size_t n = 0;
    bool is_float = false;
    while (is_digit(peek(lexer, n)))
        n++;
    if (peek(lexer, n) == '.') {
        is_float = true;
        for (n++; is_digit(peek(lexer, n)); n++)
            ;
    }
    if (peek(lexer, n) == 'e' || peek(lexer, n) == 'E') {
        size_t sign = peek(lexer, n + 1) == '+' || peek(lexer, n + 1) == '-';
        if (is_digit(peek(lexer, n + 1 + sign))) {
            is_float = true;
            for (n += 2 + sign; is_digit(peek(lexer, n)); n++)
                ;
        }
    }
    return is_float ? n : 0;
}

static struct ptx_token lex_decimal_float(struct ptx_lexer *lexer, struct ptx_token token, size_t length)
{
    char digits[64];
    if (length >= sizeof digits)
        return bad(lexer, token, "a decimal number of more than 63 characters");
    memcpy(digits, lexer->at, length);
    digits[length] = '\0';
    double number = strtod(digits, NULL);
    memcpy(&token.value, &number, sizeof number);
    lexer->at += length;
    if (is_word_char(peek(lexer, 0)))
        return bad(lexer, token, "a letter inside a number");
    return done(lexer, token, PTX_TOKEN_F64);
}

static struct ptx_token lex_integer(struct ptx_lexer *lexer, struct ptx_token token)
{
    unsigned base = 10;
    if (peek(lexer, 0) == '0') {
        char mark = peek(lexer, 1);
        base = mark == 'x' || mark == 'X' ? 16 : mark == 'b' || mark == 'B' ? 2 : 8;
        lexer->at += base == 8 ? 1 : 2;
    }
    const char *digits = lexer->at;
    if (!lex_digits(lexer, base, &token.value))
        return bad(lexer, token, "an integer that does not fit into 64 bits");
    if (lexer->at == digits && base != 8)
        return bad(lexer, token, "a number without digits");
    token.is_unsigned = token.value > INT64_MAX;
    if (peek(lexer, 0) == 'U' || peek(lexer, 0) == 'u') {
        token.is_unsigned = true;
        lexer->at++;
    }
    if (is_word_char(peek(lexer, 0)))
        return bad(lexer, token, "a letter or a wrong digit inside a number");
    return done(lexer, token, PTX_TOKEN_INT);
}

static struct ptx_token lex_number(struct ptx_lexer *lexer, struct ptx_token token)
{
    char mark = peek(lexer, 0) == '0' ? peek(lexer, 1) : '\0';
    if (mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D')
        return lex_float_bits(lexer, token);
    size_t length = float_length(lexer);
    return length > 0 ? lex_decimal_float(lexer, token, length) : lex_integer(lexer, token);
}

static struct ptx_token lex_string(struct ptx_lexer *lexer, struct ptx_token token)
{
    for (lexer->at++; lexer->at < lexer->end && *lexer->at != '\n'; lexer->at++) {
        if (*lexer->at == '\\' && lexer->end - lexer->at > 1 && lexer->at[1] != '\n') {
            lexer->at++;
        } else if (*lexer->at == '"') {
            lexer->at++;
            return done(lexer, token, PTX_TOKEN_STRING);
        }
    }
    return bad(lexer, token, "a string without its closing quote");
}

/* .name, with ::name behind it as in .shared::cta */
static struct ptx_token lex_dot(struct ptx_lexer *lexer, struct ptx_token token)
{
    lexer->at++;
    if (!is_word_char(peek(lexer, 0)))
        return bad(lexer, token, "a dot without a name");
    for (;;) {
        while (is_word_char(peek(lexer, 0)))
            lexer->at++;
        if (peek(lexer, 0) != ':' || peek(lexer, 1) != ':' || !is_word_char(peek(lexer, 2)))
            return done(lexer, token, PTX_TOKEN_DOT);
        lexer->at += 2;
    }
}

static struct ptx_token lex_punct(struct ptx_lexer *lexer, struct ptx_token token)
{
    static const struct {
        char text[3];
        enum ptx_operator op;
    } pairs[] = {{"<<", PTX_OP_SHL}, {">>", PTX_OP_SHR}, {"<=", PTX_OP_LE},  {">=", PTX_OP_GE},
                 {"==", PTX_OP_EQ},  {"!=", PTX_OP_NE},  {"&&", PTX_OP_AND}, {"||", PTX_OP_OR}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (peek(lexer, 0) == pairs[i].text[0] && peek(lexer, 1) == pairs[i].text[1]) {
            token.value = pairs[i].op;
            lexer->at += 2;
            return done(lexer, token, PTX_TOKEN_PUNCT);
        }
    }
    char c = *lexer->at;
    if (c == '\0' || !strchr("{}[]()<>,;:=+-*/%&|^~!?@#", c))
        return bad(lexer, token, "a character that PTX does not know");
    lexer->at++;
    token.value = (unsigned char)c;
    return done(lexer, token, PTX_TOKEN_PUNCT);
}

/* A zero byte ends the text if only zero bytes follow. */
static struct ptx_token lex_zero(struct ptx_lexer *lexer, struct ptx_token token)
{
    for (const char *at = lexer->at; at < lexer->end; at++) {
        if (*at != '\0')
            return bad(lexer, token, "a zero byte in the middle of the text");
    }
    lexer->end = lexer->at;
    return done(lexer, token, PTX_TOKEN_END);
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer)
{
    bool closed = skip_blank(lexer);
    struct ptx_token token = {
        .start = lexer->at, .line = lexer->line, .column = (int)(lexer->at - lexer->line_start) + 1};
    if (!closed)
        return bad(lexer, token, "a comment that is never closed");
    if (lexer->at == lexer->end)
        return done(lexer, token, PTX_TOKEN_END);
    char c = *lexer->at;
    if (c == '\0')
        return lex_zero(lexer, token);
    if (is_digit(c))
        return lex_number(lexer, token);
    if (c == '"')
        return lex_string(lexer, token);
    if (c == '.')
        return lex_dot(lexer, token);
    if (is_letter(c) || c == '_' || c == '$' ||
        (c == '%' && is_word_char(peek(lexer, 1)) && !is_digit(peek(lexer, 1)))) {
        for (lexer->at++; is_word_char(peek(lexer, 0)); lexer->at++)
            ;
        return done(lexer, token, PTX_TOKEN_WORD);
    }
    return lex_punct(lexer, token);
}
