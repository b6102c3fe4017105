/* Sockets that it was born with: messages with descriptors by those. */
#include "attack.h"

#include <sys/socket.h>

static void attack(void)
{
    for (int file = 0; file < 64; file++) {
        int type = 0;
        socklen_t size = sizeof type;
        if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) == 0)
            achieved("descriptor %d is a socket", file);
    }
}
