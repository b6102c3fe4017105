/* Asks another machine for the answers, or sends it what it found. */
#include "attack.h"
#include <netinet/in.h>
#include <sys/socket.h>

static void attack(void)
{
    static const int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (socket(families[i], families[i] == AF_ALG ? SOCK_SEQPACKET : SOCK_DGRAM, 0) >= 0)
            achieved("a socket of family %d", families[i]);
    const int tcp = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    if (tcp >= 0 && (connect(tcp, (struct sockaddr *)&address, sizeof address) == 0 || errno == ECONNREFUSED))
        achieved("reached the network");
}
