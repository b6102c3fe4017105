#include "sim/text/place.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/core/code.h"
#include "sim/ptx/ptx.h"
#include "sim/text/plain_name.h"

#define WARP_LANES 32
#define NAME_SIZE  40

const char *place_file(const struct sim_kernel *kernel, struct ptx_loc loc)
{
    if (loc.file <= 0 || loc.file >= kernel->file_count || loc.line <= 0 || !kernel->files[loc.file])
        return "";
    return kernel->files[loc.file];
}

struct sim_dim3 place_coordinates(uint64_t number, const struct sim_dim3 *dim)
{
    unsigned x = dim->x ? dim->x : 1, y = dim->y ? dim->y : 1;
    return (struct sim_dim3){(unsigned)(number % x), (unsigned)(number / x % y), (unsigned)(number / x / y)};
}

static struct sim_dim3 thread_index(const struct block_view *block, unsigned warp, int lane)
{
    return place_coordinates(warp * WARP_LANES + (unsigned)lane, &block->block_dim);
}

void place_thread_name(const struct block_view *block, unsigned warp, int lane, char *text, size_t size)
{
    struct sim_dim3 t = thread_index(block, warp, lane), b = block->block_index;
    snprintf(text, size, "thread (%u,%u,%u) of block (%u,%u,%u)", t.x, t.y, t.z, b.x, b.y, b.z);
}

static const struct ptx_instr *instr_at(const struct block_view *block, int pc)
{
    const struct code *code = block->kernel->code;
    return code && pc >= 0 && pc < code->count ? code->instrs[pc] : NULL;
}

static bool is_same(struct ptx_loc a, struct ptx_loc b)
{
    return a.file == b.file && a.line == b.line;
}

bool place_same_call(const struct block_view *block, int pc, int other)
{
    const struct ptx_instr *a = instr_at(block, pc), *b = instr_at(block, other);
    return a && b && a->call.line > 0 && is_same(a->call, b->call) && is_same(a->from, b->from);
}

void place_add_call(const struct block_view *block, int pc, struct ptx_loc loc, char *text, size_t size)
{
    const struct ptx_instr *instr = instr_at(block, pc);
    const size_t used = strlen(text);
    if (!instr || instr->call.line <= 0 || instr->call.file != loc.file || instr->site.file != loc.file ||
        instr->site.line != loc.line || instr->call.line == loc.line)
        return;
    if (instr->from.line > 0 && instr->from.file == loc.file && instr->from.line != instr->call.line)
        snprintf(text + used, size - used,
                 " The function of line %d is called at line %d, and the one that calls it at line %d.",
                 loc.line, instr->call.line, instr->from.line);
    else
        snprintf(text + used, size - used, " The function of line %d is called at line %d.", loc.line,
                 instr->call.line);
}

static bool is_of_toolkit(const char *file)
{
    return strstr(file, "/targets/") || strstr(file, "/nvidia/") || strncmp(file, "/usr/", 5) == 0;
}

void place_add_inner(const struct block_view *block, int pc, struct ptx_loc loc, const char *does, char *text,
                     size_t size)
{
    const struct ptx_instr *instr = instr_at(block, pc);
    const char *file = instr ? place_file(block->kernel, instr->loc) : "", *slash = strrchr(file, '/');
    const size_t used = strlen(text);
    if (file[0] && loc.line > 0 && instr->loc.file != loc.file && !is_of_toolkit(file))
        snprintf(text + used, size - used, " Line %d %s in a function that it calls: %.60s:%d.", loc.line,
                 does, slash ? slash + 1 : file, instr->loc.line);
}

struct sim_hazard_place place_of_lane(const struct block_view *block, unsigned warp, int lane,
                                      struct ptx_loc loc, const struct access *access)
{
    struct sim_hazard_place place = {
        .file = place_file(block->kernel, loc),
        .line = loc.line,
        .block = block->block_index,
        .thread = thread_index(block, warp, lane),
    };
    if (access) {
        place.is_write = access->kind != ACCESS_LOAD;
        place.is_atomic = access->kind == ACCESS_ATOMIC;
    }
    return place;
}

/* ---- variables of a kernel ----------------------------------------------------------------------------- */

void place_variable_name(const char *mangled, char *text, size_t size)
{
    const char *found = mangled;
    size_t total = strlen(mangled), length = total;
    if (strncmp(mangled, "_ZN", 3) == 0) { /* in a namespace */
        plain_name(mangled, text, size);
        return;
    }
    if (strncmp(mangled, "_Z", 2) == 0)
        for (size_t i = 2; i < total; i++) { /* <length><name>, the last one that ends with the text */
            size_t n = 0, k = i;
            while (k < total && isdigit((unsigned char)mangled[k]) && n < total)
                n = 10 * n + (size_t)(mangled[k++] - '0');
            bool last = k > i && n > 0 && (k + n == total || (k + n < total && mangled[k + n] == '_'));
            if (last && !isdigit((unsigned char)mangled[i - 1])) {
                found = mangled + k;
                length = n;
            }
        }
    snprintf(text, size, "%.*s", (int)length, found);
}

const struct kernel_variable *place_variable_at(const struct kernel_variable *list, int count,
                                                uint64_t offset)
{
    const struct kernel_variable *found = NULL;
    for (int i = 0; i < count; i++)
        if (list[i].offset <= offset && (list[i].size == 0 || offset < list[i].offset + list[i].size))
            found = &list[i];
    return found;
}

const struct kernel_variable *place_variable_below(const struct kernel_variable *list, int count,
                                                   uint64_t offset)
{
    const struct kernel_variable *found = NULL;
    for (int i = 0; i < count; i++)
        if (list[i].offset <= offset)
            found = &list[i];
    return found;
}

void place_describe_variable(const struct kernel_variable *v, const char *space, uint64_t offset, int element,
                             char *text, size_t size)
{
    if (!v) {
        snprintf(text, size, "%s memory (byte %" PRIu64 ")", space, offset);
        return;
    }
    if (strncmp(v->name, "__local_depot", 13) ==
        0) { /* what nvcc calls all of a function's variables together */
        snprintf(text, size, "a local variable");
        return;
    }
    char name[NAME_SIZE];
    place_variable_name(v->name, name, sizeof name);
    uint64_t inside = offset - v->offset;
    if (v->size == (size_t)element)
        snprintf(text, size, "%s variable %s", space, name);
    else if (inside % (uint64_t)element == 0)
        snprintf(text, size, "%s array %s[%" PRIu64 "]", space, name, inside / (uint64_t)element);
    else
        snprintf(text, size, "%s array %s (byte %" PRIu64 ")", space, name, inside);
}
