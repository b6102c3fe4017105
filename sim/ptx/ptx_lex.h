/*
 * The tokens of PTX. The lexer allocates nothing: a token points into the text.
 *
 * Source: PTX ISA, chapter 4 (identifiers, constants, comments).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,   /* add, %r1, $L__BB0_2, _param_0 */
    PTX_TOKEN_DOT,    /* .global, .2d, .shared::cta: the dot belongs to it */
    PTX_TOKEN_INT,    /* value: the 64 bits; is_unsigned: written with U or above INT64_MAX */
    PTX_TOKEN_F32,    /* 0fXXXXXXXX: value holds the 32 bits */
    PTX_TOKEN_F64,    /* 0dXXXXXXXXXXXXXXXX or a decimal number: value holds the 64 bits */
    PTX_TOKEN_STRING, /* quotes included; escapes are left as they are */
    PTX_TOKEN_PUNCT,  /* value: the character, or one of enum ptx_operator */
    PTX_TOKEN_BAD,    /* problem: what is wrong with the text here */
};

/* Operators of two characters; those of one are the character itself. */
enum ptx_operator {
    PTX_OP_SHL = 256,
    PTX_OP_SHR,
    PTX_OP_LE,
    PTX_OP_GE,
    PTX_OP_EQ,
    PTX_OP_NE,
    PTX_OP_AND,
    PTX_OP_OR,
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *start;
    size_t length;
    int line, column; /* from 1 */
    uint64_t value;
    bool is_unsigned;
    const char *problem; /* BAD only; a constant string */
};

struct ptx_lexer {
    const char *at, *end;
    const char *line_start;
    int line;
};

void ptx_lexer_init(struct ptx_lexer *lexer, const char *text, size_t length);

/*
 * The next token. At the end of the text, and after a BAD token, it returns END or BAD for ever.
 * Bytes of zero at the end of the text belong to the end: fat binaries pad with them.
 */
struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);
