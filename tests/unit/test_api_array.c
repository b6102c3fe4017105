/* Arrays of texels and texture objects without a kernel: layouts, runs of bytes across rows, calls that must fail. */
#include "api_calls.h"
#include "sim/device/sim.h"

enum { WIDTH = 10, HEIGHT = 3, BYTES = WIDTH * HEIGHT };
static const struct cudaChannelFormatDesc one_byte = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};

static cudaArray_t new_array(size_t width, size_t height)
{
    cudaArray_t array;
    OK(cudaMallocArray(&array, &one_byte, width, height, 0));
    return array;
}

/* 0, 1, 2, ... row by row. */
static cudaArray_t counted_array(void)
{
    unsigned char bytes[BYTES];
    cudaArray_t array = new_array(WIDTH, HEIGHT);
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)i;
    OK(cudaMemcpy2DToArray(array, 0, 0, bytes, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    return array;
}

static void expect_bytes(cudaArray_t array, const unsigned char *wanted)
{
    unsigned char bytes[BYTES];
    OK(cudaMemcpy2DFromArrayAsync(bytes, WIDTH, array, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToHost, 0));
    OK(cudaDeviceSynchronize());
    assert_memory_equal(bytes, wanted, BYTES);
}

/* ---- runs of bytes, which continue in the next row (the calls are deprecated, programs have them) -------- */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

TEST(test_a_run_crosses_rows)
{
    unsigned char run[17], wanted[BYTES];
    cudaArray_t array = counted_array();
    for (int i = 0; i < BYTES; i++)
        wanted[i] = (unsigned char)i;
    memset(run, 0, sizeof run);
    /* From column 7 of row 0: 3 bytes there, 10 of row 1, 4 of row 2. */
    OK(cudaMemcpyFromArray(run, array, 7, 0, sizeof run, cudaMemcpyDeviceToHost));
    for (int i = 0; i < (int)sizeof run; i++)
        assert_int_equal(run[i], 7 + i);
    memset(run, 0xAA, sizeof run);
    OK(cudaMemcpyToArray(array, 7, 0, run, 13, cudaMemcpyHostToDevice));
    memset(wanted + 7, 0xAA, 13);
    expect_bytes(array, wanted);
    OK(cudaMemcpyToArrayAsync(array, 0, 2, run, 1, cudaMemcpyHostToDevice, 0));
    wanted[20] = 0xAA;
    expect_bytes(array, wanted);
    unsigned char whole[BYTES - 4]; /* whole rows at once, and a part of the last */
    OK(cudaMemcpyFromArray(whole, array, 0, 0, sizeof whole, cudaMemcpyDeviceToHost));
    assert_memory_equal(whole, wanted, sizeof whole);
    FAILS(cudaErrorInvalidValue, cudaMemcpyFromArray(run, array, 7, 2, 4, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, WIDTH, 0, run, 1, cudaMemcpyHostToDevice));
    OK(cudaFreeArray(array));
}

/* Rows of different lengths: bytes 4 to 13 of one array become bytes 8 to 17 of the other. */
TEST(test_a_run_from_array_to_array)
{
    unsigned char narrow[6 * 5], wanted[6 * 5];
    cudaArray_t from = counted_array(), to = new_array(6, 5);
    memset(wanted, 0x55, sizeof wanted);
    OK(cudaMemcpy2DToArrayAsync(to, 0, 0, wanted, 6, 6, 5, cudaMemcpyHostToDevice, 0));
    OK(cudaMemcpyArrayToArray(to, 2, 1, from, 4, 0, 10, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2DFromArray(narrow, 6, to, 0, 0, 6, 5, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 10; i++)
        wanted[8 + i] = (unsigned char)(4 + i);
    assert_memory_equal(narrow, wanted, sizeof wanted);
    FAILS(cudaErrorInvalidValue, cudaMemcpyArrayToArray(to, 6, 0, from, 0, 0, 1, cudaMemcpyDeviceToDevice));
    FAILS(cudaErrorInvalidValue,
          cudaMemcpyArrayToArray(to, 0, 0, from, 0, 2, WIDTH + 1, cudaMemcpyDeviceToDevice));
    OK(cudaFreeArray(from));
    OK(cudaFreeArray(to));
}

/* ---- calls that must fail ------------------------------------------------------------------------------ */

TEST(test_no_such_array)
{
    const struct cudaChannelFormatDesc three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
    struct cudaExtent flat = {4, 4, 5}, oblong = {4, 5, 6};
    struct cudaChannelFormatDesc format;
    cudaArray_t array;
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, &one_byte, 0, 4, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, NULL, 4, 4, 0));
    FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &three, 4, 4, 0));
    FAILS(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &one_byte, flat, cudaArrayCubemap));
    FAILS(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &one_byte, oblong, cudaArrayCubemap));
    FAILS(cudaErrorNotSupported, cudaMallocArray(&array, &one_byte, 4, 4, cudaArraySparse));
    FAILS(cudaErrorMemoryAllocation, cudaMallocArray(&array, &one_byte, (size_t)1 << 40, 1, 0));

    array = new_array(4, 4);
    OK(cudaGetChannelDesc(&format, array));
    assert_int_equal(format.x, 8);
    assert_int_equal(format.y, 0);
    assert_int_equal(format.f, cudaChannelFormatKindUnsigned);
    OK(cudaFreeArray(array));
    FAILS(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&format, array));
    FAILS(cudaErrorInvalidResourceHandle,
          cudaMemcpyFromArray(&format, array, 0, 0, 1, cudaMemcpyDeviceToHost));
}

TEST(test_linear_width)
{
    const struct cudaChannelFormatDesc nothing = {0, 0, 0, 0, cudaChannelFormatKindUnsigned};
    size_t width = 0;
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &one_byte, 0));
    assert_int_equal(width, 1 << 28);
    FAILS(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(&width, &nothing, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetTexture1DLinearMaxWidth(&width, &one_byte, 1));
}

/* ---- texture objects ----------------------------------------------------------------------------------- */

TEST(test_texture_objects)
{
    cudaArray_t array = new_array(4, 4);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray, .res.array.array = array};
    struct cudaTextureDesc texture = {.addressMode = {cudaAddressModeClamp, cudaAddressModeClamp},
                                      .filterMode = cudaFilterModePoint},
                           got;
    struct cudaResourceViewDesc view = {.format = cudaResViewFormatUnsignedChar1};
    struct cudaResourceDesc got_resource;
    cudaTextureObject_t object;
    OK(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    OK(cudaGetTextureObjectTextureDesc(&got, object));
    assert_int_equal(got.addressMode[0], cudaAddressModeClamp);
    OK(cudaGetTextureObjectResourceDesc(&got_resource, object));
    assert_ptr_equal(got_resource.res.array.array, array);
    FAILS(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc(&view, object));
    OK(cudaDestroyTextureObject(object));
    FAILS(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(&got, object));

    /* Bytes are numbers from 0 to 1 only where they are read as such: no interpolation of integers. */
    texture.filterMode = cudaFilterModeLinear;
    assert_int_not_equal(cudaCreateTextureObject(&object, &resource, &texture, NULL), cudaSuccess);
    cudaGetLastError();
    texture.filterMode = cudaFilterModePoint;
    FAILS(cudaErrorNotSupported, cudaCreateTextureObject(&object, &resource, &texture, &view));
    texture.addressMode[1] = (enum cudaTextureAddressMode)7;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &texture, NULL));
    OK(cudaFreeArray(array));
}

int main(void)
{
    sim_report_at_exit(false);
    return RUN_WITH(NULL, NULL);
}
