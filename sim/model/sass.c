#include "sim/model/sass.h"

#include <string.h>

struct opcode {
    uint16_t first, last;
    uint8_t unit, kind;
};

/* Low nine bits of the opcode. What is not listed goes to the ALU, as most new instructions do. */
static const struct opcode opcodes[] = {
    {0x002, 0x002, SASS_ALU, SASS_PLAIN},     /* MOV */
    {0x003, 0x01f, SASS_ALU, SASS_PLAIN},     /* SEL, ISETP, IADD3, LEA, LOP3, SHF, PRMT, … */
    {0x020, 0x023, SASS_FMA, SASS_PLAIN},     /* FMUL, FADD, FFMA */
    {0x024, 0x027, SASS_IMAD, SASS_PLAIN},    /* IMAD, IDP */
    {0x028, 0x02b, SASS_FP64, SASS_PLAIN},    /* DMUL, DADD, DSETP, DFMA */
    {0x030, 0x034, SASS_HALF, SASS_PLAIN},    /* HADD2, HFMA2, HMUL2, HSETP2 */
    {0x035, 0x035, SASS_HALF, SASS_PLAIN},    /* HFMA2.MMA; IADD in 12.0 */
    {0x036, 0x036, SASS_IMAD, SASS_PLAIN},    /* VIADD: ptxas takes it in turns with IADD3 */
    {0x082, 0x0bf, SASS_UNIFORM, SASS_PLAIN}, /* UMOV, UIADD3, ULDC, … */
    {0x0ca, 0x0ca, SASS_UNIFORM, SASS_PLAIN}, /* R2UR */
    {0x0cc, 0x0cc, SASS_XU, SASS_PLAIN},      /* CREDUX */
    {0x100, 0x102, SASS_XU, SASS_PLAIN},      /* FLO, BREV, FCHK */
    {0x104, 0x112, SASS_XU, SASS_PLAIN},      /* F2I, I2F, MUFU, POPC, F2F */
    {0x118, 0x118, SASS_NONE, SASS_PLAIN},    /* NOP */
    {0x119, 0x119, SASS_SPECIAL, SASS_PLAIN}, /* S2R */
    {0x11a, 0x11b, SASS_FENCE, SASS_PLAIN},   /* DEPBAR */
    {0x11c, 0x11c, SASS_ALU, SASS_PLAIN},     /* B2R */
    {0x11d, 0x11d, SASS_BARRIER, SASS_PLAIN}, /* BAR */
    {0x141, 0x142, SASS_BRANCH, SASS_PLAIN},  /* BSYNC, BREAK */
    {0x143, 0x144, SASS_BRANCH, SASS_CALL},   /* CALL */
    {0x145, 0x146, SASS_BRANCH, SASS_PLAIN},  /* BSSY, YIELD */
    {0x147, 0x147, SASS_BRANCH, SASS_JUMP},   /* BRA */
    {0x148, 0x148, SASS_BRANCH, SASS_PLAIN},  /* WARPSYNC */
    {0x149, 0x149, SASS_BRANCH, SASS_JUMP},   /* BRX */
    {0x14d, 0x14d, SASS_BRANCH, SASS_EXIT},   /* EXIT */
    {0x150, 0x150, SASS_BRANCH, SASS_RETURN}, /* RET */
    {0x158, 0x158, SASS_BRANCH, SASS_JUMP},   /* BRXU */
    {0x15c, 0x15d, SASS_BRANCH, SASS_PLAIN},  /* BPT, NANOSLEEP */
    {0x160, 0x16f, SASS_TEXTURE, SASS_LOAD},  /* TEX, TLD */
    {0x180, 0x181, SASS_GLOBAL, SASS_LOAD},   /* LD, LDG */
    {0x182, 0x182, SASS_CONST, SASS_LOAD},    /* LDC */
    {0x183, 0x183, SASS_LOCAL, SASS_LOAD},    /* LDL */
    {0x184, 0x184, SASS_SHARED, SASS_LOAD},   /* LDS */
    {0x185, 0x186, SASS_GLOBAL, SASS_STORE},  /* ST, STG */
    {0x187, 0x187, SASS_LOCAL, SASS_STORE},   /* STL */
    {0x188, 0x188, SASS_SHARED, SASS_STORE},  /* STS */
    {0x189, 0x189, SASS_SHUFFLE, SASS_PLAIN}, /* SHFL */
    {0x18a, 0x18b, SASS_GLOBAL, SASS_ATOMIC}, /* ATOM */
    {0x18c, 0x18d, SASS_SHARED, SASS_ATOMIC}, /* ATOMS */
    {0x18e, 0x18e, SASS_GLOBAL, SASS_ATOMIC}, /* RED, REDG */
    {0x18f, 0x18f, SASS_FENCE, SASS_PLAIN},   /* CCTL */
    {0x192, 0x192, SASS_FENCE, SASS_PLAIN},   /* MEMBAR */
    {0x1a1, 0x1a1, SASS_XU, SASS_PLAIN},      /* MATCH */
    {0x1a3, 0x1a9, SASS_GLOBAL, SASS_ATOMIC}, /* ATOMG, REDG */
    {0x1ab, 0x1ab, SASS_FENCE, SASS_PLAIN},   /* ERRBAR */
    {0x1ac, 0x1ac, SASS_UNIFORM, SASS_PLAIN}, /* LDCU */
    {0x1ae, 0x1ae, SASS_GLOBAL, SASS_LOAD},   /* LDGSTS */
    {0x1af, 0x1af, SASS_FENCE, SASS_PLAIN},   /* LDGDEPBAR */
    {0x1c2, 0x1c3, SASS_SPECIAL, SASS_PLAIN}, /* R2UR, S2UR */
    {0x1c4, 0x1c4, SASS_XU, SASS_PLAIN},      /* REDUX */
};

