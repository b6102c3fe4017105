/* Fat binaries built by hand, most of them wrong; test_toolkits.c reads those of the real nvcc. */
#include <elf.h>

#include "test.h"
#include "sim/ptx/fatbin.h"

enum { PLAIN = 0x11, LZ4 = 0x2011, ZSTD = 0x8011, ENTRY_HEADER = 64, CONTAINER_HEADER = 16 };

struct image {
    unsigned char bytes[8192];
    size_t size;
};

static void put(struct image *image, size_t offset, const void *value, size_t size)
{
    assert_true(offset + size <= sizeof image->bytes);
    memcpy(image->bytes + offset, value, size);
}

static void put32(struct image *image, size_t offset, uint32_t value)
{
    put(image, offset, &value, sizeof value);
}

static void put64(struct image *image, size_t offset, uint64_t value)
{
    put(image, offset, &value, sizeof value);
}

static void begin(struct image *image)
{
    *image = (struct image){.size = CONTAINER_HEADER};
    put32(image, 0, 0xba55ed50);
    put(image, 4, (uint16_t[]){1, CONTAINER_HEADER}, 4);
}

/* Returns the offset of the entry's header. */
static size_t add(struct image *image, int kind, int arch, uint64_t flags, const void *payload, size_t size)
{
    size_t at = image->size;
    put(image, at, (uint16_t[]){(uint16_t)kind, 0x101}, 4);
    put32(image, at + 4, ENTRY_HEADER);
    put64(image, at + 8, size);
    put32(image, at + 28, (uint32_t)arch);
    put64(image, at + 40, flags);
    put(image, at + ENTRY_HEADER, payload, size);
    image->size += ENTRY_HEADER + size;
    put64(image, 8, image->size - CONTAINER_HEADER);
    return at;
}

/* Reads an exact copy, so that a sanitizer sees every byte read too far. */
static bool read_copy(const struct image *image, size_t limit, struct fatbin *out, char message[256])
{
    static unsigned char *copy;
    free(copy);
    copy = malloc(limit ? limit : 1);
    memcpy(copy, image->bytes, limit);
    return fatbin_read(copy, limit, out, message);
}

static void refused(const struct image *image, size_t limit, const char *words)
{
    struct fatbin fatbin;
    char message[256] = "";
    assert_false(read_copy(image, limit, &fatbin, message));
    if (!strstr(message, words))
        fail_msg("message '%s', expected it to say '%s'", message, words);
    assert_int_equal(fatbin.count, 0);
}

/* ---- the container ------------------------------------------------------------------------------------- */

TEST(entries_are_found)
{
    struct image image;
    struct fatbin fatbin;
    char message[256];
    begin(&image);
    add(&image, FATBIN_ELF, 80, PLAIN,
        "\x7f"
        "ELF",
        4);
    add(&image, 8, 80, PLAIN, "other", 5); /* a kind that nobody asked for */
    add(&image, FATBIN_PTX, 75, LZ4, "xx", 2);
    add(&image, FATBIN_PTX, 80, PLAIN, ".version", 8);
    assert_true(read_copy(&image, image.size, &fatbin, message));
    assert_int_equal(fatbin.count, 3);
    assert_int_equal(fatbin.entries[0].kind, FATBIN_ELF);
    assert_false(fatbin.entries[0].compressed);
    assert_true(fatbin.entries[1].compressed);
    assert_int_equal(fatbin.entries[1].arch, 75);
    assert_int_equal(fatbin.entries[2].size, 8);
    assert_memory_equal(fatbin.entries[2].data, ".version", 8);
    fatbin_free(&fatbin);
    assert_null(fatbin.entries);
}

TEST(a_wrapper_leads_to_the_container)
{
    struct image image;
    struct fatbin fatbin;
    char message[256];
    struct {
        uint32_t magic, version;
        const void *container, *unused;
    } wrapper = {0x466243b1, 1, image.bytes, NULL};
    begin(&image);
    add(&image, FATBIN_PTX, 80, PLAIN, ".version", 8);
    assert_true(fatbin_read(&wrapper, SIZE_MAX, &fatbin, message));
    assert_int_equal(fatbin.count, 1);
    fatbin_free(&fatbin);
    wrapper.container = NULL;
    assert_false(fatbin_read(&wrapper, SIZE_MAX, &fatbin, message));
    assert_non_null(strstr(message, "without a container"));
    wrapper.container = image.bytes;
    image.bytes[0] = 0;
    assert_false(fatbin_read(&wrapper, SIZE_MAX, &fatbin, message));
    assert_non_null(strstr(message, "magic number"));
}

