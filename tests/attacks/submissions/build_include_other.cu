// #include of another student's file.
// short; instead of all; told: Permission denied
#include "@PLACE@/other.cu"
