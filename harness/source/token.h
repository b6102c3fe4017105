/*
 * The tokens of a source file in CUDA C: names, numbers, operators, brackets that belong together. Comments are no
 * tokens. What stands in a #define is lexed as well; of other lines of the preprocessor only the line is kept.
 */
#pragma once

#include <stdbool.h>

enum token_kind {
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_STRING,    /* and characters */
    TOKEN_MARK,      /* an operator or a bracket */
    TOKEN_DIRECTIVE, /* "#define", or a whole other line of the preprocessor with what continues it */
};

struct token {
    enum token_kind kind;
    int at, length;
    int line;      /* from 1 */
    int match;     /* of a bracket: the index of the other one; else -1 */
    bool in_macro; /* it stands in a #define */
};

struct tokens {
    const char *text; /* borrowed */
    struct token *token;
    int count;
};

/* False: no memory, or brackets that do not match. Free with tokens_free in both cases. */
bool tokens_read(struct tokens *tokens, const char *text);
void tokens_free(struct tokens *tokens);

/* Is token `i` this text? False outside of the file. */
bool token_is(const struct tokens *tokens, int i, const char *text);
/* … one of these, with blanks around each: " + - " */
bool token_in(const struct tokens *tokens, int i, const char *list);
bool token_is_name(const struct tokens *tokens, int i);
/* The last token of the part of a list that begins at `first`: in front of a comma or semicolon, or of the bracket around it. */
int token_end_of_part(const struct tokens *tokens, int first);
/* Are two tokens the same text? */
bool token_same(const struct tokens *tokens, int a, int b);
/* The token's text, cut to the size. */
void token_copy(const struct tokens *tokens, int i, char *text, int size);
/* … of tokens `first` to `last`, on one line: what stands between two of them becomes one blank. */
void tokens_copy(const struct tokens *tokens, int first, int last, char *text, int size);
