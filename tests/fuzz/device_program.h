/* A program of two kernels, as a device apart reads it from a file, and what is sent to that device (sim/api/api_record.h). */
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/api/api_record.h"

#define CODE_AT 0x4000u /* where .nv_fatbin lies in the program's addresses */

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .align 4 .u32 counter = 7;\n"
    ".visible .entry store(.param .u64 to, .param .u32 value)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n"
    "ld.param.u64 %rd1, [to];\nld.param.u32 %r1, [value];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "st.global.u32 [%rd2], %r1;\nret;\n}\n.visible .entry nothing()\n{\nret;\n}\n";

struct program {
    Elf64_Ehdr header;
    Elf64_Shdr section[3];
    char names[32];
    struct {
        uint32_t magic;
        uint16_t version, header_size;
        uint64_t size;
        uint16_t kind, entry_version;
        uint32_t entry_header;
        uint64_t payload;
        uint32_t compressed, options;
        uint16_t minor, major;
        uint32_t arch, name, name_size;
        uint64_t flags;
        uint64_t more[2];
        char ptx[sizeof ptx];
    } code;
};

static struct program whole_program(void)
{
    struct program p = {.names = "\0.nv_fatbin\0.names"};
    memcpy(p.header.e_ident, ELFMAG, SELFMAG);
    p.header.e_shoff = offsetof(struct program, section);
    p.header.e_shnum = 3;
    p.header.e_shstrndx = 2;
    p.section[1] = (Elf64_Shdr){.sh_name = 1,
                                .sh_type = SHT_PROGBITS,
                                .sh_addr = CODE_AT,
                                .sh_offset = offsetof(struct program, code),
                                .sh_size = sizeof p.code};
    p.section[2] = (Elf64_Shdr){.sh_name = 12,
                                .sh_type = SHT_STRTAB,
                                .sh_offset = offsetof(struct program, names),
                                .sh_size = sizeof p.names};
    p.code.magic = 0xba55ed50;
    p.code.header_size = 16;
    p.code.size = offsetof(typeof(p.code), ptx) + sizeof ptx - 16;
    p.code.kind = 1;
    p.code.entry_header = offsetof(typeof(p.code), ptx) - 16;
    p.code.payload = sizeof ptx;
    p.code.arch = 70;
    memcpy(p.code.ptx, ptx, sizeof ptx);
    return p;
}

static struct sim_follower *follow_program(const struct program *p, int fd, int answered, char message[256])
{
    char path[64];
    const int file = memfd_create("program", 0);
    if (write(file, p, sizeof *p) != sizeof *p)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct sim_follower *follower = sim_follow(fd, answered, path, message);
    close(file);
    return follower;
}
