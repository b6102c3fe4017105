// The same, its name put together by macros.
// instead of all; told: Permission denied
// clang-format off
#define STR(x) #x
#define STR2(x) STR(x)
#define N @TREE@/lab02_shared_memory/solution.cu
#include STR2(N)
