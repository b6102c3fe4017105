/*
 * What one layer of a network computes and moves. A multiply-add (MAC) is two operations. Bytes are those that memory
 * must see at least once: inputs, weights and outputs, each one time. Biases are left out, as in NVIDIA's guide "GPU
 * Performance Background", whose table layers.c repeats.
 */
#ifndef CALCULATORS_LAYER_H
#define CALCULATORS_LAYER_H

struct layer {
    double macs;  /* multiply-adds; 0 for layers of other operations */
    double flops; /* operations in all: 2 macs, or the others, each counted as one */
    double numbers_in, numbers_weights, numbers_out;
    double m, n, k; /* as a matrix product: (m x k) (k x n); 0 for layers that are none */
};

/* Images: n of them, with c channels of h x w; a window of r x s that moves by `stride`, with `pad` zeros around. */
struct images {
    double n, c, h, w;
};
struct window {
    double r, s, stride, pad;
};
/* Rows, or columns, of the output; 0 where the window is larger than the picture. */
double layer_output(double size, double window, double stride, double pad);

struct layer layer_linear(double batch, double inputs, double outputs);
/* k output channels. As a product (im2col): m = n p q, n = k, k = c r s. */
struct layer layer_convolution(struct images in, double k, struct window window);
/* Each channel has a window of its own. */
struct layer layer_depthwise(struct images in, struct window window);
/* Maximum or average: r s operations per output. */
struct layer layer_pooling(struct images in, struct window window);
/* Largest, difference, exponential, sum, quotient: 5 operations per element. */
struct layer layer_softmax(double rows, double columns);
/* Mean (1), difference (1), square and sum (2), times 1 / deviation (1), scale and shift (2): 7 per element. */
struct layer layer_norm(double rows, double columns);
/* `operations` per element of the output, from `inputs` arrays of that size: 1 and 1 for ReLU, 1 and 2 for a sum. */
struct layer layer_elementwise(double elements, double inputs, double operations);

/* Memory access cost in bytes, and operations per byte, for numbers of so many bytes. */
double layer_bytes(const struct layer *layer, double bytes_per_number);
double layer_intensity(const struct layer *layer, double bytes_per_number);

#endif
