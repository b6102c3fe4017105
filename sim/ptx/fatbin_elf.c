#include "sim/ptx/fatbin_elf.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

struct elf {
    const unsigned char *image;
    size_t size;
    Elf64_Ehdr header;
    size_t section_count;
    Elf64_Shdr names; /* the string table of the section names */
};

/* Copies `size` bytes at `offset` of the image; false if they are not all there. */
static bool read_at(const struct elf *elf, uint64_t offset, void *out, size_t size)
{
    if (offset > elf->size || size > elf->size - offset)
        return false;
    memcpy(out, elf->image + offset, size);
    return true;
}

static bool read_section(const struct elf *elf, size_t index, Elf64_Shdr *out)
{
    return index < elf->section_count &&
           read_at(elf, elf->header.e_shoff + index * sizeof *out, out, sizeof *out);
}

static bool open_elf(const void *image, size_t size, struct elf *elf)
{
    Elf64_Shdr first;
    *elf = (struct elf){.image = image, .size = size};
    if (!read_at(elf, 0, &elf->header, sizeof elf->header) ||
        memcmp(elf->header.e_ident, ELFMAG, SELFMAG) != 0 || elf->header.e_ident[EI_CLASS] != ELFCLASS64 ||
        elf->header.e_shentsize != sizeof first || elf->header.e_shoff > size)
        return false;
    elf->section_count = 1;
    if (!read_section(elf, 0, &first))
        return false;
    /* Numbers too large for the header stand in section 0 (System V ABI, chapter 4). */
    uint64_t count = elf->header.e_shnum ? elf->header.e_shnum : first.sh_size;
    size_t names = elf->header.e_shstrndx == SHN_XINDEX ? first.sh_link : elf->header.e_shstrndx;
    if (count > (size - elf->header.e_shoff) / sizeof first)
        return false;
    elf->section_count = count;
    return read_section(elf, names, &elf->names);
}

/* Whether the string at `offset` of the string table is prefix + name. */
static bool string_is(const struct elf *elf, const Elf64_Shdr *table, uint64_t offset, const char *prefix,
                      const char *name)
{
    size_t prefix_length = strlen(prefix), length = prefix_length + strlen(name) + 1;
    if (table->sh_offset > elf->size || table->sh_size > elf->size - table->sh_offset)
        return false;
    if (offset > table->sh_size || length > table->sh_size - offset)
        return false;
    const char *text = (const char *)elf->image + table->sh_offset + offset;
    return memcmp(text, prefix, prefix_length) == 0 &&
           memcmp(text + prefix_length, name, length - prefix_length) == 0;
}

static bool find_section(const struct elf *elf, const char *prefix, const char *name, Elf64_Shdr *out)
{
    for (size_t i = 0; i < elf->section_count; i++) {
        if (read_section(elf, i, out) && string_is(elf, &elf->names, out->sh_name, prefix, name))
            return true;
    }
    return false;
}

static bool symbol_is(const struct elf *elf, const Elf64_Shdr *symbols, uint32_t index, const char *prefix,
                      const char *name)
{
    Elf64_Sym symbol;
    Elf64_Shdr strings;
    return (uint64_t)index * sizeof symbol < symbols->sh_size &&
           read_at(elf, symbols->sh_offset + (uint64_t)index * sizeof symbol, &symbol, sizeof symbol) &&
           read_section(elf, symbols->sh_link, &strings) &&
           string_is(elf, &strings, symbol.st_name, prefix, name);
}

/*
 * .nv.info is a list of attributes: a format and a number of one byte each, then a value of two
 * bytes, or, for format 4, the length of what follows: here {symbol, value}.
 */
enum { ATTRIBUTE_FRAME = 0x11, ATTRIBUTE_REGISTERS = 0x2f };

