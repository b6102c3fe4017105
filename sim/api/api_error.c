/* The names and texts of error codes. */
#include "sim/api/api_call.h"

struct error_text {
    int code;
    const char *name, *text;
};

static const struct error_text error_texts[] = {
#define ERROR_CODE(number, name, text) {number, #name, text},
#include "sim/core/cuda_errors.def"
#undef ERROR_CODE
};

static const struct error_text *error_find(cudaError_t error)
{
    static const struct error_text unknown = {-1, "unrecognized error code", "unrecognized error code"};
    int count = (int)(sizeof error_texts / sizeof *error_texts);
    for (int i = 0; i < count; i++)
        if (error_texts[i].code == (int)error)
            return &error_texts[i];
    return &unknown;
}

const char *cudaGetErrorName(cudaError_t error)
{
    return error_find(error)->name;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error_find(error)->text;
}