TEST(an_empty_container_is_one)
{
    struct image image;
    struct fatbin fatbin;
    char message[256];
    begin(&image);
    assert_true(read_copy(&image, image.size, &fatbin, message));
    assert_int_equal(fatbin.count, 0);
    assert_null(fatbin_choose_ptx(&fatbin, 90, message));
    assert_non_null(strstr(message, "-gencode"));
    fatbin_free(&fatbin);
}

TEST(malformed)
{
    struct image good, image;
    struct fatbin fatbin;
    char message[256];
    begin(&good);
    add(&good, FATBIN_PTX, 80, PLAIN, ".version", 8);
    assert_false(fatbin_read(NULL, SIZE_MAX, &fatbin, message));

    for (size_t limit = 0; limit < CONTAINER_HEADER; limit++)
        refused(&good, limit, "fewer bytes");
    for (size_t limit = CONTAINER_HEADER; limit < good.size; limit++)
        refused(&good, limit, "only");

    image = good;
    put32(&image, 0, 0x12345678);
    refused(&image, image.size, "found magic number 0x12345678");
    image = good;
    put(&image, 6, (uint16_t[]){8}, 2);
    refused(&image, image.size, "container header of 8 bytes");
    image = good;
    put64(&image, 8, UINT64_MAX);
    refused(&image, image.size, "only");
    image = good;
    put64(&image, 8, 10); /* an entry's header does not fit */
    refused(&image, image.size, "behind entry 0");
    image = good;
    put64(&image, CONTAINER_HEADER + 8, UINT64_MAX - 63);
    refused(&image, image.size, "entry 0");
    image = good;
    put64(&image, CONTAINER_HEADER + 8, 9);
    refused(&image, image.size, "only");
    image = good;
    put32(&image, CONTAINER_HEADER + 4, 0); /* would never move on */
    refused(&image, image.size, "entry 0");
    image = good;
    put32(&image, CONTAINER_HEADER + 4, UINT32_MAX);
    refused(&image, image.size, "entry 0");
}

/* ---- choosing ------------------------------------------------------------------------------------------ */

TEST(newest_ptx_that_is_not_too_new)
{
    struct image image;
    struct fatbin fatbin;
    char message[256];
    begin(&image);
    add(&image, FATBIN_PTX, 75, PLAIN, "a", 1);
    add(&image, FATBIN_PTX, 90, PLAIN, "b", 1);
    add(&image, FATBIN_PTX, 80, PLAIN, "c", 1);
    add(&image, FATBIN_PTX, 86, ZSTD, "d", 1);
    assert_true(read_copy(&image, image.size, &fatbin, message));
    assert_int_equal(fatbin_choose_ptx(&fatbin, 120, message)->arch, 90);
    assert_int_equal(fatbin_choose_ptx(&fatbin, 89, message)->arch, 80);
    assert_int_equal(fatbin_choose_ptx(&fatbin, 80, message)->arch, 80);
    assert_int_equal(fatbin_choose_ptx(&fatbin, 75, message)->arch, 75);
    assert_null(fatbin_choose_ptx(&fatbin, 70, message));
    assert_non_null(strstr(message, "7.0"));
    fatbin_free(&fatbin);
}

TEST(compressed_ptx_names_the_flag)
{
    const uint64_t flags[] = {LZ4, ZSTD};
    for (int i = 0; i < 2; i++) {
        struct image image;
        struct fatbin fatbin;
        char message[256];
        begin(&image);
        add(&image, FATBIN_PTX, 80, flags[i], "d", 1);
        assert_true(read_copy(&image, image.size, &fatbin, message));
        assert_null(fatbin_choose_ptx(&fatbin, 90, message));
        assert_non_null(strstr(message, "-no-compress"));
        fatbin_free(&fatbin);
    }
}

/* ---- cubins -------------------------------------------------------------------------------------------- */

enum { NAMES = 1, SYMBOLS, STRINGS, INFO, SHARED, SECTIONS };

