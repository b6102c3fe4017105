/*
 * The handlers of SIGSEGV and SIGTRAP that note the host's accesses to closed pages. They lock and allocate nothing: the
 * program may be anywhere.
 */
#define _GNU_SOURCE
#include "sim/api/api_pages.h"
#include "sim/api/api_memory.h"
#include "sim/api/api_runner.h"
#include "sim/api/api_state.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unwind.h>

#define PAGE_BYTES ((uintptr_t)4096)

/*
 * Each noted access costs some microseconds. Of a range the first EXACT_ACCESSES are noted, then the first of each page,
 * and none after ACCESSES_MAX. A page stays open after all of its bytes may have been touched by words.
 */
#define EXACT_ACCESSES 2048
#define ACCESSES_MAX   8192
#define PAGE_EXACT     1024
#define PAGE_LATER     2

/* Pages that the instruction under way has open, one for each address that it touches. */
static _Thread_local struct {
    uintptr_t page[4];
    int count;
} stepping;

static _Thread_local struct {
    uintptr_t address;
    int count;
} retried;

#define RETRIES 1000 /* of an access to a page that is open */

#define RECENT 8
#define POLLS  8

/* Addresses that were touched last, and how often one was touched again. */
static _Thread_local struct {
    uintptr_t recent[RECENT];
    unsigned next, again;
} polled;

static struct api_page_range *find_range(uintptr_t address)
{
    for (unsigned i = 0; i < api.pages.count; i++) {
        struct api_page_range *range = &api.pages.ranges[i];
        if (range->closed && address >= range->page_first && address < range->page_end)
            return range;
    }
    return NULL;
}

static void wait_for_change(void)
{
    while (__atomic_load_n(&api.pages.changing, __ATOMIC_SEQ_CST) % 2 == 1)
        ;
}

/* ---- where the host was -------------------------------------------------------------------------------- */

struct callers {
    const void **list;
    int count, skipped;
    uintptr_t first;
};

