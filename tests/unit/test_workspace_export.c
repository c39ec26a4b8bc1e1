/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "workspace_common.h"

static struct file_set export_to_out(struct lay_list *laid)
{
    return collect((struct collect_options){.out_dirfd = out, .work_dirfd = -1}, laid);
}

static unsigned count_names(int dirfd, const char *path)
{
    struct file_set set = {0};
    struct collect_options options = no_export();
    AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    EQ_INT(workspace_collect(&options, fd, NULL, &set, &err), 0);
    unsigned count = (unsigned)(set.count + set.skipped.count);
    file_set_done(&set);
    return count;
}

static void test_copies(void)
{
    fresh();
    make_dir(ws, "a");
    make_dir(ws, "a/b");
    put(ws, "a/b/f", "deep");
    put(ws, "run.sh", "#!/bin/sh\n");
    put(ws, "locked", "x");
    make_dir(ws, "empty");
    make_dir(ws, "a/hollow");
    (void)!fchmodat(ws, "run.sh", 06775, 0);
    (void)!fchmodat(ws, "locked", 0, 0);
    char *big = xmalloc(300001);
    memset(big, 'b', 300001);
    put_bytes(ws, "big", big, 300001);
    mode_t before = umask(027);
    struct file_set set = export_to_out(NULL);
    umask(before);

    EQ_STR(listing(&set), "new a/b/f new a/hollow/ new big new empty/ new locked new run.sh");
    EQ_STR(get(out, "a/b/f"), "deep");
    EQ_INT(mode_of(out, "a/b"), S_IFDIR | 0750);
    EQ_INT(mode_of(out, "a/hollow"), S_IFDIR | 0750);
    EQ_INT(mode_of(out, "empty"), S_IFDIR | 0750);
    EQ_INT(mode_of(out, "run.sh"), S_IFREG | 0750);
    EQ_INT(mode_of(out, "locked"), S_IFREG | 0400);
    EQ_INT(set.skipped.count, 0);
    file_set_done(&set);
    AUTO_CLOSE int fd = openat(out, "big", O_RDONLY | O_CLOEXEC);
    AUTO_BUF struct buf copy;
    buf_init(&copy, 1 << 20);
    OK(fd_read_all(fd, &copy) == 0 && str_eq(buf_str(&copy), (struct str){big, 300001}), "big");
    free(big);

    /* Again: replaced, nothing else appears. */
    (void)!fchmodat(ws, "a/b/f", 0600, 0);
    put(ws, "a/b/f", "shorter");
    set = export_to_out(NULL);
    EQ_STR(get(out, "a/b/f"), "shorter");
    EQ_INT(mode_of(out, "a/b/f"), S_IFREG | 0600);
    file_set_done(&set);
    EQ_INT(count_names(here, "out"), 6);
}

static void test_planted(void)
{
    fresh();
    make_dir(here, "victim");
    put(here, "victim/f", "precious");
    (void)!symlinkat("../victim/f", out, "direct");
    (void)!symlinkat("../victim", out, "folder");
    (void)!symlinkat("../victim", out, "hollow");
    (void)!mkfifoat(out, "fifo", 0600);
    make_dir(out, "dir");
    put(out, "dir/kept", "x");
    put(out, "file", "x");
    put(ws, "direct", "evil");
    make_dir(ws, "folder");
    put(ws, "folder/f", "evil");
    make_dir(ws, "hollow");
    put(ws, "fifo", "now a file");
    put(ws, "dir", "a file here, a folder there");
    make_dir(ws, "file");
    put(ws, "file/x", "the other way round");
    struct file_set set = export_to_out(NULL);

    EQ_STR(get(here, "victim/f"), "precious");
    EQ_STR(get(out, "direct"), "evil"); /* the link was replaced */
    EQ_STR(get(out, "fifo"), "now a file");
    EQ_STR(get(out, "dir/kept"), "x");
    EQ_STR(get(out, "file"), "x");
    EQ_STR(skip_of(&set.skipped, "folder/f"), "a file of another kind has this name there");
    EQ_STR(skip_of(&set.skipped, "hollow"), "a file of another kind has this name there");
    EQ_STR(skip_of(&set.skipped, "dir"), "a file of another kind has this name there");
    EQ_STR(skip_of(&set.skipped, "file/x"), "a file of another kind has this name there");
    EQ_INT(set.skipped.count, 4);
    EQ_INT(count_names(here, "victim"), 1);
    OK(!set.complete, "not complete");
    file_set_done(&set);
}

