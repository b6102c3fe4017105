#include "calculators/layer.h"

#include <math.h>

double layer_output(double size, double window, double stride, double pad)
{
    return fmax(floor((size + 2 * pad - window) / stride) + 1, 0);
}

static double outputs_per_channel(const struct images *in, const struct window *w)
{
    return in->n * layer_output(in->h, w->r, w->stride, w->pad) *
           layer_output(in->w, w->s, w->stride, w->pad);
}

static double size_of(const struct images *in)
{
    return in->n * in->c * in->h * in->w;
}

static struct layer product(double m, double n, double k)
{
    return (struct layer){.macs = m * n * k, .flops = 2 * m * n * k, .m = m, .n = n, .k = k};
}

struct layer layer_linear(double batch, double inputs, double outputs)
{
    struct layer layer = product(batch, outputs, inputs);
    layer.numbers_in = batch * inputs;
    layer.numbers_weights = inputs * outputs;
    layer.numbers_out = batch * outputs;
    return layer;
}

struct layer layer_convolution(struct images in, double k, struct window window)
{
    struct layer layer = product(outputs_per_channel(&in, &window), k, in.c * window.r * window.s);
    layer.numbers_in = size_of(&in);
    layer.numbers_weights = k * in.c * window.r * window.s;
    layer.numbers_out = layer.m * k;
    return layer;
}

struct layer layer_depthwise(struct images in, struct window window)
{
    const double outputs = in.c * outputs_per_channel(&in, &window), macs = outputs * window.r * window.s;
    return (struct layer){.macs = macs,
                          .flops = 2 * macs,
                          .numbers_in = size_of(&in),
                          .numbers_weights = in.c * window.r * window.s,
                          .numbers_out = outputs};
}

struct layer layer_pooling(struct images in, struct window window)
{
    const double outputs = in.c * outputs_per_channel(&in, &window);
    return (struct layer){
        .flops = outputs * window.r * window.s, .numbers_in = size_of(&in), .numbers_out = outputs};
}

struct layer layer_softmax(double rows, double columns)
{
    return (struct layer){
        .flops = 5 * rows * columns, .numbers_in = rows * columns, .numbers_out = rows * columns};
}

struct layer layer_norm(double rows, double columns)
{
    return (struct layer){.flops = 7 * rows * columns,
                          .numbers_in = rows * columns,
                          .numbers_weights = 2 * columns,
                          .numbers_out = rows * columns};
}

struct layer layer_elementwise(double elements, double inputs, double operations)
{
    return (struct layer){
        .flops = operations * elements, .numbers_in = inputs * elements, .numbers_out = elements};
}

double layer_bytes(const struct layer *layer, double bytes_per_number)
{
    return bytes_per_number * (layer->numbers_in + layer->numbers_weights + layer->numbers_out);
}

double layer_intensity(const struct layer *layer, double bytes_per_number)
{
    return layer->flops / layer_bytes(layer, bytes_per_number);
}
