// #include of a secret: the compiler's message quotes its lines.
// instead of all; told: Permission denied
#include "@PLACE@/secret"
