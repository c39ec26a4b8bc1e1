/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the workspace share: a folder of their own to stand in, with "ws" (the guest's
 * workspace) and "out" in it, and a main that runs everything as root and as an ordinary user.
 */
#ifndef WORKSPACE_COMMON_H
#define WORKSPACE_COMMON_H

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/mem.h"
#include "jail/host_box.h"
#include "jail/lay.h"
#include "tap.h"
#include "workspace/workspace.h"

static struct err err;
static int here = -1; /* the folder */
static int ws = -1, out = -1;

#define NOBODY 65534

static inline void fresh(void)
{
    fd_close(&ws);
    fd_close(&out);
    if (!host_box_empty(here))
        OK(0, "emptied the test's folder");
    if (mkdirat(here, "ws", 0755) < 0 || mkdirat(here, "out", 0755) < 0)
        OK(0, "made ws and out");
    ws = openat(here, "ws", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    out = openat(here, "out", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static inline void put_bytes(int dirfd, const char *path, const void *p, size_t n)
{
    AUTO_CLOSE int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    if (fd < 0 || fd_write_all(fd, p, n) < 0)
        OK(0, "wrote %s: %s", path, strerror(errno));
}

static inline void put(int dirfd, const char *path, const char *text)
{
    put_bytes(dirfd, path, text, strlen(text));
}

static inline void make_dir(int dirfd, const char *path)
{
    if (mkdirat(dirfd, path, 0755) < 0)
        OK(0, "made %s: %s", path, strerror(errno));
}

/* A file of that size that occupies nothing. False when the file system has no files so large. */
static inline bool put_hole(int dirfd, const char *path, off_t size)
{
    AUTO_CLOSE int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    if (fd >= 0 && ftruncate(fd, size) == 0)
        return true;
    (void)unlinkat(dirfd, path, 0);
    return false;
}

/* Folders "d" one in the other; a file in the last. */
static inline void dig(unsigned levels)
{
    int fd = dup(ws);

    for (unsigned i = 0; i < levels && fd >= 0; i++) {
        if (mkdirat(fd, "d", 0755) < 0)
            OK(0, "dug level %u", i);
        int next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = next;
    }
    put(fd, "bottom", "x");
    close(fd);
}

/* The content of a small file, "(errno text)" when it cannot be had; no link is followed. */
static inline const char *get(int dirfd, const char *path)
{
    static char text[4][4096];
    static unsigned turn;
    char *room = text[turn++ % 4];
    AUTO_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, room, sizeof text[0] - 1);

    if (got < 0)
        snprintf(room, sizeof text[0], "(%s)", strerror(errno));
    else
        room[got] = '\0';
    return room;
}

static inline unsigned mode_of(int dirfd, const char *path)
{
    struct stat st;

    return fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ? 0 : st.st_mode;
}

static inline struct collect_options no_export(void)
{
    return (struct collect_options){.out_dirfd = -1, .work_dirfd = -1};
}

/* The set is the caller's to end; empty after a failure, which is a failed check. */
static inline struct file_set collect(struct collect_options options, struct lay_list *laid)
{
    struct file_set set = {0};
    int result = workspace_collect(&options, ws, laid, &set, &err);

    if (result < 0)
        OK(0, "collected: %s", err.msg);
    return set;
}

static inline const struct file_entry *entry_of(const struct file_set *set, const char *path)
{
    for (size_t i = 0; i < set->count; i++)
        if (tap_same(set->entries[i].path, path))
            return &set->entries[i];
    return NULL;
}

/* "new sub/ modified a.txt": what a test expects, in the set's order. */
static inline const char *listing(const struct file_set *set)
{
    static char text[4096];
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < set->count && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %s", i ? " " : "",
                              file_change_name(set->entries[i].change), set->entries[i].path);
    return text;
}

/* The first skip of that path as people see it, "(not skipped)" for none. */
static inline const char *skip_of(const struct skip_list *list, const char *path)
{
    static char text[200];

    for (size_t i = 0; i < list->count; i++)
        if (tap_same(list->items[i].path, path))
            return file_skip_describe(&list->items[i], text, sizeof text);
    return "(not skipped)";
}

static inline unsigned count_open(void)
{
    unsigned open_fds = 0;

    for (int fd = 0; fd < 1024; fd++)
        open_fds += fcntl(fd, F_GETFD) >= 0;
    return open_fds;
}

/* What list holds is in ws afterwards, as if an init had received it. */
static inline void lay(struct lay_list *list)
{
    AUTO_CLOSE int stream = fd_memory("stream", "", 0, &err);
    struct lay_limits limits = {0};

    if (lay_send(list, stream, &err) < 0 || lseek(stream, 0, SEEK_SET) < 0 ||
        lay_receive(stream, ws, limits, &err) < 0)
        OK(0, "laid: %s", err.msg);
}

/* ws is on a tmpfs. False, and a skip, where there is none to write to. */
static inline bool fresh_tmpfs(char *path)
{
    if (!mkdtemp(path)) {
        SKIP("there is no /dev/shm to write to");
        return false;
    }
    fresh();
    fd_close(&ws);
    ws = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return true;
}

static inline void done_tmpfs(const char *path)
{
    OK(host_box_empty(ws), "emptied the workspace");
    EQ_INT(rmdir(path), 0);
}

static inline void stand_in(const char *path, uid_t uid)
{
    if (uid && (setgroups(0, NULL) < 0 || setgid(uid) < 0 || setuid(uid) < 0))
        OK(0, "became an ordinary user");
    (void)prctl(PR_SET_DUMPABLE, 1); /* lost with setuid; the leak checker attaches to us */
    if (fchdir(here) < 0)
        OK(0, "stands in %s", path);
    printf("# as uid %u\n", (unsigned)geteuid());
}

/* Runs all in a child, so that each uid starts alike, and takes over its counts. */
static inline void run_as(uid_t uid, void (*all)(void))
{
    const char *tmp = getenv("TMPDIR");
    AUTO_FREE char *path = xasprintf("%s/test_workspace.XXXXXX", tmp ? tmp : "/tmp");
    int counts[2] = {tap_count, tap_failed}, ends[2];

    if (!mkdtemp(path) || pipe(ends) < 0 || chown(path, uid ? uid : geteuid(), (gid_t)-1) < 0) {
        OK(0, "made %s", path);
        return;
    }
    here = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        stand_in(path, uid);
        unsigned before = count_open();
        all();
        fd_close(&ws);
        fd_close(&out);
        EQ_INT(count_open(), before);
        counts[0] = tap_count;
        counts[1] = tap_failed;
        (void)!write(ends[1], counts, sizeof counts);
        exit(0); /* not _exit: leaks are looked for here */
    }
    close(ends[1]);
    bool told = read(ends[0], counts, sizeof counts) == sizeof counts;
    close(ends[0]);
    int status = -1;
    waitpid(child, &status, 0);
    tap_count = counts[0];
    tap_failed = counts[1];
    OK(told && status == 0, "uid %u came to its end", (unsigned)uid);
    OK(host_box_empty(here) && rmdir(path) == 0, "%s is gone", path);
    fd_close(&here);
}

static inline int run_both(void (*all)(void))
{
    if (geteuid() == 0)
        run_as(NOBODY, all);
    else
        SKIP("only root can test as root too");
    run_as(0, all);
    return tap_done();
}

#endif
