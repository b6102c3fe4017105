// The file defines cudaGetDeviceProperties_v2 and cudaDeviceGetAttribute, with a machine of one slow SM, so that the roof is low.
// added; told: no program can be linked
#undef cudaGetDeviceProperties
extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    memset(p, 0, sizeof *p);
    strcpy(p->name, "NVIDIA Tiny");
    p->multiProcessorCount = 1;
    p->memoryBusWidth = 8;
    p->l2CacheSize = 1024;
    return cudaSuccess;
}
