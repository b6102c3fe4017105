/* Services of this machine: a session's bus, Docker's socket, an agent with keys. */
#include "attack.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static void attack(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in_place("socket"));
    const int stream = socket(AF_UNIX, SOCK_STREAM, 0);
    if (stream >= 0 && connect(stream, (struct sockaddr *)&address, sizeof address) == 0)
        achieved("connected to a local service");
    snprintf(address.sun_path, sizeof address.sun_path, "%s", in_place("datagrams"));
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0 &&
        sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, sizeof address) == 1)
        achieved("sent to a local service");
}
