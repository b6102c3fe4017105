/*
 * What layers of networks cost, on which side of a GPU's ridge they are, and how blocks and tiles fill the GPU.
 *
 *     layers [OPTIONS]                                      a table of common layers
 *     layers [OPTIONS] linear BATCH INPUTS OUTPUTS
 *     layers [OPTIONS] conv N C H W K R S STRIDE PAD        K: output channels, R x S: the window
 *     layers [OPTIONS] depthwise N C H W R S STRIDE PAD
 *     layers [OPTIONS] pool N C H W R S STRIDE PAD
 *     layers [OPTIONS] softmax ROWS COLUMNS
 *     layers [OPTIONS] norm ROWS COLUMNS
 *     layers [OPTIONS] relu ELEMENTS
 *     layers [OPTIONS] waves BLOCKS BLOCKS_PER_SM           how full the waves are
 *     layers [OPTIONS] tiles M N TILE_M TILE_N BLOCKS_PER_SM
 *     layers [OPTIONS] chain OPERATIONS                     one thread, each operation waits for the one before
 *
 * --device NAME: which GPU (otherwise this machine's, or an H100); --fp32 (the default), --fp64, --fp16: numbers of
 * 4, 8 and 2 bytes, the last on tensor cores; --roofs GFLOPS GBS: measured roofs instead of those on paper; --sms N:
 * another number of SMs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculators/device.h"
#include "calculators/layer.h"
#include "calculators/waves.h"

/* From one dependent multiply-add to the next, in cycles, since Volta: Jia et al., Dissecting the NVIDIA Volta GPU, 2018. */
#define MULTIPLY_ADD_LATENCY 4
#define SCHEDULERS           4

struct setting {
    const struct sim_profile *profile;
    enum number_format format;
    double bytes_per_number;
    struct roofs roofs;
    int sms; /* as the profile has, unless told otherwise */
};

static void fail(const char *what)
{
    fprintf(stderr, "layers: %s; layers --help lists what it can do\n", what);
    exit(2);
}

static double number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value < 1e15))
        fail("expected a number, 0 or more");
    return value;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void print_number(double x)
{
    static const char *const units[] = {"", " K", " M", " G", " T"};
    int i = 0;
    for (; i < 4 && x >= 9999.5; i++)
        x /= 1000;
    printf(" %8.4g%-2s", x, units[i]);
}

static void print_header(const struct setting *s)
{
    const char *const name = s->profile->name, *end = strstr(name, " (simulated)");
    printf("%.*s: %.4g TFLOP/s, %.4g GB/s: the ridge is at %.1f FLOP/B. %.0f bytes per number.\n",
           end ? (int)(end - name) : 60, name, 1e-12 * s->roofs.flops, 1e-9 * s->roofs.bytes,
           s->roofs.flops / s->roofs.bytes, s->bytes_per_number);
}

static void print_columns(void)
{
    printf("  %-40s %10s %10s %10s %9s  %-10s %10s\n", "layer", "MACs", "FLOPs", "bytes", "FLOP/B",
           "bound by", "at best us");
}

static void print_layer(const struct setting *s, const char *name, struct layer layer)
{
    const double bytes = layer_bytes(&layer, s->bytes_per_number);
    const double by_memory = bytes / s->roofs.bytes, by_arithmetic = layer.flops / s->roofs.flops;
    printf("  %-40s", name);
    print_number(layer.macs);
    print_number(layer.flops);
    print_number(bytes);
    printf(" %9.2f  %-10s %10.2f\n", layer_intensity(&layer, s->bytes_per_number),
           by_arithmetic > by_memory ? "arithmetic" : "memory",
           1e6 * (by_arithmetic > by_memory ? by_arithmetic : by_memory));
}

