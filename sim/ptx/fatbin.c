#include "sim/ptx/fatbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/fatbin_elf.h"

/* ---- layout: little endian, as on every host that CUDA runs on ----------------------------------------- */

#define WRAPPER_MAGIC   0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u

enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

/* fatbinary_section.h of the toolkit. */
enum { WRAPPER_LINKED = 2 };

struct wrapper {
    uint32_t magic, version;
    const void *container;
};

struct linked_wrapper {
    struct wrapper plain;
    const void *const *parts; /* containers that nvlink has linked, NULL behind them */
};

struct container {
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size; /* of the entries behind the header */
};

/* The part of an entry's header that is read; the rest is names and options. */
struct entry_header {
    uint16_t kind, version;
    uint32_t header_size;
    uint64_t payload_size;
    uint32_t compressed_size, options_offset;
    uint16_t minor, major;
    uint32_t arch, name_offset, name_size;
    uint64_t flags;
};

/* ---- reading ------------------------------------------------------------------------------------------- */

static bool find_container(const void *image, size_t limit, const void **out, char message[256])
{
    struct wrapper wrapper = {0};
    memcpy(&wrapper.magic, image, sizeof wrapper.magic);
    *out = image;
    if (wrapper.magic == WRAPPER_MAGIC) {
        memcpy(&wrapper, image, sizeof wrapper);
        *out = wrapper.container;
    } else if (wrapper.magic != CONTAINER_MAGIC) {
        snprintf(message, 256, "fat binary: found magic number 0x%08x, expected 0x%08x or 0x%08x",
                 wrapper.magic, WRAPPER_MAGIC, CONTAINER_MAGIC);
        return false;
    }
    if (!*out)
        snprintf(message, 256, "fat binary: found a wrapper without a container, expected one");
    return *out != NULL && limit >= sizeof(struct container);
}

const void *fatbin_container(const void *image)
{
    const void *container = NULL;
    char ignored[256];
    return find_container(image, SIZE_MAX, &container, ignored) ? container : NULL;
}

static bool check_container(const struct container *container, size_t limit, char message[256])
{
    if (container->magic != CONTAINER_MAGIC)
        snprintf(message, 256, "fat binary: found the container's magic number 0x%08x, expected 0x%08x",
                 container->magic, CONTAINER_MAGIC);
    else if (container->header_size < sizeof *container)
        snprintf(message, 256, "fat binary: found a container header of %u bytes, expected at least %zu",
                 container->header_size, sizeof *container);
    else if (container->header_size > limit || container->size > limit - container->header_size)
        snprintf(message, 256, "fat binary: found a container of %u + %llu bytes, but only %zu are there",
                 container->header_size, (unsigned long long)container->size, limit);
    else
        return true;
    return false;
}

