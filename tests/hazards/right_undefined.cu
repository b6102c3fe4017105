/* Right kernels in which registers have no value on some path, and where that does not matter. */
#include "tests/hazards/kernels.h"

KERNEL(used_where_it_is_set)
{
    int value;
    if (T < 40)
        value = x[T];
    __syncthreads();
    if (T < 40)
        x[1024 + T] = value + 1;
}
KERNEL(chosen_where_it_is_set)
{
    int value;
    const bool inside = T < 40;
    if (inside)
        value = x[T];
    __syncthreads();
    x[1024 + T] = inside ? 3 * value : -1;
}
KERNEL(tested_behind_its_guard)
{
    int value;
    if (T < 40)
        value = x[T];
    if (T < 40 && value > 10)
        x[1024 + T] = 1;
}
KERNEL(found_flag)
{
    int place;
    bool found = false;
    for (int i = T; i < 256 && !found; i += 7)
        if (x[i] % 11 == 3) {
            place = i;
            found = true;
        }
    if (found)
        x[1024 + T] = place;
}
KERNEL(shuffled_and_dropped)
{
    int value;
    if (T < 20)
        value = x[T];
    const int other = __shfl_down_sync(FULL, value, 4);
    if (T + 4 < 20)
        x[1024 + T] = other;
}
/* Lanes that read from one that their mask does not name, and drop what they get. */
KERNEL(shuffled_from_lanes_that_left)
{
    const unsigned mask = __ballot_sync(FULL, T < 20);
    if (T >= 20)
        return;
    int sum = x[T];
    for (int d = 1; d < 20; d *= 2) {
        const int other = __shfl_down_sync(mask, sum, d);
        sum += T + d < 20 ? other : 0;
    }
    x[1024 + T] = sum;
}
KERNEL(stored_in_shared_and_not_read)
{
    __shared__ int s[64];
    int value;
    if (T < 40)
        value = x[T];
    s[T] = value;
    __syncthreads();
    if (T < 20)
        x[1024 + T] = s[39 - T];
}
KERNEL(read_from_shared_and_dropped)
{
    __shared__ int s[64];
    int value;
    if (T < 40)
        value = x[T];
    s[T] = value;
    __syncthreads();
    const int sum = value + (T > 0 ? s[T - 1] : 0);
    x[1024 + T] = T < 40 ? sum : 0;
}
KERNEL(pairs_in_shared_whose_second_is_dropped)
{
    __shared__ int2 s[64], t[64];
    int2 pair;
    pair.x = T;
    if (T < 40)
        pair.y = x[T];
    s[T] = pair;
    __syncthreads();
    t[T] = s[63 - T];
    __syncthreads();
    const int2 other = t[63 - T];
    x[1024 + T] = other.x < 40 ? other.y : 0;
}
/* nvcc loads first and decides then: of a merge the key behind the last one is compared, and the result dropped. */
KERNEL(merge_reads_behind_its_keys)
{
    __shared__ int s[33];
    if (T < 32)
        s[T] = x[T];
    __syncthreads();
    int a = T, b = 16, key_a = s[a], key_b = s[b], sum = 0;
    for (int i = 0; i < 4; i++) {
        const bool first = a >= 32 ? false : b >= 32 ? true : key_a <= key_b;
        sum += first ? key_a : key_b;
        const int key = s[first ? ++a : ++b];
        if (first)
            key_a = key;
        else
            key_b = key;
    }
    x[1024 + T] = sum;
}
KERNEL(never_written_and_dropped)
{
    __shared__ int s[64], t[64];
    if (T < 40)
        s[T] = x[T];
    __syncthreads();
    t[T] = s[T] * 3 + 1;
    __syncthreads();
    x[1024 + T] = T < 40 ? t[T] : 0;
}
KERNEL(member_that_is_not_set)
{
    float4 v;
    v.x = (float)x[T];
    v.y = 2;
    v.z = (float)x[T + 1];
    ((float4 *)(x + 1024))[T] = v;
}
KERNEL(first_turn_sets)
{
    int best;
    for (int i = 0; i < x[5]; i++)
        if (i == 0 || x[i * 3] > best)
            best = x[i * 3];
    if (x[5] > 0)
        x[1024 + T] = best;
}
KERNEL(bytes_one_by_one)
{
    uchar4 v;
    v.x = (unsigned char)x[T];
    v.y = 1;
    v.z = 2;
    v.w = 3;
    ((uchar4 *)(x + 1024))[T] = v;
}
KERNEL(by_reference)
{
    int a[4], n = 0;
    for (int i = 0; i < 4; i++)
        if (x[T + i] % 3)
            a[n++] = x[T + i];
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    x[1024 + T] = sum;
}
KERNEL(window_with_else)
{
    float window[7];
    for (int j = 0; j < 7; j++)
        window[j] = T + j < 64 ? (float)x[T + j] : 0.0f;
    for (int q = 0; q < 4; q++) {
        float sum = 0;
        for (int j = 0; j < 4; j++)
            sum += window[q + j];
        x[1024 + 4 * T + q] = (int)sum;
    }
}
KERNEL(swap_in_a_loop)
{
    int next = x[T], now;
    for (int i = 1; i < 8; i++) {
        now = next;
        next = x[T + 16 * i];
        __syncthreads();
        x[1024 + T] = now;
    }
}
KERNEL(loop_with_a_switch)
{
    int value;
    switch (T & 3) {
    case 0: value = 5; break;
    case 1: value = x[T]; break;
    case 2: value = x[T + 1]; break;
    case 3: value = 7; break;
    }
    x[1024 + T] = value;
}
KERNEL(lane_zero_broadcasts)
{
    int value;
    if (T % 32 == 0)
        value = x[T];
    value = __shfl_sync(FULL, value, 0);
    x[1024 + T] = value;
}
KERNEL(lane_zero_takes_a_ticket)
{
    int start;
    if (T % 32 == 0)
        start = atomicAdd(&zeros[0], 32);
    start = __shfl_sync(FULL, start, 0);
    x[1024 + (start & 63) + T % 32] = 1;
}
KERNEL(not_a_number_on_purpose)
{
    float value = __int_as_float(0x7fc00000);
    if (T < 40)
        value = (float)x[T];
    ((float *)(x + 1024))[T] = value;
}

extern "C" const struct hazard_program right_undefined_programs[] = {
    RIGHT(used_where_it_is_set, 1, 64),
    RIGHT(chosen_where_it_is_set, 1, 64),
    RIGHT(tested_behind_its_guard, 1, 64),
    RIGHT(found_flag, 1, 64),
    RIGHT(shuffled_and_dropped, 1, 32),
    RIGHT(shuffled_from_lanes_that_left, 1, 32),
    RIGHT(stored_in_shared_and_not_read, 1, 64),
    RIGHT(read_from_shared_and_dropped, 1, 64),
    RIGHT(pairs_in_shared_whose_second_is_dropped, 1, 64),
    RIGHT(merge_reads_behind_its_keys, 1, 32),
    RIGHT(never_written_and_dropped, 1, 64),
    RIGHT(member_that_is_not_set, 1, 64),
    RIGHT(first_turn_sets, 1, 64),
    RIGHT(bytes_one_by_one, 1, 64),
    RIGHT(by_reference, 1, 64),
    RIGHT(window_with_else, 1, 64),
    RIGHT(swap_in_a_loop, 1, 64),
    RIGHT(loop_with_a_switch, 1, 64),
    RIGHT(lane_zero_broadcasts, 1, 64),
    RIGHT(lane_zero_takes_a_ticket, 1, 64),
    RIGHT(not_a_number_on_purpose, 1, 64),
    {},
};