/* The first five are those of NVIDIA's guide. */
static void print_table(const struct setting *s)
{
    const struct images picture = {1, 64, 56, 56}, batch = {32, 64, 56, 56};
    const struct window three = {3, 3, 1, 1}, one = {1, 1, 1, 0};
    print_header(s);
    print_columns();
    print_layer(s, "fully connected 1024 to 4096, batch 512", layer_linear(512, 1024, 4096));
    print_layer(s, "the same, batch 1", layer_linear(1, 1024, 4096));
    print_layer(s, "maximum of 3 x 3, stride 1, 64 x 56 x 56", layer_pooling(picture, three));
    print_layer(s, "ReLU, 64 x 56 x 56", layer_elementwise(64 * 56 * 56, 1, 1));
    print_layer(s, "layer norm, 512 rows of 1024", layer_norm(512, 1024));
    print_layer(s, "softmax, 512 rows of 1024", layer_softmax(512, 1024));
    print_layer(s, "sum of two arrays, 64 x 56 x 56", layer_elementwise(64 * 56 * 56, 2, 1));
    print_layer(s, "convolution 3 x 3, 64 to 64, batch 1", layer_convolution(picture, 64, three));
    print_layer(s, "convolution 3 x 3, 64 to 64, batch 32", layer_convolution(batch, 64, three));
    print_layer(s, "convolution 1 x 1, 64 to 64, batch 32", layer_convolution(batch, 64, one));
    print_layer(s, "depthwise 3 x 3, 64, batch 32", layer_depthwise(batch, three));
}

/* ---- single layers -------------------------------------------------------------------------------------- */

static struct images images(const double *a)
{
    return (struct images){a[0], a[1], a[2], a[3]};
}

static struct window window(const double *a)
{
    return (struct window){a[0], a[1], a[2], a[3]};
}

static struct layer linear(const double *a)
{
    return layer_linear(a[0], a[1], a[2]);
}
static struct layer conv(const double *a)
{
    return layer_convolution(images(a), a[4], window(a + 5));
}
static struct layer depthwise(const double *a)
{
    return layer_depthwise(images(a), window(a + 4));
}
static struct layer pool(const double *a)
{
    return layer_pooling(images(a), window(a + 4));
}
static struct layer softmax(const double *a)
{
    return layer_softmax(a[0], a[1]);
}
static struct layer norm(const double *a)
{
    return layer_norm(a[0], a[1]);
}
static struct layer relu(const double *a)
{
    return layer_elementwise(a[0], 1, 1);
}

static void print_one(const struct setting *s, const char *name, struct layer layer)
{
    if (!(layer.flops > 0))
        fail("the window is larger than the picture");
    print_header(s);
    print_columns();
    print_layer(s, name, layer);
    if (layer.m > 0) {
        printf("  as a matrix product: (%.0f x %.0f) times (%.0f x %.0f)", layer.m, layer.k, layer.k,
               layer.n);
        const double unfolded = layer.m * layer.k;
        if (unfolded > layer.numbers_in)
            printf("; unfolded (im2col) the input has %.4g times as many numbers",
                   unfolded / layer.numbers_in);
        printf("\n");
    }
}

/* ---- blocks, tiles, chains ------------------------------------------------------------------------------- */

static void print_waves(const struct setting *s, double blocks, double per_sm)
{
    const struct waves w = waves_of(blocks, per_sm, s->sms);
    printf("%.0f blocks on %d SMs, %.0f per SM: %.0f at a time; %.2f waves: %.0f full", blocks, s->sms,
           per_sm, w.slots, blocks / w.slots, w.full);
    if (w.tail > 0)
        printf(", and one with %.0f block%s in %.0f slots", w.tail, w.tail > 1 ? "s" : "", w.slots);
    printf("\n%.1f %% of the slots are used%s\n", 100 * w.used,
           blocks < 300 && w.tail > 0 ? " (fewer than 300 blocks: look at the tail)" : "");
}

static void print_tiles(const struct setting *s, const double *a)
{
    const struct tiles t = tiles_of(a[0], a[1], a[2], a[3]);
    printf("%.0f x %.0f in tiles of %.0f x %.0f: %.0f x %.0f = %.0f tiles, %.1f %% of them is matrix\n", a[0],
           a[1], a[2], a[3], t.rows, t.columns, t.tiles, 100 * t.used);
    print_waves(s, t.tiles, a[4]);
    const struct waves w = waves_of(t.tiles, a[4], s->sms);
    printf("both together: %.1f %%\n", 100 * t.used * w.used);
}

static void print_chain(const struct setting *s, double operations)
{
    const struct sim_profile *p = s->profile;
    const double seconds = chain_seconds(operations, MULTIPLY_ADD_LATENCY, p->clock_ghz);
    const double latency = 1e-9 * p->dram_latency_ns, flight = bytes_in_flight(s->roofs.bytes, latency);
    print_header(s);
    printf("%.0f multiply-adds, each waiting for the one before, at %d cycles: %.4g us, %.4g GFLOP/s\n",
           operations, MULTIPLY_ADD_LATENCY, 1e6 * seconds, 2e-9 * operations / seconds);
    printf(
        "to hide it: %d independent ones per scheduler, %d warps per SM or as many chains in fewer warps\n",
        MULTIPLY_ADD_LATENCY, MULTIPLY_ADD_LATENCY * SCHEDULERS);
    printf("memory answers after %.0f ns: %.4g KB must be under way, %.4g KB per SM\n", p->dram_latency_ns,
           1e-3 * flight, 1e-3 * flight / p->sm_count);
}

