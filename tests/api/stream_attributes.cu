/* What a stream was made with, and what it was told later, can be asked for. */
#include <string.h>

#include "common/check.h"

int main(void)
{
    cudaStream_t usual, other;
    cudaStreamAttrValue value;
    unsigned flags;
    int least, greatest, priority;

    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("lower numbers are more urgent: %s\n", greatest <= least ? "yes" : "no");
    CHECK(cudaStreamCreate(&usual));
    CHECK(cudaStreamCreateWithPriority(&other, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamGetFlags(usual, &flags));
    CHECK(cudaStreamGetPriority(usual, &priority));
    printf("flags %u, priority %d\n", flags, priority);
    CHECK(cudaStreamGetFlags(other, &flags));
    CHECK(cudaStreamGetPriority(other, &priority));
    printf("flags %u, the most urgent: %s\n", flags, priority == greatest ? "yes" : "no");

    CHECK(cudaStreamGetAttribute(usual, cudaStreamAttributeSynchronizationPolicy, &value));
    printf("waits %s\n", value.syncPolicy == cudaSyncPolicyAuto ? "as the runtime likes" : "in another way");
    memset(&value, 0, sizeof value);
    value.syncPolicy = cudaSyncPolicyYield;
    CHECK(cudaStreamSetAttribute(usual, cudaStreamAttributeSynchronizationPolicy, &value));
    memset(&value, 0, sizeof value);
    CHECK(cudaStreamGetAttribute(usual, cudaStreamAttributeSynchronizationPolicy, &value));
    printf("waits %s\n", value.syncPolicy == cudaSyncPolicyYield ? "yielding" : "in another way");
    CHECK(cudaStreamCopyAttributes(other, usual));
    CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &value));
    printf("the copy waits %s\n", value.syncPolicy == cudaSyncPolicyYield ? "yielding" : "in another way");
    CHECK(cudaStreamDestroy(usual));
    CHECK(cudaStreamDestroy(other));
    return 0;
}
