/* Launches of kernels, by the host and by other kernels. */
#ifndef SIM_API_LAUNCH_H
#define SIM_API_LAUNCH_H

#include "sim/api/api_module.h"

/* Checks and queues a kernel; `symbol` as cudaLaunchKernel takes it, launch->kernel is filled in. */
cudaError_t api_launch(const struct api_call *call, const void *symbol, struct sim_launch *launch,
                       cudaStream_t stream);

/* Bytes of dynamic shared memory that a launch may ask for, as cudaFuncSetAttribute has left it. */
int api_dynamic_limit(const struct api_function *function, const struct sim_kernel_info *info);

/* What stands against the launch, in the order of the real runtime's checks (api_launch_check.c). */
cudaError_t api_check_launch(const struct api_call *call, const struct api_function *function,
                             const struct sim_kernel_info *info, const struct sim_launch *launch);

/* Runs what has been checked, then the launches that it made itself: for the work that is being done. */
void api_run_launch(const struct sim_launch *launch, const struct sim_kernel_info *info,
                    struct CUstream_st *stream);
/* The launches of the grid that has just ended (api_launch_child.c). */
void api_run_children(struct CUstream_st *stream);
void api_launch_made_by(const void *caller); /* the line of the next one */
bool api_runs_children(void);                /* what runs was launched by a kernel */

/* Counts api.last, which ran, among the launches of the line that returns to `caller`. */
void api_site_add(const struct sim_launch *launch, const struct sim_kernel_info *info, const void *caller);

#endif
