/* Kernels of the timing program itself: input, and a pause in which launches queue up. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* x and u as struct model_buffers describes them; the first MODEL_RANDOM elements. */
void model_fill(float *x, unsigned *u);

/* p[i] below 256, for the first MODEL_RANDOM elements. */
void model_keys(const unsigned *u, unsigned *p);

/* Keeps the device busy for about so long, at 2 GHz. */
void model_delay(double milliseconds);

#ifdef __cplusplus
}
#endif
