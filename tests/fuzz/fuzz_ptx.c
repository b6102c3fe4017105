/* Fuzz target: PTX up to the decoder. Modules to be linked stand behind each other, see ptx_survival.h. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "ptx_survival.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct survival survival = ptx_survive((const char *)data, size);
    if (survival.broken[0]) {
        fprintf(stderr, "broken promise: %s\n", survival.broken);
        abort();
    }
    return 0;
}
