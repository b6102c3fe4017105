// #include of /dev/zero, which has no end.
// instead of all; told: Permission denied
#include "/dev/zero"
