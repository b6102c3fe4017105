// The scratch folder is left with symbolic links, FIFOs, a folder without rights, and 200 nested folders, on which cleaning stumbles.
// instead of lab02_sum; told: wrong
#include <sys/stat.h>
#include <unistd.h>
extern "C" double lab02_sum(const real *, int)
{
    chdir(getenv("TMPDIR"));
    char n[32];
    symlink("@PLACE@/other.cu", "a");
    symlink("@TREE@", "b");
    mkfifo("c", 0600);
    for (int i = 0; i < 200; i++) {
        sprintf(n, "d%d", i);
        mkdir(n, 0700);
        mkfifo("f", 0600);
        if (chdir(n))
            break;
    }
    mkdir("locked", 0);
    return 0;
}
