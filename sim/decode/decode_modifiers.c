/* The opcode table, and the spellings of modifiers. */
#include <string.h>

#include "sim/decode/decode_internal.h"

/* ---- opcodes ------------------------------------------------------------------------------------------- */

#define OP(name, decode, operands, types, modifiers, cost, count, meaning)                                   \
    void decode_##decode(struct decoder *, struct micro *);
#include "sim/decode/ops.def"
#undef OP

#define TYPE_BIT(type) (UINT64_C(1) << PTX_##type)
#define MOD_BIT(kind)  (UINT64_C(1) << MOD_##kind)

/* The names that ops.def uses for sets of types … */
#define PRED TYPE_BIT(PRED)
#define B32  TYPE_BIT(B32)
#define B64  TYPE_BIT(B64)
#define B128 TYPE_BIT(B128)
#define U32  TYPE_BIT(U32)
#define U64  TYPE_BIT(U64)
#define F32  TYPE_BIT(F32)
#define F64  TYPE_BIT(F64)
#define B32S (TYPE_BIT(B32) | TYPE_BIT(U32) | TYPE_BIT(S32))
#define B64S (TYPE_BIT(B64) | TYPE_BIT(U64) | TYPE_BIT(S64))
#define F16S (TYPE_BIT(F16) | TYPE_BIT(F16X2) | TYPE_BIT(BF16) | TYPE_BIT(BF16X2))
#define BITS (TYPE_BIT(B8) | TYPE_BIT(B16) | TYPE_BIT(B32) | TYPE_BIT(B64))
#define INTS                                                                                                 \
    (TYPE_BIT(U8) | TYPE_BIT(U16) | TYPE_BIT(U32) | TYPE_BIT(U64) | TYPE_BIT(S8) | TYPE_BIT(S16) |           \
     TYPE_BIT(S32) | TYPE_BIT(S64))
#define TF32   TYPE_BIT(TF32)
#define B16    TYPE_BIT(B16)
#define X2S    (TYPE_BIT(U16X2) | TYPE_BIT(S16X2))
#define FLOATS (F32 | F64 | F16S)
/* … and kinds of modifiers. */
#define ROUND       MOD_BIT(ROUND)
#define ROUND_INT   MOD_BIT(ROUND_INT)
#define FTZ         MOD_BIT(FTZ)
#define SAT         MOD_BIT(SAT)
#define APPROX      MOD_BIT(APPROX)
#define HALF        MOD_BIT(HALF)
#define COMPARE     MOD_BIT(COMPARE)
#define BOOL        MOD_BIT(BOOL)
#define CARRY       MOD_BIT(CARRY)
#define NAN         MOD_BIT(NAN)
#define RELU        MOD_BIT(RELU)
#define SPACE       MOD_BIT(SPACE)
#define VECTOR      MOD_BIT(VECTOR)
#define CACHE       MOD_BIT(CACHE)
#define ORDER       MOD_BIT(ORDER)
#define SCOPE       MOD_BIT(SCOPE)
#define ATOMIC      MOD_BIT(ATOMIC)
#define NOFTZ       MOD_BIT(NOFTZ)
#define UNIFORM     MOD_BIT(UNIFORM)
#define INDEX       MOD_BIT(INDEX)
#define SYNC        MOD_BIT(SYNC)
#define BARRIER     MOD_BIT(BARRIER)
#define VOTE        MOD_BIT(VOTE)
#define SHUFFLE     MOD_BIT(SHUFFLE)
#define MATCH       MOD_BIT(MATCH)
#define SHIFT       MOD_BIT(SHIFT)
#define WRAP        MOD_BIT(WRAP)
#define SHIFTAMT    MOD_BIT(SHIFTAMT)
#define PERMUTE     MOD_BIT(PERMUTE)
#define TO          MOD_BIT(TO)
#define TEST        MOD_BIT(TEST)
#define SECOND      MOD_BIT(VIDEO_SECOND)
#define SCALE       MOD_BIT(SCALE)
#define PLUS_ONE    MOD_BIT(PLUS_ONE)
#define MASK        MOD_BIT(MASK)
#define ASYNC       MOD_BIT(ASYNC)
#define ASYNC_STEP  MOD_BIT(ASYNC_STEP)
#define NOINC       MOD_BIT(NOINC)
#define MBARRIER    MOD_BIT(MBARRIER)
#define NO_COMPLETE MOD_BIT(NO_COMPLETE)
#define PARITY      MOD_BIT(PARITY)
#define GEOMETRY    MOD_BIT(GEOMETRY)
#define LEVEL       MOD_BIT(LEVEL)
#define GATHER      MOD_BIT(GATHER)
#define BOUNDARY    MOD_BIT(BOUNDARY)
#define BYTES       MOD_BIT(BYTES)
#define POLICY      MOD_BIT(POLICY)
#define GRID_STEP   MOD_BIT(GRID_STEP)
#define REGISTERS   MOD_BIT(REGISTERS)
#define AWAY        MOD_BIT(AWAY)
#define WMMA        (MOD_BIT(WMMA) | MOD_BIT(MATRIX))
#define SHAPES      MOD_BIT(SHAPE)
#define LAYOUT      MOD_BIT(LAYOUT)
#define PRODUCT     (SHAPES | LAYOUT | MOD_BIT(SATFINITE) | ROUND)
#define MATRICES    MOD_BIT(MATRICES)
#define TRANSPOSED  MOD_BIT(TRANSPOSED)

