// A handler of one's own for SIGSEGV, as debug libraries have.
// added; told: passed
#include <signal.h>
#include <unistd.h>
static void caught(int)
{
    _exit(1);
}
__attribute__((constructor)) static void early()
{
    signal(SIGTERM, caught);
    signal(SIGUSR1, caught);
}
