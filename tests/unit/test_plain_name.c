/* Mangled names as nvcc makes them. */
#include "test.h"
#include "sim/text/plain_name.h"

static void expect(const char *mangled, const char *wanted)
{
    char text[64];

    plain_name(mangled, text, sizeof(text));
    assert_string_equal(text, wanted);
}

TEST(test_names)
{
    expect("_Z3addPKfS0_Pfi", "add");
    expect("_Z6scaledIfLi4EEvPT_8settingsPKS0_", "scaled");
    expect("_ZN3lab4stepEPf", "lab::step");
    expect("_ZN3lab4stepIfEEvPT_", "lab::step");
    expect("_ZL6hiddenPi", "hidden");
    expect("_ZN12_GLOBAL__N_16hiddenEPi", "hidden");
    expect("_ZN36_INTERNAL_6f3c9d2a_4_a_cu_5a1b2c3d_06hiddenEPi", "hidden");
    expect("main", "main");
    expect("kernel_in_c", "kernel_in_c");
}

TEST(test_nonsense)
{
    expect("", "");
    expect("_Z", "_Z");
    expect("_Z9abc", "_Z9abc");
    expect("_Z99999999999999999999x", "_Z99999999999999999999x");
    expect("_ZN", "_ZN");
    expect("_ZSt4sortv", "_ZSt4sortv");
}

TEST(test_short_buffer)
{
    char text[4];

    plain_name("_ZN3lab4stepEPf", text, sizeof(text));
    assert_string_equal(text, "lab");
    plain_name("kernel", text, sizeof(text));
    assert_string_equal(text, "ker");
}

RUN_ALL
