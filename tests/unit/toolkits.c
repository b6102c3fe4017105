#define _GNU_SOURCE
#include "toolkits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_version(const struct toolkit *toolkit)
{
    char command[1100], line[256];
    int major = 0, minor = 0;
    snprintf(command, sizeof command, "'%s/nvcc' --version 2>/dev/null", toolkit->folder);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        const char *release = strstr(line, "release ");
        if (release && sscanf(release, "release %d.%d", &major, &minor) == 2)
            break;
    }
    if (pipe)
        pclose(pipe);
    return major * 10 + minor;
}

/* The tools that nvcc calls must be its own: its folder goes to the front of PATH. */
bool toolkit_run(const struct toolkit *toolkit, const char *options, const char *source, const char *output,
                 const char *log)
{
    char command[3000];
    snprintf(command, sizeof command, "PATH='%s':/usr/bin:/bin '%s/nvcc' -w %s '%s' -o '%s' >'%s' 2>&1",
             toolkit->folder, toolkit->folder, options, source, output, log ? log : "/dev/null");
    return system(command) == 0;
}

static bool can_compile(const struct toolkit *toolkit)
{
    char source[] = "/tmp/toolkit-XXXXXX.cu", output[64];
    int file = mkstemps(source, 3);
    if (file < 0)
        return false;
    const char text[] = "__global__ void k(int *x) { *x = 1; }\n";
    bool written = write(file, text, sizeof text - 1) == sizeof text - 1;
    close(file);
    snprintf(output, sizeof output, "%s.ptx", source);
    bool works = written && toolkit_run(toolkit, "-ptx -arch=compute_80", source, output, NULL);
    unlink(source);
    unlink(output);
    return works;
}

/* Adds folder/nvcc unless it is missing, broken or of a version that is there already. */
static int add_toolkit(struct toolkit *out, int count, int most, const char *folder)
{
    char path[600];
    struct toolkit found = {0};
    if (count == most || !folder[0] || strlen(folder) >= sizeof found.folder)
        return count;
    strcpy(found.folder, folder);
    snprintf(path, sizeof path, "%s/nvcc", folder);
    if (access(path, X_OK) != 0)
        return count;
    found.version = read_version(&found);
    for (int i = 0; i < count; i++) {
        if (out[i].version == found.version)
            return count;
    }
    out[count] = found;
    return count + can_compile(&found);
}

int toolkits_find(struct toolkit *out, int most)
{
    const char *nvcc = getenv("NVCC"), *path = getenv("PATH");
    int count = 0;
    if (nvcc && strrchr(nvcc, '/')) {
        char *folder = strndup(nvcc, (size_t)(strrchr(nvcc, '/') - nvcc));
        count = add_toolkit(out, count, most, folder);
        free(folder);
    }
    char *folders = strdup(path ? path : ""), *rest = folders;
    for (char *folder; (folder = strsep(&rest, ":")) != NULL;)
        count = add_toolkit(out, count, most, folder);
    free(folders);
    count = add_toolkit(out, count, most, "/usr/local/cuda/bin");
    count = add_toolkit(out, count, most, "/usr/bin");
    return add_toolkit(out, count, most, "toolkit/bin"); /* the light one, by ./setup */
}

void *read_whole_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *data = length >= 0 ? malloc((size_t)length + 1) : NULL;
    *size = data ? fread(data, 1, (size_t)length, file) : 0;
    fclose(file);
    return data;
}