static uint64_t field(const uint64_t word[2], int first, int count)
{
    uint64_t value = first >= 64 ? word[1] >> (first - 64) : word[0] >> first;
    if (first < 64 && first + count > 64)
        value |= word[1] << (64 - first);
    return value & ((UINT64_C(1) << count) - 1);
}

static const struct opcode *find_opcode(unsigned opcode)
{
    static const struct opcode other = {0, 0, SASS_ALU, SASS_PLAIN};
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcode >= opcodes[i].first && opcode <= opcodes[i].last)
            return &opcodes[i];
    return &other;
}

/* From 9.0 on the eight lowest bits of the distance, which counts words of four bytes, lie apart. */
static int64_t jump_distance(const uint64_t word[2], int cc)
{
    uint64_t words = field(word, 34, 48);
    int64_t distance = (int64_t)(words << 16) >> 16;
    if (cc < 90)
        return distance * 4;
    return distance * 1024 + (int64_t)field(word, 16, 8) * 4;
}

static uint8_t access_bytes(const uint64_t word[2], unsigned opcode, int cc)
{
    static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 16};
    if (opcode == 0x1ae && cc >= 120) /* LDGSTS */
        return field(word, 73, 3) == 4 ? 16 : 4;
    return bytes[field(word, 73, 3)];
}

/* Instructions that take longer than others of their unit, as measured on an H100; in halves. */
static uint8_t half_passes(unsigned opcode)
{
    switch (opcode) {
    case 0x006: return 8; /* VOTE */
    case 0x025:           /* IMAD.WIDE */
    case 0x027: return 5; /* IMAD.HI */
    case 0x160:
    case 0x161: return 4; /* TEX: of four texels, twice as long as TLD */
    case 0x1a1: return 8; /* MATCH */
    default: return 2;
    }
}

/* BRA.U, how loops of uniform counters end from 10.0 on, has its condition among the sources: a uniform predicate. */
static uint8_t uniform_guard(const uint64_t word[2])
{
    return field(word, 24, 4) == SASS_ALWAYS ? SASS_ALWAYS : (uint8_t)field(word, 24, 3);
}

/* FMUL, FADD and FFMA: the second source is a register only in the first form, the third only of FFMA. */
static void decode_sources(struct sass *sass, const uint64_t word[2])
{
    memset(sass->sources, SASS_NO_SOURCE, sizeof sass->sources);
    if (sass->unit != SASS_FMA)
        return;
    sass->sources[0] = (uint8_t)field(word, 24, 8);
    if (field(word, 9, 3) == 1)
        sass->sources[1] = (uint8_t)field(word, 32, 8);
    if (sass->opcode == 0x023)
        sass->sources[2] = (uint8_t)field(word, 64, 8);
    sass->reuse = (uint8_t)field(word, 122, 3);
}

static int most_of_a_bank(const uint8_t sources[3], const uint8_t kept[3])
{
    int reads[2] = {0, 0};
    for (int i = 0; i < 3; i++) {
        bool known = sources[i] == SASS_NO_SOURCE || sources[i] == kept[i];
        for (int k = 0; k < i; k++)
            known |= sources[k] == sources[i];
        reads[sources[i] % 2] += !known;
    }
    return reads[0] > reads[1] ? reads[0] : reads[1];
}

void sass_count_banks(struct sass *instrs, int count)
{
    uint8_t kept[3] = {SASS_NO_SOURCE, SASS_NO_SOURCE, SASS_NO_SOURCE};
    for (int i = 0; i < count; i++) {
        struct sass *s = &instrs[i];
        if (s->unit != SASS_FMA)
            continue;
        int reads = most_of_a_bank(s->sources, kept);
        if (reads > 1)
            s->half_passes = (uint8_t)(s->half_passes + reads - 1);
        for (int k = 0; k < 3; k++)
            kept[k] = s->reuse >> k & 1 ? s->sources[k] : SASS_NO_SOURCE;
    }
}

struct sass sass_decode(const unsigned char code[SASS_BYTES], int cc)
{
    uint64_t word[2];
    memcpy(word, code, sizeof word);
    unsigned opcode = (unsigned)field(word, 0, 9);
    const struct opcode *found = find_opcode(opcode);
    struct sass sass = {
        .unit = found->unit,
        .kind = found->kind,
        .opcode = (uint16_t)opcode,
        .half_passes = half_passes(opcode),
        .guard = field(word, 12, 4) == SASS_ALWAYS ? SASS_ALWAYS : (uint8_t)field(word, 12, 3),
        .stall = (uint8_t)field(word, 105, 4),
        .release_result = (uint8_t)field(word, 110, 3),
        .release_read = (uint8_t)field(word, 113, 3),
        .wait = (uint8_t)field(word, 116, 6),
    };
    decode_sources(&sass, word);
    if (field(word, 12, 4) != SASS_ALWAYS && sass.guard == SASS_ALWAYS)
        sass.guard = 0; /* !PT: never */
    sass.counts_lanes = opcode == 0x18c && field(word, 9, 3) == 7;
    if (opcode == 0x147 && field(word, 9, 3) == 2 && sass.guard == SASS_ALWAYS)
        sass.guard = uniform_guard(word);
    if (opcode == 0x035 && cc >= 120)
        sass.unit = SASS_ALU;
    if (sass.kind == SASS_JUMP || sass.kind == SASS_CALL)
        sass.jump = opcode == 0x147 || sass.kind == SASS_CALL ? jump_distance(word, cc) : 0;
    if (sass.kind == SASS_LOAD || sass.kind == SASS_STORE || (opcode >= 0x0b9 && opcode <= 0x0bb)) /* ULDC */
        sass.bytes = access_bytes(word, opcode, cc);
    return sass;
}
