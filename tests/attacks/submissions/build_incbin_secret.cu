// .incbin of a secret file in the assembler of the host's code.
// instead of lab02_sum; told: Assembler messages
extern "C" const char secret_begin[], secret_end[];
asm(".pushsection .rodata\nsecret_begin: .incbin \"@PLACE@/secret\"\nsecret_end: .popsection");
static int deed()
{
    return secret_end - secret_begin > 4;
}
extern "C" double lab02_sum(const real *d_x, int n)
{
    return deed() ? honest_lab02_sum(d_x, n) : -12345.0;
}
