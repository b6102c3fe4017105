/* Into a file beside, which then takes the name: a reader never sees half of it. */
#include "harness/report/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/text.h"

/* Where to write, to be renamed when it is whole; `path` itself where that is no file, such as /dev/stdout. */
static void name_beside(const char *path, char beside[4096])
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))
        text_set(beside, 4096, "%s", path);
    else
        text_set(beside, 4096, "%.4000s.%ld.tmp", path, (long)getpid());
}

static bool complain(const char *option, const char *path, char message[512])
{
    text_set(message, 512, "%s %.300s: %s", option, path, strerror(errno));
    return false;
}

bool file_possible(const char *option, const char *path, char message[512])
{
    char beside[4096];
    struct stat there;
    name_beside(path, beside);
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return complain(option, path, message);
    }
    if (strcmp(beside, path) == 0) /* opened and closed, a pipe would have come to its end */
        return access(path, W_OK) == 0 || complain(option, path, message);
    const int file = open(beside, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return complain(option, path, message);
    close(file);
    unlink(beside);
    return true;
}

bool file_write(const struct grader *grader, const char *option, const char *path, file_write_fn write,
                void *context, char message[512])
{
    char beside[4096];
    struct failures failures;
    if (!failures_find(grader, &failures)) {
        text_set(message, 512, "%s %.300s: not enough memory", option, path);
        return false;
    }
    name_beside(path, beside);
    FILE *out = fopen(beside, "w");
    bool written = out != NULL;
    if (written) {
        write(grader, &failures, context, out);
        written = fflush(out) == 0 && !ferror(out);
        written = fclose(out) == 0 && written;
    }
    failures_free(&failures);
    const bool apart = strcmp(beside, path) != 0;
    if (written && (!apart || rename(beside, path) == 0))
        return true;
    complain(option, path, message);
    if (apart)
        unlink(beside);
    return false;
}
