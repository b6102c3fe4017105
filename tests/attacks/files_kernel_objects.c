/* System V's objects and message queues stay until somebody removes them. */
#include "attack.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static void attack(void)
{
    const int memory = shmget(IPC_PRIVATE, 4096, 0600), queue = msgget(IPC_PRIVATE, 0600),
              semaphores = semget(IPC_PRIVATE, 1, 0600);
    if (memory >= 0 || queue >= 0 || semaphores >= 0)
        achieved("left an object of System V");
    shmctl(memory, IPC_RMID, NULL);
    msgctl(queue, IPC_RMID, NULL);
    semctl(semaphores, 0, IPC_RMID);
    if (mq_open("/attack", O_CREAT | O_RDWR, 0600, NULL) >= 0)
        achieved("left a message queue");
    mq_unlink("/attack");
}
