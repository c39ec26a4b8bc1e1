/* SPDX-License-Identifier: Apache-2.0
 *
 * The run log where it cannot be: files that are not a log or are damaged, no room, no permission.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "store_common.h"
#include "tap.h"

/* ---- files that are not ours ---- */

static void write_file(const char *path, const void *p, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    OK(fd >= 0 && write(fd, p, n) == (ssize_t)n, "wrote %s", path);
    close(fd);
}

static int sql(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    int rc = sqlite3_open(path, &db);

    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    sqlite3_close(db);
    return rc;
}

static void test_strange_files(void)
{
    char garbage[8192];

    for (size_t i = 0; i < sizeof garbage; i++)
        garbage[i] = (char)(i * 7 + 1);
    write_file(in_folder("garbage.db"), garbage, sizeof garbage);
    refuse_open(in_folder("garbage.db"), STORE_CREATE, ERR_USAGE, "not a run log; move it away");
    refuse_open(in_folder("garbage.db"), STORE_READ, ERR_USAGE, "not a run log; move it away");
    write_file(in_folder("short.db"), "hello\n", 6);
    refuse_open(in_folder("short.db"), STORE_CREATE, ERR_USAGE, "not a run log; move it away");
    EQ_INT(file_size(in_folder("short.db")), 6);

    EQ_INT(sql(in_folder("other.db"), "CREATE TABLE cookies(a); INSERT INTO cookies VALUES(1)"), 0);
    refuse_open(in_folder("other.db"), STORE_CREATE, ERR_USAGE, "not a run log; move it away");
    EQ_INT(sql(in_folder("other.db"), "INSERT INTO cookies VALUES(2)"), 0);

    EQ_INT(mkdir(in_folder("dir.db"), 0700), 0);
    refuse_open(in_folder("dir.db"), STORE_CREATE, ERR_USAGE, "a folder");
    refuse_open("/dev/null", STORE_CREATE, ERR_USAGE, "not a file");
    EQ_INT(mkfifo(in_folder("fifo"), 0600), 0);
    refuse_open(in_folder("fifo"), STORE_CREATE, ERR_USAGE, "not a file");
    refuse_open(in_folder("short.db/log.db"), STORE_CREATE, ERR_SYSTEM, "Not a directory");
    refuse_open(in_folder("missing.db"), STORE_WRITE, ERR_SYSTEM, "No such file");
    EQ_INT(err.sys, ENOENT);
    EQ_INT(symlink("nowhere", in_folder("dangling")), 0);
    refuse_open(in_folder("dangling"), STORE_CREATE, ERR_SYSTEM, "No such file");
    refuse_open("", STORE_CREATE, ERR_USAGE, "empty");

    write_file(in_folder("empty.db"), "", 0);
    struct store *s = open_log(in_folder("empty.db"), STORE_CREATE);
    OK(s && count(s, (struct store_query){0}) == 0, "an empty file becomes a log");
    store_close(s);
}

/* Names that SQLite would take for something else than a file. */
static void test_special_names(void)
{
    static const char *const names[] = {":memory:", "file:x.db?mode=memory", "file::memory:"};
    char here[4096];

    OK(getcwd(here, sizeof here) && chdir(folder) == 0, "in the folder");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct run_record run = sample("one", 1);
        struct store *s = open_log(names[i], STORE_CREATE);
        OK(s && store_append(s, &run, &err) == 0, "%s is a name like others", names[i]);
        store_close(s);
        s = open_log(names[i], STORE_READ);
        OK(s && count(s, (struct store_query){0}) == 1, "%s lasts", names[i]);
        store_close(s);
    }
    EQ_INT(chdir(here), 0);
}

