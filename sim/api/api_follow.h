/* The program whose device this process has: its file, and memory at the addresses that it has there. */
#ifndef SIM_API_FOLLOW_H
#define SIM_API_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An ELF file, mapped to be read. */
struct api_program {
    const unsigned char *bytes;
    size_t size;
};

bool api_program_open(struct api_program *program, const char *path, char message[256]);
/*
 * The container of a fat binary (sim/ptx/fatbin.h) that lies at this address of the program, whole, in the section
 * .nv_fatbin; NULL: there is none.
 */
const void *api_program_container(const struct api_program *program, uint64_t address);

/*
 * Zeroed memory at this very address, which nothing else of this process has; NULL: that is not possible. It may begin and
 * end anywhere in a page, and share pages with what was mapped so before.
 */
void *api_program_map(uint64_t address, uint64_t size);

#endif
