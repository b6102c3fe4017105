/*
 * A cubin: the ELF file in which ptxas leaves machine code. Only what is needed to ask it for a
 * kernel's registers and static shared memory; everything is read with its bounds checked.
 */
#ifndef SIM_FATBIN_ELF_H
#define SIM_FATBIN_ELF_H

#include "sim/ptx/fatbin.h"

/* False if the image is malformed or says nothing about `kernel`. */
bool fatbin_elf_kernel_info(const void *image, size_t size, const char *kernel,
                            struct fatbin_kernel_info *out);

#endif