/* Turns over one byte of a log, and back after `f`'s look at it. */
static bool with_damage(const char *path, int64_t at, bool (*f)(const char *path))
{
    unsigned char old = 0, bad;
    int fd = open(path, O_RDWR | O_CLOEXEC);

    if (pread(fd, &old, 1, at) != 1)
        OK(0, "reads byte %lld", (long long)at);
    bad = (unsigned char)~old;
    if (pwrite(fd, &bad, 1, at) != 1)
        OK(0, "damages byte %lld", (long long)at);
    bool result = f(path);
    if (pwrite(fd, &old, 1, at) != 1)
        OK(0, "repairs byte %lld", (long long)at);
    close(fd);
    return result;
}

static bool is_refused(const char *path)
{
    struct err quiet = {0};
    struct store *s = NULL;
    struct store_query all = {0};
    int rows = 0;

    if (store_open(path, STORE_READ, &s, &quiet) == 0)
        store_list(s, &all, count_row, &rows, &quiet);
    store_close(s);
    return one_line(quiet.msg);
}

/* An answer or an error, never a crash. */
static void test_damage(void)
{
    const char *path = in_folder("damage.db");
    struct store *s = open_log(path, STORE_CREATE);
    struct run_record run = sample("again", 5);
    int64_t deleted;
    int refused = 0, rounds = 0;

    fill(s);
    EQ_INT(store_prune(s, 1, 0, &deleted, &err), 0); /* folds the write-ahead log in */
    store_close(s);
    int64_t size = file_size(path);
    for (int64_t at = 0; at < size; at += 41, rounds++)
        refused += with_damage(path, at, is_refused);
    OK(refused > 5, "damage was noticed %d times of %d", refused, rounds);
    s = open_log(path, STORE_CREATE);
    OK(s && store_append(s, &run, &err) == 0, "repaired, it works again");
    store_close(s);
}

/* ---- where writing is not possible ---- */

/* A mount namespace in which this process may mount: root's own, or one that belongs to a user
 * namespace (user_namespaces(7)). */
static bool own_mounts(void)
{
    char map[64];
    unsigned uid = geteuid(), gid = getegid();

    if (unshare(CLONE_NEWNS) == 0)
        return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return false;
    fd_write_file_at(AT_FDCWD, "/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    if (fd_write_file_at(AT_FDCWD, "/proc/self/uid_map", map) < 0)
        return false;
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    return fd_write_file_at(AT_FDCWD, "/proc/self/gid_map", map) == 0;
}

/* Runs f in a child with a small tmpfs at `folder/mnt` that nobody else sees; its checks count
 * here. */
static void in_small_tmpfs(const char *options, int (*f)(void))
{
    int status = -1;

    mkdir(in_folder("mnt"), 0700);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        if (!own_mounts() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
            mount("tmpfs", in_folder("mnt"), "tmpfs", 0, options) < 0)
            _exit(77);
        _exit(f());
    }
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP("needs a mount namespace");
    else
        OK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "in a small tmpfs: %s (status %#x)",
           options, status);
}

/* Appends until the disk is full; the number of rows that went in. */
static int append_until_full(struct store *s, int from)
{
    char id[32];
    int i = from;

    for (; i < 5000; i++) {
        snprintf(id, sizeof id, "f%d", i);
        struct run_record run = sample(id, i + 1);
        if (store_append(s, &run, &err) < 0)
            break;
    }
    return i - from;
}