static bool find_attribute(const struct elf *elf, const char *prefix, const char *kernel, int attribute,
                           int *found)
{
    enum { FORMAT_SIZED = 4 };
    Elf64_Shdr info, symbols;
    if (!find_section(elf, "", ".nv.info", &info) || !read_section(elf, info.sh_link, &symbols))
        return false;
    struct {
        uint8_t format, attribute;
        uint16_t value;
    } entry;
    uint32_t pair[2];
    for (uint64_t at = 0; at < info.sh_size && read_at(elf, info.sh_offset + at, &entry, sizeof entry);) {
        at += sizeof entry;
        if (entry.format != FORMAT_SIZED)
            continue;
        if (entry.attribute == attribute && entry.value >= sizeof pair &&
            read_at(elf, info.sh_offset + at, pair, sizeof pair) &&
            symbol_is(elf, &symbols, pair[0], prefix, kernel)) {
            *found = (int)(attribute == ATTRIBUTE_REGISTERS ? pair[1] & 0xffff : pair[1]);
            return true;
        }
        at += entry.value;
    }
    return false;
}

bool fatbin_elf_kernel_info(const void *image, size_t size, const char *kernel,
                            struct fatbin_kernel_info *out)
{
    struct elf elf;
    Elf64_Shdr shared;
    *out = (struct fatbin_kernel_info){0};
    if (!open_elf(image, size, &elf) ||
        !find_attribute(&elf, "", kernel, ATTRIBUTE_REGISTERS, &out->registers))
        return false;
    find_attribute(&elf, "", kernel, ATTRIBUTE_FRAME, &out->frame_bytes);
    if (find_section(&elf, ".nv.shared.", kernel, &shared) && shared.sh_size <= INT32_MAX)
        out->shared_static = (int)shared.sh_size;
    return true;
}

bool fatbin_elf_frame(const void *image, size_t size, const char *kernel, const char *function, int *bytes)
{
    char prefix[1024];
    struct elf elf;
    int registers;
    if (!open_elf(image, size, &elf) || !find_attribute(&elf, "", kernel, ATTRIBUTE_REGISTERS, &registers))
        return false;
    *bytes = 0;
    int length = snprintf(prefix, sizeof prefix, "$%s$", kernel);
    if (length >= (int)sizeof prefix || !find_attribute(&elf, prefix, function, ATTRIBUTE_FRAME, bytes))
        find_attribute(&elf, "", function, ATTRIBUTE_FRAME, bytes);
    return true;
}

const unsigned char *fatbin_elf_section(const void *image, size_t size, const char *prefix, const char *name,
                                        size_t *section_size)
{
    struct elf elf;
    Elf64_Shdr section;
    if (!open_elf(image, size, &elf) || !find_section(&elf, prefix, name, &section) ||
        section.sh_type == SHT_NOBITS || section.sh_offset > size ||
        section.sh_size > size - section.sh_offset)
        return NULL;
    *section_size = section.sh_size;
    return (const unsigned char *)image + section.sh_offset;
}

/* Relocations stand in .rela<section> or .rel<section>; an entry of either begins with the offset and the symbol. */
static bool find_relocation(const struct elf *elf, const char *prefix, size_t entry_size, const char *section,
                            const char *symbol, uint64_t *offset)
{
    Elf64_Shdr relocations, symbols;
    if (!find_section(elf, prefix, section, &relocations) ||
        !read_section(elf, relocations.sh_link, &symbols))
        return false;
    for (uint64_t at = 0; at + entry_size <= relocations.sh_size; at += entry_size) {
        Elf64_Rel entry;
        if (!read_at(elf, relocations.sh_offset + at, &entry, sizeof entry))
            return false;
        *offset = entry.r_offset;
        if (symbol_is(elf, &symbols, (uint32_t)ELF64_R_SYM(entry.r_info), "", symbol))
            return true;
    }
    return false;
}

bool fatbin_elf_reference(const void *image, size_t size, const char *section, const char *symbol,
                          uint64_t *offset)
{
    struct elf elf;
    return open_elf(image, size, &elf) &&
           (find_relocation(&elf, ".rela", sizeof(Elf64_Rela), section, symbol, offset) ||
            find_relocation(&elf, ".rel", sizeof(Elf64_Rel), section, symbol, offset));
}
