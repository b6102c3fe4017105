/* Words of PTX that every layer uses: types, state spaces, places in the source. The rest is in sim/ptx/ptx.h. */
#pragma once

enum ptx_type {
    PTX_NOTYPE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_U16X2,
    PTX_S16X2,
    PTX_TF32, /* of 32 bits, the lower 13 of which do not count */
    PTX_TEXREF,
};

enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_CONST,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_PARAM,
};

/* A place in a source file, from the nearest .loc before it; file 0 means unknown. */
struct ptx_loc {
    int file; /* index into ptx_module.files */
    int line;
};
