/* Device code out of a program's file, and memory at a program's addresses. */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include "sim/api/api_follow.h"
#include "sim/core/need.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE      UINT64_C(4096)
#define MOST      (UINT64_C(4) << 30) /* bytes of one piece of memory, and of all */
#define LAST      (UINT64_C(1) << 47)
#define CONTAINER 0xba55ed50u

/* ---- the file ------------------------------------------------------------------------------------------ */

bool api_program_open(struct api_program *program, const char *path, char message[256])
{
    struct stat info;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (file >= 0 && fstat(file, &info) == 0 && info.st_size >= (off_t)sizeof(Elf64_Ehdr))
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
        snprintf(message, 256, "%.150s cannot be read: %s", path,
                 bytes == MAP_FAILED ? strerror(errno) : "it is no program");
        return false;
    }
    *program = (struct api_program){bytes, (size_t)info.st_size};
    return true;
}

static bool is_inside(const struct api_program *program, uint64_t offset, uint64_t size)
{
    return offset <= program->size && size <= program->size - offset;
}

/* The i-th section of the file, if it lies in it; `name`: what it is called. */
static bool section_at(const struct api_program *program, unsigned i, Elf64_Shdr *section)
{
    Elf64_Ehdr header;
    memcpy(&header, program->bytes, sizeof header);
    const uint64_t at = header.e_shoff + (uint64_t)i * sizeof *section;
    if (i >= header.e_shnum || at < header.e_shoff || !is_inside(program, at, sizeof *section))
        return false;
    memcpy(section, program->bytes + at, sizeof *section);
    return section->sh_type == SHT_NOBITS || is_inside(program, section->sh_offset, section->sh_size);
}

static bool is_called(const struct api_program *program, const Elf64_Shdr *section, const char *name)
{
    Elf64_Ehdr header;
    Elf64_Shdr names;
    memcpy(&header, program->bytes, sizeof header);
    const size_t length = strlen(name) + 1;
    return section_at(program, header.e_shstrndx, &names) && section->sh_name < names.sh_size &&
           length <= names.sh_size - section->sh_name &&
           memcmp(program->bytes + names.sh_offset + section->sh_name, name, length) == 0;
}

/* Magic number, version and header's size (2 bytes each), size behind the header: see sim/ptx/fatbin.c. */
static bool is_whole(const unsigned char *container, uint64_t room)
{
    uint32_t magic;
    uint16_t header;
    uint64_t size;
    if (room < 16)
        return false;
    memcpy(&magic, container, sizeof magic);
    memcpy(&header, container + 6, sizeof header);
    memcpy(&size, container + 8, sizeof size);
    return magic == CONTAINER && header <= room && size <= room - header;
}

const void *api_program_container(const struct api_program *program, uint64_t address)
{
    Elf64_Shdr section;
    for (unsigned i = 0; section_at(program, i, &section); i++) {
        const uint64_t offset = address - section.sh_addr;
        if (section.sh_type != SHT_PROGBITS || address % 8 != 0 || offset >= section.sh_size ||
            !is_called(program, &section, ".nv_fatbin"))
            continue;
        const unsigned char *container = program->bytes + section.sh_offset + offset;
        return is_whole(container, section.sh_size - offset) ? container : NULL;
    }
    return NULL;
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* What was mapped so: pages, never given back, for another process may ask for the same ones again. */
static struct {
    struct range {
        uint64_t first, end;
    } * list;
    int count;
    uint64_t bytes;
} mapped;

static bool is_ours(uint64_t page)
{
    for (int i = 0; i < mapped.count; i++)
        if (page >= mapped.list[i].first && page < mapped.list[i].end)
            return true;
    return false;
}

static bool map_new(uint64_t first, uint64_t end)
{
    void *start = (void *)(uintptr_t)first;
    if (mapped.bytes + (end - first) > MOST ||
        mmap(start, end - first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
             -1, 0) != start)
        return false;
    mapped.bytes += end - first;
    mapped.list =
        sim_need_resized(mapped.list, (size_t)mapped.count + 1, sizeof *mapped.list, "memory of the host");
    mapped.list[mapped.count++] = (struct range){first, end};
    return true;
}

static void clear(uint64_t first, uint64_t end)
{
    memset((void *)(uintptr_t)first, 0, end - first);
}

void *api_program_map(uint64_t address, uint64_t size)
{
    const uint64_t first = address / PAGE * PAGE, end = (address + size + PAGE - 1) / PAGE * PAGE;
    if (size == 0 || size > MOST || address >= LAST || first == 0)
        return NULL;
    for (uint64_t page = first, next; page < end; page = next) {
        const bool ours = is_ours(page);
        for (next = page + PAGE; next < end && is_ours(next) == ours;)
            next += PAGE;
        if (ours)
            clear(page > address ? page : address, next < address + size ? next : address + size);
        else if (!map_new(page, next))
            return NULL;
    }
    return (void *)(uintptr_t)address;
}
