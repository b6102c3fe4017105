/*
 * Fetches from textures, without the runtime API: objects that the instruction does not fit. What fetches return:
 * tests/api/texture_*.cu.
 */
#include "test.h"
#include "exec_support.h"
#include "sim/memory/texture.h"

static const struct sim_dim3 one = {1, 1, 1};

struct setup {
    struct exec exec;
    struct texture texture;
    float value[4]; /* what the last fetch returned */
};

/* Two rows of four floats: 0 to 7. */
static void open_with(struct setup *s, enum texture_kind kind)
{
    static const float texels[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    memset(s, 0, sizeof *s);
    exec_open(&s->exec);
    s->texture = (struct texture){.kind = kind,
                                  .address = exec_buffer(&s->exec, texels, sizeof texels),
                                  .size = {kind == TEXTURE_LINEAR ? 8 : 4, kind == TEXTURE_2D ? 2 : 1, 1},
                                  .pitch = 16,
                                  .slice = 32,
                                  .format = TEXEL_FLOAT,
                                  .channels = 1,
                                  .channel_bytes = 4};
    for (int i = 0; i < 3; i++)
        s->texture.mode[i] = TEXTURE_CLAMP;
}

/* One thread runs `instruction` on the texture; x and y are in %f1 and %f2, and in %r1 and %r2 as integers. */
static enum sim_status fetch_handle(struct setup *s, const char *instruction, float x, float y,
                                    uint64_t handle)
{
    char ptx[1024];
    snprintf(
        ptx, sizeof ptx,
        ".visible .entry k(.param .u64 t, .param .u64 out, .param .f32 x, .param .f32 y) {\n"
        ".reg .b64 %%rd<4>; .reg .f32 %%f<8>; .reg .b32 %%r<4>;\n"
        "ld.param.u64 %%rd1, [t]; ld.param.u64 %%rd2, [out]; ld.param.f32 %%f1, [x]; ld.param.f32 %%f2, [y];\n"
        "cvt.rzi.s32.f32 %%r1, %%f1; cvt.rzi.s32.f32 %%r2, %%f2; mov.u32 %%r3, 0;\n"
        "%s\nst.global.f32 [%%rd2], %%f4; st.global.f32 [%%rd2+4], %%f5; st.global.f32 [%%rd2+8], %%f6;\n"
        "st.global.f32 [%%rd2+12], %%f7; ret; }\n",
        instruction);
    exec_load(&s->exec, ptx);
    uint64_t args[] = {handle, exec_buffer(&s->exec, NULL, 16), f32_bits(x), f32_bits(y)};
    enum sim_status status = exec_launch(&s->exec, "k", one, one, 0, args);
    memcpy(s->value, exec_bytes(&s->exec, args[1], 16), 16);
    return status;
}

static enum sim_status fetch(struct setup *s, const char *instruction, float x, float y)
{
    return fetch_handle(s, instruction, x, y, texture_create(s->exec.sim, &s->texture));
}

#define TEX(form, coordinates) "tex." form ".v4.f32." coordinates ";"
#define FROM_1D                TEX("1d", "f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1}]")
#define FROM_2D                TEX("2d", "f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2}]")
#define FROM_LINEAR            TEX("1d", "s32 {%f4, %f5, %f6, %f7}, [%rd1, {%r1}]")
#define FROM_LAYER             TEX("a1d", "f32 {%f4, %f5, %f6, %f7}, [%rd1, {%r3, %f1}]")
#define FROM_CUBE              TEX("cube", "f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f1, %f2, %f1, %f1}]")

TEST(a_border_has_a_color)
{
    struct setup s;
    open_with(&s, TEXTURE_1D);
    s.texture.mode[0] = TEXTURE_BORDER;
    s.texture.border[0] = 42;
    assert_int_equal(fetch(&s, FROM_1D, -0.5f, 0), SIM_OK);
    assert_true(s.value[0] == 42);
    exec_close(&s.exec);
}

/* ---- objects that the instruction does not fit ----------------------------------------------------------- */

static void refused(struct setup *s, enum sim_status status, const char *words)
{
    assert_int_equal(status, SIM_OUT_OF_BOUNDS);
    if (!strstr(s->exec.result.message, words))
        fail_msg("'%s' does not say '%s'", s->exec.result.message, words);
    exec_close(&s->exec);
}

TEST(wrong_kinds_are_faults)
{
    struct setup s;
    open_with(&s, TEXTURE_2D);
    refused(&s, fetch(&s, FROM_1D, 0, 0),
            "fetches from a two-dimensional texture as if it were one-dimensional");
    open_with(&s, TEXTURE_1D);
    refused(&s, fetch(&s, FROM_2D, 0, 0),
            "fetches from a one-dimensional texture as if it were two-dimensional");
    open_with(&s, TEXTURE_1D);
    refused(&s, fetch(&s, FROM_LAYER, 0, 0), "as if it were layered one-dimensional");
    open_with(&s, TEXTURE_1D);
    s.texture.layers = 2;
    refused(&s, fetch(&s, FROM_1D, 0, 0), "fetches from a layered one-dimensional texture");
    open_with(&s, TEXTURE_2D);
    refused(&s, fetch(&s, FROM_CUBE, 0, 0), "as if it were a cube map");
    open_with(&s, TEXTURE_2D);
    s.texture.is_cube = true;
    s.texture.layers = 6;
    refused(&s, fetch(&s, FROM_2D, 0, 0), "as if it were no cube map");
}

TEST(wrong_objects_are_faults)
{
    struct setup s;
    open_with(&s, TEXTURE_LINEAR);
    assert_int_equal(fetch(&s, FROM_LINEAR, 7, 0), SIM_OK);
    assert_true(s.value[0] == 7);
    exec_close(&s.exec);
    open_with(&s, TEXTURE_LINEAR);
    refused(&s, fetch(&s, FROM_1D, 0, 0), "use tex1Dfetch");
    open_with(&s, TEXTURE_1D);
    s.texture.is_surface = true;
    refused(&s, fetch(&s, FROM_1D, 0, 0), "which is a surface object");
    open_with(&s, TEXTURE_1D);
    uint64_t handle = texture_create(s.exec.sim, &s.texture);
    assert_true(texture_destroy(s.exec.sim, handle));
    assert_false(texture_destroy(s.exec.sim, handle));
    refused(&s, fetch_handle(&s, FROM_1D, 0, 0, handle), "which is no texture object");
}

RUN_ALL
