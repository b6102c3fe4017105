// The scratch folder loses all its rights, so that it cannot be removed.
// instead of lab02_sum; told: wrong
#include <sys/stat.h>
#include <unistd.h>
extern "C" double lab02_sum(const real *, int)
{
    chdir(getenv("TMPDIR"));
    fclose(fopen("x", "w"));
    mkdir("y", 0700);
    fclose(fopen("y/z", "w"));
    chmod("y", 0);
    chmod(".", 0);
    return 0;
}
