/* Variables of the device, from both sides: __device__, __constant__, static, arrays, structures. */
#include "common/check.h"

struct pair {
    int left;
    double right;
};

__device__ int counter = 5;
__device__ float table[8];
static __device__ pair both = {3, 0.25};
__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ int *pointer_to_counter = &counter;

__global__ void use(float *out)
{
    out[0] = counter;
    out[1] = table[7];
    out[2] = coefficients[0] + coefficients[3];
    out[3] = both.left + both.right;
    *pointer_to_counter += 1;
    table[0] = 42;
}

static void show_used(const char *when, float *d_out)
{
    float h_out[4];
    use<<<1, 1>>>(d_out);
    CHECK(cudaMemcpy(h_out, d_out, sizeof(h_out), cudaMemcpyDeviceToHost));
    printf("%s: %g %g %g %g\n", when, h_out[0], h_out[1], h_out[2], h_out[3]);
}

static void change(const float *h_table)
{
    float h_coefficients[2] = {10, 20};
    pair h_both;
    CHECK(cudaMemcpyToSymbol(table, h_table, sizeof(table)));
    CHECK(cudaMemcpyToSymbol(coefficients, h_coefficients, sizeof(h_coefficients), 2 * sizeof(float)));
    CHECK(cudaMemcpyFromSymbol(&h_both, both, sizeof(h_both)));
    printf("both: %d %g\n", h_both.left, h_both.right);
    h_both.left = -1;
    CHECK(cudaMemcpyToSymbol(both, &h_both, sizeof(h_both)));
}

/* A symbol's address is one like any other. */
static void by_address(float *h_table)
{
    int h_counter = 0;
    size_t size;
    void *address;
    CHECK(cudaMemcpyFromSymbol(&h_counter, counter, sizeof(h_counter)));
    CHECK(cudaGetSymbolSize(&size, table));
    printf("counter %d, table has %d bytes\n", h_counter, (int)size);
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaMemcpy(h_table, address, sizeof(table), cudaMemcpyDeviceToHost));
    printf("table: %g %g ... %g\n", h_table[0], h_table[1], h_table[7]);
    CHECK(cudaMemset(address, 0, sizeof(table)));
    CHECK(cudaMemcpyFromSymbol(h_table, table, sizeof(float), 7 * sizeof(float)));
    printf("table[7] after memset: %g\n", h_table[0]);
}

static void mistakes(float *h_table)
{
    size_t size;
    printf("too many bytes: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(table, h_table, sizeof(table) + 4)));
    printf("beyond the end: %s\n", cudaGetErrorName(cudaMemcpyFromSymbol(h_table, table, 4, sizeof(table))));
    printf("wrong way: %s\n",
           cudaGetErrorName(cudaMemcpyToSymbol(table, h_table, 4, 0, cudaMemcpyDeviceToHost)));
    printf("no symbol: %s\n", cudaGetErrorName(cudaGetSymbolSize(&size, h_table)));
    cudaGetLastError();
}

int main(void)
{
    float h_table[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *d_out;
    CHECK(cudaMalloc(&d_out, 4 * sizeof(*d_out)));
    show_used("initial", d_out); /* table is zero */
    change(h_table);
    show_used("changed", d_out);
    by_address(h_table);
    mistakes(h_table);
    CHECK(cudaFree(d_out));
    return 0;
}
