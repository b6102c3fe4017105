/* PTX's fundamental types. Source: PTX ISA, 5.2. */
#include <string.h>

#include "sim/ptx/ptx.h"

static const struct {
    const char *name;
    int size;
} types[] = {
    [PTX_NOTYPE] = {"", 0},       [PTX_PRED] = {"pred", 1},   [PTX_B8] = {"b8", 1},
    [PTX_B16] = {"b16", 2},       [PTX_B32] = {"b32", 4},     [PTX_B64] = {"b64", 8},
    [PTX_B128] = {"b128", 16},    [PTX_U8] = {"u8", 1},       [PTX_U16] = {"u16", 2},
    [PTX_U32] = {"u32", 4},       [PTX_U64] = {"u64", 8},     [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},       [PTX_S32] = {"s32", 4},     [PTX_S64] = {"s64", 8},
    [PTX_F16] = {"f16", 2},       [PTX_F16X2] = {"f16x2", 4}, [PTX_BF16] = {"bf16", 2},
    [PTX_BF16X2] = {"bf16x2", 4}, [PTX_F32] = {"f32", 4},     [PTX_F64] = {"f64", 8},
    [PTX_U16X2] = {"u16x2", 4},   [PTX_S16X2] = {"s16x2", 4}, [PTX_TF32] = {"tf32", 4},
    [PTX_TEXREF] = {"texref", 8},
};

int ptx_type_size(enum ptx_type type)
{
    return types[type].size;
}

enum ptx_type ptx_type_find(const char *name)
{
    for (size_t i = PTX_PRED; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0)
            return (enum ptx_type)i;
    }
    if (strcmp(name, "samplerref") == 0 || strcmp(name, "surfref") == 0)
        return PTX_TEXREF;
    return PTX_NOTYPE;
}
