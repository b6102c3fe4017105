/* A compiler that is stopped leaves nothing behind. */
#include <unistd.h>

#include "test.h"
#include "harness/base/text.h"
#include "harness/change/recompile.h"

TEST(test_stopped)
{
    struct grader_build *build = calloc(1, sizeof *build);
    char folder[RECOMPILE_FOLDER], path[RECOMPILE_PATH], name[RECOMPILE_PATH + 16];
    assert_non_null(build);
    assert_true(recompile_make_folder(folder));
    text_set(build->folder, sizeof build->folder, "%s", folder);
    text_set(build->source_path, sizeof build->source_path, "%s/student.cu", folder);
    snprintf(name, sizeof name, "%s/again", folder);
    FILE *script = fopen(name, "w"); /* as nvcc: files in TMPDIR, that it would remove at its end */
    assert_non_null(script);
    fprintf(script, "mkdir $TMPDIR/sub; echo > $TMPDIR/sub/tmpxft_1; echo > %s/begun; exec sleep 60\n",
            folder);
    fclose(script);
    snprintf(path, sizeof path, "%.400s/copy", folder);
    const pid_t compiler = recompile_begin(build, path, "", RECOMPILE_WORKER);
    assert_true(compiler > 0);
    char begun[RECOMPILE_PATH + 16];
    snprintf(begun, sizeof begun, "%s/begun", folder);
    for (int i = 0; i < 1000 && access(begun, F_OK) != 0; i++)
        usleep(10000);
    assert_int_equal(unlink(begun), 0);
    recompile_drop(compiler, path);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(rmdir(folder), 0); /* which is empty */
    free(build);
}

RUN_ALL
