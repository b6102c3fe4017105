/* The worker on a real GPU. What only a simulator can see stays empty. */
#include <cuda_runtime_api.h>
#include <string.h>

#include "harness/backend.h"

static cudaError_t find_device(struct cudaDeviceProp *properties)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0)
        error = cudaErrorNoDevice;
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(properties, 0);
    return error;
}

bool backend_probe(FILE *out)
{
    struct cudaDeviceProp properties;
    cudaError_t error = find_device(&properties);
    if (error != cudaSuccess) {
        fprintf(out, "error=%s\n", cudaGetErrorString(error));
        return false;
    }
    fprintf(out, "device=%s\n", properties.name);
    fprintf(out, "l2_bytes=%d\n", properties.l2CacheSize);
    fprintf(out, "compute_capability=%d.%d\n", properties.major, properties.minor);
    return true;
}

bool backend_open(char *text, size_t size)
{
    struct cudaDeviceProp properties;
    cudaError_t error = find_device(&properties);
    if (error == cudaSuccess)
        error = cudaFree(NULL); /* creates the context, which may take seconds */
    snprintf(text, size, "%s", error == cudaSuccess ? properties.name : cudaGetErrorString(error));
    return error == cudaSuccess;
}

void backend_name(void *device, const char *name)
{
    (void)device;
    (void)name;
}

void backend_poison(void *device, int byte, size_t size)
{
    cudaMemset(device, byte, size);
}

void backend_begin(const struct protocol_request *request)
{
    (void)request;
}

void backend_collect(const struct protocol_request *request, struct protocol_mailbox *mailbox)
{
    (void)request;
    (void)mailbox;
}

bool backend_is_device(const void *address)
{
    (void)address;
    return false; /* the grader compares with the addresses that the worker was given */
}
