/* One token of look-ahead, and the messages about what stands where something else should. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/ptx/ptx_parse.h"

static void set_error(struct parser *p, int line, int column, const char *format, va_list args)
{
    p->error->line = line;
    p->error->column = column;
    vsnprintf(p->error->message, sizeof p->error->message, format, args);
}

void ptx_fail(struct parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error(p, p->token.line, p->token.column, format, args);
    va_end(args);
    longjmp(p->on_error, 1);
}

void ptx_fail_at(struct parser *p, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_error(p, line, column, format, args);
    va_end(args);
    longjmp(p->on_error, 1);
}

/* The current token for a message: quoted, shortened, printable. */
static void describe_token(const struct parser *p, char *out, size_t size)
{
    const struct ptx_token *token = &p->token;
    if (token->kind == PTX_TOKEN_END) {
        snprintf(out, size, "the end of the text");
        return;
    }
    size_t shown = token->length < 48 ? token->length : 48, n = 0;
    out[n++] = '\'';
    for (size_t i = 0; i < shown; i++) {
        char c = token->start[i];
        out[n++] = c >= ' ' && c <= '~' ? c : '?';
    }
    snprintf(out + n, size - n, "%s", shown < token->length ? "…'" : "'");
}

void ptx_fail_expected(struct parser *p, const char *expected)
{
    char found[64];
    describe_token(p, found, sizeof found);
    ptx_fail(p, "found %s, expected %s", found, expected);
}

void ptx_advance(struct parser *p)
{
    p->token = ptx_lexer_next(&p->lexer);
    if (p->token.kind == PTX_TOKEN_BAD) {
        char found[64];
        describe_token(p, found, sizeof found);
        ptx_fail(p, "found %s: %s", found, p->token.problem);
    }
}

bool ptx_is_punct(const struct parser *p, int punct)
{
    return p->token.kind == PTX_TOKEN_PUNCT && p->token.value == (uint64_t)punct;
}

bool ptx_is_dot(const struct parser *p, const char *name)
{
    size_t length = strlen(name);
    return p->token.kind == PTX_TOKEN_DOT && p->token.length == length + 1 &&
           memcmp(p->token.start + 1, name, length) == 0;
}

bool ptx_accept_punct(struct parser *p, int punct)
{
    bool found = ptx_is_punct(p, punct);
    if (found)
        ptx_advance(p);
    return found;
}

bool ptx_accept_dot(struct parser *p, const char *name)
{
    bool found = ptx_is_dot(p, name);
    if (found)
        ptx_advance(p);
    return found;
}

void ptx_expect_punct(struct parser *p, int punct, const char *expected)
{
    if (!ptx_accept_punct(p, punct))
        ptx_fail_expected(p, expected);
}

struct name *ptx_expect_word(struct parser *p, const char *expected)
{
    if (p->token.kind != PTX_TOKEN_WORD)
        ptx_fail_expected(p, expected);
    struct name *name = ptx_intern(p, p->token.start, p->token.length);
    p->word_line = p->token.line;
    p->word_column = p->token.column;
    ptx_advance(p);
    return name;
}

int64_t ptx_expect_int(struct parser *p, int64_t least, int64_t most, const char *expected)
{
    if (p->token.kind != PTX_TOKEN_INT)
        ptx_fail_expected(p, expected);
    uint64_t value = p->token.value;
    if (value > INT64_MAX || (int64_t)value < least || (int64_t)value > most)
        ptx_fail(p, "found %llu, expected %s from %lld to %lld", (unsigned long long)value, expected,
                 (long long)least, (long long)most);
    ptx_advance(p);
    return (int64_t)value;
}

void ptx_skip_to_semicolon(struct parser *p)
{
    while (!ptx_accept_punct(p, ';')) {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_fail_expected(p, "';'");
        ptx_advance(p);
    }
}

void ptx_skip_braces(struct parser *p)
{
    int line = p->token.line, column = p->token.column;
    ptx_expect_punct(p, '{', "'{'");
    for (size_t open = 1; open > 0; ptx_advance(p)) {
        if (p->token.kind == PTX_TOKEN_END)
            ptx_fail_at(p, line, column, "found '{' without its '}'");
        open += ptx_is_punct(p, '{');
        open -= ptx_is_punct(p, '}');
    }
}
