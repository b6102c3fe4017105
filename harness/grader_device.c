/* Is there a GPU, and what can this machine do? */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/grader.h"
#include "harness/grader_progress.h"

#define PROBE_TIMEOUT     30.0
#define CALIBRATE_TIMEOUT 120.0

static void worker_path(const struct grader *grader, enum grader_backend backend, char *path, size_t size)
{
    text_set(path, size, "%s/worker-%s", grader->build.folder, backend == BACKEND_GPU ? "gpu" : "sim");
}

/* Asks worker-gpu --probe. False: `why` says why there is no GPU. */
static bool probe_gpu(const struct grader *grader, char *device, size_t size, char *why, size_t why_size)
{
    char path[sizeof grader->build.folder + 16];
    struct capture out;
    worker_path(grader, BACKEND_GPU, path, sizeof path);
    if (access(path, X_OK) != 0) {
        if (grader->build.no_gpu[0])
            text_set(why, why_size, "%s", grader->build.no_gpu);
        else
            text_set(why, why_size, "nothing was built for one; to do so: make %s GPU=1", the_lab.name);
        return false;
    }
    progress_begin("looking for a GPU");
    int status = process_run(path, "--probe", PROBE_TIMEOUT, &out);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        if (!process_value(out.text, "error", why, why_size))
            text_set(why, why_size, "worker-gpu --probe did not answer");
        return false;
    }
    if (!process_value(out.text, "device", device, size))
        text_set(device, size, "GPU");
    return true;
}

bool device_choose(struct grader *grader, char message[512])
{
    char why[256], path[sizeof grader->build.folder + 16];
    bool gpu = false;
    if (grader->options.device)
        setenv("LABS_SIM_DEVICE", grader->options.device, 1); /* the simulator reads it when it starts */
    if (grader->options.backend != BACKEND_SIM)
        gpu = probe_gpu(grader, grader->device, sizeof grader->device, why, sizeof why);
    if (process_interrupted())
        return true;
    if (grader->options.backend == BACKEND_GPU && !gpu) {
        text_set(message, 512, "--backend gpu: no GPU can be used here: %s", why);
        return false;
    }
    grader->backend = gpu ? BACKEND_GPU : BACKEND_SIM;
    for (int i = BACKEND_SIM; i <= (int)grader->backend; i++) {
        worker_path(grader, (enum grader_backend)i, path, sizeof path);
        if (access(path, X_OK) != 0) {
            text_set(message, 512, "%.400s is missing. Build the lab again: make %s", path, the_lab.name);
            return false;
        }
        process_init(&grader->process[i], path, &grader->arena);
    }
    return true;
}

/* A positive finite number below `most`, or false. */
static bool number(const char *text, const char *key, double most, double *value)
{
    char digits[64], *end;
    if (!process_value(text, key, digits, sizeof digits))
        return false;
    *value = strtod(digits, &end);
    return end != digits && *end == 0 && *value > 0 && *value < most;
}

static void fail(struct grader_roof *roof, const char *why)
{
    roof->known = false;
    text_set(roof->why_not, sizeof roof->why_not, "%s", why);
}

void device_calibrate(struct grader *grader)
{
    struct grader_roof *roof = &grader->roof;
    struct capture out;
    char above[sizeof grader->build.folder + 32];
    text_set(above, sizeof above, "%s/../../../calibrate", grader->build.folder);
    if (access(above, X_OK) != 0) {
        fail(roof, "build/calibrate is missing: run make again");
        return;
    }
    progress_begin("measuring what this GPU can do");
    int status = process_run(above, NULL, CALIBRATE_TIMEOUT, &out);
    if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail(roof, "build/calibrate failed");
        return;
    }
    process_value(out.text, "name", roof->name, sizeof roof->name);
    roof->known = number(out.text, "copy_gbs", 1e6, &roof->copy_gbs) &&
                  number(out.text, "fp32_gflops", 1e8, &roof->fp32_gflops) &&
                  number(out.text, "fp64_gflops", 1e8, &roof->fp64_gflops) &&
                  number(out.text, "l2_bytes", 1e12, &roof->l2_bytes);
    if (!roof->known)
        fail(roof, "build/calibrate printed no usable figures");
}
