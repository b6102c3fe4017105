/*
 * The fat binary: the container in which nvcc leaves PTX and machine code inside a host object.
 * Layout: at the head of fatbin.c; checked against nvcc 11.8 and 13.0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

struct fatbin_entry {
    enum fatbin_kind kind;
    int arch;         /* 80 for compute_80 or sm_80 */
    bool compressed;  /* LZ4 or zstd: the payload cannot be read as it is */
    const void *data; /* payload; plain PTX: `size` characters, zeroes behind them or not */
    size_t size;
};

struct fatbin {
    struct fatbin_entry *entries;
    int count;
};

/*
 * Reads the wrapper that __cudaRegisterFatBinary is given (magic 0x466243b1), or a bare container
 * (0xBA55ED50). `limit`: bytes that may be read from the container on, SIZE_MAX where unknown.
 * Returns false and a message for people on anything malformed. The entries point into `image`;
 * fatbin_free releases only the table.
 */
bool fatbin_read(const void *image, size_t limit, struct fatbin *out, char message[256]);
void fatbin_free(struct fatbin *fatbin);

/*
 * Objects with relocatable device code (nvcc -dc): nvlink makes one fat binary for all of them, with machine code only,
 * whose wrapper names the containers of the objects, where the PTX is. NULL: the image is no such wrapper; else the
 * containers, and NULL behind them.
 */
const void *const *fatbin_linked_parts(const void *image);

/* The container that the wrapper names, or the image itself. */
const void *fatbin_container(const void *image);

/*
 * The PTX to run on a device of compute capability `arch` (90 for 9.0): the newest that is not
 * newer than the device. NULL and a message where there is none, or where it is compressed: the
 * message names the nvcc flag that helps (-no-compress) or the -gencode that is missing.
 */
const struct fatbin_entry *fatbin_choose_ptx(const struct fatbin *fatbin, int arch, char message[256]);

/*
 * What ptxas says about one kernel, from the ELF entry that a device of compute capability `arch`
 * would run: the newest of the same major version that is not newer. False and zeroes where there
 * is no such entry, or it is compressed, malformed, or does not know the kernel.
 */
struct fatbin_kernel_info {
    int frame_bytes;   /* local memory of a thread, for what is spilled as well */
    int registers;     /* a thread */
    int shared_static; /* bytes a block, without the 1 KB that the system takes from 9.0 on */
};
bool fatbin_kernel_info(const struct fatbin *fatbin, int arch, const char *kernel,
                        struct fatbin_kernel_info *out);

/*
 * Bytes of stack that a call of `function` takes in `kernel`, as ptxas says for any device: they hardly differ. False
 * where no ELF entry that can be read knows the kernel.
 */
bool fatbin_frame(const struct fatbin *fatbin, const char *kernel, const char *function, int *bytes);
