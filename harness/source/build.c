/* Where we are and what was built: build.info beside the grader's executable. */
#include "harness/source/build.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/clean.h"
#include "harness/base/text.h"
#include "harness/lab/lab.h"
#include "harness/source/line.h"
#include "harness/source/source.h"
#include "harness/wire/process.h"

static void own_folder(const char *argv0, char *folder, size_t size)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0)
        path[length] = 0;
    else if (!realpath(argv0, path))
        text_set(path, sizeof path, "%s", argv0);
    text_set(folder, size, "%s", dirname(path));
}

static bool read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t length = fread(text, 1, size - 1, file);
    text[length] = 0;
    fclose(file);
    return true;
}

static bool holds(const char *folder, const char *name, char root[4096])
{
    char path[2 * sizeof((struct grader_build *)NULL)->folder];
    text_set(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) != 0)
        return false;
    text_set(root, 4096, "%s", folder);
    return true;
}

bool build_find(const struct grader_build *build, const char *name, char root[4096])
{
    char folder[sizeof build->folder];
    text_set(folder, sizeof folder, "%s", build->folder);
    for (char *slash; (slash = strrchr(folder, '/')) != NULL;) {
        *slash = 0;
        if (holds(folder, name, root))
            return true;
    }
    return build->made_in[0] && holds(build->made_in, name, root);
}

/* D = build/lab03/float/skeleton, or deeper: the source is named from the repository's root. */
static void find_source(struct grader_build *build)
{
    if (build->source[0] != '/' && build_find(build, build->source, build->root))
        text_set(build->source_path, sizeof build->source_path, "%s/%s", build->root, build->source);
    else
        text_set(build->source_path, sizeof build->source_path, "%s", build->source);
}

/* Who opens a pipe or a device waits, or reads without end. */
static bool is_file(const struct grader_build *build, char message[512])
{
    struct stat info;
    if (stat(build->source_path, &info) != 0 || S_ISREG(info.st_mode))
        return true;
    text_set(message, 512, "%.400s is not a file any more", build->source);
    return false;
}

bool build_read(struct grader_build *build, const char *argv0, char message[512])
{
    char path[sizeof build->folder + 32], text[16384];
    memset(build, 0, sizeof *build);
    own_folder(argv0, build->folder, sizeof build->folder);
    text_set(path, sizeof path, "%s/build.info", build->folder);
    if (!read_file(path, text, sizeof text)) {
        text_set(message, 512, "%.300s: %s. Build the lab again: make %s", path, strerror(errno),
                 the_lab.name);
        return false;
    }
    process_value(text, "root", build->made_in, sizeof build->made_in);
    process_value(text, "lab", build->lab, sizeof build->lab);
    process_value(text, "real", build->real, sizeof build->real);
    process_value(text, "nvcc", build->nvcc, sizeof build->nvcc);
    process_value(text, "ptxas", build->ptxas, sizeof build->ptxas);
    process_value(text, "toolkit", build->toolkit, sizeof build->toolkit);
    process_value(text, "no_gpu", build->no_gpu, sizeof build->no_gpu);
    process_value(text, "source", build->source, sizeof build->source);
    find_source(build);
    text_clean(build->source, true);
    build->complete = true;
    return is_file(build, message);
}

void build_guess(struct grader_build *build, const char *argv0)
{
    memset(build, 0, sizeof *build);
    own_folder(argv0, build->folder, sizeof build->folder);
    const char *kind = text_file_name(build->folder);
    if (strncmp(kind, "src-", 4) == 0) { /* SRC=: make put a copy beside */
        text_set(build->source, sizeof build->source, "student.cu");
        text_set(build->source_path, sizeof build->source_path, "%.3800s/../../../src/%.128s/student.cu",
                 build->folder, kind);
        return;
    }
    text_set(build->source, sizeof build->source, "%s/%s.cu", the_lab.folder,
             strcmp(kind, "solution") == 0 ? kind : "skeleton");
    find_source(build);
}

/* A file of the lab's folder; "": it is not found. */
static void find_of_lab(const struct grader_build *build, const char *file, char *path, size_t size)
{
    char name[160], root[sizeof build->root];
    text_set(name, sizeof name, "%s/%s", the_lab.folder, file);
    text_set(path, size, "%s", "");
    if (build_find(build, name, root))
        text_set(path, size, "%s/%s", root, name);
}

void build_read_source(const struct grader_build *build, struct source *source)
{
    char path[sizeof build->root + 160];
    find_of_lab(build, "binding.c", path, sizeof path);
    source_read(source, build->source_path, path);
}

char *build_read_header(const struct grader_build *build)
{
    char name[96], path[sizeof build->root + 160];
    text_set(name, sizeof name, "%s.h", the_lab.name);
    find_of_lab(build, name, path, sizeof path);
    return trial_read_file(path);
}
