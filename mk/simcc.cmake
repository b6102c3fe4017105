# For CMake projects: cmake -DCMAKE_TOOLCHAIN_FILE=.../simcc.cmake builds what is CUDA with simcc, and links the simulator
# where CMake would link the toolkit's runtime library.
set(CMAKE_CUDA_COMPILER ${CMAKE_CURRENT_LIST_DIR}/simcc)
# CMake links with the C++ compiler. All parts of a program share the simulator as a shared library.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
list(APPEND CMAKE_BUILD_RPATH ${CMAKE_CURRENT_LIST_DIR}/runtime)
list(APPEND CMAKE_INSTALL_RPATH ${CMAKE_CURRENT_LIST_DIR}/runtime)
# What find_package(CUDAToolkit) would look for: CUDA::cudart, CUDA::cudart_static.
set(CUDA_CUDART ${CMAKE_CURRENT_LIST_DIR}/runtime/libcudart.so CACHE FILEPATH "")
set(CUDA_cudart_static_LIBRARY ${CMAKE_CURRENT_LIST_DIR}/runtime/libcudart.so CACHE FILEPATH "")
# The same for the older find_package(CUDA).
set(CUDA_NVCC_EXECUTABLE ${CMAKE_CURRENT_LIST_DIR}/simcc CACHE FILEPATH "")
set(CUDA_CUDART_LIBRARY ${CMAKE_CURRENT_LIST_DIR}/runtime/libcudart.so CACHE FILEPATH "")
