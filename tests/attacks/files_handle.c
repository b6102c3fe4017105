/* Opens a file by its handle, which needs no path. */
#include "attack.h"

static void attack(void)
{
    struct {
        struct file_handle handle;
        char room[MAX_HANDLE_SZ];
    } file = {.handle.handle_bytes = MAX_HANDLE_SZ};
    int mount = 0;
    if (name_to_handle_at(AT_FDCWD, in_place("secret"), &file.handle, &mount, 0) == 0)
        achieved("a handle of the secret");
    const int folder = open("/", O_RDONLY | O_DIRECTORY);
    if (open_by_handle_at(folder, &file.handle, O_RDONLY) >= 0)
        achieved("the secret by its handle");
}
