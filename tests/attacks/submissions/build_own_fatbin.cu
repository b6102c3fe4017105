// A section .nv_fatbin of the student's.
// instead of lab02_sum; told: wrong
asm(".pushsection .nv_fatbin,\"a\"\n.quad 0x1ba55ed50, -1, 0xffffffffffffffff\n.fill 4096,1,255\n.popsection");
extern "C" double lab02_sum(const real *, int)
{
    return 0;
}
