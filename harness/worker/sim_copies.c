/* Other device code than the program's own: the source compiled in another way, or changed copies of it, each in a namespace. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/worker/backend.h"
#include "sim/device/sim.h"

char *__cxa_demangle(const char *mangled, char *room, size_t *size, int *status); /* of libstdc++ */

static char copy_space[32]; /* "change_7::", which the names of the copy begin with; … */
static char copy_mark[32];  /* … mangled they hold "8change_7" */

static void look_for(uint32_t copy)
{
    snprintf(copy_space, sizeof copy_space, "change_%u::", copy);
    snprintf(copy_mark, sizeof copy_mark, "%zu%.*s", strlen(copy_space) - 2, (int)strlen(copy_space) - 2,
             copy_space);
}

bool backend_take_program(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    const char *text = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0)
        text = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (text != MAP_FAILED)
        sim_program_text(text, (size_t)info.st_size);
    return text != MAP_FAILED;
}

/*
 * Takes the copy's namespace out of a name. What the program calls by a plain name is a variable, which lies in a namespace of the
 * file as well if it is static, or a kernel that is extern "C" there.
 */
static void leave_space(char *name, bool is_plain)
{
    char *from, *to = name;
    if (is_plain && (from = strstr(name, copy_space))) {
        memmove(name, from, strlen(from) + 1);
        name[strcspn(name, "(")] = '\0';
    }
    while ((from = strstr(to, copy_space))) {
        memmove(from, from + strlen(copy_space), strlen(from + strlen(copy_space)) + 1);
        to = from;
    }
}

/* `change_7::scale(float*)` is the program's `scale(float*)`. */
static bool is_of_copy(const char *in_ptx, const char *in_program)
{
    char *there = strstr(in_ptx, copy_mark) ? __cxa_demangle(in_ptx, NULL, NULL, NULL) : NULL;
    char *name = there ? __cxa_demangle(in_program, NULL, NULL, NULL) : NULL;
    if (there)
        leave_space(there, !name);
    const bool is = there && strcmp(there, name ? name : in_program) == 0;
    free(name);
    free(there);
    return is;
}

/* The first copy has the constants of all of them (harness/change/edit_write.c). */
void backend_take_copy(uint32_t copy)
{
    look_for(copy - 1);
    sim_program_names(is_of_copy);
    look_for(0);
    sim_program_names(is_of_copy);
}
