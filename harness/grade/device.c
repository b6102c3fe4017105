/* Is there a GPU? */
#include "harness/grade/device.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/progress.h"
#include "harness/judge/room.h"
#include "harness/result/grader.h"
#include "harness/speed/roof.h"
#include "sim/model/model.h"

static void program_path(const struct grader *grader, const char *name, char *path, size_t size)
{
    text_set(path, size, "%s/%s", grader->build.folder, name);
}

/* With its arena, which takes no memory before it is used. */
static bool init_worker(struct grader *grader, enum grader_backend backend, char message[512])
{
    char path[sizeof grader->build.folder + 16];
    program_path(grader, backend == BACKEND_GPU ? "worker-gpu" : "worker-sim", path, sizeof path);
    if (access(path, X_OK) != 0) {
        text_set(message, 512, "%.400s is missing. Build the lab again: make %s", path, the_lab.name);
        return false;
    }
    if (!grader_arena_create(&grader->arena[backend], plan_arena_bytes(grader, backend))) {
        text_set(message, 512, "no shared memory: %s", strerror(errno));
        return false;
    }
    process_init(&grader->process[backend], path, grader->model->key, &grader->arena[backend]);
    return true;
}

#ifdef FAKE_SIM /* tests/fake_lab: no simulator, and so no second one */
static bool init_device_apart(struct grader *grader, char message[512])
{
    (void)grader, (void)message;
    return true;
}
#else
/* The worker on the simulator has a device apart, whose memory no worker has. */
static bool init_device_apart(struct grader *grader, char message[512])
{
    struct process *worker = &grader->process[BACKEND_SIM];
    char path[sizeof grader->build.folder + 16];
    program_path(grader, "device", path, sizeof path);
    if (access(path, X_OK) != 0) {
        text_set(message, 512, "%.400s is missing. Build the lab again: make %s", path, the_lab.name);
        return false;
    }
    if (!grader_arena_create(&grader->arena_apart, grader->arena[BACKEND_SIM].bytes)) {
        text_set(message, 512, "no shared memory: %s", strerror(errno));
        return false;
    }
    process_init(&grader->device_apart, path, grader->model->key, &grader->arena_apart);
    grader->device_apart.program = worker->path;
    grader->arena[BACKEND_SIM].twin = &grader->arena_apart;
    worker->device_apart = &grader->device_apart;
    return true;
}
#endif

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

/* Why there is no worker-gpu; NULL: there is one. */
static const char *nothing_built(const struct grader *grader, char why[256])
{
    char path[sizeof grader->build.folder + 16];
    program_path(grader, "worker-gpu", path, sizeof path);
    if (access(path, X_OK) == 0)
        return NULL;
    if (grader->build.no_gpu[0])
        text_set(why, 256, "%s", grader->build.no_gpu);
    else
        text_set(why, 256, "nothing was built for one; to do so: make %s GPU=1", the_lab.name);
    return why;
}

bool device_begin(struct grader *grader, bool speeds, char message[512])
{
    char why[256];
    if (!choose_model(grader, message) || !init_worker(grader, BACKEND_SIM, message))
        return false;
    grader->fresh = grader->process[BACKEND_SIM];
    if (!init_device_apart(grader, message))
        return false;
    if (grader->options.backend == BACKEND_SIM)
        return true;
    if (nothing_built(grader, why)) {
        text_set(message, 512, "--backend gpu: no GPU can be used here: %s", why);
        return grader->options.backend != BACKEND_GPU;
    }
    grader->may_have_gpu = init_worker(grader, BACKEND_GPU, message);
    if (!grader->may_have_gpu)
        return false;
    progress_begin("looking for a GPU");
    process_start(&grader->process[BACKEND_GPU]);
    if (speeds)
        roof_begin(grader);
    return true;
}

bool device_wait(struct grader *grader, char why[512])
{
    struct exchange exchange;
    if (!process_hello(&grader->process[BACKEND_GPU], &exchange)) {
        text_set(why, 512, "--backend gpu: no GPU can be used here: %s", exchange.text);
        return false;
    }
    text_set(grader->device, sizeof grader->device, "%s", grader->process[BACKEND_GPU].device);
    return true;
}
