/* Small helps for tests that parse PTX. Include behind <cmocka.h>. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "sim/ptx/ptx.h"

/* Three lines: a test's own text begins on line 4. */
#define PTX_HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

static inline struct ptx_module *parse_ok(const char *text)
{
    struct ptx_error error;
    struct ptx_module *module = ptx_parse(text, strlen(text), &error);
    if (!module)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    return module;
}

/* The module with `body` as that of a kernel called k, which has a few registers and variables. */
static inline struct ptx_module *parse_body_ok(const char *body)
{
    char text[8192];
    snprintf(text, sizeof text,
             PTX_HEAD ".global .align 4 .b8 table[64];\n"
                      ".extern .func (.param .b32 r) f (.param .b32 a);\n"
                      ".entry k(.param .u64 k_param_0)\n{\n"
                      ".reg .pred %%p<5>;\n.reg .b32 %%r<20>;\n.reg .b64 %%rd<20>;\n.reg .f32 %%f<5>;\n"
                      "%s\n}\n",
             body);
    return parse_ok(text);
}

static inline struct ptx_func *kernel_of(struct ptx_module *module)
{
    struct ptx_func *func = ptx_module_find_func(module, "k");
    assert_non_null(func);
    return func;
}

/* The text must be refused at this place, with a message that holds `words`. */
static inline void parse_fails(const char *text, int line, int column, const char *words)
{
    struct ptx_error error;
    struct ptx_module *module = ptx_parse(text, strlen(text), &error);
    assert_null(module);
    if (!strstr(error.message, words))
        fail_msg("message '%s', expected it to say '%s'", error.message, words);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}
