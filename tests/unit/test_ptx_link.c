/* Several modules become one: which function and which variable a name stands for. */
#include "test.h"
#include "ptx_fixture.h"

#define CALL " { .reg .b32 %r<2>; call f; mov.u32 %r1, v; ret; }\n"

/* What the kernel's call and move name in the module that three texts are linked to. */
static struct ptx_module *link_three(const char *second, const char *third, struct ptx_func **func,
                                     struct ptx_var **var)
{
    char text[2][512];
    snprintf(text[0], sizeof text[0], PTX_HEAD "%s", second);
    snprintf(text[1], sizeof text[1], PTX_HEAD "%s", third);
    struct ptx_module *parts[] = {
        parse_ok(PTX_HEAD ".extern .global .u32 v;\n.extern .func f;\n.visible .entry k()" CALL),
        parse_ok(text[0]), parse_ok(text[1])};
    struct ptx_module *linked = ptx_link(parts, 3);
    const struct ptx_func *kernel = kernel_of(linked);
    *func = kernel->instrs[0].operands[0].func;
    *var = kernel->instrs[1].operands[1].var;
    return linked;
}

/* A module's own function or variable of the same name is another one. */
TEST(own_names_are_passed_over)
{
    struct ptx_func *func;
    struct ptx_var *var;
    struct ptx_module *m =
        link_three(".global .u32 v = 1;\n.func f { trap; }\n",
                   ".visible .global .u32 v = 2;\n.visible .func f { ret; }\n", &func, &var);
    assert_string_equal(func->instrs[0].op, "ret");
    assert_int_equal(var->init[0], 2);
    ptx_module_free(m);
}

/* Of a weak definition and another one that one counts, of several weak ones the first; for all modules. */
TEST(weak_definitions)
{
    struct ptx_func *func;
    struct ptx_var *var;
    struct ptx_module *m =
        link_three(".weak .global .u32 v = 1;\n.weak .func f { trap; }\n",
                   ".visible .global .u32 v = 2;\n.visible .func f { ret; }\n", &func, &var);
    assert_string_equal(func->instrs[0].op, "ret");
    assert_int_equal(var->init[0], 2);
    ptx_module_free(m);
    m = link_three(".weak .global .u32 v = 1;\n.weak .func f { ret; }\n.visible .entry k2()" CALL,
                   ".weak .global .u32 v = 2;\n.weak .func f { trap; }\n.visible .entry k3()" CALL, &func,
                   &var);
    assert_string_equal(func->instrs[0].op, "ret");
    assert_int_equal(var->init[0], 1);
    const struct ptx_func *other = ptx_module_find_func(m, "k3");
    assert_ptr_equal(other->instrs[0].operands[0].func, func);
    assert_ptr_equal(other->instrs[1].operands[1].var, var);
    ptx_module_free(m);
}

/* What none defines stays extern: who calls it says so. */
TEST(missing_names_stay_extern)
{
    struct ptx_func *func;
    struct ptx_var *var;
    struct ptx_module *m = link_three("", ".func f { ret; }\n", &func, &var);
    assert_false(func->has_body);
    assert_true(var->is_extern);
    ptx_module_free(m);
}

RUN_ALL