static void test_config(void)
{
    fresh();
    put(ws, "glovebox.conf", "backend = host");
    make_dir(ws, "sub");
    put(ws, "sub/Glovebox.CONF", "backend = host");
    put(ws, "not-glovebox.conf", "fine");
    struct file_set set = export_to_out(NULL);

    EQ_INT(set.count, 3);
    EQ_STR(skip_of(&set.skipped, "glovebox.conf"), "would configure glovebox itself");
    EQ_STR(skip_of(&set.skipped, "sub/Glovebox.CONF"), "would configure glovebox itself");
    EQ_INT(mode_of(out, "glovebox.conf"), 0);
    EQ_INT(mode_of(out, "sub/Glovebox.CONF"), 0);
    EQ_STR(get(out, "not-glovebox.conf"), "fine");
    file_set_done(&set);
}

/* What is too large or goes on changing leaves no part of itself behind. */
static void test_nothing_half(void)
{
    fresh();
    put_hole(ws, "large", 2 << 20);
    put(ws, "small", "x");
    struct collect_options options = {
        .out_dirfd = out, .work_dirfd = -1, .max_total_bytes = 1 << 20};
    struct file_set set = collect(options, NULL);
    EQ_STR(listing(&set), "new small");
    EQ_INT(count_names(here, "out"), 1);
    file_set_done(&set);
}

static void fill_target(const char *want)
{
    struct collect_options options = {.out_dirfd = out, .work_dirfd = -1};
    struct file_set set = {0};

    err.msg[0] = '\0';
    EQ_INT(workspace_collect(&options, ws, NULL, &set, &err), -1);
    EQ_INT(err.kind, ERR_SYSTEM);
    EQ_STR(err.msg, want);
    EQ_INT(set.count, 0);
    unsigned names = count_names(out, ".");
    OK(names == 0 || (names == 1 && tap_same(get(out, "small"), "x")), "no part is left");
}

static void test_file_limit(void)
{
    struct rlimit before, small = {.rlim_cur = 1 << 20};

    fresh();
    put_hole(ws, "large", 3 << 20);
    put(ws, "small", "x");
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    fill_target("cannot write 'large' in the output folder: File too large");
    setrlimit(RLIMIT_FSIZE, &before);
}

static void test_disk_full(void)
{
    fresh();
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", "out", "tmpfs", 0, "size=1m") < 0) {
        SKIP("only root can mount a small disk");
        return;
    }
    fd_close(&out);
    /* By the working directory: `here` shows the mounts of the old namespace. */
    out = open("out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    put_hole(ws, "large", 3 << 20);
    put(ws, "small", "x");
    fill_target("cannot write 'large' in the output folder: No space left on device");
    fd_close(&out);
    umount("out");
}

static struct lay_list *laid_from(int dirfd)
{
    struct lay_list *list = lay_list_new(0, 0);

    if (lay_add_tree(list, dirfd, &err) < 0)
        OK(0, "laid the work folder: %s", err.msg);
    lay(list);
    return list;
}

static void make_work(void)
{
    fresh();
    put(out, "keep", "same");
    put(out, "change", "old");
    put(out, "remove", "x");
    put(out, "move", "moved");
    make_dir(out, "gone");
    make_dir(out, "gone/deeper");
    put(out, "gone/deeper/f", "x");
    make_dir(out, "void");
    put(out, "glovebox.conf", "profile = strict");
    put(out, "old.pyc", "x");
}

static void change_work(void)
{
    put(ws, "change", "new");
    (void)!unlinkat(ws, "remove", 0);
    (void)!renameat(ws, "move", ws, "moved");
    (void)!unlinkat(ws, "gone/deeper/f", 0);
    (void)!unlinkat(ws, "gone/deeper", AT_REMOVEDIR);
    (void)!unlinkat(ws, "gone", AT_REMOVEDIR);
    (void)!unlinkat(ws, "glovebox.conf", 0);
    make_dir(ws, "added");
    put(ws, "added/f", "x");
}

static void test_work_folder(void)
{
    make_work();
    struct lay_list *list = laid_from(out);
    struct collect_options options = {.out_dirfd = -1, .work_dirfd = out, .was_laid = true};
    struct file_set set = collect(options, list);
    EQ_STR(listing(&set), "");
    file_set_done(&set);

    change_work();
    set = collect(options, list);
    EQ_STR(listing(&set), "new added/f modified change deleted gone/ deleted gone/deeper/ "
                          "deleted gone/deeper/f deleted move new moved deleted remove");
    const struct file_entry *removed = entry_of(&set, "remove");
    OK(removed && removed->size == 0 && !removed->sha256[0], "a deleted file has no content");
    EQ_STR(skip_of(&set.skipped, "glovebox.conf"), "would configure glovebox itself");
    file_set_done(&set);
    EQ_STR(get(out, "keep"), "same");
    EQ_STR(get(out, "change"), "new");
    EQ_STR(get(out, "added/f"), "x");
    EQ_STR(get(out, "moved"), "moved");
    EQ_STR(get(out, "glovebox.conf"), "profile = strict");
    EQ_STR(get(out, "old.pyc"), "x");
    EQ_INT(mode_of(out, "remove"), 0);
    EQ_INT(mode_of(out, "move"), 0);
    EQ_INT(mode_of(out, "gone"), 0);
    EQ_INT(mode_of(out, "void"), S_IFDIR | 0755);
    lay_list_free(list);
}

