/* Another student's file, the instructor's secrets, the system's users. */
#include "attack.h"

static void attack(void)
{
    try_read(in_place("secret"));
    try_read(in_place("other.cu"));
    try_read(in_place("build/student.o"));
    try_read("/etc/passwd");
    try_read("/var/log/dpkg.log");
}
