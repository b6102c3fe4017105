/*
 * For clangd only, see mk/compile_commands. clang 14 includes a header of this name from the toolkit, which CUDA 12
 * dropped, and calls this function, for which clang has no definition without it.
 */
template <typename... Arguments> __device__ void __nv_tex_surf_handler(const char *, Arguments &&...);
