/* Is there a GPU? */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/grader.h"
#include "harness/grader_progress.h"
#include "sim/model/model.h"

#define PROBE_TIMEOUT 30.0

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

/* The device that the simulator models: the one that is named, or the first of the profiles. */
static bool choose_model(struct grader *grader, char message[512])
{
    char keys[256];
    const char *wanted = grader->options.device;
    grader->model = wanted ? sim_profile_find(wanted) : sim_profile_at(0);
    if (grader->model)
        return true;
    sim_profile_keys(keys, sizeof keys);
    text_set(message, 512, "--device %.100s: the simulator models %s", wanted, keys);
    return false;
}

bool device_choose(struct grader *grader, char message[512])
{
    char why[256], path[sizeof grader->build.folder + 16];
    bool gpu = false;
    if (!choose_model(grader, message))
        return false;
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
        process_init(&grader->process[i], path, grader->model->key, &grader->arena);
    }
    return true;
}
