// OSC 52 writes the clipboard, OSC 8 a link, in a message of CHECK.
// instead of lab02_sum; told: mine.cu:7
extern "C" double lab02_sum(const real *, int)
{
    fprintf(stderr, "mine.cu:7: \033]52;c;cm0gLXJm\a failed: \033]8;;http://x\a (cudaErrorUnknown)\n");
    exit(86);
}
