/* Waits for connections: a port, and a name that is in no folder. */
#include "attack.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

static void attack(void)
{
    struct sockaddr_in port = {.sin_family = AF_INET};
    struct sockaddr_un name = {AF_UNIX, "\0attack"};
    const int tcp = socket(AF_INET, SOCK_STREAM, 0), local = socket(AF_UNIX, SOCK_STREAM, 0);
    if (tcp >= 0 && bind(tcp, (struct sockaddr *)&port, sizeof port) == 0 && listen(tcp, 1) == 0)
        achieved("a port");
    if (local >= 0 && bind(local, (struct sockaddr *)&name, 10) == 0 && listen(local, 1) == 0)
        achieved("an abstract name");
}