#define COST_TYPE (-1)
#define OP(name, decode, operands, types, modifiers, cost, count, meaning)                                   \
    {#name, decode_##decode, operands, types, modifiers, COST_##cost, count, meaning},
static const struct opcode opcodes[] = {
#include "sim/decode/ops.def"
};
#undef OP

int opcode_count(void)
{
    return (int)(sizeof opcodes / sizeof opcodes[0]);
}

const struct opcode *opcode_at(int index)
{
    return &opcodes[index];
}

const struct opcode *opcode_find(const char *name)
{
    for (int i = 0; i < opcode_count(); i++)
        if (strcmp(opcodes[i].name, name) == 0)
            return &opcodes[i];
    return NULL;
}

/* ---- spellings ----------------------------------------------------------------------------------------- */

struct spelling {
    const char *text;
    enum modifier_kind kind;
    int value;
};

/* A word can have several meanings: the opcode's row says which kind is meant. */
static const struct spelling spellings[] = {
    {"rn", MOD_ROUND, ROUND_NEAREST},
    {"rz", MOD_ROUND, ROUND_ZERO},
    {"rm", MOD_ROUND, ROUND_DOWN},
    {"rp", MOD_ROUND, ROUND_UP},
    {"rni", MOD_ROUND_INT, ROUND_NEAREST},
    {"rzi", MOD_ROUND_INT, ROUND_ZERO},
    {"rmi", MOD_ROUND_INT, ROUND_DOWN},
    {"rpi", MOD_ROUND_INT, ROUND_UP},
    {"ftz", MOD_FTZ, 1},
    {"sat", MOD_SAT, 1},
    {"approx", MOD_APPROX, APPROX_APPROX},
    {"full", MOD_APPROX, APPROX_FULL},
    {"lo", MOD_HALF, HALF_LOW},
    {"hi", MOD_HALF, HALF_HIGH},
    {"wide", MOD_HALF, HALF_WIDE},
    {"eq", MOD_COMPARE, COMPARE_EQ},
    {"ne", MOD_COMPARE, COMPARE_NE},
    {"lt", MOD_COMPARE, COMPARE_LT},
    {"le", MOD_COMPARE, COMPARE_LE},
    {"gt", MOD_COMPARE, COMPARE_GT},
    {"ge", MOD_COMPARE, COMPARE_GE},
    {"lo", MOD_COMPARE, COMPARE_LO},
    {"ls", MOD_COMPARE, COMPARE_LS},
    {"hi", MOD_COMPARE, COMPARE_HI},
    {"hs", MOD_COMPARE, COMPARE_HS},
    {"equ", MOD_COMPARE, COMPARE_EQU},
    {"neu", MOD_COMPARE, COMPARE_NEU},
    {"ltu", MOD_COMPARE, COMPARE_LTU},
    {"leu", MOD_COMPARE, COMPARE_LEU},
    {"gtu", MOD_COMPARE, COMPARE_GTU},
    {"geu", MOD_COMPARE, COMPARE_GEU},
    {"num", MOD_COMPARE, COMPARE_NUM},
    {"nan", MOD_COMPARE, COMPARE_NAN},
    {"and", MOD_BOOL, BOOL_AND},
    {"or", MOD_BOOL, BOOL_OR},
    {"xor", MOD_BOOL, BOOL_XOR},
    {"popc", MOD_BOOL, BOOL_POPC},
    {"cc", MOD_CARRY, 1},
    {"NaN", MOD_NAN, 1},
    {"relu", MOD_RELU, 1},
    {"global", MOD_SPACE, PTX_GLOBAL},
    {"const", MOD_SPACE, PTX_CONST},
    {"shared", MOD_SPACE, PTX_SHARED},
    {"shared::cta", MOD_SPACE, PTX_SHARED},
    {"shared::cluster", MOD_SPACE, PTX_SHARED},
    {"local", MOD_SPACE, PTX_LOCAL},
    {"param", MOD_SPACE, PTX_PARAM},
    {"param::entry", MOD_SPACE, PTX_PARAM},
    {"param::func", MOD_SPACE, PTX_PARAM},
    {"v2", MOD_VECTOR, 2},
    {"v4", MOD_VECTOR, 4},
    {"v8", MOD_VECTOR, 8},
    {"ca", MOD_CACHE, 1},
    {"cg", MOD_CACHE, 1},
    {"cs", MOD_CACHE, 1},
    {"lu", MOD_CACHE, 1},
    {"cv", MOD_CACHE, 1},
    {"wb", MOD_CACHE, 1},
    {"wt", MOD_CACHE, 1},
    {"nc", MOD_CACHE, 1},
    {"L1", MOD_CACHE, 1},
    {"L2", MOD_CACHE, 1},
    {"unified", MOD_CACHE, 1},
    {"weak", MOD_ORDER, ORDER_WEAK},
    {"relaxed", MOD_ORDER, ORDER_RELAXED},
    {"volatile", MOD_ORDER, ORDER_VOLATILE},
    {"mmio", MOD_ORDER, ORDER_VOLATILE},
    {"acquire", MOD_ORDER, ORDER_ACQUIRE},
    {"release", MOD_ORDER, ORDER_RELEASE},
    {"acq_rel", MOD_ORDER, ORDER_ACQ_REL},
    {"sc", MOD_ORDER, ORDER_ACQ_REL},
    {"cta", MOD_SCOPE, 0},
    {"cluster", MOD_SCOPE, 1},
    {"gpu", MOD_SCOPE, 1},
    {"gl", MOD_SCOPE, 1},
    {"sys", MOD_SCOPE, 2},
    {"add", MOD_ATOMIC, ATOMIC_ADD},
    {"inc", MOD_ATOMIC, ATOMIC_INC},
    {"dec", MOD_ATOMIC, ATOMIC_DEC},
    {"min", MOD_ATOMIC, ATOMIC_MIN},
    {"max", MOD_ATOMIC, ATOMIC_MAX},
    {"and", MOD_ATOMIC, ATOMIC_AND},
    {"or", MOD_ATOMIC, ATOMIC_OR},
    {"xor", MOD_ATOMIC, ATOMIC_XOR},
    {"exch", MOD_ATOMIC, ATOMIC_EXCH},
    {"cas", MOD_ATOMIC, ATOMIC_CAS},
    {"noftz", MOD_NOFTZ, 1},
    {"uni", MOD_UNIFORM, 1},
    {"idx", MOD_INDEX, 1},
    {"sync", MOD_BARRIER, BARRIER_SYNC},
    {"arrive", MOD_BARRIER, BARRIER_ARRIVE},
    {"red", MOD_BARRIER, BARRIER_RED},
    {"warp", MOD_BARRIER, BARRIER_WARP},
    {"wait", MOD_BARRIER, BARRIER_WAIT},
    {"sync", MOD_SYNC, 1},
    {"aligned", MOD_SYNC, 1},
    {"cta", MOD_SYNC, 1},
    {"all", MOD_VOTE, VOTE_ALL},
    {"any", MOD_VOTE, VOTE_ANY},
    {"uni", MOD_VOTE, VOTE_UNIFORM},
    {"ballot", MOD_VOTE, VOTE_BALLOT},
    {"up", MOD_SHUFFLE, SHUFFLE_UP},
    {"down", MOD_SHUFFLE, SHUFFLE_DOWN},
    {"bfly", MOD_SHUFFLE, SHUFFLE_BFLY},
    {"idx", MOD_SHUFFLE, SHUFFLE_IDX},
    {"any", MOD_MATCH, 0},
    {"all", MOD_MATCH, 1},
    {"l", MOD_SHIFT, 0},
    {"r", MOD_SHIFT, 1},
    {"clamp", MOD_WRAP, 0},
    {"wrap", MOD_WRAP, 1},
    {"shiftamt", MOD_SHIFTAMT, 1},
    {"f4e", MOD_PERMUTE, PERMUTE_F4E},
    {"b4e", MOD_PERMUTE, PERMUTE_B4E},
    {"rc8", MOD_PERMUTE, PERMUTE_RC8},
    {"ecl", MOD_PERMUTE, PERMUTE_ECL},
    {"ecr", MOD_PERMUTE, PERMUTE_ECR},
    {"rc16", MOD_PERMUTE, PERMUTE_RC16},
    {"to", MOD_TO, 1},
    {"finite", MOD_TEST, TEST_FINITE},
    {"infinite", MOD_TEST, TEST_INFINITE},
    {"number", MOD_TEST, TEST_NUMBER},
    {"notanumber", MOD_TEST, TEST_NOTANUMBER},
    {"normal", MOD_TEST, TEST_NORMAL},
    {"subnormal", MOD_TEST, TEST_SUBNORMAL},
    {"add", MOD_VIDEO_SECOND, VIDEO_SECOND_ADD},
    {"min", MOD_VIDEO_SECOND, VIDEO_SECOND_MIN},
    {"max", MOD_VIDEO_SECOND, VIDEO_SECOND_MAX},
    {"shr7", MOD_SCALE, 7},
    {"shr15", MOD_SCALE, 15},
    {"po", MOD_PLUS_ONE, 1},
    {"mask", MOD_MASK, 1},
    {"async", MOD_ASYNC, 1},
    {"commit_group", MOD_ASYNC_STEP, ASYNC_COMMIT},
    {"wait_group", MOD_ASYNC_STEP, ASYNC_WAIT_GROUP},
    {"wait_all", MOD_ASYNC_STEP, ASYNC_WAIT_ALL},
    {"mbarrier", MOD_ASYNC_STEP, ASYNC_ARRIVE},
    {"arrive", MOD_NOINC, 0},
    {"noinc", MOD_NOINC, 1},
    {"init", MOD_MBARRIER, MBARRIER_INIT},
    {"inval", MOD_MBARRIER, MBARRIER_INVALIDATE},
    {"arrive", MOD_MBARRIER, MBARRIER_ARRIVE},
    {"arrive_drop", MOD_MBARRIER, MBARRIER_ARRIVE_DROP},
    {"test_wait", MOD_MBARRIER, MBARRIER_TEST_WAIT},
    {"try_wait", MOD_MBARRIER, MBARRIER_TEST_WAIT},
    {"pending_count", MOD_MBARRIER, MBARRIER_PENDING_COUNT},
    {"noComplete", MOD_NO_COMPLETE, 1},
    {"parity", MOD_PARITY, 1},
    {"1d", MOD_GEOMETRY, GEOMETRY_1D},
    {"2d", MOD_GEOMETRY, GEOMETRY_2D},
    {"3d", MOD_GEOMETRY, GEOMETRY_3D},
    {"a1d", MOD_GEOMETRY, GEOMETRY_A1D},
    {"a2d", MOD_GEOMETRY, GEOMETRY_A2D},
    {"cube", MOD_GEOMETRY, GEOMETRY_CUBE},
    {"acube", MOD_GEOMETRY, GEOMETRY_ACUBE},
    {"level", MOD_LEVEL, 1}, /* there are no mipmaps: every level is the first */
    {"grad", MOD_LEVEL, 1},
    {"r", MOD_GATHER, 0},
    {"g", MOD_GATHER, 1},
    {"b", MOD_GATHER, 2},
    {"a", MOD_GATHER, 3},
    {"trap", MOD_BOUNDARY, BOUNDARY_TRAP},
    {"clamp", MOD_BOUNDARY, BOUNDARY_CLAMP},
    {"zero", MOD_BOUNDARY, BOUNDARY_ZERO},
    {"b", MOD_BYTES, 1},
    {"fractional", MOD_POLICY, 1},
    {"range", MOD_POLICY, 1},
    {"cvt", MOD_POLICY, 1},
    {"inc", MOD_REGISTERS, 1},
    {"dec", MOD_REGISTERS, -1},
    {"wait", MOD_GRID_STEP, 1},
    {"launch_dependents", MOD_GRID_STEP, 1},
    {"rna", MOD_AWAY, 1},
    {"load", MOD_WMMA, WMMA_LOAD},
    {"store", MOD_WMMA, WMMA_STORE},
    {"mma", MOD_WMMA, WMMA_MMA},
    {"a", MOD_MATRIX, MATRIX_A},
    {"b", MOD_MATRIX, MATRIX_B},
    {"c", MOD_MATRIX, MATRIX_SUM},
    {"d", MOD_MATRIX, MATRIX_SUM},
    {"m8n8", MOD_SHAPE, SHAPE(8, 8, 0)},
    {"m8n8k4", MOD_SHAPE, SHAPE(8, 8, 4)},
    {"m8n8k16", MOD_SHAPE, SHAPE(8, 8, 16)},
    {"m16n8k4", MOD_SHAPE, SHAPE(16, 8, 4)},
    {"m16n8k8", MOD_SHAPE, SHAPE(16, 8, 8)},
    {"m16n8k16", MOD_SHAPE, SHAPE(16, 8, 16)},
    {"m16n8k32", MOD_SHAPE, SHAPE(16, 8, 32)},
    {"m16n16k8", MOD_SHAPE, SHAPE(16, 16, 8)},
    {"m16n16k16", MOD_SHAPE, SHAPE(16, 16, 16)},
    {"m32n8k16", MOD_SHAPE, SHAPE(32, 8, 16)},
    {"m8n32k16", MOD_SHAPE, SHAPE(8, 32, 16)},
    {"row", MOD_LAYOUT, 0},
    {"col", MOD_LAYOUT, 1},
    {"x1", MOD_MATRICES, 1},
    {"x2", MOD_MATRICES, 2},
    {"x4", MOD_MATRICES, 4},
    {"trans", MOD_TRANSPOSED, 1},
    {"satfinite", MOD_SATFINITE, 1},
};

const char *modifier_spelling(int index, enum modifier_kind *kind)
{
    if (index < 0 || index >= (int)(sizeof spellings / sizeof spellings[0]))
        return NULL;
    *kind = spellings[index].kind;
    return spellings[index].text;
}

/* A prefetch hint such as L1::evict_last or L2::128B is a cache operator with its own tail. */
static bool spelling_matches(const struct spelling *spelling, const char *text)
{
    if (spelling->kind == MOD_CACHE && spelling->text[0] == 'L')
        return strncmp(text, spelling->text, 2) == 0 && (text[2] == ':' || text[2] == '\0');
    return strcmp(spelling->text, text) == 0;
}

/* bar.sync and barrier.cta.sync.aligned: the second word of the same kind is looked up further. */
static const struct spelling *find_spelling(const char *text, uint64_t allowed, uint64_t seen)
{
    const uint64_t repeatable = CACHE | SYNC | SPACE | NOINC | LAYOUT;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        const struct spelling *spelling = &spellings[i];
        uint64_t bit = UINT64_C(1) << spelling->kind;
        if ((allowed & bit) && (!(seen & bit) || (repeatable & bit)) && spelling_matches(spelling, text))
            return spelling;
    }
    return NULL;
}

const char *modifiers_parse(const struct ptx_instr *instr, uint64_t allowed, struct modifiers *out)
{
    memset(out, 0, sizeof *out);
    for (int kind = 0; kind < MOD_KINDS; kind++)
        out->name[kind] = "";
    for (int i = 0; i < instr->mod_count; i++) {
        const char *text = instr->mods[i];
        enum ptx_type type = ptx_type_find(text);
        if (type != PTX_NOTYPE) {
            if (out->type_count == 4)
                return text;
            out->types[out->type_count++] = type;
            continue;
        }
        const struct spelling *spelling = find_spelling(text, allowed, out->seen);
        if (!spelling)
            return text;
        if (spelling->kind == MOD_SPACE) {
            if (out->space_count == 2)
                return text;
            out->spaces[out->space_count++] = spelling->value;
        }
        out->seen |= UINT64_C(1) << spelling->kind;
        out->value[spelling->kind] = spelling->value;
        out->name[spelling->kind] = spelling->text;
    }
    return NULL;
}
