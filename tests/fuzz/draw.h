/*
 * Numbers made of a fuzzer's bytes: the first eight begin a row of numbers, each byte behind them is one, or the first of one
 * that is larger, and where they end the row goes on. So a fuzzer can choose each number, and eight bytes give a whole input.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static struct {
    const uint8_t *at, *end;
    uint64_t row;
} draws;

static void draw_from(const uint8_t *data, size_t size)
{
    const size_t first = size < sizeof draws.row ? size : sizeof draws.row;
    draws.row = 0;
    memcpy(&draws.row, data, first);
    draws.at = data + first;
    draws.end = data + size;
}

static uint64_t draw_any(void)
{
    draws.row = draws.row * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return draws.row >> 33;
}

static uint64_t draw(uint64_t below)
{
    uint64_t number = 0;
    if (draws.at == draws.end)
        return draw_any() % below;
    for (uint64_t most = 1; most < below && draws.at < draws.end; most <<= 8)
        number = number << 8 | *draws.at++;
    return number % below;
}