static bool add_entry(struct fatbin *out, const struct entry_header *header, const unsigned char *at)
{
    struct fatbin_entry *entries = realloc(out->entries, ((size_t)out->count + 1) * sizeof *entries);
    if (!entries)
        return false;
    out->entries = entries;
    out->entries[out->count++] = (struct fatbin_entry){
        .kind = header->kind,
        .arch = header->arch <= 10000 ? (int)header->arch : 0,
        .compressed = (header->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0,
        .data = at + header->header_size,
        .size = (size_t)header->payload_size,
    };
    return true;
}

/* The entries in `size` bytes; kinds other than PTX and ELF are passed over. */
static bool read_entries(const unsigned char *at, uint64_t size, struct fatbin *out, char message[256])
{
    for (uint64_t offset = 0; offset < size;) {
        struct entry_header header;
        uint64_t left = size - offset;
        if (left < sizeof header) {
            snprintf(message, 256,
                     "fat binary: found %llu bytes behind entry %d, expected another entry or none",
                     (unsigned long long)left, out->count);
            return false;
        }
        memcpy(&header, at + offset, sizeof header);
        if (header.header_size < sizeof header || header.header_size > left ||
            header.payload_size > left - header.header_size) {
            snprintf(message, 256, "fat binary: found entry %d with %u + %llu bytes, but only %llu are there",
                     out->count, header.header_size, (unsigned long long)header.payload_size,
                     (unsigned long long)left);
            return false;
        }
        bool is_known = header.kind == FATBIN_PTX || header.kind == FATBIN_ELF;
        if (is_known && !add_entry(out, &header, at + offset)) {
            snprintf(message, 256, "fat binary: out of memory");
            return false;
        }
        offset += header.header_size + header.payload_size;
    }
    return true;
}

bool fatbin_read(const void *image, size_t limit, struct fatbin *out, char message[256])
{
    const void *at;
    struct container container;
    *out = (struct fatbin){0};
    snprintf(message, 256, "fat binary: found fewer bytes than a header has");
    if (!image || limit < sizeof container || !find_container(image, limit, &at, message))
        return false;
    memcpy(&container, at, sizeof container);
    if (!check_container(&container, limit, message))
        return false;
    if (!read_entries((const unsigned char *)at + container.header_size, container.size, out, message)) {
        fatbin_free(out);
        return false;
    }
    message[0] = '\0';
    return true;
}

const void *const *fatbin_linked_parts(const void *image)
{
    struct linked_wrapper wrapper;
    memcpy(&wrapper.plain, image, sizeof wrapper.plain);
    if (wrapper.plain.magic != WRAPPER_MAGIC || wrapper.plain.version != WRAPPER_LINKED)
        return NULL;
    memcpy(&wrapper, image, sizeof wrapper);
    return wrapper.parts;
}

void fatbin_free(struct fatbin *fatbin)
{
    free(fatbin->entries);
    *fatbin = (struct fatbin){0};
}

/* ---- choosing ------------------------------------------------------------------------------------------ */

/* The newest entry of a kind that is not newer than `arch`; compressed ones only on request. */
static const struct fatbin_entry *newest(const struct fatbin *fatbin, enum fatbin_kind kind, int arch,
                                         bool compressed)
{
    const struct fatbin_entry *best = NULL;
    for (int i = 0; i < fatbin->count; i++) {
        const struct fatbin_entry *entry = &fatbin->entries[i];
        if (entry->kind == kind && entry->compressed == compressed && entry->arch <= arch &&
            (!best || entry->arch > best->arch))
            best = entry;
    }
    return best;
}

const struct fatbin_entry *fatbin_choose_ptx(const struct fatbin *fatbin, int arch, char message[256])
{
    const struct fatbin_entry *plain = newest(fatbin, FATBIN_PTX, arch, false);
    message[0] = '\0';
    if (plain)
        return plain;
    if (newest(fatbin, FATBIN_PTX, arch, true))
        snprintf(message, 256,
                 "the PTX in this program is compressed, expected it plain: compile with nvcc -no-compress");
    else
        snprintf(message, 256,
                 "this program holds no PTX for compute capability %d.%d or older: compile with "
                 "nvcc -gencode arch=compute_%d,code=compute_%d",
                 arch / 10, arch % 10, arch < 80 ? arch : 80, arch < 80 ? arch : 80);
    return NULL;
}

bool fatbin_kernel_info(const struct fatbin *fatbin, int arch, const char *kernel,
                        struct fatbin_kernel_info *out)
{
    enum { RESERVED_FROM = 90, RESERVED_BYTES = 1024 };
    const struct fatbin_entry *elf = newest(fatbin, FATBIN_ELF, arch, false);
    *out = (struct fatbin_kernel_info){0};
    if (!elf || elf->arch / 10 != arch / 10 || !fatbin_elf_kernel_info(elf->data, elf->size, kernel, out))
        return false;
    if (elf->arch >= RESERVED_FROM && out->shared_static >= RESERVED_BYTES)
        out->shared_static -= RESERVED_BYTES;
    return true;
}

bool fatbin_frame(const struct fatbin *fatbin, const char *kernel, const char *function, int *bytes)
{
    for (int i = 0; i < fatbin->count; i++) {
        const struct fatbin_entry *entry = &fatbin->entries[i];
        if (entry->kind == FATBIN_ELF && !entry->compressed &&
            fatbin_elf_frame(entry->data, entry->size, kernel, function, bytes))
            return true;
    }
    return false;
}
