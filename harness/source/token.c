#include "harness/source/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct lexer {
    struct tokens *to;
    const char *at;
    int line, room;
    bool in_macro;
    bool failed;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void add(struct lexer *l, enum token_kind kind, int length)
{
    struct tokens *to = l->to;
    if (to->count == l->room) {
        const int room = l->room ? 2 * l->room : 1024;
        struct token *grown = realloc(to->token, (size_t)room * sizeof *grown);
        if (!grown) {
            l->failed = true;
            return;
        }
        to->token = grown;
        l->room = room;
    }
    to->token[to->count++] = (struct token){kind, (int)(l->at - to->text), length, l->line, -1, l->in_macro};
}

static void pass(struct lexer *l, int length)
{
    for (; length > 0; length--, l->at++)
        l->line += *l->at == '\n';
}

/* To the end of the line, and of what continues it. */
static int directive_length(const char *at)
{
    int length = 0;
    while (at[length] && at[length] != '\n') {
        if (at[length] == '\\' && at[length + 1] == '\n')
            length++;
        length++;
    }
    return length;
}

static int comment_length(const char *at)
{
    const char *end;
    if (at[0] != '/')
        return 0;
    if (at[1] == '/')
        return directive_length(at);
    if (at[1] != '*')
        return 0;
    end = strstr(at + 2, "*/");
    return end ? (int)(end + 2 - at) : (int)strlen(at);
}

static int string_length(const char *at)
{
    int length = 1;
    while (at[length] && at[length] != at[0] && at[length] != '\n')
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return at[length] == at[0] ? length + 1 : length;
}

static int number_length(const char *at)
{
    int length = 0;
    while (is_name(at[length]) || at[length] == '.' ||
           ((at[length] == '+' || at[length] == '-') && strchr("eEpP", at[length - 1]) && at[1] != 'x'))
        length++;
    return length;
}

static int mark_length(const char *at)
{
    static const char *const marks[] = {
        "<<<", ">>>", "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
        "+=",  "-=",  "*=",  "/=",  "%=",  "&=", "|=", "^=", "++", "--", "->", "::"};
    for (int i = 0; i < (int)(sizeof marks / sizeof *marks); i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return (int)strlen(marks[i]);
    return 1;
}

static void lex_directive(struct lexer *l)
{
    const char *word = l->at + 1 + strspn(l->at + 1, " \t");
    const bool is_macro = strncmp(word, "define", 6) == 0;
    const int length = is_macro ? (int)(word + 6 - l->at) : directive_length(l->at);
    add(l, TOKEN_DIRECTIVE, length);
    pass(l, length);
    l->in_macro = is_macro;
}

static void lex_one(struct lexer *l)
{
    const char *at = l->at;
    int length = comment_length(at);
    enum token_kind kind = TOKEN_MARK;
    if (length > 0 || isspace((unsigned char)*at) || (*at == '\\' && at[1] == '\n')) {
        length = length > 0 ? length : *at == '\\' ? 2 : 1;
        if (*at == '\n')
            l->in_macro = false;
        l->failed |= *at == '\\' && !l->in_macro; /* it might part a word */
        pass(l, length);
        return;
    }
    if (*at == '#') {
        lex_directive(l);
        return;
    }
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        kind = TOKEN_NUMBER, length = number_length(at);
    else if (is_name(*at))
        for (kind = TOKEN_NAME; is_name(at[length]);)
            length++;
    else if (*at == '"' || *at == '\'')
        kind = TOKEN_STRING, length = string_length(at);
    else
        length = mark_length(at);
    add(l, kind, length);
    pass(l, length);
}

/* Launches' <<< and >>> count as brackets; what stands in a macro is closed there, or not at all. */
static bool match_brackets(struct tokens *to)
{
    static const char *const pairs[][2] = {{"(", ")"}, {"[", "]"}, {"{", "}"}, {"<<<", ">>>"}};
    int open[256], depth = 0;
    for (int i = 0; i < to->count; i++) {
        for (int p = 0; p < 4; p++) {
            if (token_is(to, i, pairs[p][0]) && !to->token[i].in_macro) {
                if (depth == 256)
                    return false;
                open[depth++] = i;
            } else if (token_is(to, i, pairs[p][1]) && !to->token[i].in_macro) {
                if (depth == 0 || !token_is(to, open[depth - 1], pairs[p][0]))
                    return false;
                to->token[i].match = open[--depth];
                to->token[open[depth]].match = i;
            }
        }
    }
    return depth == 0;
}

bool tokens_read(struct tokens *tokens, const char *text)
{
    struct lexer l = {.to = tokens, .at = text, .line = 1};
    *tokens = (struct tokens){.text = text};
    while (*l.at && !l.failed)
        lex_one(&l);
    return !l.failed && match_brackets(tokens);
}

void tokens_free(struct tokens *tokens)
{
    free(tokens->token);
    *tokens = (struct tokens){0};
}

bool token_is(const struct tokens *tokens, int i, const char *text)
{
    if (i < 0 || i >= tokens->count)
        return false;
    const struct token *token = &tokens->token[i];
    return strlen(text) == (size_t)token->length &&
           memcmp(tokens->text + token->at, text, (size_t)token->length) == 0;
}

bool token_in(const struct tokens *tokens, int i, const char *list)
{
    char word[64];
    if (i < 0 || i >= tokens->count || tokens->token[i].length > 60)
        return false;
    word[0] = ' ';
    memcpy(word + 1, tokens->text + tokens->token[i].at, (size_t)tokens->token[i].length);
    memcpy(word + 1 + tokens->token[i].length, " ", 2);
    return strstr(list, word) != NULL;
}

bool token_is_name(const struct tokens *tokens, int i)
{
    return i >= 0 && i < tokens->count && tokens->token[i].kind == TOKEN_NAME;
}

int token_end_of_part(const struct tokens *t, int first)
{
    int i = first;
    while (i < t->count && !token_in(t, i, " , ; ) ] } >>> "))
        i = t->token[i].match > i ? t->token[i].match + 1 : i + 1;
    return i - 1;
}

bool token_same(const struct tokens *tokens, int a, int b)
{
    const struct token *x = &tokens->token[a], *y = &tokens->token[b];
    return x->length == y->length &&
           memcmp(tokens->text + x->at, tokens->text + y->at, (size_t)x->length) == 0;
}

void token_copy(const struct tokens *tokens, int i, char *text, int size)
{
    const int length = tokens->token[i].length < size - 1 ? tokens->token[i].length : size - 1;
    memcpy(text, tokens->text + tokens->token[i].at, (size_t)length);
    text[length] = '\0';
}

void tokens_copy(const struct tokens *tokens, int first, int last, char *text, int size)
{
    const struct token *token = tokens->token;
    int length = 0;
    for (int i = first; i <= last && length < size - 1; i++) {
        if (i > first && token[i].at > token[i - 1].at + token[i - 1].length)
            text[length++] = ' ';
        for (int k = 0; k < token[i].length && length < size - 1; k++)
            text[length++] = tokens->text[token[i].at + k];
    }
    text[length] = '\0';
}
