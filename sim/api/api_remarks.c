#define _GNU_SOURCE /* process_vm_readv */
#include "sim/api/api_remarks.h"
#include "sim/api/api_state.h"
#include "sim/core/code.h"
#include "sim/core/device.h"
#include "sim/core/kernel.h"
#include "sim/memory/memory.h"
#include "sim/text/allocation_name.h"

#include <stdarg.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void place_remark(struct sim_remark *remark, const struct api_source *source)
{
    snprintf(remark->file, sizeof remark->file, "%s", source->file);
    remark->line = source->line;
}

__attribute__((format(printf, 3, 4))) static void
add(enum sim_remark_kind kind, const struct api_source *source, const char *format, ...)
{
    struct api_remarks *remarks = &api.remarks;
    remarks->last = remarks->count < API_REMARKS_MAX ? &remarks->list[remarks->count++] : NULL;
    struct sim_remark *remark = remarks->last;
    if (!remark)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remark->text, sizeof remark->text, format, arguments);
    va_end(arguments);
    remark->kind = kind;
    remark->detail = SIM_REMARK_PLAIN;
    remark->name[0] = '\0';
    place_remark(remark, source);
}

static void add_note(const struct sim_remark *note)
{
    struct api_remarks *remarks = &api.remarks;
    for (int i = 0; i < remarks->note_count; i++)
        if (remarks->notes[i].line == note->line)
            return;
    if (remarks->note_count < API_NOTES_MAX)
        remarks->notes[remarks->note_count++] = *note;
}

/* A note about the line of the call. */
__attribute__((format(printf, 2, 3))) static void note_call(const struct api_call *call, const char *format,
                                                            ...)
{
    const struct api_source source = api_source_of_call(call);
    struct sim_remark note;
    va_list arguments;
    place_remark(&note, &source);
    va_start(arguments, format);
    vsnprintf(note.text, sizeof note.text, format, arguments);
    va_end(arguments);
    add_note(&note);
}

void api_remark_failed(const struct api_call *call, const char *why)
{
    const struct api_source source = api_source_of_call(call);
    add(SIM_REMARK_FAILED, &source, "%s: %s", call->name, why);
    if (strncmp(call->name, "cudaFree", 8) == 0)
        api_remark_detail(SIM_REMARK_FREE, "");
}

void api_remark_detail(enum sim_remark_detail detail, const char *name)
{
    struct sim_remark *last = api.remarks.last;
    if (!last)
        return;
    last->detail = detail;
    snprintf(last->name, sizeof last->name, "%s", name);
}

void api_remark_made(const struct api_call *call)
{
    if (api.remarks.made.line > 0 || api.reports)
        return;
    const struct api_source source = api_source_of_call(call);
    place_remark(&api.remarks.made, &source);
}

void api_remark_stopped(void)
{
    if (!api.queue.running || api.remarks.launched.line > 0)
        return;
    const struct api_source source = api_source_of_work(api.queue.running);
    place_remark(&api.remarks.launched, &source);
}

void api_remark_launch(void)
{
    struct sim_remark *waited = &api.remarks.waited;
    api.remarks.launches = true;
    api.remarks.late.line = 0;
    if (waited->line > 0)
        add_note(waited);
    waited->line = 0;
}

void api_remark_symbol(const struct api_call *call, const char *name)
{
    struct sim_remark *late = &api.remarks.late;
    if (!api.remarks.launches || late->line > 0 || api.reports)
        return;
    const struct api_source source = api_source_of_call(call);
    late->kind = SIM_REMARK_LATE;
    snprintf(late->name, sizeof late->name, "%s", name);
    api.remarks.late_to = 0;
    place_remark(late, &source);
    snprintf(
        late->text, sizeof late->text,
        "%s fills %s only here, after the last kernel was launched: no kernel of this call sees the new values. Fill it "
        "first, then launch.",
        call->name, name);
}

void api_remark_filled(const struct api_call *call, sim_addr to, bool copied)
{
    const struct allocation *array = memory_at(api.sim->memory, to);
    struct sim_remark *late = &api.remarks.late;
    char name[80];
    if (!api.remarks.launches || late->line > 0 || api.reports || !array)
        return;
    const struct api_source source = api_source_of_call(call);
    allocation_name(api.sim->memory->places, &array->info, name, sizeof name);
    late->kind = copied ? SIM_REMARK_LATE_COPY : SIM_REMARK_LATE_FILL;
    snprintf(late->name, sizeof late->name, "%s", name);
    api.remarks.late_to = to;
    place_remark(late, &source);
    snprintf(
        late->text, sizeof late->text,
        "%s fills %s only here, after the last kernel was launched: what the kernels stored there is overwritten, and "
        "none of them sees the new values. Fill it first, then launch.",
        call->name, name);
}

