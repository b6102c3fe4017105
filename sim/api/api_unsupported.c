/*
 * The rest of the runtime API: programs that use it link, and learn at run time what is missing. The
 * functions are defined without their parameters, which none of them looks at; so the toolkit's header,
 * which declares them with, is not included here.
 */
#include <stdio.h>
#include <string.h>

int api_fail(int error);

static const int not_supported = 801; /* cudaErrorNotSupported */

/* "cudaGraphLaunch_ptsz" is what a program calls cudaGraphLaunch when it is compiled for per-thread streams.
 */
static int name_length(const char *name)
{
    const char *suffix = strstr(name, "_pt");
    return (int)(suffix ? (size_t)(suffix - name) : strlen(name));
}

#define UNSUPPORTED(name)                                                                                    \
    int name(void);                                                                                          \
    __attribute__((weak)) int name(void)                                                                     \
    {                                                                                                        \
        static int said;                                                                                     \
                                                                                                             \
        if (!said)                                                                                           \
            fprintf(stderr, "simulator: %.*s: the simulator does not support this call\n",                   \
                    name_length(#name), #name);                                                              \
        said = 1;                                                                                            \
        return api_fail(not_supported);                                                                      \
    }
#include "sim/api/api_unsupported.def"
