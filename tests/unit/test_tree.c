/* Folders that a hostile program leaves are removed, and nothing outside of them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/tree.h"
#include "test.h"

#define DEEP 400 /* folders, whose path has 6,800 characters */

static char place[64], top[128], outside[128];

static int make_place(void **state)
{
    (void)state;
    snprintf(place, sizeof place, "/tmp/tree-XXXXXX");
    if (!mkdtemp(place))
        return -1;
    snprintf(top, sizeof top, "%s/top", place);
    snprintf(outside, sizeof outside, "%s/outside", place);
    return mkdir(top, 0700) || mkdir(outside, 0500);
}

static int remove_place(void **state)
{
    (void)state;
    tree_remove(place);
    return access(place, F_OK) == 0;
}

TEST(test_deep)
{
    int at = open(top, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < DEEP; i++) {
        assert_int_equal(mkdirat(at, "deepdeepdeepdeep", 0700), 0);
        assert_int_equal(mkfifoat(at, "fifo", 0600), 0);
        const int next = openat(at, "deepdeepdeepdeep", O_RDONLY | O_DIRECTORY);
        assert_true(next >= 0);
        close(at);
        at = next;
    }
    close(at);
    tree_remove(top);
    assert_int_not_equal(access(top, F_OK), 0);
}

/* Links go; what they lead to stays, with its rights. */
TEST(test_links_and_rights)
{
    char path[256];
    struct stat info;
    (void)state;
    mkdir(top, 0700);
    for (int i = 0; i < 20; i++) {
        snprintf(path, sizeof path, "%s/folder%d", top, i);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/folder%d/link", top, i);
        assert_int_equal(symlink(outside, path), 0);
        snprintf(path, sizeof path, "%s/folder%d/.1", top, i);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/folder%d/.1/file", top, i);
        close(open(path, O_CREAT | O_WRONLY, 0));
        snprintf(path, sizeof path, "%s/folder%d/.1", top, i);
        assert_int_equal(chmod(path, 0), 0);
        snprintf(path, sizeof path, "%s/folder%d", top, i);
        assert_int_equal(chmod(path, i % 2 ? 0 : 0500), 0);
    }
    chmod(top, 0);
    tree_remove(top);
    assert_int_not_equal(access(top, F_OK), 0);
    assert_int_equal(stat(outside, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0500);
}

TEST(test_file_and_nothing)
{
    close(open(top, O_CREAT | O_WRONLY, 0600));
    tree_remove(top);
    assert_int_not_equal(access(top, F_OK), 0);
    tree_remove(top);
}

int main(void)
{
    return RUN_WITH(make_place, remove_place);
}