static int full_disk(void)
{
    char filler[16384] = {0};
    const char *ballast = in_folder("mnt/ballast");
    int fd = open(ballast, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    EXPECT(fd >= 0 && write(fd, filler, sizeof filler) == sizeof filler);
    close(fd);
    struct store *s = open_log(in_folder("mnt/log.db"), STORE_CREATE);
    EXPECT(s);
    int rows = append_until_full(s, 0);
    EXPECT(rows > 5 && rows < 5000);
    EXPECT(err.kind == ERR_SYSTEM && one_line(err.msg));
    printf("# full after %d rows: %s\n", rows, err.msg);
    EXPECT(append_until_full(s, rows) == 0);
    EXPECT(count(s, (struct store_query){0}) >= rows);
    unlink(ballast);
    EXPECT(append_until_full(s, 4999) == 1);
    store_close(s);
    EXPECT(is_whole(in_folder("mnt/log.db")));
    fflush(stdout);
    return 0;
}

static int disk_without_room(void)
{
    char filler[4096] = {0};
    int fd = open(in_folder("mnt/ballast"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    while (write(fd, filler, sizeof filler) > 0)
        ;
    close(fd);
    EXPECT(!open_log(in_folder("mnt/log.db"), STORE_CREATE));
    EXPECT(err.kind == ERR_SYSTEM && one_line(err.msg));
    fflush(stdout);
    return 0;
}

static int read_only_disk(void)
{
    struct store *s = open_log(in_folder("mnt/log.db"), STORE_CREATE);
    struct run_record run = sample("one", 1);

    EXPECT(s && store_append(s, &run, &err) == 0);
    store_close(s);
    EXPECT(mount(NULL, in_folder("mnt"), NULL, MS_REMOUNT | MS_RDONLY, "size=256k") == 0);
    EXPECT(!open_log(in_folder("mnt/log.db"), STORE_CREATE));
    EXPECT(strstr(err.msg, "read-only"));
    EXPECT(!open_log(in_folder("mnt/new.db"), STORE_CREATE));
    EXPECT(err.sys == EROFS);
    EXPECT(!open_log(in_folder("mnt/sub/new.db"), STORE_CREATE | STORE_FOLDERS));
    EXPECT(err.sys == EROFS && strstr(err.msg, "make folder"));
    s = open_log(in_folder("mnt/log.db"), STORE_READ);
    EXPECT(s && count(s, (struct store_query){0}) == 1);
    store_close(s);
    fflush(stdout);
    return 0;
}

/* As a user who may look and not touch. */
static int as_nobody(void)
{
    EXPECT(setgid(65534) == 0 && setuid(65534) == 0);
    EXPECT(!open_log(in_folder("mnt/open/log.db"), STORE_CREATE));
    EXPECT(strstr(err.msg, "read-only"));
    EXPECT(!open_log(in_folder("mnt/open/new.db"), STORE_CREATE));
    EXPECT(err.sys == EACCES);
    EXPECT(!open_log(in_folder("mnt/closed/log.db"), STORE_CREATE));
    EXPECT(err.sys == EACCES);
    struct store *s = open_log(in_folder("mnt/open/log.db"), STORE_READ);
    EXPECT(s && count(s, (struct store_query){0}) == 1);
    store_close(s);
    fflush(stdout);
    return 0;
}

static int other_user(void)
{
    struct run_record run = sample("one", 1);
    struct store *s = open_log(in_folder("mnt/open/log.db"), STORE_CREATE | STORE_FOLDERS);

    EXPECT(s && store_append(s, &run, &err) == 0);
    store_close(s);
    EXPECT(mkdir(in_folder("mnt/closed"), 0700) == 0);
    EXPECT(chmod(folder, 0755) == 0 && chmod(in_folder("mnt/open"), 0755) == 0);
    EXPECT(chmod(in_folder("mnt/open/log.db"), 0644) == 0);
    EXPECT(chmod(in_folder("mnt/open/log.db-wal"), 0644) == 0);
    EXPECT(chmod(in_folder("mnt/open/log.db-shm"), 0644) == 0);
    return as_nobody();
}

static void test_no_writing(void)
{
    in_small_tmpfs("size=256k,mode=755", full_disk);
    in_small_tmpfs("size=16k,mode=755", disk_without_room);
    in_small_tmpfs("size=256k,mode=755", read_only_disk);
    if (geteuid() == 0)
        in_small_tmpfs("size=512k,mode=755", other_user);
    else
        SKIP("only root can become somebody else");
}

int main(void)
{
    if (begin() < 0)
        return 1;
    RUN(test_strange_files());
    RUN(test_special_names());
    RUN(test_damage());
    RUN(test_no_writing());
    remove_folder();
    return tap_done();
}