/* Frames from the interrupted instruction on: those of the handler come first. */
static _Unwind_Reason_Code take_caller(struct _Unwind_Context *context, void *data)
{
    struct callers *callers = data;
    const uintptr_t pc = _Unwind_GetIP(context);
    if (callers->count == 0 && pc != callers->first && callers->skipped++ < 8)
        return _URC_NO_REASON;
    if (callers->count == 0 && pc != callers->first)
        return _URC_END_OF_STACK;
    callers->list[callers->count++] = (const void *)(pc + (pc == callers->first));
    return callers->count == 4 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Weak: a shared library that holds the simulator cannot see where the program begins. */
extern const char __executable_start[] __attribute__((weak)), etext[] __attribute__((weak));

bool api_pages_is_program(const void *address)
{
    const char *const first = __executable_start, *const end = etext;
    return first && end && (const char *)address >= first && (const char *)address < end;
}

/* `all`: even if the program itself was interrupted, which may have been in a function of a header. */
static void note_callers(struct api_host_access *access, uintptr_t pc, bool all)
{
    struct callers callers = {access->callers, 0, 0, pc};
    memset(access->callers, 0, sizeof access->callers);
    access->callers[0] = (const void *)(pc + 1); /* as a return address, which lies behind its call */
    if (all || !api_pages_is_program((const void *)pc))
        _Unwind_Backtrace(take_caller, &callers);
}

#if defined __x86_64__
#define TRAP_FLAG 0x100

static uintptr_t pc_of(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static bool is_write(const ucontext_t *context)
{
    return (context->uc_mcontext.gregs[REG_ERR] & 2) != 0;
}

static bool step(ucontext_t *context, bool on)
{
    if (on)
        context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    else
        context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    return true;
}
#else /* without single steps: the page stays open after its first access */
static uintptr_t pc_of(const ucontext_t *context)
{
    (void)context;
    return 0;
}

static bool is_write(const ucontext_t *context)
{
    (void)context;
    return false;
}

static bool step(ucontext_t *context, bool on)
{
    (void)context, (void)on;
    return false;
}
#endif

/* ---- the handlers -------------------------------------------------------------------------------------- */

/* The instruction goes from word to word: its accesses are one range. */
static bool goes_on(struct api_host_access *access, uintptr_t address, const ucontext_t *context)
{
    if (api.pages.noted == 0 || access->callers[0] != (const void *)(pc_of(context) + 1) ||
        access->is_write != is_write(context) || access->in_function != api_is_in_function())
        return false;
    if (address + 4 >= access->address && address < access->address)
        access->address = address;
    else if (address >= access->address && address <= access->last + 4)
        access->last = address > access->last ? address : access->last;
    else
        return false;
    return true;
}

struct api_host_access api_pages_access(uintptr_t address, void *data, bool all)
{
    const ucontext_t *context = data;
    struct api_host_access access = {.address = address,
                                     .last = address,
                                     .is_write = is_write(context),
                                     .in_function = api_is_in_function()};
    note_callers(&access, pc_of(context), all);
    return access;
}

static void note_access(uintptr_t address, ucontext_t *context)
{
    uint64_t number = __atomic_load_n(&api.pages.noted, __ATOMIC_RELAXED);
    if (number > api.pages.begin &&
        goes_on(&api.pages.accesses[(number - 1) % API_HOST_ACCESSES], address, context))
        return;
    number = __atomic_fetch_add(&api.pages.noted, 1, __ATOMIC_RELAXED);
    api.pages.accesses[number % API_HOST_ACCESSES] = api_pages_access(address, context, false);
}

static void note(uintptr_t address, ucontext_t *context)
{
    for (unsigned i = 0; i < api.pages.count; i++)
        if (address >= api.pages.ranges[i].first && address < api.pages.ranges[i].end) {
            note_access(address, context);
            return;
        }
}

static uint16_t *accesses_of_page(const struct api_page_range *range, uintptr_t address)
{
    return &range->page_accesses[(address - range->page_first) / PAGE_BYTES];
}

/* Whether the page stays open from now on. */
static bool is_enough(struct api_page_range *range, uintptr_t address)
{
    uint16_t *accesses = accesses_of_page(range, address);
    const unsigned most = range->accesses < EXACT_ACCESSES ? PAGE_EXACT : PAGE_LATER;
    if (*accesses < UINT16_MAX)
        ++*accesses;
    if (*accesses <= most)
        return false;
    *accesses = UINT16_MAX;
    if (most == PAGE_LATER) /* the host may wait for a word there, unseen */
        api_runner_wake();
    return true;
}

/*
 * Whether the host looks at the same few words again and again: it waits for one to change. While work is done for it by
 * another thread all pages are open, so that this is not to begin while the host only works.
 */
static bool is_polling(uintptr_t address)
{
    int i = 0;
    while (i < RECENT && polled.recent[i] != address)
        i++;
    if (i < RECENT) {
        polled.again++;
    } else {
        polled.recent[polled.next++ % RECENT] = address;
        polled.again -= polled.again > 0;
    }
    return polled.again >= POLLS;
}

/*
 * Another thread may have opened the page just now. A host that waits for a word can meet that several times in a row; but the
 * same address does not fault for ever.
 */
static bool may_be_open(uintptr_t address)
{
    retried.count = retried.address == address ? retried.count + 1 : 0;
    retried.address = address;
    if (retried.count > 0)
        sched_yield();
    return retried.count < RETRIES && api_find_host_block((const void *)address) != NULL;
}

/* What is to be done with a page: closed, as all ranges on it say, or open. */
static int protection_of(uintptr_t page)
{
    int protection = PROT_READ | PROT_WRITE;
    for (unsigned k = 0; k < api.pages.count; k++) {
        const struct api_page_range *range = &api.pages.ranges[k];
        if (range->closed && page >= range->page_first && page < range->page_end &&
            *accesses_of_page(range, page) != UINT16_MAX)
            protection &= range->protection;
    }
    return protection;
}

/*
 * A page that should be open: another thread has closed it behind the instruction that it stepped over, while this one began to
 * work.
 */
static void open_again(uintptr_t address)
{
    const uintptr_t page = address & ~(PAGE_BYTES - 1);
    for (unsigned i = 0; i < api.pages.count; i++)
        if (address >= api.pages.ranges[i].page_first && address < api.pages.ranges[i].page_end) {
            mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
            const int protection = protection_of(page); /* it may have to be closed by now */
            if (protection != (PROT_READ | PROT_WRITE))
                mprotect((void *)page, PAGE_BYTES, protection);
            return;
        }
}

static void open_range(struct api_page_range *range)
{
    range->given_up = true;
    range->closed = false;
    mprotect((void *)range->page_first, range->page_end - range->page_first, PROT_READ | PROT_WRITE);
}

bool api_pages_fault(const siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    const uintptr_t address = (uintptr_t)info->si_addr;
    wait_for_change();
    struct api_page_range *range = find_range(address);
    if (!range) {
        open_again(address);
        return may_be_open(address);
    }
    retried.count = 0;
    const bool in_call = api_is_inside() && !api_is_in_function();
    if (!in_call)
        note(address, context);
    if (is_polling(address))
        api_runner_wake();
    if (in_call || ++range->accesses > ACCESSES_MAX || stepping.count == 4) {
        open_range(range);
        return true;
    }
    const uintptr_t page = address & ~(PAGE_BYTES - 1);
    mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
    if (!is_enough(range, address) && step(context, true))
        stepping.page[stepping.count++] = page;
    return true;
}

/* The instruction is done: its pages are closed again, as far as they still are to be. */
void api_pages_stepped(int number, siginfo_t *info, void *data)
{
    (void)number, (void)info;
    if (stepping.count == 0)
        return;
    wait_for_change();
    for (int i = 0; i < stepping.count; i++) {
        const uintptr_t page = stepping.page[i];
        const int protection = protection_of(page);
        if (protection == (PROT_READ | PROT_WRITE))
            continue;
        mprotect((void *)page, PAGE_BYTES, protection);
        if (protection_of(page) ==
            (PROT_READ | PROT_WRITE)) /* work has begun meanwhile: all pages are open */
            mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE);
    }
    stepping.count = 0;
    step(data, false);
}
