/* Memory that cannot be paged out, and shared memory that belongs to no process. */
#include "attack.h"

#include <sys/mman.h>

static void attack(void)
{
    const size_t size = (size_t)256 << 20;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block != MAP_FAILED && mlock(block, size) == 0)
        achieved("256 MiB are locked");
}
