/* The host's accesses to memory that it shares with the device; see api_pages.h. */
#include "sim/api/api_pages.h"

uint64_t api_pages_noted(void)
{
    return 0;
}

void api_pages_watch(const struct api_work *work)
{
    (void)work;
}

void api_pages_close(void)
{
}

void api_pages_open(void)
{
}

void api_pages_check(struct api_work *work)
{
    (void)work;
}

void api_pages_forget(void)
{
}

bool api_pages_wants(const struct api_work *work)
{
    (void)work;
    return false;
}