/* ---- the command line ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    int count; /* of numbers; all but PAD are at least 1 */
    struct layer (*make)(const double *numbers);
} commands[] = {
    {"linear", 3, linear},   {"conv", 9, conv},  {"depthwise", 8, depthwise}, {"pool", 8, pool},
    {"softmax", 2, softmax}, {"norm", 2, norm},  {"relu", 1, relu},           {"waves", 2, NULL},
    {"tiles", 5, NULL},      {"chain", 1, NULL},
};

static void help(void)
{
    puts(
        "usage: layers [--device NAME] [--fp32 | --fp64 | --fp16] [--roofs GFLOPS GBS] [--sms N] [COMMAND]\n"
        "  linear BATCH INPUTS OUTPUTS           conv N C H W K R S STRIDE PAD\n"
        "  depthwise N C H W R S STRIDE PAD      pool N C H W R S STRIDE PAD\n"
        "  softmax ROWS COLUMNS                  norm ROWS COLUMNS\n"
        "  relu ELEMENTS                         waves BLOCKS BLOCKS_PER_SM\n"
        "  tiles M N TILE_M TILE_N BLOCKS_PER_SM chain OPERATIONS\n"
        "without a command: a table of common layers. --fp16: on tensor cores; --roofs: measured, not on paper");
}

/* Reads the options; returns the index of the first argument that is not an option. */
static int read_options(int argc, char **argv, struct setting *s)
{
    const char *key = NULL;
    char message[256];
    int i = 1;
    s->format = FORMAT_FP32;
    s->roofs.flops = 0;
    s->sms = 0;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            help();
            exit(0);
        } else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
            key = argv[++i];
        } else if (strcmp(argv[i], "--roofs") == 0 && i + 2 < argc) {
            s->roofs = (struct roofs){1e9 * number(argv[i + 1]), 1e9 * number(argv[i + 2])};
            i += 2;
        } else if (strcmp(argv[i], "--sms") == 0 && i + 1 < argc) {
            s->sms = (int)number(argv[++i]);
        } else if (strcmp(argv[i], "--fp32") == 0) {
            s->format = FORMAT_FP32;
        } else if (strcmp(argv[i], "--fp64") == 0) {
            s->format = FORMAT_FP64;
        } else if (strcmp(argv[i], "--fp16") == 0) {
            s->format = FORMAT_FP16_TENSOR;
        } else {
            fail("an option that it does not know, or without its value");
        }
    }
    s->profile = device_choose(key, message);
    if (!s->profile)
        fail(message);
    if (s->sms == 0)
        s->sms = s->profile->sm_count;
    return i;
}

static void run_command(const struct setting *s, const char *name, const double *a,
                        struct layer (*make)(const double *))
{
    if (make)
        print_one(s, name, make(a));
    else if (strcmp(name, "waves") == 0)
        print_waves(s, a[0], a[1]);
    else if (strcmp(name, "tiles") == 0)
        print_tiles(s, a);
    else
        print_chain(s, a[0]);
}

int main(int argc, char **argv)
{
    static const double bytes[] = {[FORMAT_FP32] = 4, [FORMAT_FP64] = 8, [FORMAT_FP16_TENSOR] = 2};
    struct setting s;
    const int first = read_options(argc, argv, &s);
    double numbers[9];
    s.bytes_per_number = bytes[s.format];
    if (s.roofs.flops == 0)
        s.roofs = device_roofs(s.profile, s.format);
    if (first == argc) {
        print_table(&s);
        return 0;
    }
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
        if (strcmp(argv[first], commands[c].name) != 0)
            continue;
        if (argc - first - 1 != commands[c].count)
            fail("this takes another number of numbers");
        for (int i = 0; i < commands[c].count; i++) {
            numbers[i] = number(argv[first + 1 + i]);
            if (numbers[i] < 1 && !(commands[c].count >= 8 && i == commands[c].count - 1))
                fail("expected a number, 1 or more");
        }
        run_command(&s, argv[first], numbers, commands[c].make);
        return 0;
    }
    fail("no such layer");
}
