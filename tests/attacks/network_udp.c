/* Datagrams need no connection: to a name server, and by IPv6. */
#include "attack.h"

#include <netinet/in.h>
#include <sys/socket.h>

static void attack(void)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x7f000001)};
    struct sockaddr_in6 to6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(53), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    const int four = socket(AF_INET, SOCK_DGRAM, 0), six = socket(AF_INET6, SOCK_DGRAM, 0);
    if (four >= 0 && sendto(four, "x", 1, 0, (struct sockaddr *)&to, sizeof to) == 1)
        achieved("a datagram");
    if (six >= 0 && sendto(six, "x", 1, 0, (struct sockaddr *)&to6, sizeof to6) == 1)
        achieved("a datagram by IPv6");
}
