/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fd.h"
#include "jail/host_box.h"
#include "tap.h"

static char top[64], box[80], outside[80];

static void make_file(int dirfd, const char *name)
{
    AUTO_CLOSE int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        abort();
}

/* Deeper than a path is long, with a file in each folder. */
static void make_deep(int depth)
{
    AUTO_CLOSE int at = open(box, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (int i = 0; i < depth; i++) {
        make_file(at, "file");
        if (mkdirat(at, "folder-with-a-name", 0700) < 0)
            abort();
        int next = openat(at, "folder-with-a-name", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
    }
}

static void make_box(void)
{
    if (mkdir(box, 0700) < 0)
        abort();
}

static bool is_gone(void)
{
    struct stat st;

    return lstat(box, &st) < 0;
}

static void test_deep(void)
{
    make_box();
    make_deep(2000);
    host_box_remove(box);
    OK(is_gone(), "two thousand folders deep");
}

/* A folder that its owner locked, with something in it, in another one. */
static void test_locked(void)
{
    char path[128];

    make_box();
    snprintf(path, sizeof path, "%s/a", box);
    OK(mkdir(path, 0700) == 0, "a folder");
    snprintf(path, sizeof path, "%s/a/b", box);
    OK(mkdir(path, 0700) == 0, "a folder in it");
    snprintf(path, sizeof path, "%s/a/b/c", box);
    OK(mkdir(path, 0700) == 0 && chmod(path, 0) == 0, "a locked folder in that");
    snprintf(path, sizeof path, "%s/a/b", box);
    OK(chmod(path, 0) == 0, "locked as well");
    snprintf(path, sizeof path, "%s/a", box);
    OK(chmod(path, 0) == 0, "and the first");
    host_box_remove(box);
    OK(is_gone(), "locked folders go");
}

static void test_links(void)
{
    char path[128];
    struct stat st;

    make_box();
    snprintf(path, sizeof path, "%s/link", box);
    OK(symlink(outside, path) == 0, "a link to a folder outside");
    snprintf(path, sizeof path, "%s/sub", box);
    OK(mkdir(path, 0700) == 0, "a folder");
    snprintf(path, sizeof path, "%s/sub/link", box);
    OK(symlink(outside, path) == 0, "with such a link");
    snprintf(path, sizeof path, "%s/sub/queue", box);
    OK(mkfifo(path, 0600) == 0, "and a queue");
    host_box_remove(box);
    OK(is_gone(), "links go");
    OK(stat(outside, &st) == 0 && (st.st_mode & 0777) == 0500, "what they led to is as it was");
    snprintf(path, sizeof path, "%s/kept", outside);
    OK(stat(path, &st) == 0, "with its file");
    OK(symlink(outside, box) == 0, "a link in place of the folder");
    host_box_remove(box);
    OK(stat(path, &st) == 0, "is not followed");
    OK(unlink(box) == 0, "and stays");
}

/* ---- while another process fills it ---- */

static atomic_bool filled;

static void *fill(void *folder)
{
    char name[32];

    for (unsigned i = 0; !atomic_load(&filled); i++) {
        snprintf(name, sizeof name, "d%u", i % 1000);
        (void)mkdirat(*(int *)folder, name, 0700);
    }
    return NULL;
}

static void test_filled(void)
{
    pthread_t threads[2];

    if (mkdir(box, 0700) < 0)
        return;
    int folder = open(box, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, fill, &folder) != 0)
            abort();
    int64_t begin = clock_mono_ms();
    (void)host_box_empty_until(folder, begin + 200);
    OK(clock_mono_ms() - begin < 10000, "a folder that is being filled is left in time");
    atomic_store(&filled, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    close(folder);
    host_box_remove(box);
    OK(access(box, F_OK) < 0, "and can be removed later");
}

int main(void)
{
    char kept[128];

    snprintf(top, sizeof top, "%s", "/tmp/glovebox-test-XXXXXX");
    if (!mkdtemp(top))
        return 1;
    snprintf(box, sizeof box, "%s/box", top);
    snprintf(outside, sizeof outside, "%s/outside", top);
    snprintf(kept, sizeof kept, "%s/kept", outside);
    if (mkdir(outside, 0700) < 0)
        return 1;
    make_file(AT_FDCWD, kept);
    if (chmod(outside, 0500) < 0)
        return 1;
    RUN(test_deep());
    RUN(test_locked());
    RUN(test_links());
    RUN(test_filled());
    if (chmod(outside, 0700) < 0)
        return 1;
    host_box_remove(top);
    OK(access(top, F_OK) < 0, "nothing is left of this test");
    return tap_done();
}
