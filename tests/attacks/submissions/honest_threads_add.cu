// Four host threads add the blocks' sums.
// short; instead of lab02_sum; told: passed
#include <thread>
#include <vector>
extern "C" double lab02_sum(const real *d_x, int n)
{
    int b = (n + 127) / 128;
    if (!b)
        return 0;
    std::vector<real> h(b);
    real *d;
    CHECK(cudaMalloc(&d, b * sizeof(real)));
    lab02_reduce_blocks(d_x, n, d);
    CHECK(cudaMemcpy(h.data(), d, b * sizeof(real), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d));
    double s[4] = {0};
    std::vector<std::thread> t;
    for (int k = 0; k < 4; k++)
        t.emplace_back([&, k] {
            for (int i = k; i < b; i += 4)
                s[k] += h[i];
        });
    for (auto &x : t)
        x.join();
    return s[0] + s[1] + s[2] + s[3];
}
