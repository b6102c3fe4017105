// .include of the solution's assembler, and of a file of passwords in an error message.
// instead of all; told: Assembler messages
asm(".include \"@PLACE@/secret\"");
