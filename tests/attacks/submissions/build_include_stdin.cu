// #include of /dev/stdin, which never comes.
// instead of all; told: is missing
#include "/dev/stdin"
