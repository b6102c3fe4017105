// .rept without an end in assembler.
// instead of all; told:
asm(".rept 2000000000\n.rept 1000\nnop\n.endr\n.endr");
