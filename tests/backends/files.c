/* SPDX-License-Identifier: Apache-2.0
 *
 * The files of a guest, through the table alone: they may be in no folder of this host.
 */
#include <errno.h>
#include <unistd.h>

#include "base/fd.h"
#include "tap.h"
#include "trial.h"
#include "workspace/workspace.h"
#include "workspace/workspace_files.h"

static void read_text(struct backend_guest *guest, const char *path, char ret[10])
{
    struct err err;
    uint64_t size = 0;
    AUTO_CLOSE int fd = backend_read(guest, path, &size, &err);
    ssize_t n = fd < 0 ? -1 : read(fd, ret, 9);

    ret[n > 0 ? n : 0] = '\0';
    OK(n < 0 || (uint64_t)n == size, "%s has its size", path);
}

static void test_collect(struct backend_guest *guest, struct lay_list *laid)
{
    const struct collect_options options = {.out_dirfd = -1, .work_dirfd = -1, .was_laid = true};
    struct file_set set;
    struct err err;

    if (!OK(backend_collect(guest, &options, laid, &set, &err) == 0, "what changed"))
        return;
    EQ_INT(set.count, 1);
    EQ_STR(set.count ? set.entries[0].path : "", "out.txt");
    EQ_INT(set.count ? set.entries[0].size : 0, 4);
    file_set_done(&set);
}

static void test_list(struct backend_guest *guest)
{
    struct workspace_file *files = NULL;
    size_t count = 0;
    struct err err;

    EQ_INT(backend_list(guest, &files, &count, &err), 0);
    EQ_INT(count, 2);
    EQ_STR(count == 2 ? files[0].path : "", "in.txt");
    EQ_STR(count == 2 ? files[1].path : "", "out.txt");
    workspace_files_done(files, count);
}

void test_files_of(struct backend_guest *guest, struct lay_list *laid)
{
    struct err err;
    uint64_t size;
    char text[10];

    read_text(guest, "out.txt", text);
    EQ_STR(text, "data");
    OK(backend_read(guest, "none.txt", &size, &err) < 0 && err.sys == ENOENT, "a missing file");
    OK(backend_read(guest, "/etc/passwd", &size, &err) < 0 && err.kind == ERR_USAGE,
       "a path that leads outside");
    test_collect(guest, laid);
    test_list(guest);
}

static int put(struct backend_guest *guest, const char *path, uint64_t max, struct err *err)
{
    int ends[2];

    if (fd_pipe(ends, err) < 0)
        return -1;
    AUTO_CLOSE int from = ends[0], to = ends[1];
    if (write(to, "more", 4) != 4)
        return -1;
    fd_close(&to);
    return backend_write(guest, path, from, max, err);
}

void test_change_of(struct backend_guest *guest)
{
    struct err err = {0};
    char text[10];

    OK(put(guest, "out.txt", 4, &err) == 0, "a file is put: %s", err.msg);
    read_text(guest, "out.txt", text);
    EQ_STR(text, "more");
    OK(put(guest, "out.txt", 3, &err) < 0 && err.kind == ERR_LIMIT, "not beyond the limit");
    OK(put(guest, "../out.txt", 4, &err) < 0 && err.kind == ERR_USAGE, "not outside");
    EQ_INT(put(guest, "third.txt", 4, &err), 0);
    EQ_INT(backend_remove(guest, "third.txt", &err), 0);
    OK(backend_remove(guest, "third.txt", &err) < 0 && err.sys == ENOENT, "a file can go once");
}