/* A cubin of one kernel, k: `registers` registers and `shared` bytes. Returns its size. */
static size_t make_cubin(unsigned char out[2048], uint32_t registers, uint64_t shared)
{
    static const char names[] = "\0.nv.info\0.nv.shared.k\0", strings[] = "\0other\0k\0";
    const Elf64_Sym symbols[] = {{0}, {.st_name = 1}, {.st_name = 7}};
    const unsigned char skipped[] = {3, 0x1b, 0xff, 0, 4, 0x12, 4, 0, 9, 9, 9, 9};
    const uint32_t others[] = {0x00082f04, 1, 77}, wanted[] = {0x00082f04, 2, registers};
    Elf64_Ehdr header = {.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS, .e_shstrndx = NAMES};
    memcpy(header.e_ident, ELFMAG "\2\1\1\x41", 8);
    memset(out, 0, 2048);
    size_t at = 1024;
    Elf64_Shdr sections[SECTIONS] = {{0}};
    sections[NAMES] = (Elf64_Shdr){.sh_offset = at, .sh_size = sizeof names};
    memcpy(out + at, names, sizeof names);
    at += sizeof names;
    sections[STRINGS] = (Elf64_Shdr){.sh_offset = at, .sh_size = sizeof strings};
    memcpy(out + at, strings, sizeof strings);
    at += sizeof strings;
    sections[SYMBOLS] = (Elf64_Shdr){.sh_offset = at, .sh_size = sizeof symbols, .sh_link = STRINGS};
    memcpy(out + at, symbols, sizeof symbols);
    at += sizeof symbols;
    sections[INFO] = (Elf64_Shdr){.sh_name = 1, .sh_offset = at, .sh_link = SYMBOLS};
    memcpy(out + at, skipped, sizeof skipped);
    memcpy(out + at + sizeof skipped, others, sizeof others);
    memcpy(out + at + sizeof skipped + sizeof others, wanted, sizeof wanted);
    sections[INFO].sh_size = sizeof skipped + sizeof others + sizeof wanted;
    at += sections[INFO].sh_size;
    sections[SHARED] = (Elf64_Shdr){.sh_name = 10, .sh_type = SHT_NOBITS, .sh_offset = at, .sh_size = shared};
    header.e_shoff = sizeof header;
    memcpy(out, &header, sizeof header);
    memcpy(out + sizeof header, sections, sizeof sections);
    return at;
}

static bool ask(const unsigned char *cubin, size_t size, int entry_arch, int arch, const char *kernel,
                struct fatbin_kernel_info *info)
{
    struct image image;
    struct fatbin fatbin;
    char message[256];
    begin(&image);
    add(&image, FATBIN_ELF, entry_arch, PLAIN, cubin, size);
    assert_true(read_copy(&image, image.size, &fatbin, message));
    bool known = fatbin_kernel_info(&fatbin, arch, kernel, info);
    fatbin_free(&fatbin);
    return known;
}

TEST(kernel_info)
{
    unsigned char cubin[2048];
    struct fatbin_kernel_info info;
    size_t size = make_cubin(cubin, 42, 4224);
    assert_true(ask(cubin, size, 80, 80, "k", &info));
    assert_int_equal(info.registers, 42);
    assert_int_equal(info.shared_static, 4224);
    assert_true(ask(cubin, size, 80, 89, "k", &info));
    assert_true(ask(cubin, size, 80, 80, "other", &info));
    assert_int_equal(info.registers, 77);
    assert_int_equal(info.shared_static, 0);
    assert_false(ask(cubin, size, 80, 75, "k", &info)); /* too new */
    assert_false(ask(cubin, size, 80, 90, "k", &info)); /* another major version */
    assert_false(ask(cubin, size, 80, 80, "nobody", &info));
    assert_int_equal(info.registers, 0);
    size = make_cubin(cubin, 42, 1024 + 96);
    assert_true(ask(cubin, size, 90, 90, "k", &info));
    assert_int_equal(info.shared_static, 96);
}

TEST(damaged_cubins)
{
    unsigned char good[2048], cubin[2048];
    struct fatbin_kernel_info info;
    size_t size = make_cubin(good, 42, 4224);
    for (size_t cut = 0; cut < size; cut++)
        ask(good, cut, 80, 80, "k", &info);
    assert_false(ask(good, 700, 80, 80, "k", &info));
    for (size_t at = 0; at < size; at++) {
        static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
        for (size_t i = 0; i < sizeof values; i++) {
            memcpy(cubin, good, size);
            cubin[at] = values[i];
            ask(cubin, size, 80, 80, "k", &info);
        }
    }
}

RUN_ALL
