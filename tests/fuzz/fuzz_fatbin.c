/* Fuzz target: the fat-binary reader, as a bare container and behind a wrapper, up to the kernel's registers.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ptx/fatbin.h"

enum { WRAPPER_MAGIC = 0x466243b1 };

static void broken(const char *promise)
{
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

/* Reads every byte of what was found: the entries must lie inside of the image. */
static void read_all(const struct fatbin_entry *entry)
{
    const volatile unsigned char *bytes = entry->data;
    for (size_t i = 0; i < entry->size; i++)
        (void)bytes[i];
}

static void use(const void *image, size_t limit)
{
    struct fatbin fatbin;
    char message[256] = "";
    if (!fatbin_read(image, limit, &fatbin, message)) {
        if (!message[0] || fatbin.count != 0)
            broken("a refusal has a message and no entries");
        return;
    }
    for (int i = 0; i < fatbin.count; i++)
        read_all(&fatbin.entries[i]);
    static const int devices[] = {70, 75, 80, 86, 90, 100};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        struct fatbin_kernel_info info;
        if (!fatbin_choose_ptx(&fatbin, devices[i], message) && !message[0])
            broken("no PTX, but no message");
        fatbin_kernel_info(&fatbin, devices[i], "k", &info);
        fatbin_kernel_info(&fatbin, devices[i], "a_longer_name", &info);
    }
    fatbin_free(&fatbin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t magic = 0;
    unsigned char *copy = malloc(size ? size : 1); /* aligned as the linker aligns it */
    if (!copy)
        abort();
    memcpy(copy, data, size);
    memcpy(&magic, data, size < sizeof magic ? 0 : sizeof magic);
    if (magic != WRAPPER_MAGIC) /* a wrapper's pointer is the program's own, not the file's */
        use(copy, size);
    struct {
        uint32_t magic, version;
        const void *container, *unused;
    } wrapper = {WRAPPER_MAGIC, 1, copy, NULL};
    if (size >= 16) /* a wrapper without even a header behind it would be a broken program */
        use(&wrapper, size);
    free(copy);
    return 0;
}
