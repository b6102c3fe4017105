/*
 * The rest of the runtime API: programs that use it link, and learn at run time what is missing. The
 * functions are defined without their parameters, which none of them looks at; so the toolkit's header,
 * which declares them with, is not included here.
 */
int api_unsupported(const char *name); /* api_messages.c */

#define UNSUPPORTED(name)                                                                                    \
    int name(void);                                                                                          \
    __attribute__((weak)) int name(void)                                                                     \
    {                                                                                                        \
        return api_unsupported(#name);                                                                       \
    }
#include "sim/api/api_unsupported.def"
