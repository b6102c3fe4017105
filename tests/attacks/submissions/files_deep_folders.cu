// 1,000 nested folders, longer than any path.
// short; instead of lab02_sum; told: wrong
#include <sys/stat.h>
#include <unistd.h>
extern "C" double lab02_sum(const real *, int)
{
    chdir(getenv("TMPDIR"));
    static int once;
    if (!once++)
        for (int i = 0; i < 1000; i++)
            if (mkdir("deepdeepdeepdeep", 0700) || chdir("deepdeepdeepdeep"))
                break;
    return 0;
}
