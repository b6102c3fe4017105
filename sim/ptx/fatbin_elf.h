/*
 * A cubin: the ELF file in which ptxas leaves machine code. Only what is needed to ask it for a
 * kernel's registers and static shared memory; everything is read with its bounds checked.
 */
#pragma once

#include "sim/ptx/fatbin.h"

/* False if the image is malformed or says nothing about `kernel`. */
bool fatbin_elf_kernel_info(const void *image, size_t size, const char *kernel,
                            struct fatbin_kernel_info *out);

/*
 * Bytes of stack that a call of `function` takes in this kernel: 0 where ptxas has put it into its callers. A kernel
 * has copies of its own, "$kernel$function", of functions that are not relocatable. False as above.
 */
bool fatbin_elf_frame(const void *image, size_t size, const char *kernel, const char *function, int *bytes);

/* The bytes of the section called prefix + name, inside the image; NULL if there is none. */
const unsigned char *fatbin_elf_section(const void *image, size_t size, const char *prefix, const char *name,
                                        size_t *section_size);

/*
 * The offset in section `section` of the address of `symbol`, which a relocation fills in (of the first one, if
 * there are several); false if there is none.
 */
bool fatbin_elf_reference(const void *image, size_t size, const char *section, const char *symbol,
                          uint64_t *offset);
