// .fill in assembler: 100 GB of object file.
// short; instead of all; told:
asm(".pushsection .data\n.fill 100000000000, 1, 65\n.popsection");
