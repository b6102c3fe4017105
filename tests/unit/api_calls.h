/* For tests that call the runtime API. */
#pragma once

#include <cuda_runtime_api.h>

#include "test.h"

#define OK(call) assert_int_equal(call, cudaSuccess)

/* The call fails with this code, which is then the last error, once. */
#define FAILS(code, call)                                                                                    \
    do {                                                                                                     \
        assert_int_equal(call, code);                                                                        \
        assert_int_equal(cudaPeekAtLastError(), code);                                                       \
        assert_int_equal(cudaGetLastError(), code);                                                          \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                                   \
    } while (0)