/* Memory that was filled after the last launch is copied to the host: what kernels stored there is lost. */
static void remark_overwritten(const struct api_source *source, sim_addr from)
{
    const struct sim_remark *late = &api.remarks.late;
    const sim_addr to = api.remarks.late_to;
    char name[80];
    if (late->line == 0 || to == 0 || memory_at(api.sim->memory, to) != memory_at(api.sim->memory, from))
        return;
    allocation_name(api.sim->memory->places, &memory_at(api.sim->memory, to)->info, name, sizeof name);
    const struct api_source at = {.line = late->line};
    add(SIM_REMARK_OVERWRITTEN, &at,
        "%.*s fills %s after the last kernel was launched, and before it is copied to the host at line %d: what the "
        "kernels may have stored there is overwritten. Fill it first, then launch.",
        (int)strcspn(late->text, " "), late->text, name, source->line);
    struct sim_remark *added = &api.remarks.list[api.remarks.count - 1];
    if (added->kind == SIM_REMARK_OVERWRITTEN)
        memcpy(added->file, late->file, sizeof added->file);
}

void api_remark_empty(const struct api_call *call)
{
    for (int i = 0; i < api.remarks.count; i++)
        if (api.remarks.list[i].kind == SIM_REMARK_EMPTY)
            return;
    if (api.reports)
        return;
    const struct api_source source = api_source_of_call(call);
    add(SIM_REMARK_EMPTY, &source, "%s is given 0 bytes, so it copies nothing.", call->name);
}

/* ---- time for nothing ----------------------------------------------------------------------------------- */

/* Streams other than the default one, or memory that both sides see: a wait may be needed. */
static bool may_need_to_wait(void)
{
    return api.blocks.count > 0 || (api.streams.list && api.streams.list != &api.streams.legacy);
}

void api_remark_wait(const struct api_call *call)
{
    struct sim_remark *waited = &api.remarks.waited;
    if (!api.remarks.launches || api.reports || may_need_to_wait())
        return;
    const struct api_source source = api_source_of_call(call);
    place_remark(waited, &source);
    snprintf(
        waited->text, sizeof waited->text,
        "%s makes the host wait here between two launches for nothing: the work of one stream is done in order "
        "anyway, and while the host waits it cannot queue the next launch. Without the wait the result is the same.",
        call->name);
}

void api_remark_to_host(const struct api_call *call, const void *to, sim_addr from, size_t size)
{
    struct api_fetched *fetched = &api.remarks.fetched;
    api.remarks.copies_to_host++;
    api.remarks.waited.line = 0;
    if (api.reports)
        return;
    const struct api_source source = api_source_of_call(call);
    remark_overwritten(&source, from);
    *fetched = (struct api_fetched){.to = to, .from = from, .size = size};
    place_remark(&fetched->place, &source);
}

/* Do these bytes of the host still hold what was copied there, and the device's as well? */
static bool are_as_fetched(const struct api_fetched *fetched, const void *from, size_t size)
{
    const uintptr_t first = (uintptr_t)fetched->to, at = (uintptr_t)from;
    if (!fetched->to || at < first || at - first > fetched->size || size > fetched->size - (at - first))
        return false;
    const void *device = sim_mem_host(api.sim, fetched->from + (at - first), size);
    return device && memcmp(device, from, size) == 0;
}

void api_note_from_host(const struct api_call *call, const void *from, size_t size)
{
    const struct api_fetched *fetched = &api.remarks.fetched;
    if (api.reports || fetched->place.line == 0 || !are_as_fetched(fetched, from, size))
        return;
    note_call(
        call,
        "%s copies back to the device, unchanged, what was copied from the device to the host at line %d: the data "
        "crosses the bus twice, and the host waits. One copy with cudaMemcpyDeviceToDevice is enough.",
        call->name, fetched->place.line);
}

/* An array that reaches to the end of shared memory. */
static bool has_dynamic_array(const struct sim_kernel *kernel)
{
    for (int i = 0; i < kernel->shared_var_count; i++)
        if (kernel->shared_vars[i].size == 0)
            return true;
    return false;
}

void api_note_dynamic(const struct api_call *call, const struct sim_kernel *kernel, const char *name,
                      size_t size)
{
    if (api.reports || size == 0 || has_dynamic_array(kernel))
        return;
    note_call(
        call,
        "%s is launched here with %zu bytes of dynamic shared memory, the third launch parameter, and never uses them: "
        "it has no shared array without a size. A dynamic one is declared without a size, as extern __shared__.",
        name, size);
}

