/* Names of kernels for people. */
#pragma once

#include <stddef.h>

/*
 * The name of a C++ function without its parameters and template arguments: "_Z5scaleIfLi4EEvPT_" becomes
 * "scale",
 * "_ZN3lab4stepEPf" becomes "lab::step". Names that are not mangled, or not understood, stay as they are.
 * Source: Itanium C++ ABI, "External Names (a.k.a. Mangling)".
 */
void plain_name(const char *mangled, char *text, size_t size);
