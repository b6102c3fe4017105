#define _GNU_SOURCE
#include "class/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void no_memory(void)
{
    fprintf(stderr, "grade: not enough memory\n");
    exit(2);
}

static char *print_text(const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        no_memory();
    return text;
}

char *text_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = print_text(format, arguments);
    va_end(arguments);
    return text;
}

void *allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        no_memory();
    return memory;
}

static char *read_open(int fd, size_t most, size_t *size)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return NULL;
    if (!S_ISREG(status.st_mode) || (size_t)status.st_size > most) {
        errno = S_ISREG(status.st_mode) ? EFBIG : EINVAL;
        return NULL;
    }
    char *text = allocate((size_t)status.st_size + 1);
    ssize_t got;
    *size = 0;
    while (*size < (size_t)status.st_size &&
           (got = read(fd, text + *size, (size_t)status.st_size - *size)) > 0)
        *size += (size_t)got;
    return text;
}

char *file_read(const char *path, size_t most, size_t *size)
{
    size_t unused;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    char *text = read_open(fd, most, size ? size : &unused);
    const int reason = errno;
    close(fd);
    errno = reason;
    return text;
}

void file_begin(struct new_file *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *file = (struct new_file){.path = print_text(format, arguments)};
    va_end(arguments);
    if (!(file->out = open_memstream(&file->text, &file->size)))
        no_memory();
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t put = write(fd, text, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        text += put;
        size -= (size_t)put;
    }
    return fsync(fd) == 0;
}

/* The name, too, is on the disk only when its folder is. */
static void sync_folder_of(const char *path)
{
    char *folder = text_of("%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    const int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

bool file_end(struct new_file *file)
{
    if (fclose(file->out) != 0)
        no_memory();
    char *beside = text_of("%s.tmp", file->path);
    const int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    bool written = fd >= 0 && write_all(fd, file->text, file->size);
    written = fd >= 0 && close(fd) == 0 && written && rename(beside, file->path) == 0;
    if (written)
        sync_folder_of(file->path);
    else
        fprintf(stderr, "grade: %s cannot be written: %s\n", file->path, strerror(errno));
    free(beside);
    free(file->path);
    free(file->text);
    return written;
}

bool folder_make(const char *path)
{
    char *part = text_of("%s", path);
    for (char *at = part + 1; *at; at++)
        if (*at == '/') {
            *at = 0;
            mkdir(part, 0777);
            *at = '/';
        }
    struct stat status;
    const bool there =
        mkdir(part, 0777) == 0 || (errno == EEXIST && stat(part, &status) == 0 && S_ISDIR(status.st_mode));
    if (!there)
        fprintf(stderr, "grade: the folder %s cannot be made: %s\n", path, strerror(errno));
    free(part);
    return there;
}