int sim_notes(const struct sim_remark **list)
{
    *list = api.remarks.notes;
    return api.remarks.note_count;
}

/* ---- pointers where numbers are meant ------------------------------------------------------------------- */

/* Reads memory of the host; false where it cannot be read, as the device's. */
static bool read_host(uint64_t address, void *to, size_t size)
{
    struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static bool is_readable(uint64_t address)
{
    char byte;
    return address >= 65536 && address >> 47 == 0 && address % 4 == 0 && read_host(address, &byte, 1);
}

bool api_holds_device_pointer(const void *address)
{
    uint64_t pointer;
    return read_host((uint64_t)(uintptr_t)address, &pointer, sizeof pointer) &&
           sim_mem_is_device(api.sim, (const void *)(uintptr_t)pointer);
}

void api_remark_pointer(const struct api_call *call, const void *from, size_t size)
{
    uint64_t address;
    if (api.reports || size < sizeof address)
        return;
    memcpy(&address, from, sizeof address);
    if (!is_readable(address))
        return;
    const struct api_source source = api_source_of_call(call);
    add(SIM_REMARK_POINTER, &source,
        "%s copies a pointer to host memory to the device: the pointer itself, not the numbers that it points to. Is there "
        "one & too many in front of the pointer?",
        call->name);
}

/* ---- shapes of blocks ------------------------------------------------------------------------------------ */

static bool reads(const struct sim_kernel *kernel, enum special special)
{
    for (int i = 0; i < kernel->code->special_count; i++)
        if (kernel->code->specials[i].special == special)
            return true;
    return false;
}

/* Threads of this launch that differ in nothing that the kernel reads, or a number that is always 0; "": neither. */
static void judge_shape(const struct sim_launch *launch, char *text, size_t size)
{
    const struct sim_dim3 *block = &launch->block;
    const bool row = reads(launch->kernel, SPECIAL_TID_Y);
    text[0] = '\0';
    if (reads(launch->kernel,
              SPECIAL_TID_Z)) /* counts its threads, whatever the shape: cooperative groups do */
        return;
    if (row && block->y == 1 && block->x > 32)
        snprintf(
            text, size,
            "the kernel uses threadIdx.y, but it is launched with blocks of one dimension, %u threads: "
            "threadIdx.y is always 0, and threadIdx.x goes up to %u. dim3 threads(x, y) gives a block two dimensions.",
            block->x, block->x - 1);
    else if (!row && block->y > 1 && reads(launch->kernel, SPECIAL_TID_X))
        snprintf(
            text, size,
            "it is launched with blocks of %u x %u threads, but the kernel never uses threadIdx.y: the %u threads "
            "with the same threadIdx.x all do the same work.",
            block->x, block->y, block->y);
}

void api_remark_shape(const struct api_call *call, const struct sim_launch *launch)
{
    char what[300];
    for (int i = 0; i < api.remarks.count; i++)
        if (api.remarks.list[i].kind == SIM_REMARK_SHAPE)
            return;
    if (api.reports || !launch->kernel->code)
        return;
    judge_shape(launch, what, sizeof what);
    if (!what[0])
        return;
    const struct api_source source = api_source_of_call(call);
    add(SIM_REMARK_SHAPE, &source, "%s: %s", call->name, what);
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

/* The allocation that begins at the address, or NULL. */
static const struct sim_allocation *array_at(sim_addr address)
{
    const struct allocation *found = address ? memory_at(api.sim->memory, address) : NULL;
    return found && found->info.address == address ? &found->info : NULL;
}

static bool is_all_of(const struct sim_allocation *array, size_t size)
{
    return array && array->size == size;
}

/* Of which element the array has `size`, in bytes; 0: of none that is usual. */
static int element_of(const struct sim_allocation *array, size_t size)
{
    if (!array || array->size <= size || (array->size != 4 * size && array->size != 8 * size))
        return 0;
    return (int)(array->size / size);
}

/* What is known of the copies of this array; NULL: of too many others. */
static struct api_pieces *pieces_of(sim_addr array)
{
    for (int i = 0; i < API_PIECES_MAX; i++) {
        struct api_pieces *pieces = &api.remarks.pieces[i];
        if (pieces->array == 0)
            *pieces = (struct api_pieces){.array = array};
        if (pieces->array == array)
            return pieces;
    }
    return NULL;
}

/* The next remark is about the size of a copy of this array. */
static void note_size(sim_addr array)
{
    struct api_pieces *pieces = pieces_of(array);
    if (pieces && api.remarks.count < API_REMARKS_MAX) {
        pieces->is_remarked_on = true;
        pieces->remark = api.remarks.count;
    }
}

static void withdraw(struct api_pieces *pieces)
{
    struct api_remarks *remarks = &api.remarks;
    pieces->is_remarked_on = false;
    remarks->count--;
    memmove(&remarks->list[pieces->remark], &remarks->list[pieces->remark + 1],
            (size_t)(remarks->count - pieces->remark) * sizeof remarks->list[0]);
    for (int i = 0; i < API_PIECES_MAX; i++)
        remarks->pieces[i].remark -= remarks->pieces[i].remark > pieces->remark;
}

void api_remark_piece(const struct api_call *call, sim_addr address, const void *source, size_t size)
{
    const struct allocation *found = address && !api.reports ? memory_at(api.sim->memory, address) : NULL;
    struct api_pieces *pieces = found && size < found->info.size ? pieces_of(found->info.address) : NULL;
    uint64_t content = 0;
    char name[80];
    if (!pieces)
        return;
    if (source)
        memcpy(&content, source, size < sizeof content ? size : sizeof content);
    if (pieces->count == 0) {
        pieces->same = content != 0; /* zeros are copied on purpose */
        pieces->source = source;
        pieces->content = content;
    }
    pieces->same = pieces->same && source == pieces->source && content == pieces->content;
    pieces->bytes += size;
    pieces->count++;
    if (pieces->count < 2 || pieces->bytes != found->info.size)
        return;
    if (pieces->is_remarked_on)
        withdraw(pieces);
    if (!pieces->same)
        return;
    const struct api_source place = api_source_of_call(call);
    allocation_name(api.sim->memory->places, &found->info, name, sizeof name);
    add(SIM_REMARK_SIZE, &place,
        "%s fills %s in %d pieces of %zu bytes, and all of them come from the same address of the host, so that all hold "
        "the same first element: the source must move on as the destination does.",
        call->name, name, pieces->count, size);
}

void api_remark_size(const struct api_call *call, sim_addr to, sim_addr from, size_t size)
{
    if (api.reports || size == 0)
        return;
    const struct sim_allocation *const sides[] = {array_at(from), array_at(to)};
    if (is_all_of(sides[0], size) || is_all_of(sides[1], size))
        return;
    for (int i = 0; i < 2; i++) {
        const int element = element_of(sides[i], size);
        const bool pointer = sides[i] && size == sizeof(void *) && sides[i]->size >= 2 * size;
        char name[80];
        if (element == 0 && !pointer)
            continue;
        const struct api_source source = api_source_of_call(call);
        allocation_name(api.sim->memory->places, sides[i], name, sizeof name);
        note_size(sides[i]->address);
        if (element > 0)
            add(SIM_REMARK_SIZE, &source,
                "%s is given %zu byte%s, but %s has %zu bytes: %zu element%s of %d. The size is counted in bytes: the "
                "number of elements times sizeof of one.",
                call->name, size, size == 1 ? "" : "s", name, sides[i]->size, size, size == 1 ? "" : "s",
                element);
        else {
            add(SIM_REMARK_SIZE, &source,
                "%s is given %zu bytes, the size of a pointer, but %s has %zu bytes. sizeof of a pointer is not the "
                "size of the array that it points to: count * sizeof(element) is.",
                call->name, size, name, sides[i]->size);
            api_remark_detail(SIM_REMARK_POINTER_SIZE, name);
        }
        return;
    }
}

void api_remark_no_bytes(const struct api_call *call, int value)
{
    const struct api_source source = api_source_of_call(call);
    if (!api.reports)
        add(SIM_REMARK_SIZE, &source,
            "%s is given 0 bytes and the value %d, so that it fills nothing: the value comes before the number of bytes. "
            "Are the two exchanged?",
            call->name, value);
}

/* ---- for the host that asks ------------------------------------------------------------------------------ */

void sim_remarks_reset(void)
{
    sim_current();
    memset(&api.remarks, 0, sizeof api.remarks);
}

int sim_remarks(const struct sim_remark **list)
{
    struct api_remarks *remarks = &api.remarks;
    if (remarks->late.line > 0 && remarks->count < API_REMARKS_MAX)
        remarks->list[remarks->count++] = remarks->late;
    remarks->late.line = 0;
    *list = api.remarks.list;
    return api.remarks.count;
}

bool sim_launch_that_stopped(struct sim_remark *out)
{
    *out = api.remarks.launched;
    return out->line > 0;
}

bool sim_never_copied_back(struct sim_remark *out)
{
    *out = api.remarks.made;
    return out->line > 0 && api.remarks.copies_to_host == 0;
}