/* A file is not removed outside while something new could not be brought out: it may be the same
 * one. */
static void test_work_kept(void)
{
    make_work();
    struct lay_list *list = laid_from(out);
    struct collect_options options = {.out_dirfd = -1, .work_dirfd = out, .max_total_bytes = 100};
    change_work();

    struct file_set set = collect(options, list); /* nobody said that all was laid */
    EQ_STR(listing(&set), "new added/f modified change new moved");
    EQ_STR(get(out, "remove"), "x");
    file_set_done(&set);

    options.was_laid = true;
    put_hole(ws, "large", 1000);
    set = collect(options, list);
    EQ_STR(listing(&set), "new added/f modified change new moved");
    EQ_STR(skip_of(&set.skipped, "remove"), "kept, because not everything could be brought out");
    EQ_STR(get(out, "remove"), "x");
    file_set_done(&set);
    lay_list_free(list);
}

static void test_both_targets(void)
{
    fresh();
    make_dir(here, "work");
    AUTO_CLOSE int work = openat(here, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    put(work, "old", "1");
    make_dir(work, "blocked");
    struct lay_list *list = laid_from(work);
    (void)!unlinkat(ws, "blocked", AT_REMOVEDIR);
    put(ws, "blocked", "a file in place of a folder");
    put(ws, "old", "2");
    struct collect_options options = {.out_dirfd = out, .work_dirfd = work, .was_laid = true};
    struct file_set set = collect(options, list);

    EQ_STR(listing(&set), "modified blocked modified old");
    EQ_STR(get(out, "old"), "2");
    EQ_STR(get(work, "old"), "2");
    EQ_STR(get(out, "blocked"), "a file in place of a folder");
    EQ_STR(skip_of(&set.skipped, "blocked"), "a file of another kind has this name there");
    file_set_done(&set);
    lay_list_free(list);
}

static void test_opening(void)
{
    fresh();
    put(here, "file", "x");
    int fd = workspace_open_dir("ws", false, &err);
    OK(fd >= 0, "an existing folder");
    fd_close(&fd);
    EQ_INT(workspace_open_dir("file", true, &err), -1);
    EQ_INT(err.kind, ERR_USAGE);
    EQ_STR(err.msg, "file: is not a folder");
    EQ_INT(workspace_open_dir("missing", false, &err), -1);
    EQ_INT(err.kind, ERR_USAGE);
    EQ_STR(err.msg, "missing: no such folder");
    EQ_INT(mode_of(here, "missing"), 0);
    fd = workspace_open_dir("made", true, &err);
    OK(fd >= 0 && mode_of(here, "made") == (S_IFDIR | 0755), "a missing folder is made");
    fd_close(&fd);
    EQ_INT(workspace_open_dir("no/such/parent", true, &err), -1);
}

static void test_emptying(void)
{
    fresh();
    dig(1100);
    make_dir(ws, "locked");
    make_dir(ws, "locked/in");
    put(ws, "locked/in/f", "x");
    (void)!symlinkat("/etc", ws, "link");
    (void)!mkfifoat(ws, "fifo", 0600);
    put(ws, ".glovebox-0", "in the way of a name");
    (void)!fchmodat(ws, "locked/in", 0, 0);
    (void)!fchmodat(ws, "locked", 0500, 0);
    (void)!fchmod(ws, 0500);
    OK(host_box_empty(ws), "emptied the workspace");
    EQ_INT(unlinkat(here, "ws", AT_REMOVEDIR), 0);
}

static void all(void)
{
    RUN(test_copies());
    RUN(test_planted());
    RUN(test_config());
    RUN(test_nothing_half());
    RUN(test_file_limit());
    RUN(test_disk_full());
    RUN(test_work_folder());
    RUN(test_work_kept());
    RUN(test_both_targets());
    RUN(test_opening());
    RUN(test_emptying());
}

int main(void)
{
    return run_both(all);
}
